//! Definitions that were found, before conversion for the agent.

use std::path::{Path, PathBuf};

use ide_protocol::{DefinitionsResult, Listing, Location, Reason};
use serde::Serialize;

use crate::fallback::source::names::{Fit, Name};
use crate::fallback::source::outline;
use crate::fallback::source::outline::{Extent, NestedNode};
use crate::fallback::workspace::format_places::{NAMED, line_of};
use crate::fallback::workspace::session_folders::SessionFolders;

/// A definition that was found, before conversion for the agent.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Candidate {
    pub(crate) path: PathBuf,
    pub(crate) name: String,
    pub(crate) kind: String,
    pub(crate) whole: Extent,
    pub(crate) name_at: Extent,
    pub(crate) container: Option<String>,
    /// The fit to the qualifiers of the requested name.
    pub(crate) fit: Fit,
    /// `true` for a variable inside of a function.
    pub(crate) is_local: bool,
    /// `true` if the server loaded the code around it.
    pub(crate) loaded: bool,
}

impl Candidate {
    /// Returns the line of its name.
    pub(crate) fn line(&self, roots: &SessionFolders) -> Location {
        line_of(roots, (&self.path, self.name_at))
    }
}

pub(crate) fn of_node(path: &Path, found: &NestedNode<'_>, name: &Name) -> Candidate {
    Candidate {
        path: path.to_owned(),
        name: plain(&found.node.name).to_owned(),
        kind: found.node.kind.to_owned(),
        whole: found.node.whole,
        name_at: found.node.name_at,
        container: found.node.owner.clone().or_else(|| found.around.last().map(|it| outline::plain_name(it))),
        fit: name.fits(path, &found.around, found.node.owner.as_deref()),
        is_local: is_local(found),
        loaded: true,
    }
}

/// Returns the definitions that a name alone means: items before constructors, these before fields, and these before local
/// variables. Reasons name the others.
pub(crate) fn by_rank<T>(
    roots: &SessionFolders,
    name: &str,
    all: Vec<T>,
    candidate: impl Fn(&T) -> &Candidate,
) -> (Vec<T>, Vec<Reason>) {
    let rank = |it: &T| match candidate(it) {
        it if it.is_local => 3,
        it if it.kind == "field" => 2,
        it if it.kind == "constructor" => 1,
        _ => 0,
    };
    let mut ranks = ["item", "constructor", "field", "local variable"].map(|kind| (kind, Vec::new()));
    for found in all {
        let rank = rank(&found);
        ranks[rank].1.push(found);
    }
    let mut ranks = ranks.into_iter().filter(|(_, found)| !found.is_empty());
    let best = ranks.next().map(|(_, found)| found).unwrap_or_default();
    let lesser = ranks.map(|(kind, found)| Reason::LesserKind {
        kind: kind.to_owned(),
        name: name.to_owned(),
        count: found.len(),
        places: places(roots, found.iter().map(&candidate)),
    });
    (best, lesser.collect())
}

/// Lists the lines of the names of definitions.
pub(crate) fn places<'a>(
    roots: &SessionFolders,
    all: impl IntoIterator<Item = &'a Candidate>,
) -> Listing<Location> {
    Listing::of(all.into_iter().map(|it| it.line(roots)), NAMED)
}

fn is_local(found: &NestedNode<'_>) -> bool {
    let is_variable = matches!(found.node.kind, "variable" | "constant");
    is_variable && found.around.iter().any(|it| matches!(it.kind, "function" | "method" | "constructor"))
}

/// Removes what some servers add to names: `r#type`, `total()`.
pub(crate) fn plain(name: &str) -> &str {
    outline::without_brackets(name.trim_start_matches("r#"))
}

/// Creates a candidate for a whole file, named after the file.
pub(crate) fn module(path: &Path, whole: Extent, name_at: Extent) -> Candidate {
    Candidate {
        path: path.to_owned(),
        // Every file has a name.
        name: path.file_name().unwrap_or_default().to_string_lossy().into_owned(),
        kind: "module".to_owned(),
        whole,
        name_at,
        container: None,
        fit: Fit::Exact,
        is_local: false,
        loaded: true,
    }
}

/// A server's definitions of a name.
#[derive(Clone, Debug, Serialize)]
pub(crate) struct ServerDefinitions {
    pub(crate) result: DefinitionsResult,
    /// `true` if they are only similar: of another case, elsewhere, or in a dependency.
    pub(crate) is_near: bool,
}
