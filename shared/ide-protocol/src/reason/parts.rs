//! The parts of reasons: lists, places and phrases, with their words.

use std::fmt;

use serde::{Deserialize, Serialize};

use crate::place::{Line, Location};

/// The first entries of a list, and the number of the others.
#[derive(Clone, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub struct Listing<T> {
    /// The first entries.
    pub shown: Vec<T>,
    /// The number of the others.
    #[serde(default, skip_serializing_if = "is_zero")]
    pub more: usize,
}

#[expect(clippy::trivially_copy_pass_by_ref, reason = "serde passes a reference")]
fn is_zero(count: &usize) -> bool {
    *count == 0
}

impl<T> Default for Listing<T> {
    fn default() -> Self {
        Self { shown: Vec::new(), more: 0 }
    }
}

impl<T> Listing<T> {
    /// Takes the first entries, and counts the rest.
    pub fn of(all: impl IntoIterator<Item = T>, limit: usize) -> Self {
        let mut all = all.into_iter();
        let shown = all.by_ref().take(limit).collect();
        Self { shown, more: all.count() }
    }

    /// Returns whether the whole list is empty.
    pub fn is_empty(&self) -> bool {
        self.total() == 0
    }

    /// Returns the number of all entries.
    pub fn total(&self) -> usize {
        self.shown.len() + self.more
    }

    /// Writes the entries, and counts the rest: `a, b and 3 more`.
    pub(super) fn with(&self, separator: &str, word: impl Fn(&T) -> String) -> String {
        let shown = self.shown.iter().map(word).collect::<Vec<_>>().join(separator);
        if self.more == 0 { shown } else { format!("{shown} and {} more", self.more) }
    }
}

/// A name with a number: how many have it, or its line.
#[derive(Clone, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub struct Counted {
    /// The name of a language, a kind or a definition.
    pub name: String,
    /// The number of files or definitions, or a line from 1.
    pub count: usize,
}

/// A line of code with its text.
#[derive(Clone, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub struct QuotedLine {
    /// The file.
    pub path: String,
    /// The line, from 1.
    pub line: Line,
    /// The number of places on the line.
    pub times: usize,
    /// The text of the line, or of the place in it; may be empty.
    pub text: String,
}

/// Names of one module.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
pub struct ModuleNames {
    /// The module as the code names it, or a list of names such as `__all__`.
    pub module: String,
    /// The file that names the module, if that is not the one in question.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub path: Option<String>,
    /// The names.
    pub names: Vec<String>,
}

/// The reason why no language server answers.
#[derive(Clone, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub struct NoServer {
    /// The error, without its full stop.
    pub message: String,
    /// The command that installs the server.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub install: Option<String>,
    /// When to ask again, if it is loading.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub retry: Option<Retry>,
}

impl fmt::Display for NoServer {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { message, install, retry } = self;
        match (install, retry) {
            (Some(command), _) => write!(f, "{message} (`{command}` installs it)"),
            (None, Some(retry)) => write!(f, "{message}; ask again {}", retry.words()),
            (None, None) => f.write_str(message),
        }
    }
}

/// The way to ask again while a server loads.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub enum Retry {
    /// Ask with a longer limit of the wait.
    LongerWait,
    /// Ask later.
    Later,
}

impl Retry {
    /// Returns the end of a sentence that begins with "ask again".
    pub fn words(self) -> &'static str {
        match self {
            Self::LongerWait => "with a longer `wait`",
            Self::Later => "in a while",
        }
    }
}

/// The cause of a cut search, in the order in which they are listed.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(tag = "cut", rename_all = "camelCase")]
pub enum SearchCut {
    /// Files cannot be read.
    Unreadable {
        /// The first of the files.
        paths: Vec<String>,
        /// The number of the others.
        more: usize,
    },
    /// More files have the name than are read.
    FileLimit {
        /// The number of files with the name.
        total: usize,
        /// The number of files that were read.
        limit: usize,
    },
    /// The files are being indexed.
    Indexing,
    /// The time was up.
    TimeUp,
}

impl fmt::Display for SearchCut {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Unreadable { paths, more } => {
                let paths = paths.iter().map(|it| format!("`{it}`"));
                let more = (*more > 0).then(|| format!("{more} more files"));
                write!(f, "{} cannot be read", paths.chain(more).collect::<Vec<_>>().join(", "))
            }
            Self::FileLimit { total, limit } => {
                write!(f, "of {total} files with that name, the first {limit} were read")
            }
            Self::Indexing => f.write_str("the files are still being indexed (ask again)"),
            Self::TimeUp => f.write_str("the time was up"),
        }
    }
}

/// The methods that keep the old name of one that is renamed.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub enum Kept {
    /// The members that override it.
    Overriding,
    /// The members that it overrides.
    Overridden,
    /// The others that override those.
    Siblings,
}

impl fmt::Display for Kept {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Overriding => "where it is overridden",
            Self::Overridden => "in what it overrides",
            Self::Siblings => "in what else overrides that",
        })
    }
}

/// Writes a place: `src/a.rs:3`, with its column if it has one.
pub(super) fn place(place: &Location) -> String {
    let Location { path, line, column } = place;
    column.map_or_else(|| format!("{path}:{line}"), |column| format!("{path}:{line}:{column}"))
}

/// Writes lines of code: `src/a.rs:3, src/b.rs:7 and 4 more`.
pub(super) fn lines(places: &Listing<Location>) -> String {
    places.with(", ", place)
}

/// Writes all places of a list.
pub(super) fn plain_places(places: &[Location]) -> String {
    joined_with(places, place)
}

/// Writes places behind a text: ` (src/a.rs:3)`; empty without any.
pub(super) fn bracketed(places: &[Location]) -> String {
    if places.is_empty() { String::new() } else { format!(" ({})", plain_places(places)) }
}

/// Writes places behind a text: `: src/a.rs:3`; empty without any.
pub(super) fn behind_colon(places: &Listing<Location>) -> String {
    if places.is_empty() { String::new() } else { format!(": {}", lines(places)) }
}

/// Writes names: `` `a`, `b` and 3 more ``.
pub(super) fn names(names: &Listing<String>) -> String {
    names.with(", ", |it| format!("`{it}`"))
}

/// Writes all names of a list: `` `a`, `b` ``.
pub(super) fn all(names: &[String]) -> String {
    joined_with(names, |it| format!("`{it}`"))
}

/// Writes a list without marks.
pub(super) fn plain(texts: &[String]) -> String {
    texts.join(", ")
}

/// Writes `3 of Rust, 1 of C`.
pub(super) fn counted(all: &[Counted]) -> String {
    joined_with(all, |it| format!("{} of {}", it.count, it.name))
}

/// Writes a list with a separator.
pub(super) fn joined<T: fmt::Display>(all: &[T], separator: &str) -> String {
    all.iter().map(ToString::to_string).collect::<Vec<_>>().join(separator)
}

/// Writes each entry of a list.
pub(super) fn joined_with<T>(all: &[T], word: impl Fn(&T) -> String) -> String {
    all.iter().map(word).collect::<Vec<_>>().join(", ")
}

/// Writes the names of modules: `` `a`, `b` of `m`; `c` of `n` in `x.py` and those of 3 more modules ``.
pub(super) fn modules(modules: &Listing<ModuleNames>) -> String {
    let word = |ModuleNames { module, path, names }: &ModuleNames| {
        let path = path.as_ref().map_or(String::new(), |it| format!(" in `{it}`"));
        format!("{} of `{module}`{path}", all(names))
    };
    let shown = modules.shown.iter().map(word).collect::<Vec<_>>().join("; ");
    match modules.more {
        0 => shown,
        more => format!("{shown} and those of {more} more modules"),
    }
}

/// Writes what a server does not know in a restricted workspace.
pub(super) fn restricted(server: &str, knows: &str, is_asking: bool) -> String {
    match is_asking {
        true => format!(
            "the user is being asked whether the workspace is trusted; until then {server} knows {knows}"
        ),
        false => format!("the workspace is restricted, so that {server} knows {knows}"),
    }
}

/// Writes the places that a server cannot resolve.
pub(super) fn unresolved(
    server: &str,
    name: &str,
    (is_call, count, is_cut): (bool, usize, bool),
    places: &Listing<QuotedLine>,
) -> String {
    let (what, at_least) = (if is_call { "call" } else { "use" }, if is_cut { "at least " } else { "" });
    let (plural, lead) = if count == 1 { ("", "leads") } else { ("s", "lead") };
    let quoted = |QuotedLine { path, line, times, text }: &QuotedLine| {
        let times = if *times > 1 { format!(" ({times} times)") } else { String::new() };
        let text = if text.is_empty() { String::new() } else { format!(" `{text}`") };
        format!("{path}:{line}{times}{text}")
    };
    let places = places.with(", ", quoted);
    format!("{server} cannot tell where {at_least}{count} {what}{plural} of a `{name}` {lead}: {places}")
}

/// Returns a field's name on the wire.
pub(super) fn camel(field: &str) -> String {
    let mut words = field.split('_');
    let first = words.next().unwrap_or_default().to_owned();
    let capital = |word: &str| word[..1].to_ascii_uppercase() + &word[1..];
    words.fold(first, |name, word| name + &capital(word))
}
