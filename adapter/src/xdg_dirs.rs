//! The user's folders by the XDG Base Directory Specification.

use std::path::PathBuf;

/// Returns the value of an environment variable if it is an absolute path.
pub(crate) fn absolute(variable: &str) -> Option<PathBuf> {
    std::env::var_os(variable).map(PathBuf::from).filter(|it| it.is_absolute())
}

/// Returns the user's home folder.
pub(crate) fn home() -> Option<PathBuf> {
    absolute("HOME")
}

/// Returns the folder for configuration: `$XDG_CONFIG_HOME`, by default `~/.config`.
pub(crate) fn config() -> Option<PathBuf> {
    absolute("XDG_CONFIG_HOME").or_else(|| Some(home()?.join(".config")))
}

/// Returns the folder for caches: `$XDG_CACHE_HOME`, by default `~/.cache`.
pub(crate) fn cache() -> Option<PathBuf> {
    cache_by(absolute)
}

/// Returns the folder for caches by other variables than this process's, of which absolute paths count.
pub(crate) fn cache_by(absolute: impl Fn(&str) -> Option<PathBuf>) -> Option<PathBuf> {
    absolute("XDG_CACHE_HOME").or_else(|| Some(absolute("HOME")?.join(".cache")))
}

/// Returns the folder for state: `$XDG_STATE_HOME`, by default `~/.local/state`.
pub(crate) fn state() -> Option<PathBuf> {
    absolute("XDG_STATE_HOME").or_else(|| Some(home()?.join(".local/state")))
}
