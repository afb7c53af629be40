//! Definitions that were found, before they are written for the agent.

use crate::fallback::source::names::{Fit, Name};
use crate::fallback::source::outline;
use crate::fallback::source::outline::{Extent, Found};
use ide_protocol::DefinitionsResult;
use serde::Serialize;
use std::path::Path;
use std::path::PathBuf;

/// A definition that was found, before it is written for the agent.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Candidate {
    pub(crate) path: PathBuf,
    pub(crate) name: String,
    pub(crate) kind: String,
    pub(crate) whole: Extent,
    pub(crate) name_at: Extent,
    pub(crate) container: Option<String>,
    /// How well it fits what the name was qualified by.
    pub(crate) fit: Fit,
    /// Whether it is a variable inside of a function.
    pub(crate) is_local: bool,
    /// Whether the server loaded the code that it stands in.
    pub(crate) loaded: bool,
}

pub(crate) fn of_node(path: &Path, found: &Found<'_>, name: &Name) -> Candidate {
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

fn is_local(found: &Found<'_>) -> bool {
    let is_variable = matches!(found.node.kind, "variable" | "constant");
    is_variable && found.around.iter().any(|it| matches!(it.kind, "function" | "method" | "constructor"))
}

/// Some servers decorate names: `r#type`, `total()`.
pub(crate) fn plain(name: &str) -> &str {
    outline::without_brackets(name.trim_start_matches("r#"))
}

/// A file, which is called by its name.
pub(crate) fn module(path: &Path, whole: Extent, name_at: Extent) -> Candidate {
    Candidate {
        path: path.to_owned(),
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

/// What one server knows of a name.
#[derive(Clone, Debug, Serialize)]
pub(crate) struct Defined {
    pub(crate) result: DefinitionsResult,
    /// Whether it is only something like what was asked for: of another case, elsewhere, in a dependency.
    pub(crate) is_near: bool,
}
