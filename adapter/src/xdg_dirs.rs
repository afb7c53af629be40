//! Where this user's programs keep what is theirs, as the XDG Base Directory Specification says.

use std::path::PathBuf;

/// What he set, where it is an absolute path.
pub(crate) fn absolute(variable: &str) -> Option<PathBuf> {
    std::env::var_os(variable).map(PathBuf::from).filter(|it| it.is_absolute())
}

/// His home folder; `None` when he has none.
pub(crate) fn home() -> Option<PathBuf> {
    absolute("HOME")
}

/// What is kept for him to see and change: `$XDG_CONFIG_HOME`, by default `~/.config`.
pub(crate) fn config() -> Option<PathBuf> {
    absolute("XDG_CONFIG_HOME").or_else(|| Some(home()?.join(".config")))
}

/// What can be made anew: `$XDG_CACHE_HOME`, by default `~/.cache`.
pub(crate) fn cache() -> Option<PathBuf> {
    absolute("XDG_CACHE_HOME").or_else(|| Some(home()?.join(".cache")))
}

/// What is remembered of what was done: `$XDG_STATE_HOME`, by default `~/.local/state`.
pub(crate) fn state() -> Option<PathBuf> {
    absolute("XDG_STATE_HOME").or_else(|| Some(home()?.join(".local/state")))
}
