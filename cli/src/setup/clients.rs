//! The clients that can be set up, as data.

use std::path::{Path, PathBuf};

use serde::de::Error as _;
use serde::{Deserialize, Deserializer};
use serde_json::{Value, json};

/// The clients of `clients.toml`.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Clients {
    pub(super) clients: Vec<Client>,
}

impl Clients {
    /// Reads the clients.
    pub(super) fn read() -> Self {
        toml::from_str(include_str!("clients.toml")).expect("a test reads it")
    }
}

/// A program that starts Dialect when its settings say so.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Client {
    /// The name on the command line.
    pub(super) id: String,
    pub(super) name: String,
    protocol: Protocol,
    program: Option<String>,
    #[serde(default)]
    folders: Vec<String>,
    /// The folders on macOS, where they differ.
    #[serde(default)]
    mac: Vec<String>,
    #[serde(default)]
    files: Vec<String>,
    pub(super) format: Option<Format>,
    /// The keys of the entry, from the outermost.
    #[serde(default)]
    pub(super) at: Vec<String>,
    #[serde(default, deserialize_with = "from_json")]
    entry: Option<Value>,
    /// The variable that the client replaces by the folder of its workspace. Without one Dialect takes its current folder.
    workspace: Option<String>,
    /// The text for settings that are code, which the user puts there.
    snippet: Option<String>,
    /// The version that was tried, and when.
    #[cfg_attr(not(test), expect(dead_code, reason = "documentation"))]
    tried: Option<String>,
}

/// Reads JSON, which keeps the order of fields.
fn from_json<'de, D: Deserializer<'de>>(from: D) -> Result<Option<Value>, D::Error> {
    let text = String::deserialize(from)?;
    serde_json::from_str(&text).map(Some).map_err(D::Error::custom)
}

/// The protocol that a client speaks.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "lowercase")]
enum Protocol {
    Mcp,
    Acp,
}

/// The format of a settings file.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "lowercase")]
pub(super) enum Format {
    /// JSON, perhaps with comments.
    Json,
    Toml,
}

/// The words that settings are made of.
#[derive(Clone, Debug)]
pub(super) struct Launch {
    /// The path of this executable.
    pub(super) command: String,
    /// The workspace that the user names.
    pub(super) workspace: Option<PathBuf>,
    /// The agent's command, for editors.
    pub(super) agent: Vec<String>,
}

/// The folders that paths of settings begin with.
#[derive(Clone)]
pub(super) struct Places<'a> {
    /// The variables of the environment.
    pub(super) variable: &'a dyn Fn(&str) -> Option<PathBuf>,
    pub(super) workspace: &'a Path,
    pub(super) is_mac: bool,
}

impl Client {
    /// Returns the arguments with which the client starts this executable.
    fn arguments(&self, launch: &Launch) -> Vec<String> {
        let words = |words: &[&str]| words.iter().map(|it| (*it).to_owned()).collect::<Vec<_>>();
        match self.protocol {
            Protocol::Acp => [words(&["agent", "--"]), launch.agent.clone()].concat(),
            Protocol::Mcp => {
                let named = launch.workspace.as_ref().map(|it| it.to_string_lossy().into_owned());
                let workspace = named.or_else(|| self.workspace.clone());
                let workspace = workspace.map(|it| vec!["--workspace".to_owned(), it]);
                [words(&["mcp"]), workspace.unwrap_or_default()].concat()
            }
        }
    }

    /// Returns the value of the entry; `None` for settings that are code.
    pub(super) fn entry(&self, launch: &Launch) -> Option<Value> {
        Some(filled(self.entry.as_ref()?, &launch.command, &self.arguments(launch)))
    }

    /// Returns the text that the user puts into settings that are code.
    pub(super) fn snippet(&self, launch: &Launch) -> Option<String> {
        let arguments = self.arguments(launch);
        let all: Vec<&String> = std::iter::once(&launch.command).chain(&arguments).collect();
        let quoted = |words: &[&String], between| {
            words.iter().map(|it| json!(it).to_string()).collect::<Vec<_>>().join(between)
        };
        // `"` and `\` are escaped in Lua and in Emacs Lisp as in JSON.
        let text = self.snippet.as_ref()?.replace("$lua_command", &quoted(&all[..1], ""));
        let text = text.replace("$lua_args", &quoted(&all[1..], ", ")).replace("$lua", &quoted(&all, ", "));
        let line = all.iter().map(|it| shell_word(it)).collect::<Vec<_>>().join(" ");
        Some(text.replace("$lisp", &quoted(&all, " ")).replace("$shell", &shell_word(&line)))
    }

    /// Returns the file of the settings; `None` for settings that are code.
    pub(super) fn file(&self, places: &Places) -> Option<PathBuf> {
        let folder = self.folder(places)?;
        let mut files = self.files.iter().map(|it| folder.join(it));
        let first = files.next()?;
        if first.exists() { Some(first) } else { Some(files.find(|it| it.exists()).unwrap_or(first)) }
    }

    fn folder(&self, places: &Places) -> Option<PathBuf> {
        let folders = if places.is_mac && !self.mac.is_empty() { &self.mac } else { &self.folders };
        folders.iter().find_map(|it| {
            let (first, rest) = it.split_once('/').unwrap_or((it, ""));
            let root = match first {
                "~" => (places.variable)("HOME")?,
                "$workspace" => places.workspace.to_owned(),
                variable => (places.variable)(variable.strip_prefix('$')?)?,
            };
            Some(if rest.is_empty() { root } else { root.join(rest) })
        })
    }

    /// Returns whether the client seems to be on this machine.
    pub(super) fn is_here(&self, places: &Places) -> bool {
        let has_program = self.program.as_ref().is_some_and(|it| which::which(it).is_ok());
        // The home folder, and that of a workspace, say nothing about a client.
        let own = |it: &PathBuf| (places.variable)("HOME").as_ref() != Some(it);
        has_program || self.folder(places).filter(own).is_some_and(|it| it.is_dir())
    }
}

/// Returns a value with the command and the arguments in their places.
fn filled(value: &Value, command: &str, arguments: &[String]) -> Value {
    match value {
        Value::String(text) if text == "$command" => json!(command),
        Value::Array(items) => items
            .iter()
            .flat_map(|it| match it.as_str() {
                Some("$args") => arguments.iter().map(|it| json!(it)).collect(),
                _ => vec![filled(it, command, arguments)],
            })
            .collect(),
        Value::Object(fields) => {
            fields.iter().map(|(key, it)| (key.clone(), filled(it, command, arguments))).collect()
        }
        other => other.clone(),
    }
}

/// Quotes a word for a shell, if that is necessary.
fn shell_word(word: &str) -> String {
    let is_plain = |it: char| it.is_ascii_alphanumeric() || "-_./@:=+".contains(it);
    if !word.is_empty() && word.chars().all(is_plain) {
        return word.to_owned();
    }
    format!("'{}'", word.replace('\'', r"'\''"))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn launch() -> Launch {
        let agent = vec!["npx".to_owned(), "an agent".to_owned()];
        Launch { command: "/bin/dialect".to_owned(), workspace: None, agent }
    }

    #[test]
    fn the_page_has_a_row_of_each_client() {
        let page = Path::new(env!("CARGO_MANIFEST_DIR")).join("../docs/clients.md");
        let page = std::fs::read_to_string(page).unwrap();
        for client in Clients::read().clients {
            let place = match client.files.first() {
                Some(file) => {
                    let folder = client.folders.last().unwrap().replace("$workspace/", "");
                    format!("`{folder}/{file}`, `{}`", client.at.join("."))
                }
                None => "printed: its settings are code".to_owned(),
            };
            let tried = client.tried.as_deref().unwrap_or("not tried here");
            let row = format!("| {} | `dialect setup {}` | {place} | {tried} |", client.name, client.id);
            assert!(page.contains(&row), "docs/clients.md has no row\n{row}");
        }
    }

    #[test]
    fn entries_and_snippets_start_this_executable() {
        for client in Clients::read().clients {
            let said = match client.entry(&launch()) {
                Some(entry) => entry.to_string(),
                None => client.snippet(&launch()).unwrap(),
            };
            assert!(
                said.contains("/bin/dialect") && !said.contains("$args") && !said.contains("$l"),
                "{said}"
            );
            let word = if client.protocol == Protocol::Acp { "an agent" } else { "mcp" };
            assert!(said.contains(word), "{said}");
        }
    }

    #[test]
    fn the_first_folder_whose_variables_are_set_counts() {
        let clients = Clients::read().clients;
        let codex = clients.iter().find(|it| it.id == "codex").unwrap();
        let file = |codex_home: Option<&str>| {
            let variable = |name: &str| match name {
                "HOME" => Some(PathBuf::from("/home/ada")),
                "CODEX_HOME" => codex_home.map(PathBuf::from),
                _ => None,
            };
            let places = Places { variable: &variable, workspace: Path::new("/work"), is_mac: false };
            codex.file(&places).unwrap()
        };
        assert_eq!(file(None), Path::new("/home/ada/.codex/config.toml"));
        assert_eq!(file(Some("/codex")), Path::new("/codex/config.toml"));
    }
}
