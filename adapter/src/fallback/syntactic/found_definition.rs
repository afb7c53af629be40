//! One parsed file and the definitions in it, and how both are written for the agent.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use ide_protocol::{Definition, FileRange, Location, Point};
use syntax::Outline;

use super::candidate::{Candidate, of_node};
use super::syntax_facts::offset;
use crate::fallback::source::languages::language_of;
use crate::fallback::source::names::Name;
use crate::fallback::source::outline::{Extent, IMPL, Node};
use crate::fallback::source::text::{Text, excerpt};
use crate::fallback::source::{languages, outline};
use crate::fallback::workspace::index::file_symbols::{entries, nodes};
use crate::fallback::workspace::session_folders::SessionFolders;

/// A file with its outline.
#[derive(Debug)]
pub(crate) struct ParsedFile {
    pub(crate) path: PathBuf,
    pub(crate) text: Arc<Text>,
    pub(crate) language: syntax::Language,
    pub(crate) outline: Outline,
    /// The outline nested, with lines and columns.
    nodes: Vec<Node>,
}

/// A definition that was found in a parsed file.
#[derive(Clone, Debug)]
pub(crate) struct FoundDefinition {
    pub(crate) source: Arc<ParsedFile>,
    /// The index among the outline's definitions.
    index: usize,
    pub(crate) candidate: Candidate,
}

impl FoundDefinition {
    /// Returns `true` if its name begins at a place: in that line, and in that column if one is given.
    pub(super) fn begins_at(&self, at: &Location) -> bool {
        let start = self.candidate.name_at.start;
        start.line == at.line && at.column.is_none_or(|column| column == start.column)
    }

    /// Returns the definition in its file's outline.
    pub(crate) fn definition(&self) -> &syntax::Definition {
        &self.source.outline.definitions[self.index]
    }

    /// Returns the file and the start of the name.
    pub(crate) fn place(&self) -> (PathBuf, Point) {
        (self.candidate.path.clone(), self.candidate.name_at.start)
    }

    /// Returns whether it only extends a type, as an `impl` block does.
    pub(crate) fn is_extension(&self) -> bool {
        self.candidate.kind == IMPL
    }
}

impl ParsedFile {
    /// Converts a point to a byte offset.
    pub(crate) fn offset(&self, point: Point) -> usize {
        offset(&self.text, point)
    }
}

/// Returns the definitions of a file that `is_wanted` accepts, each with its fit to `name`.
pub(crate) fn definitions_in(
    source: &Arc<ParsedFile>,
    name: &Name,
    is_wanted: impl Fn(&syntax::Definition) -> bool,
) -> Vec<FoundDefinition> {
    // Outline and nodes are in the order of the text, each parent before its children.
    let all = outline::all(&source.nodes).into_iter().enumerate();
    let wanted = all.filter(|(index, _)| is_wanted(&source.outline.definitions[*index]));
    let definitions = wanted.map(|(index, found)| FoundDefinition {
        source: Arc::clone(source),
        index,
        candidate: of_node(&source.path, &found, name),
    });
    definitions.collect()
}

/// Returns the definitions of a name in one file, without blocks that only extend a type.
pub(super) fn definitions_named(source: &Arc<ParsedFile>, name: &Name) -> Vec<FoundDefinition> {
    let mut found = definitions_in(source, name, |it| it.name == name.last);
    found.retain(|it| !it.is_extension());
    found
}

/// Parses a file, completely or only for the definitions of `name`.
pub(super) fn parse_file(roots: &SessionFolders, path: &Path, name: Option<&str>) -> Option<ParsedFile> {
    let language = language_of(path)?;
    let text = text_of(roots, path)?;
    let outline = match name {
        Some(name) => syntax::named(language, text.as_str(), name),
        None => syntax::outline(language, text.as_str()),
    };
    let nodes = nodes(&entries(&text, &outline));
    Some(ParsedFile { path: path.to_owned(), text, language, outline, nodes })
}

/// Returns the text of a file: from the editor if it holds one, otherwise from disk.
pub(crate) fn text_of(roots: &SessionFolders, path: &Path) -> Option<Arc<Text>> {
    let held = roots.texts().get(path).cloned();
    held.or_else(|| Text::read(path).ok().map(Arc::new))
}

/// Returns the occurrences of a word on a line, which is counted from 0.
pub(super) fn occurrences_on_line(path: &Path, text: &Text, line: usize, name: &str) -> Vec<Extent> {
    // The file may have become shorter since the search.
    let words = languages::words(path, text.line(line).unwrap_or_default()).into_iter();
    words.filter(|(word, _)| word == name).map(|(_, columns)| Extent::within(line, columns)).collect()
}

/// Converts an extent to a range for the agent, with the line on which it starts.
pub(crate) fn range(roots: &SessionFolders, path: &Path, text: &Text, extent: Extent) -> FileRange {
    let place = roots.place(path.to_owned());
    let line = text.line(extent.start.line.index());
    FileRange {
        text: line.map(|it| excerpt(it, extent.start.column.index())),
        external: place.external,
        ..FileRange::new(place.spelling, extent.start, extent.end)
    }
}

/// Converts a candidate to a definition for the agent.
pub(crate) fn to_definition(roots: &SessionFolders, candidate: &Candidate, text: &Text) -> Definition {
    let Candidate { path, name, kind, whole, name_at, container, .. } = candidate;
    let kind = if kind == IMPL { "impl" } else { kind };
    let (defined_at, name_at) = (range(roots, path, text, *whole), range(roots, path, text, *name_at));
    Definition { container: container.clone(), ..Definition::new(name, kind, defined_at, name_at) }
}
