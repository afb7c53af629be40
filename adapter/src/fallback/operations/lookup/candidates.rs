//! Converts definitions from listed symbols and outlines to the protocol's results.

use std::path::Path;

use futures::future::try_join_all;
use ide_protocol::{Definition, FileRange, Reason};

use crate::fallback::servers::run::convert::{RawSymbol, uses_constructors};
use crate::fallback::session::query_context::{Problem, QueryContext};
use crate::fallback::source::names::{Fit, Name};
use crate::fallback::source::outline;
use crate::fallback::source::outline::{Extent, Node};
use crate::fallback::source::text::excerpt;
use crate::fallback::syntactic::candidate::{Candidate, of_node, plain};
use crate::fallback::workspace::session_folders::SessionFolders;
use crate::fallback::workspace::word_scan::MatchingLines;

/// The definitions found, with reasons.
#[derive(Debug, Default)]
pub(crate) struct DefinitionAnswer {
    pub(crate) candidates: Vec<Candidate>,
    pub(crate) reasons: Vec<Reason>,
    pub(crate) nearest: Vec<String>,
    /// `true` if no definition matches exactly and these are approximate matches.
    pub(crate) is_near: bool,
}

/// Kinds that servers give to imports and exports, as well as to real variables, constants and properties.
pub(crate) const ALIASES: &[&str] = &["variable", "constant", "property"];

impl DefinitionAnswer {
    /// Marks the answer incomplete if a scan of the sources stopped early.
    pub(crate) fn heed(&mut self, lines: &MatchingLines, name: &Name) {
        if !lines.complete {
            self.note(Reason::NameNotSearched { name: name.last.clone() });
        }
    }

    /// Adds a reason once.
    pub(crate) fn note(&mut self, reason: Reason) {
        if !self.reasons.contains(&reason) {
            self.reasons.push(reason);
        }
    }

    /// Adds the candidates that are not present yet.
    pub(crate) fn add(&mut self, found: Vec<Candidate>) {
        for candidate in found {
            let is_it = |it: &Candidate| {
                (&it.path, it.name_at, &it.name) == (&candidate.path, candidate.name_at, &candidate.name)
            };
            if !self.candidates.iter().any(is_it) {
                self.candidates.push(candidate);
            }
        }
    }
}

pub(crate) fn is_called(symbol: &RawSymbol, name: &str) -> bool {
    plain(&symbol.name) == name
}

/// Converts listed symbols to candidates, with whole extents from the outlines.
pub(crate) async fn candidates(
    asking: &QueryContext,
    symbols: &[&RawSymbol],
    name: &Name,
) -> Result<Vec<Candidate>, Problem> {
    let all = symbols.iter().map(|symbol| candidate(asking, symbol, name));
    Ok(try_join_all(all).await?.into_iter().flatten().collect())
}

pub(crate) async fn candidate(
    asking: &QueryContext,
    symbol: &RawSymbol,
    name: &Name,
) -> Result<Option<Candidate>, Problem> {
    let Some(at) = asking.extent(&symbol.at).await else { return Err(Problem::FilesChanged) };
    let nodes = asking.outline(&symbol.at.path).await?;
    let found = outline::find(&nodes, |it| names_it(it, symbol, at));
    if found.is_none() && symbol.kind == "namespace" {
        let text = asking.text(&symbol.at.path).await;
        if text.is_some_and(|it| uses_constructors(&it, &symbol.name, at)) {
            return Ok(None);
        }
    }
    let is_macro = asking.profile().symbols.macros_are_strings && symbol.kind == "string";
    Ok(Some(match found {
        Some(found) => of_node(&symbol.at.path, &found, name),
        // The definition comes from a macro, or is a member that the outline omits.
        None => {
            let around = outline::path_to(&nodes, at.start);
            let within = || around.last().map(|it| outline::plain_name(it));
            Candidate {
                path: symbol.at.path.clone(),
                name: plain(&symbol.name).to_owned(),
                kind: if is_macro { "macro" } else { symbol.kind }.to_owned(),
                whole: at,
                name_at: at,
                container: symbol.container.clone().or_else(within),
                fit: fit_of_listed(symbol, name).max(name.fits(&symbol.at.path, &around, None)),
                is_local: false,
                loaded: true,
            }
        }
    }))
}

/// Returns `true` if an outline node is that symbol; servers return the range of its name or of all of it.
pub(crate) fn names_it(node: &Node, symbol: &RawSymbol, at: Extent) -> bool {
    plain(&node.name) == plain(&symbol.name) && (node.name_at.holds(at.start) || node.whole == at)
}

pub(crate) fn fit_of_listed(symbol: &RawSymbol, name: &Name) -> Fit {
    let fits_container = symbol.container.is_some() && symbol.container.as_ref() == name.path.last();
    if fits_container { Fit::Exact } else { name.fits(&symbol.at.path, &[], symbol.container.as_deref()) }
}

pub(crate) async fn write(
    asking: &QueryContext,
    roots: &SessionFolders,
    candidate: &Candidate,
) -> Definition {
    let defined_at = file_range(asking, roots, &candidate.path, candidate.whole).await;
    let name_at = file_range(asking, roots, &candidate.path, candidate.name_at).await;
    Definition {
        container: candidate.container.clone(),
        ..Definition::new(&candidate.name, &candidate.kind, defined_at, name_at)
    }
}

/// Converts an extent to a file range with the text of its first line.
pub(crate) async fn file_range(
    asking: &QueryContext,
    roots: &SessionFolders,
    path: &Path,
    extent: Extent,
) -> FileRange {
    let place = roots.place(path.to_owned());
    asking.names(path);
    asking.names_import(path, extent.start.line).await;
    let text = asking.text(path).await;
    let line = text.as_ref().and_then(|it| it.line(extent.start.line.index()));
    FileRange {
        text: line.map(|it| excerpt(it, extent.start.column.index())),
        external: place.external,
        ..FileRange::new(place.spelling, extent.start, extent.end)
    }
}

/// Names an `impl` block after its type, whose name is at the block's name position.
pub(crate) fn name_impl(candidate: &mut Candidate) {
    if candidate.kind == outline::IMPL && candidate.name.starts_with("impl") {
        candidate.name = outline::type_of_impl(&candidate.name);
        candidate.kind = "impl".to_owned();
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_search_that_stopped_early_is_noted_once() {
        let name = Name { path: Vec::new(), last: "User".into() };
        let mut answer = DefinitionAnswer::default();
        let mut lines = MatchingLines { complete: true, ..MatchingLines::default() };
        answer.heed(&lines, &name);
        assert_eq!(answer.reasons, []);
        lines.complete = false;
        answer.heed(&lines, &name);
        answer.heed(&lines, &name);
        assert_eq!(answer.reasons, [Reason::NameNotSearched { name: "User".into() }]);
    }
}
