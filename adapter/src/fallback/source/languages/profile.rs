//! What is known of a language server: how it is found, started and believed.

use std::collections::BTreeSet;
use std::ffi::OsStr;
use std::path::{Path, PathBuf};

use serde_json::{Value, json};

use crate::fallback::trust::level::Level;

/// A language server.
#[derive(Debug)]
pub(crate) struct Server {
    /// Its name: `rust-analyzer`.
    pub(crate) name: &'static str,
    /// Where it may be, in order of preference.
    pub(crate) candidates: &'static [Candidate],
    /// How to learn that a candidate works, and which version it is.
    pub(crate) proof: Proof,
    /// What it is started with.
    pub(crate) args: &'static [&'static str],
    /// The command that installs it.
    pub(crate) install: &'static str,
    /// What of the workspace it runs whatever it is told; then it starts in no restricted one.
    pub(crate) runs: Option<&'static str>,
    /// A file of the workspace that may name what it lays files out with; then it does so in no restricted one.
    pub(crate) names_formatter: Option<&'static str>,
    /// Variables that keep it from running or fetching what a restricted workspace names.
    pub(crate) safe_environment: &'static [(&'static str, &'static str)],
    /// The section under which it asks for its options as its configuration; empty when it asks for sections of them.
    pub(crate) section: &'static str,
    /// Its `initializationOptions`.
    pub(crate) options: fn(&Ground<'_>) -> Value,
    /// What it does not know of a restricted workspace, where that has anything of it; blocking. The
    /// manifests are all that are known of its language.
    pub(crate) unknown: fn(&Ground<'_>, manifests: &[PathBuf]) -> Option<&'static str>,
    /// When its answers count.
    pub(crate) ready: ReadyRule,
    /// How it learns what files hold.
    pub(crate) files: FileRule,
    /// How it tells what is wrong with a file.
    pub(crate) diagnoses: Diagnoses,
    /// What its list of symbols is worth.
    pub(crate) symbols: Symbols,
    /// Whether it is known to answer within seconds of its start, so that it need not run while nobody asks. Others lose
    /// a minute's work with each stop, and never rest while a session is open.
    pub(crate) starts_cheaply: bool,
    /// Whether it takes all that is called so for one symbol.
    pub(crate) goes_by_name: bool,
    /// Whether it takes what several programs of the workspace each define under one name for one symbol.
    pub(crate) merges_programs: bool,
    /// Whether it goes by the text where the compiler sees no symbol: in code that is left out of the compilation, in the
    /// bodies of macros and in what they paste together.
    pub(crate) guesses: bool,
    /// Whether it lists only what implements a type directly, not what implements that in turn.
    pub(crate) implements_directly: bool,
}

/// What a server is about to work on.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Ground<'a> {
    /// Its executable, absolute.
    pub(crate) program: &'a Path,
    /// Where to look for other programs; the workspace is not in it.
    pub(crate) search_path: &'a OsStr,
    /// The manifests of its projects.
    pub(crate) projects: &'a [PathBuf],
    /// The folders of its files.
    pub(crate) folders: &'a BTreeSet<PathBuf>,
    /// How far the workspace is trusted.
    pub(crate) level: Level,
    /// The folder for what builds make, of a server that is confined.
    pub(crate) target: Option<&'a Path>,
}

/// Where a server's executable may be.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Candidate {
    /// A component of one of rustup's toolchains, the default one first.
    Rustup(&'static str),
    /// The search path, every hit in turn.
    SearchPath(&'static str),
}

/// A folder of sources that a toolchain or the user gave. A name in it that ends with `*` stands for all that begin so.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Folder {
    /// By its absolute path.
    At(&'static str),
    /// Below the user's home folder.
    Home(&'static str),
    /// Below the user's cache folder.
    Cache(&'static str),
    /// Below each absolute folder that a variable of the user's environment lists.
    Variable(&'static str, &'static str),
    /// Below the installation of a program of the search path: of `<it>/bin/program`.
    Beside(&'static str, &'static str),
}

/// How to learn that an executable works.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Proof {
    /// It prints its version when it is started with these arguments.
    Version(&'static [&'static str]),
    /// As `Version`, and the version has to match: others of that name are something else.
    VersionLike(&'static [&'static str], &'static str),
    /// A program beside it prints the version that both have.
    Sibling(&'static str),
    /// It brings no way to tell; this has to lie beside it, seen from any folder above it.
    Companion(&'static str),
    /// It brings no way to tell.
    Presence,
}

/// When a server's answers count.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum ReadyRule {
    /// It says so in `experimental/serverStatus`, after progress under one of these tokens has ended once:
    /// before the first load it may call itself quiescent as well.
    ServerStatus { loading: &'static [&'static str] },
    /// At once: it holds each question until it knows the answer.
    Holds,
    /// It writes a line with one of these texts to its log, one for each of its folders.
    Logs(&'static [&'static str]),
    /// Progress under this token has ended once. It may have nothing to do: then it begins none.
    Progress(&'static str),
}

/// How a server learns what files hold.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct FileRule {
    /// Whether it answers about open documents only.
    pub(crate) only_open: bool,
    /// Whether it loads a project only when a file of it is open.
    pub(crate) needs_anchor: bool,
    /// Whether changes are announced beside being sent: it keeps what it has read of the disk.
    pub(crate) announces: bool,
    /// Whether it takes no file for one that is not on disk, also when it is open.
    pub(crate) needs_disk: bool,
    /// Whether a new text counts only after it was diagnosed.
    pub(crate) awaits_diagnostics: bool,
    /// Whether a document is closed and opened again to give it a new text: sent as a change, a text that is shorter
    /// leaves the end of the old one.
    pub(crate) reopens: bool,
    /// Endings of files whose text is a part of others: when one of them changes, what is open is shown anew.
    pub(crate) included: &'static [&'static str],
    /// Whether a byte order mark that it reads counts as a character of the first line.
    pub(crate) keeps_mark: bool,
    /// How many documents stay open.
    pub(crate) open_limit: usize,
}

/// How to learn what a server finds wrong with a file.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Diagnoses {
    /// It is asked where it can be; else it says so by itself, and all of it at once.
    Once,
    /// It is asked where it can be; else it says so by itself, in parts of which none is marked as the last.
    InParts,
    /// It registers after its start that it can be asked, where that is offered to it; else as `InParts`.
    Registers,
    /// It says so by itself, the first parts seconds before the rest; TypeScript's own server behind it knows at once
    /// when it is asked.
    Tsserver,
}

/// What a server's list of symbols is worth.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Symbols {
    /// Whether it is asked at all: some lists are stale or take seconds, and the sources say the same.
    pub(crate) is_asked: bool,
    /// How many it lists at most.
    pub(crate) limit: usize,
    /// What, after a name, makes it list symbols of dependencies too, if anything does.
    pub(crate) with_dependencies: Option<&'static str>,
    /// Whether those that it calls strings are macros.
    pub(crate) macros_are_strings: bool,
    /// Whether fields are among them.
    pub(crate) has_fields: bool,
}

/// What a row says unless it says something else: the habits of most servers.
pub(crate) const SERVER: Server = Server {
    name: "",
    candidates: &[],
    proof: Proof::Presence,
    args: &[],
    install: "",
    runs: None,
    names_formatter: None,
    safe_environment: &[],
    section: "",
    options: no_options,
    unknown: |_, _| None,
    ready: ReadyRule::Holds,
    files: FILES,
    diagnoses: Diagnoses::InParts,
    symbols: Symbols {
        is_asked: true,
        limit: usize::MAX,
        with_dependencies: None,
        macros_are_strings: false,
        has_fields: true,
    },
    starts_cheaply: false,
    goes_by_name: false,
    merges_programs: false,
    guesses: false,
    implements_directly: false,
};

/// Everything that any server is known to need: it costs little where it is not needed.
pub(crate) const FILES: FileRule = FileRule {
    only_open: true,
    needs_anchor: true,
    announces: true,
    needs_disk: true,
    awaits_diagnostics: false,
    reopens: false,
    included: &[],
    keeps_mark: false,
    open_limit: 256,
};

pub(crate) fn no_options(_: &Ground<'_>) -> Value {
    json!({})
}

/// A folder's file above an executable: `typescript/lib/tsserver.js` beside a package of the same installation.
pub(crate) fn companion(program: &Path, wanted: &str) -> Option<PathBuf> {
    let program = program.canonicalize().ok()?;
    let places = program.ancestors().skip(1).take(6).flat_map(|it| [it.to_owned(), it.join("node_modules")]);
    places.map(|it| it.join(wanted)).find(|it| it.is_file())
}

/// What happened to a file on disk.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Event {
    Created,
    Changed,
    Deleted,
}
