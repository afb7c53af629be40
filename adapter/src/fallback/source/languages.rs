//! The languages that are known, one row each. A further language is a further row.

mod c;
mod data;
mod functional;
mod go;
mod jvm;
mod native;
mod profile;
mod python;
mod rust;
mod scripting;
mod shell;
mod typescript;
mod web;

use std::ops::Range;
use std::path::Path;

use grep_regex::RegexMatcher;

use super::{line_pattern, names};
pub(crate) use profile::{
    Candidate, Diagnoses, Event, FileRule, Folder, Ground, Proof, ReadyRule, Server, companion,
};

/// Every language, in the order in which they are named to people.
pub(crate) static LANGUAGES: &[Language] = &[
    rust::RUST,
    typescript::TYPESCRIPT,
    python::PYTHON,
    c::C,
    go::GO,
    jvm::JAVA,
    jvm::KOTLIN,
    jvm::SCALA,
    jvm::CLOJURE,
    native::CSHARP,
    native::SWIFT,
    native::ZIG,
    native::DART,
    native::FORTRAN,
    scripting::RUBY,
    scripting::PHP,
    scripting::LUA,
    scripting::PERL,
    scripting::R,
    scripting::JULIA,
    shell::SHELL,
    functional::HASKELL,
    functional::OCAML,
    functional::ELIXIR,
    functional::ERLANG,
    functional::ELM,
    functional::GLEAM,
    functional::FSHARP,
    functional::NIX,
    web::VUE,
    web::SVELTE,
    web::HTML,
    web::CSS,
    data::TERRAFORM,
    data::PROTOBUF,
    data::YAML,
    data::JSON,
    data::TOML,
    data::MARKDOWN,
    data::LATEX,
];

/// One language: how its files are recognised, and which servers can answer for it.
#[derive(Debug)]
pub(crate) struct Language {
    /// The name that configuration knows it by: `rust`.
    pub(crate) id: &'static str,
    /// As people call it.
    pub(crate) name: &'static str,
    /// What its files' names end with, without the dot, and LSP's language id of such a file.
    pub(crate) files: &'static [(&'static str, &'static str)],
    /// Files that say where a project of it is.
    pub(crate) markers: &'static [&'static str],
    /// How a marker leads to the root of a project.
    pub(crate) root: RootRule,
    /// Files beside the sources whose change makes the server load the project anew.
    pub(crate) manifests: &'static [&'static str],
    /// Ends of paths, and folders, whose files are targets of their own: with such a file the project changes.
    pub(crate) targets: Targets,
    /// What answers, the best one first.
    pub(crate) servers: &'static [Server],
    /// Folders outside of any workspace that its sources and those of its libraries lie in.
    pub(crate) given: &'static [Folder],
    /// What lays out its files and puts their imports in order, where no server of it does: a row with other servers.
    pub(crate) stylist: Option<&'static Self>,
    /// Whether it is written to be run: what is named in others is seldom what a name alone means.
    pub(crate) is_code: bool,
    /// Whether a name may be declared in one file and defined in another.
    pub(crate) declares_apart: bool,
    /// Whether several declarations of one name in one place, the overloads, are one function.
    pub(crate) has_overloads: bool,
    /// A line that may define `NAME`, as a regular expression with that placeholder.
    pub(crate) definition: &'static str,
    /// Whether what defines a name nearly always reads so: then other lines are looked into only where these do not tell.
    pub(crate) defines_plainly: bool,
    /// A line that certainly reads as a definition of `NAME`, as a regular expression with that placeholder.
    pub(crate) declaration: &'static str,
    /// Words that look like names and are none.
    pub(crate) keywords: &'static [&'static str],
    /// Whether members are called so all the same, as `Map.delete` is in TypeScript.
    pub(crate) keywords_name_members: bool,
    /// What names are made of beside letters, digits and `_`.
    pub(crate) letters: &'static str,
    /// What makes a name of a keyword: `r#type` is called `type`. Empty where nothing does.
    pub(crate) raw: &'static str,
    /// What a name may end with beside these.
    pub(crate) endings: &'static str,
    /// Whether operators and conversions are called by that word, as `operator==` is, and destructors `~User`.
    pub(crate) has_operators: bool,
    /// Signs that methods are called by: `<<`.
    pub(crate) signs: &'static [&'static str],
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
    /// Each folder with a marker is a project, the nearest one above the session's folders included.
    Marked,
    /// The folders of the session are what the server is given; it finds projects by itself.
    Session,
    /// As `Session`, with a compilation database made of all that the folders hold.
    CompilationDatabase,
}

/// What a row says unless it says something else.
const ROW: Language = Language {
    id: "",
    name: "",
    files: &[],
    markers: &[],
    root: RootRule::Session,
    manifests: &[],
    targets: Targets { files: &[], folders: &[] },
    servers: &[],
    given: &[],
    stylist: None,
    is_code: true,
    declares_apart: false,
    has_overloads: false,
    definition: r"^\s*(?:[\w<>\[\],*&.?@-]+\s+)*[*&]*NAME\b|\bNAME\s*[:=]",
    defines_plainly: false,
    declaration: concat!(
        r"\b(?:class|interface|struct|record|enum|trait|protocol|object|module|namespace|type|def|defp|fun|func|",
        r"function|fn|sub|val|let)\s+(?:self\.)?NAME"
    ),
    keywords: &[
        "if", "else", "for", "while", "do", "return", "case", "switch", "break", "continue", "class", "true",
        "false", "null", "nil", "new", "this", "self", "import", "try", "catch", "in", "is", "not", "and",
        "or", "_",
    ],
    keywords_name_members: false,
    letters: "",
    raw: "",
    endings: "",
    has_operators: false,
    signs: &[],
    comment: "//",
    separator: ".",
};

impl Language {
    /// Whether a file of that name is of this language.
    pub(crate) fn owns(&self, path: &Path) -> bool {
        self.file_id(path).is_some()
    }

    /// LSP's language id of a file, if it is of this language.
    pub(crate) fn file_id(&self, path: &Path) -> Option<&'static str> {
        let extension = path.extension().and_then(|it| it.to_str())?;
        self.files.iter().find(|(it, _)| *it == extension).map(|(_, id)| *id)
    }

    /// Whether the syntax of its files is known.
    pub(crate) fn has_syntax(&self) -> bool {
        self.syntax().is_some()
    }

    /// The syntax of its files, of the commonest ones where they have several.
    pub(crate) fn syntax(&self) -> Option<syntax::Language> {
        self.suffixes().iter().find_map(|it| syntax::Language::of_path(it))
    }

    /// What the names of its files end with.
    pub(crate) fn suffixes(&self) -> Vec<String> {
        self.files.iter().map(|(it, _)| format!(".{it}")).collect()
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
        self.is_word(word) && !self.keywords.contains(&word)
    }

    /// Whether a word can be the name of a symbol where it is known to be one: a member, or a raw identifier.
    pub(crate) fn is_told_name(&self, word: &str, is_raw: bool) -> bool {
        self.is_name(word) || (self.keywords_name_members || is_raw) && self.is_word(word) && word != "_"
    }

    /// Whether the word at those columns of a line, from 0, in characters, can be the name of a symbol there.
    pub(crate) fn is_name_in(&self, line: &str, word: &str, columns: &Range<usize>) -> bool {
        let before = columns.start.checked_sub(1).and_then(|it| line.chars().nth(it));
        let is_member = self.keywords_name_members && before == Some('.');
        let is_raw = columns.len() > word.chars().count();
        self.is_name(word) || (is_member || is_raw) && self.is_word(word) && word != "_"
    }

    fn is_word(&self, word: &str) -> bool {
        let is_first = |it: char| it.is_alphabetic() || it == '_' || self.letters.contains(it);
        word.chars().next().is_some_and(is_first)
    }

    /// Whether who uses something of that name writes it: not of an operator, a conversion or an indexer.
    pub(crate) fn is_spoken(&self, name: &str) -> bool {
        let is_sign = |it: char| !(it.is_alphanumeric() || "_ ".contains(it) || self.letters.contains(it));
        let is_operator = self.has_operators && (name.starts_with("operator ") || name.contains(is_sign));
        !is_operator && !self.signs.contains(&name)
    }

    /// All words of a line with their columns, from 0, in characters. What makes a name of a keyword belongs to its
    /// columns, as it does to a server and to the syntax, and not to the word.
    pub(crate) fn words(&self, line: &str) -> Vec<(String, Range<usize>)> {
        let mut words = names::words(line, self.letters, self.endings);
        if !self.raw.is_empty() && line.contains(self.raw) {
            self.join_raw(line, &mut words);
        }
        words
    }

    fn join_raw(&self, line: &str, words: &mut Vec<(String, Range<usize>)>) {
        let letters: Vec<_> = line.chars().collect();
        let raw: Vec<_> = self.raw.chars().collect();
        for (_, columns) in &mut *words {
            let start = columns.start.saturating_sub(raw.len());
            if letters[start..columns.start] == raw {
                columns.start = start;
            }
        }
        // `r#` begins with a word of its own.
        let all: Vec<_> = words.iter().map(|(_, columns)| columns.clone()).collect();
        words.retain(|(_, it)| !all.iter().any(|other| other.start == it.start && other.end > it.end));
    }

    /// The word around a column of a line, with its columns. A column just behind it counts.
    pub(crate) fn word_at(&self, line: &str, column: usize) -> Option<(String, Range<usize>)> {
        self.words(line).into_iter().find(|(_, columns)| columns.contains(&column) || columns.end == column)
    }

    /// A character of a name, for a pattern.
    pub(crate) fn letter(&self) -> String {
        format!(r"[\w{}]", self.letters)
    }

    /// A name to be matched whole.
    ///
    /// # Errors
    /// When it is too long.
    pub(crate) fn whole_word(&self, name: &str) -> Result<RegexMatcher, grep_regex::Error> {
        if self.letters.is_empty() {
            return line_pattern::whole_word(name);
        }
        let (name, letter) = (regex::escape(name), format!(r"[^\w{}]", self.letters));
        line_pattern::matcher(&format!("(?:^|{letter})(?:{name})(?:{letter}|$)"))
    }

    /// `NAME` in a pattern of the row, followed by what names end with.
    pub(crate) fn naming(&self, pattern: &str, name: &str) -> String {
        // `\b` wants a letter on one side, which `$` is not to it, nor `?`.
        let pattern = if name.ends_with(|it: char| self.letters.contains(it) || self.endings.contains(it)) {
            pattern.replace(r"NAME\b", r"NAME\b{end-half}")
        } else {
            pattern.to_owned()
        };
        pattern.replace("NAME", &regex::escape(name))
    }
}

/// Every row that servers are found by: the languages, and what lays out their files.
pub(crate) fn rows() -> impl Iterator<Item = &'static Language> {
    LANGUAGES.iter().flat_map(|it| [Some(it), it.stylist]).flatten()
}

/// The language of a file, by its name.
pub(crate) fn of_file(path: &Path) -> Option<&'static Language> {
    LANGUAGES.iter().find(|it| it.owns(path))
}

/// All words of a line of a file with their columns.
pub(crate) fn words(path: &Path, line: &str) -> Vec<(String, Range<usize>)> {
    of_file(path).map_or_else(|| names::words(line, "", ""), |it| it.words(line))
}

/// The names of all languages, for a sentence.
pub(crate) fn names() -> String {
    let names: Vec<_> = LANGUAGES.iter().map(|it| it.name).collect();
    names.join(", ")
}

/// The language whose syntax a file has, if it is known.
pub(crate) fn language_of(path: &Path) -> Option<syntax::Language> {
    syntax::Language::of_path(&path.to_string_lossy())
}

#[cfg(test)]
#[path = "languages_tests.rs"]
mod tests;
