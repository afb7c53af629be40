//! Where a name is defined, as far as the syntax of the files says.

use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Instant;

use ide_protocol::{Definition, DefinitionsResult, FileRange, Location, Point, Source, Target};

use super::nodes::nodes;
use super::{FILES, Instead};
use crate::fallback::languages::Language;
use crate::fallback::names::{Fit, Name};
use crate::fallback::operations::candidate::{Candidate, of_node};
use crate::fallback::operations::definitions::Defined;
use crate::fallback::outline::{self, Extent};
use crate::fallback::roots::Roots;
use crate::fallback::scan;
use crate::fallback::text::{Text, excerpt};

/// Looks. `None` when the text has no such definition: then that is all there
/// is to say.
pub(crate) async fn definitions(
    roots: &Arc<Roots>,
    language: &'static Language,
    target: &Target,
    instead: &Instead,
) -> Option<Defined> {
    let (roots, target, until) = (Arc::clone(roots), target.clone(), instead.until);
    let note = format!("{}. Dependencies, generated code and what macros make are not seen", instead.why);
    let looking = tokio::task::spawn_blocking(move || look(&roots, language, &target, until));
    let definitions = looking.await.ok().filter(|it| !it.is_empty())?;
    let result = DefinitionsResult {
        complete: false,
        source: Source("syntax".into()),
        note: Some(note),
        definitions,
        nearest: Vec::new(),
    };
    Some(Defined { result, is_near: false })
}

fn look(roots: &Roots, language: &'static Language, target: &Target, until: Instant) -> Vec<Definition> {
    let name = target.name.as_deref().and_then(|it| Name::parse(it, language));
    match (&target.at, name) {
        (None, Some(name)) => named(roots, language, &name, until),
        (Some(at), Some(name)) => pinned(roots, &name, at).into_iter().collect(),
        (Some(at), None) => at_place(roots, language, at, until),
        (None, None) => Vec::new(),
    }
}

/// Every definition of the name that is in the folders: those that fit best what the name was qualified by.
fn named(roots: &Roots, language: &'static Language, name: &Name, until: Instant) -> Vec<Definition> {
    let lines = scan::definitions(language, &roots.tree(), &name.last, until);
    let mut found: Vec<(Arc<Text>, Candidate)> = Vec::new();
    for path in lines.lines.into_keys().take(FILES) {
        found.extend(in_file(roots, &path, name));
    }
    let best = found.iter().map(|(_, it)| it.fit).max().unwrap_or(Fit::None);
    found.retain(|(_, it)| it.fit == best && best != Fit::None);
    if found.iter().any(|(_, it)| !it.is_local) {
        found.retain(|(_, it)| !it.is_local);
    }
    let mut definitions: Vec<_> = found.iter().map(|(text, it)| write(roots, text, it)).collect();
    definitions.sort_by(|a, b| (&a.name_at.path, a.name_at.start).cmp(&(&b.name_at.path, b.name_at.start)));
    definitions
}

/// The definitions of a name in one file. What only adds to a type defines no name.
fn in_file(roots: &Roots, path: &Path, name: &Name) -> Vec<(Arc<Text>, Candidate)> {
    let Some(text) = text_of(roots, path) else { return Vec::new() };
    let nodes = nodes(path, &text);
    let all = outline::all(&nodes);
    let named = all.iter().filter(|it| it.node.name == name.last && it.node.kind != "object");
    named.map(|it| (Arc::clone(&text), of_node(path, it, name))).collect()
}

/// The definition of a name that is nearest to a place in its file.
fn pinned(roots: &Roots, name: &Name, at: &Location) -> Option<Definition> {
    let path = roots.resolve(&at.path).ok()?.path;
    let distance = |it: &Candidate| it.name_at.start.line.get().abs_diff(at.line.get());
    let found = in_file(roots, &path, name);
    let nearest = found.iter().filter(|(_, it)| it.fit != Fit::None).min_by_key(|(_, it)| distance(it));
    nearest.map(|(text, it)| write(roots, text, it))
}

/// What is defined at a place; else every definition of the name that stands there.
fn at_place(roots: &Roots, language: &'static Language, at: &Location, until: Instant) -> Vec<Definition> {
    let Some((path, text)) = read(roots, at) else { return Vec::new() };
    let nodes = nodes(&path, &text);
    let all = outline::all(&nodes);
    let any = Name { path: Vec::new(), last: String::new() };
    let is_meant = |extent: &Extent| match at.column {
        Some(column) => extent.holds(Point { line: at.line, column }),
        None => extent.start.line == at.line,
    };
    let here = all.iter().find(|it| is_meant(&it.node.name_at) && it.node.kind != "object");
    let here = here.or_else(|| all.iter().find(|it| at.column.is_none() && is_meant(&it.node.whole)));
    if let Some(found) = here {
        return vec![write(roots, &text, &of_node(&path, found, &any))];
    }
    let line = text.line(at.line.index()).unwrap_or_default();
    let word = at.column.and_then(|column| language.word_at(line, column.index())).map(|(word, _)| word);
    let name = word.and_then(|word| Name::parse(&word, language));
    name.map(|name| named(roots, language, &name, until)).unwrap_or_default()
}

fn read(roots: &Roots, at: &Location) -> Option<(PathBuf, Arc<Text>)> {
    let path = roots.resolve(&at.path).ok()?.path;
    let text = text_of(roots, &path)?;
    Some((path, text))
}

/// The text of a file, as the editor holds it or else as it is on disk.
pub(super) fn text_of(roots: &Roots, path: &Path) -> Option<Arc<Text>> {
    let held = roots.texts().get(path).cloned();
    held.or_else(|| Text::read(path).ok().map(Arc::new))
}

fn write(roots: &Roots, text: &Text, candidate: &Candidate) -> Definition {
    Definition {
        name: candidate.name.clone(),
        kind: candidate.kind.clone(),
        defined_at: range(roots, &candidate.path, text, candidate.whole),
        name_at: range(roots, &candidate.path, text, candidate.name_at),
        container: candidate.container.clone(),
    }
}

/// A stretch as the agent sees it, with the line that it starts on.
pub(super) fn range(roots: &Roots, path: &Path, text: &Text, extent: Extent) -> FileRange {
    let place = roots.place(path.to_owned());
    let line = text.line(extent.start.line.index());
    FileRange {
        text: line.map(|it| excerpt(it, extent.start.column.index())),
        external: place.external,
        ..FileRange::new(place.spelling, extent.start, extent.end)
    }
}
