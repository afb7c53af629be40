//! The languages that are known, one row each. A further language is a further row.

use std::path::{Path, PathBuf};

use serde_json::{Value, json};

use super::documents::Event;

/// Every language, in the order in which they are named to people.
pub(crate) static LANGUAGES: &[Language] = &[RUST];

/// One language: how its files are recognised, and which server answers for it.
#[derive(Debug)]
pub(crate) struct Language {
    /// As LSP's language id: `rust`.
    pub(crate) id: &'static str,
    /// As people call it.
    pub(crate) name: &'static str,
    /// What its files' names end with, without the dot.
    pub(crate) extensions: &'static [&'static str],
    /// Files that say where a project of it is.
    pub(crate) markers: &'static [&'static str],
    /// How a marker leads to the root of a project.
    pub(crate) root: RootRule,
    /// Files beside the sources whose change makes the server load the project anew.
    pub(crate) manifests: &'static [&'static str],
    /// Ends of paths, and folders, whose files are targets of their own: with such a file the project changes.
    pub(crate) targets: Targets,
    /// What answers.
    pub(crate) server: Server,
    /// A line that may define `NAME`, as a regular expression with that placeholder.
    pub(crate) definition: &'static str,
    /// A line that certainly reads as a definition of `NAME`, as a regular expression with that placeholder.
    pub(crate) declaration: &'static str,
    /// Words that look like names and are none.
    pub(crate) keywords: &'static [&'static str],
    /// What a comment to the end of the line starts with.
    pub(crate) comment: &'static str,
    /// What stands between a container and its member.
    pub(crate) separator: &'static str,
}

/// Files that make a project load anew when they come or go.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Targets {
    /// Ends of paths: `src/main.rs`.
    pub(crate) files: &'static [&'static str],
    /// Ends of the paths of folders that hold such files, directly or one level down: `tests`.
    pub(crate) folders: &'static [&'static str],
}

/// How a marker file leads to the root of its project.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum RootRule {
    /// Cargo is asked for the workspace that the manifest belongs to.
    CargoWorkspace,
}

/// A language server.
#[derive(Debug)]
pub(crate) struct Server {
    /// Its name: `rust-analyzer`.
    pub(crate) name: &'static str,
    /// Where it may be, in order of preference.
    pub(crate) candidates: &'static [Candidate],
    /// What it is started with.
    pub(crate) args: &'static [&'static str],
    /// The command that installs it.
    pub(crate) install: &'static str,
    /// The section under which it asks for its configuration.
    pub(crate) section: &'static str,
    /// Its `initializationOptions` for these projects, by whether the workspace is trusted.
    pub(crate) options: fn(projects: &[PathBuf], trust: bool) -> Value,
    /// When its answers count.
    pub(crate) ready: ReadyRule,
    /// How many symbols it lists at most.
    pub(crate) symbol_limit: usize,
    /// What, after a name, makes it list symbols of dependencies too, if anything does.
    pub(crate) with_dependencies: Option<&'static str>,
}

/// Where a server's executable may be.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Candidate {
    /// A component of one of rustup's toolchains, the default one first.
    Rustup(&'static str),
    /// The search path, every hit in turn.
    SearchPath(&'static str),
}

/// When a server's answers count.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum ReadyRule {
    /// It says so in `experimental/serverStatus`, after progress under one of these tokens has ended once:
    /// before the first load it may call itself quiescent as well.
    ServerStatus { loading: &'static [&'static str] },
}

impl Language {
    /// Whether a file of that name is of this language.
    pub(crate) fn owns(&self, path: &Path) -> bool {
        path.extension().and_then(|it| it.to_str()).is_some_and(|it| self.extensions.contains(&it))
    }

    /// What the names of its files end with.
    pub(crate) fn suffixes(&self) -> Vec<String> {
        self.extensions.iter().map(|it| format!(".{it}")).collect()
    }

    /// Whether that event makes the server load the project anew, though no manifest changed.
    pub(crate) fn makes_target(&self, path: &Path, event: Event) -> bool {
        let mut above = path.ancestors().skip(1).take(2);
        let is_target = self.targets.files.iter().any(|it| path.ends_with(it))
            || above.any(|folder| self.targets.folders.iter().any(|it| folder.ends_with(it)));
        event != Event::Changed && is_target
    }

    /// Whether a word can be the name of a symbol.
    pub(crate) fn is_name(&self, word: &str) -> bool {
        let starts_well = word.chars().next().is_some_and(|it| it.is_alphabetic() || it == '_');
        starts_well && !self.keywords.contains(&word)
    }
}

/// The names of all languages, for a sentence.
pub(crate) fn names() -> String {
    let names: Vec<_> = LANGUAGES.iter().map(|it| it.name).collect();
    names.join(", ")
}

const RUST: Language = Language {
    id: "rust",
    name: "Rust",
    extensions: &["rs"],
    markers: &["Cargo.toml", "rust-project.json"],
    root: RootRule::CargoWorkspace,
    manifests: &["Cargo.toml", "Cargo.lock", "rust-project.json"],
    targets: Targets {
        files: &["build.rs", "src/main.rs", "src/lib.rs"],
        folders: &["src/bin", "examples", "tests", "benches"],
    },
    server: Server {
        name: "rust-analyzer",
        candidates: &[Candidate::Rustup("rust-analyzer"), Candidate::SearchPath("rust-analyzer")],
        args: &[],
        install: "rustup component add rust-analyzer rust-src",
        section: "rust-analyzer",
        options: rust_analyzer_options,
        ready: ReadyRule::ServerStatus { loading: &["rustAnalyzer/Fetching", "rustAnalyzer/Roots Scanned"] },
        symbol_limit: RUST_SYMBOL_LIMIT,
        with_dependencies: Some("*"),
    },
    definition: concat!(
        r"(?:\b(?:fn|struct|enum|union|trait|type|mod|const|static|macro_rules!)\s+",
        r"(?:mut\s+)?(?:r#)?NAME\b|^\s*(?:pub(?:\([^)]*\))?\s+)?(?:r#)?NAME\s*(?:[:,({=]|$)|[{(,]\s*NAME\s*:[^:])"
    ),
    declaration: r"\b(?:fn|struct|enum|union|trait|type|mod|const|static|macro_rules!)\s+(?:mut\s+)?(?:r#)?NAME",
    keywords: &[
        "Self", "abstract", "as", "async", "await", "become", "box", "break", "const", "continue", "crate",
        "do", "dyn", "else", "enum", "extern", "false", "final", "fn", "for", "if", "impl", "in", "let",
        "loop", "macro", "match", "mod", "move", "mut", "override", "priv", "pub", "ref", "return", "self",
        "static", "struct", "super", "trait", "true", "try", "type", "typeof", "unsafe", "unsized", "use",
        "virtual", "where", "while", "yield", "_",
    ],
    comment: "//",
    separator: "::",
};

const RUST_SYMBOL_LIMIT: usize = 20_000;

/// The safe profile executes nothing of the workspace: neither build scripts nor procedural macros nor checks.
fn rust_analyzer_options(projects: &[PathBuf], trust: bool) -> Value {
    let mut cargo = json!({ "buildScripts": { "enable": trust } });
    if trust {
        cargo["features"] = json!("all");
        // A target folder of its own: the user's builds do not wait for its lock.
        cargo["targetDir"] = json!(true);
    }
    json!({
        "linkedProjects": projects,
        "cargo": cargo,
        "procMacro": { "enable": trust },
        // With priming, references inside of macro calls were missing in most starts of a small workspace.
        "cachePriming": { "enable": false },
        "checkOnSave": false,
        "diagnostics": { "enable": false },
        "workspace": {
            "symbol": {
                "search": { "kind": "all_symbols", "limit": RUST_SYMBOL_LIMIT, "excludeImports": true }
            }
        },
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_pattern_of_a_row_finds_its_definitions() {
        let matches = |line: &str| {
            let pattern = RUST.definition.replace("NAME", "name");
            regex::Regex::new(&pattern).unwrap().is_match(line)
        };
        for line in [
            "pub(crate) async fn name<T>() {}",
            "macro_rules! name {",
            "    static mut name: u32 = 1;",
            "mod r#name;",
            "    pub name: String,",
            "    name,",
            "    name(u32),",
            "struct User { id: u32, name: String }",
        ] {
            assert!(matches(line), "{line}");
        }
        for line in ["fn names() {}", "let x = user.name;", "fn rename() {}", "/// the name of it"] {
            assert!(!matches(line), "{line}");
        }
    }

    #[test]
    fn keywords_are_no_names() {
        assert!(RUST.is_name("user") && RUST.is_name("_x") && RUST.is_name("é"));
        assert!(!RUST.is_name("fn") && !RUST.is_name("_") && !RUST.is_name("1x") && !RUST.is_name(""));
    }

    #[test]
    fn nothing_of_an_untrusted_workspace_runs() {
        let options = rust_analyzer_options(&[], false);
        assert_eq!(options["cargo"]["buildScripts"]["enable"], false);
        assert_eq!(options["procMacro"]["enable"], false);
        assert_eq!(options["checkOnSave"], false);
    }
}
