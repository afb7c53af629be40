//! User settings for languages: in the user's own file, and in a trusted workspace's file.
//!
//! ```toml
//! memory_percent = 40                # the share of the machine's memory that a server may take
//! level = "restricted"               # of workspaces without a decision; the user's file only
//! all_memory_percent = 33            # the share that all servers together may take; the user's file only
//! background = false                 # each process starts servers of its own; the user's file only
//! editor_servers = true              # asks the servers that an editor lends; the user's file only
//! disk_gigabytes = 16                # what a confined process may take of the disk; the user's file only
//!
//! [languages.python]
//! server = "basedpyright"            # a known server, instead of the first one found
//! command = ["/opt/ty/ty", "server"] # the command to run, instead of searching
//! args = ["--stdio"]                 # instead of the default arguments
//! env = { RUST_LOG = "debug" }       # added to the environment
//! options = { … }                    # merged over the initialization options
//! disabled = true                    # starts no server
//! ```

use std::collections::{BTreeMap, HashMap};
use std::ffi::OsString;
use std::io;
use std::path::{Path, PathBuf};

use serde::Deserialize;
use serde_json::Value;

use super::not_found::{InstallHint, NotFound};
use crate::fallback::source::languages::{Language, ServerProfile, rows};
use crate::fallback::trust::level::Level;
use crate::xdg_dirs;

/// The name of the workspace's settings file, in the first folder of a session.
pub(crate) const WORKSPACE_FILE: &str = ".dialect.toml";

/// The merged settings.
#[derive(Clone, Debug, Default, PartialEq)]
pub(crate) struct Settings {
    /// The settings of each language, by its id.
    languages: BTreeMap<String, Setting>,
    /// The share of the machine's memory that a server may take, in percent.
    pub(crate) memory_percent: Option<u64>,
    /// The share that all servers together may take, in percent.
    pub(crate) all_memory_percent: Option<u64>,
    /// `false` if no background process may be used.
    pub(crate) background: Option<bool>,
    /// `true` if the servers that an editor lends are asked.
    pub(crate) editor_servers: Option<bool>,
    /// The level of workspaces without a decision of the user.
    pub(crate) level: Option<Level>,
    /// The disk that a confined process may take, in gigabytes; 0 is no limit.
    pub(crate) disk_gigabytes: Option<u64>,
}

/// The settings of one language.
#[derive(Clone, Debug, Default, PartialEq, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub(crate) struct Setting {
    server: Option<String>,
    #[serde(deserialize_with = "words")]
    pub(crate) command: Option<Vec<OsString>>,
    #[serde(deserialize_with = "words")]
    args: Option<Vec<OsString>>,
    pub(crate) env: BTreeMap<String, String>,
    pub(crate) options: Value,
    disabled: Option<bool>,
}

fn words<'de, D: serde::Deserializer<'de>>(from: D) -> Result<Option<Vec<OsString>>, D::Error> {
    let words: Vec<String> = Vec::deserialize(from)?;
    Ok(Some(words.into_iter().map(Into::into).collect()))
}

#[derive(Debug, Default, Deserialize)]
#[serde(deny_unknown_fields)]
struct SettingsFile {
    memory_percent: Option<u64>,
    all_memory_percent: Option<u64>,
    background: Option<bool>,
    editor_servers: Option<bool>,
    #[serde(default)]
    level: Option<Level>,
    disk_gigabytes: Option<u64>,
    #[serde(default)]
    languages: BTreeMap<String, Setting>,
    /// The settings of plugins, which others read.
    #[serde(default, rename = "plugins")]
    _plugins: serde::de::IgnoredAny,
    /// The settings of registries, which others read.
    #[serde(default, rename = "packages")]
    _packages: serde::de::IgnoredAny,
    /// The settings of scripts, which others read.
    #[serde(default, rename = "script")]
    _script: serde::de::IgnoredAny,
    /// The settings of skills, which others read.
    skills: Option<serde::de::IgnoredAny>,
}

/// The error of a settings file that is unreadable or invalid.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("`{}` cannot be used: {cause}", .path.display())]
pub struct SettingsError {
    path: PathBuf,
    cause: String,
}

/// Returns the path of the user's settings: `$XDG_CONFIG_HOME/dialect/config.toml`, or below `~/.config`.
pub fn user_settings() -> Option<PathBuf> {
    Some(xdg_dirs::config()?.join("dialect/config.toml"))
}

impl SettingsFile {
    /// Returns why a workspace cannot have the file: it sets what the user alone decides.
    fn of_user_alone(&self) -> Option<&'static str> {
        match self {
            Self { level: Some(_), .. } => {
                Some("`level` belongs in your own settings: a workspace cannot set its level")
            }
            Self { all_memory_percent: Some(_), .. } => {
                Some("`all_memory_percent` belongs in your own settings: a workspace cannot set it")
            }
            Self { background: Some(_), .. } => {
                Some("`background` belongs in your own settings: a workspace cannot set it")
            }
            Self { editor_servers: Some(_), .. } => {
                Some("`editor_servers` belongs in your own settings: a workspace cannot set it")
            }
            Self { disk_gigabytes: Some(_), .. } => {
                Some("`disk_gigabytes` belongs in your own settings: a workspace cannot set its limits")
            }
            Self { skills: Some(_), .. } => {
                Some("`skills` belongs in your own settings: a workspace cannot offer skills")
            }
            _ => None,
        }
    }
}

impl Settings {
    /// Reads the user's file and, if trusted, the workspace's, which takes precedence. A missing file is
    /// empty.
    ///
    /// # Errors
    /// A file cannot be read, or has an invalid value.
    pub(crate) fn load(
        user: Option<&Path>,
        folders: &[PathBuf],
        trust: bool,
        commands: &HashMap<String, Vec<OsString>>,
    ) -> Result<Self, SettingsError> {
        let mut settings = Self::default();
        let workspace = folders.first().filter(|_| trust).map(|it| it.join(WORKSPACE_FILE));
        for path in user.map(Path::to_owned).into_iter().chain(workspace) {
            let file = read(&path)?;
            if user != Some(path.as_path())
                && let Some(cause) = file.of_user_alone()
            {
                return Err(SettingsError { path, cause: cause.to_owned() });
            }
            settings.level = file.level.or(settings.level);
            settings.disk_gigabytes = file.disk_gigabytes.or(settings.disk_gigabytes);
            settings.all_memory_percent = file.all_memory_percent.or(settings.all_memory_percent);
            settings.background = file.background.or(settings.background);
            settings.editor_servers = file.editor_servers.or(settings.editor_servers);
            settings.memory_percent = file.memory_percent.or(settings.memory_percent);
            for (language, setting) in file.languages {
                settings.languages.entry(language).or_default().take_over(setting);
            }
        }
        for (language, command) in commands {
            let chosen = Setting { command: Some(command.clone()), ..Setting::default() };
            settings.languages.entry(language.clone()).or_default().take_over(chosen);
        }
        Ok(settings)
    }

    /// Adds the commands of the embedding program's own servers, where the settings choose no other.
    #[must_use]
    pub(crate) fn or_own(mut self, commands: &HashMap<String, Vec<OsString>>) -> Self {
        for language in rows() {
            let own = language.servers.iter().find_map(|it| Some((it.name, commands.get(it.name)?)));
            let Some((name, command)) = own else { continue };
            let setting = self.languages.entry(language.id.to_owned()).or_default();
            if setting.command.is_none() && setting.server.as_deref().is_none_or(|it| it == name) {
                setting.command = Some(command.clone());
            }
        }
        self
    }

    /// Returns the settings of a language.
    pub(crate) fn for_language(&self, language: &Language) -> Setting {
        self.languages.get(language.id).cloned().unwrap_or_default()
    }
}

fn read(path: &Path) -> Result<SettingsFile, SettingsError> {
    let failed = |cause: String| SettingsError { path: path.to_owned(), cause };
    let text = match std::fs::read_to_string(path) {
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(SettingsFile::default()),
        text => text.map_err(|error| failed(error.to_string()))?,
    };
    let file: SettingsFile =
        toml::from_str(&text).map_err(|error| failed(error.to_string().trim().to_owned()))?;
    let unknown = file.languages.keys().find(|id| rows().all(|it| it.id != *id));
    if let Some(unknown) = unknown {
        let ids: Vec<_> = rows().map(|it| it.id).collect();
        return Err(failed(format!("there is no language `{unknown}`; there are {}", ids.join(", "))));
    }
    let percents = [("memory_percent", file.memory_percent), ("all_memory_percent", file.all_memory_percent)];
    if let Some((name, Some(percent))) =
        percents.into_iter().find(|(_, it)| it.is_some_and(|it| !(1..=100).contains(&it)))
    {
        return Err(failed(format!("`{name}` must be 1 to 100, got {percent}")));
    }
    let empty = file.languages.iter().find(|(_, it)| it.command.as_ref().is_some_and(Vec::is_empty));
    match empty {
        Some((language, _)) => Err(failed(format!("the command of `{language}` is empty"))),
        None => Ok(file),
    }
}

impl Setting {
    fn take_over(&mut self, over: Self) {
        self.server = over.server.or_else(|| self.server.take());
        self.command = over.command.or_else(|| self.command.take());
        self.args = over.args.or_else(|| self.args.take());
        self.env.extend(over.env);
        merge(&mut self.options, over.options);
        self.disabled = over.disabled.or(self.disabled);
    }

    /// Returns the servers that may answer, the best one first; never empty.
    ///
    /// # Errors
    /// The language is disabled, or the configured server is not known.
    pub(crate) fn servers(
        &self,
        language: &'static Language,
    ) -> Result<Vec<&'static ServerProfile>, NotFound> {
        let servers: Vec<_> = language.servers.iter().collect();
        let refused = |why: String| {
            Err(NotFound { server: servers[0].name, tried: vec![why], remedy: InstallHint::Configure })
        };
        if self.disabled == Some(true) {
            return refused(format!("{} is turned off by configuration", language.name));
        }
        let Some(wanted) = &self.server else { return Ok(servers) };
        match servers.iter().find(|it| it.name == wanted) {
            Some(server) => Ok(vec![*server]),
            None => {
                let names: Vec<_> = servers.iter().map(|it| it.name).collect();
                refused(format!(
                    "configuration names `{wanted}`; known for {} are {}",
                    language.name,
                    names.join(", ")
                ))
            }
        }
    }

    /// Returns the arguments of a server.
    pub(crate) fn args(&self, server: &ServerProfile) -> Vec<OsString> {
        self.args.clone().unwrap_or_else(|| server.args.iter().map(Into::into).collect())
    }
}

/// Merges one value over another: objects key by key, everything else is replaced.
pub(crate) fn merge(under: &mut Value, over: Value) {
    match (under, over) {
        (_, Value::Null) => {}
        (Value::Object(under), Value::Object(over)) => {
            for (key, value) in over {
                merge(under.entry(key).or_insert(Value::Null), value);
            }
        }
        (under, over) => *under = over,
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn load(user: &str, workspace: &str, trust: bool) -> Result<Settings, String> {
        let dir = tempfile::tempdir().unwrap();
        let file = dir.path().join("config.toml");
        std::fs::write(&file, user).unwrap();
        std::fs::write(dir.path().join(WORKSPACE_FILE), workspace).unwrap();
        let loaded = Settings::load(Some(&file), &[dir.path().to_owned()], trust, &HashMap::new());
        loaded.map_err(|it| it.to_string().replace(&dir.path().display().to_string(), ""))
    }

    fn python(settings: &Settings) -> Setting {
        settings.for_language(rows().find(|it| it.id == "python").unwrap())
    }

    #[test]
    fn only_a_trusted_workspace_has_a_say() {
        let user = "[languages.python]\nserver = 'pyright'\noptions = { a = 1, b = { c = 2 } }\n";
        let workspace = "[languages.python]\ncommand = ['/x']\noptions = { b = { d = 3 } }\n";
        let untrusted = python(&load(user, workspace, false).unwrap());
        assert_eq!((untrusted.server.as_deref(), untrusted.command), (Some("pyright"), None));
        let trusted = python(&load(user, workspace, true).unwrap());
        assert_eq!(trusted.command, Some(vec!["/x".into()]));
        assert_eq!(trusted.options, json!({"a": 1, "b": {"c": 2, "d": 3}}));
        assert_eq!(load(user, "no toml", false).map(|_| ()), Ok(()));
    }

    #[test]
    fn a_workspace_cannot_set_what_the_user_alone_decides() {
        for (text, key) in [("level = 'trusted'\n", "level"), ("disk_gigabytes = 0\n", "disk_gigabytes")] {
            let error = load("", text, true).unwrap_err();
            assert!(error.contains(&format!("`{key}` belongs in your own settings")), "{error}");
            assert_eq!(load("", text, false), Ok(Settings::default()));
            assert_ne!(load(text, "", false), Ok(Settings::default()));
        }
        let error = load("", "[skills]\n", true).unwrap_err();
        assert!(error.contains("`skills` belongs in your own settings"), "{error}");
        assert_eq!(load("[skills]\ntokens = 3\n", "", false), Ok(Settings::default()));
    }

    #[test]
    fn what_means_nothing_is_refused_with_its_place() {
        for (text, says) in [
            ("[languages.pyton]\n", "there is no language `pyton`; there are rust, typescript"),
            ("[languages.python]\nservr = 'ty'\n", "unknown field `servr`"),
            ("memory_percent = 0\n", "must be 1 to 100, got 0"),
            ("[languages.python\n", "line 1"),
            ("[languages.python]\ncommand = []\n", "the command of `python` is empty"),
        ] {
            let error = load(text, "", false).unwrap_err();
            assert!(error.contains(says) && error.starts_with("`/config.toml` cannot be used: "), "{error}");
        }
    }

    #[test]
    fn own_servers_give_way_to_settings() {
        let own = HashMap::from([("ty".to_owned(), vec![OsString::from("/own")])]);
        let command = |text: &str| python(&load(text, "", false).unwrap().or_own(&own)).command;
        assert_eq!(command(""), Some(vec!["/own".into()]));
        assert_eq!(command("[languages.python]\nserver = 'ty'\n"), Some(vec!["/own".into()]));
        assert_eq!(command("[languages.python]\nserver = 'pyright'\n"), None);
        assert_eq!(command("[languages.python]\ncommand = ['/mine']\n"), Some(vec!["/mine".into()]));
    }

    #[test]
    fn a_language_can_be_turned_off_and_a_server_chosen() {
        let language = rows().find(|it| it.id == "python").unwrap();
        let servers = |text: &str| {
            let setting = python(&load(text, "", false).unwrap());
            let servers = setting.servers(language).map_err(|it| it.tried.join(" "));
            servers.map(|all| all.iter().map(|it| it.name).collect::<Vec<_>>().join(" "))
        };
        assert!(servers("").unwrap().starts_with("ty basedpyright"));
        assert_eq!(servers("[languages.python]\nserver = 'pyright'").unwrap(), "pyright");
        assert!(
            servers("[languages.python]\nserver = 'mypy'").unwrap_err().contains("known for Python are ty")
        );
        assert!(servers("[languages.python]\ndisabled = true").unwrap_err().contains("turned off"));
    }
}
