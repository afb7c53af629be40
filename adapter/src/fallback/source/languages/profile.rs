//! The profile of a language server: how to find it, start it, and when to trust its answers.

use std::collections::BTreeSet;
use std::ffi::OsStr;
use std::path::{Path, PathBuf};

use serde_json::{Value, json};

use crate::fallback::source::text::LoneReturn;
use crate::fallback::trust::level::Level;

/// The profile of a language server.
#[derive(Debug)]
pub(crate) struct ServerProfile {
    /// Its name: `rust-analyzer`.
    pub(crate) name: &'static str,
    /// The places of its executable, in order of preference.
    pub(crate) candidates: &'static [ProgramCandidate],
    /// The check that a candidate works, which also finds its version.
    pub(crate) proof: VersionCheck,
    /// Its command line arguments.
    pub(crate) args: &'static [&'static str],
    /// The command that installs it.
    pub(crate) install: &'static str,
    /// Code of the workspace that it runs under any settings; it does not start in a restricted one.
    pub(crate) runs: Option<&'static str>,
    /// A file of the workspace that may name its formatter; it does not format in a restricted one.
    pub(crate) names_formatter: Option<&'static str>,
    /// Environment variables that keep it from running or fetching what a restricted workspace names.
    pub(crate) safe_environment: &'static [(&'static str, &'static str)],
    /// The configuration section for its options; empty when it asks for sections of them.
    pub(crate) section: &'static str,
    /// Its `initializationOptions`.
    pub(crate) options: fn(&ProjectContext<'_>) -> Value,
    /// Returns a note on what it cannot know in a restricted workspace, given the manifests of its language;
    /// blocking.
    pub(crate) unknown: fn(&ProjectContext<'_>, manifests: &[PathBuf]) -> Option<&'static str>,
    /// The rule for when its answers count.
    pub(crate) ready: ReadyRule,
    /// The rule for how it learns the text of files.
    pub(crate) files: FileRule,
    /// The rule for how it reports diagnostics.
    pub(crate) diagnoses: DiagnosticsRule,
    /// The quality of its workspace symbols.
    pub(crate) symbols: SymbolsRule,
    /// `true` if it answers within seconds of its start, so that it may stop when idle. Others stay for the
    /// session.
    pub(crate) starts_cheaply: bool,
    /// `true` if it treats everything of one name as one symbol.
    pub(crate) goes_by_name: bool,
    /// `true` if it merges symbols of one name from several programs of the workspace.
    pub(crate) merges_programs: bool,
    /// `true` if it guesses from the text where the compiler sees no symbol: inactive code, macro bodies,
    /// pasted names.
    pub(crate) guesses: bool,
    /// `true` if it lists only direct implementations of a type.
    pub(crate) implements_directly: bool,
}

/// The project that a server is started for.
#[derive(Clone, Copy, Debug)]
pub(crate) struct ProjectContext<'a> {
    /// The server's executable, absolute.
    pub(crate) program: &'a Path,
    /// The search path for other programs, without the workspace.
    pub(crate) search_path: &'a OsStr,
    /// The manifests of its projects.
    pub(crate) projects: &'a [PathBuf],
    /// The folders of its files.
    pub(crate) folders: &'a BTreeSet<PathBuf>,
    /// The level of trust in the workspace.
    pub(crate) level: Level,
    /// The folder for build output of a confined server.
    pub(crate) target: Option<&'a Path>,
}

/// A place of a server's executable.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum ProgramCandidate {
    /// A component of one of rustup's toolchains, the default one first.
    Rustup(&'static str),
    /// The search path, each hit in turn.
    SearchPath(&'static str),
}

/// A folder of sources from a toolchain or the user. A trailing `*` in a name matches all names with that
/// prefix.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum OutsideFolder {
    /// An absolute path.
    At(&'static str),
    /// A path below the user's home folder.
    Home(&'static str),
    /// A path below the user's cache folder.
    Cache(&'static str),
    /// A path below each absolute folder that an environment variable lists.
    Variable(&'static str, &'static str),
    /// A path below the installation of a program of the search path: of `<it>/bin/program`.
    Beside(&'static str, &'static str),
}

/// The check that an executable works.
#[derive(Clone, Copy, Debug)]
pub(crate) enum VersionCheck {
    /// It prints its version with these arguments.
    Version(&'static [&'static str]),
    /// As `Version`, and the version must match, because other programs have the same name.
    VersionLike(&'static [&'static str], &'static str),
    /// A program beside it prints the version of both.
    Sibling(&'static str),
    /// No check; this file must lie beside it or beside a folder above it.
    Companion(&'static str),
    /// No check.
    Presence,
}

/// The rule for when a server's answers count.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum ReadyRule {
    /// When `experimental/serverStatus` is quiescent, after progress under one of these tokens has ended
    /// once.
    ///
    /// Before its first load the server may report itself quiescent as well.
    ServerStatus { loading: &'static [&'static str] },
    /// At once: it delays each answer until it is complete.
    Holds,
    /// When its log contains one of these texts, once for each of its folders.
    Logs(&'static [&'static str]),
    /// When progress under this token has ended once, or none starts.
    Progress(&'static str),
}

/// The rule for how a server learns the text of files.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct FileRule {
    /// `true` if it answers only about open documents.
    pub(crate) only_open: bool,
    /// `true` if it loads a project only when one of its files is open.
    pub(crate) needs_anchor: bool,
    /// `true` if changes need `didChangeWatchedFiles` too, because it caches the disk.
    pub(crate) announces: bool,
    /// `true` if it ignores files that are not on disk, even open ones.
    pub(crate) needs_disk: bool,
    /// `true` if a new text counts only after its diagnostics.
    pub(crate) awaits_diagnostics: bool,
    /// `true` if a new text needs closing and reopening. After a change to a shorter text the old end
    /// remains.
    pub(crate) reopens: bool,
    /// The extensions of included files; when one changes, open documents are sent again.
    pub(crate) included: &'static [&'static str],
    /// `true` if a byte order mark that the server is sent, or reads from disk, counts as a character of the first
    /// line. Otherwise it reads files without the mark, and is sent none.
    pub(crate) keeps_mark: bool,
    /// The way in which it counts a carriage return without a line feed.
    pub(crate) lone_return: LoneReturn,
    /// The most documents that stay open.
    pub(crate) open_limit: usize,
}

/// The rule for how a server reports diagnostics.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum DiagnosticsRule {
    /// Pulled if possible, otherwise pushed all at once.
    Once,
    /// Pulled if possible, otherwise pushed in parts without an end mark.
    InParts,
    /// Registers pull diagnostics after its start if offered, otherwise as `InParts`.
    Registers,
    /// Pushed in parts over seconds; `tsserver` behind it answers at once when asked.
    Tsserver,
}

/// The quality of a server's workspace symbols.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct SymbolsRule {
    /// `true` if they are requested at all. Some lists are stale or slow, and the sources give the same.
    pub(crate) is_asked: bool,
    /// The most symbols that it lists.
    pub(crate) limit: usize,
    /// The suffix of a query that includes symbols of dependencies.
    pub(crate) with_dependencies: Option<&'static str>,
    /// `true` if symbols of the kind string are macros.
    pub(crate) macros_are_strings: bool,
    /// `true` if fields are included.
    pub(crate) has_fields: bool,
}

/// Returns how to install a server on this operating system.
pub(super) const fn by_system(macos: &'static str, elsewhere: &'static str) -> &'static str {
    if cfg!(target_os = "macos") { macos } else { elsewhere }
}

/// The defaults of a profile: the habits of most servers.
pub(crate) const SERVER: ServerProfile = ServerProfile {
    name: "",
    candidates: &[],
    proof: VersionCheck::Presence,
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
    diagnoses: DiagnosticsRule::InParts,
    symbols: SymbolsRule {
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

/// The cautious default: all that any server needs, which costs the others little.
pub(crate) const FILES: FileRule = FileRule {
    only_open: true,
    needs_anchor: true,
    announces: true,
    needs_disk: true,
    awaits_diagnostics: false,
    reopens: false,
    included: &[],
    keeps_mark: false,
    lone_return: LoneReturn::EndsLine,
    open_limit: 256,
};

pub(crate) fn no_options(_: &ProjectContext<'_>) -> Value {
    json!({})
}

/// Finds a file beside an executable's installation: `typescript/lib/tsserver.js`, in `node_modules` too.
pub(crate) fn companion(program: &Path, wanted: &str) -> Option<PathBuf> {
    let program = program.canonicalize().ok()?;
    let places = program.ancestors().skip(1).take(6).flat_map(|it| [it.to_owned(), it.join("node_modules")]);
    places.map(|it| it.join(wanted)).find(|it| it.is_file())
}

/// A change of a file on disk.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum DiskEvent {
    Created,
    Changed,
    Deleted,
}
