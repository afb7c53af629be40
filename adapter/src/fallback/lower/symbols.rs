//! Which symbols have a name like this, as far as the syntax of the files says.

use std::collections::{BTreeMap, BTreeSet};
use std::path::PathBuf;
use std::sync::Arc;

use ide_protocol::{Source, SymbolsRequest, SymbolsResult};

use super::sources::{Seen, Sources, seen, without_constructors};
use super::{FILES, Instead};
use crate::fallback::languages::Language;
use crate::fallback::names::{Fit, Likeness, Name, likeness};
use crate::fallback::operations::symbols::cut;
use crate::fallback::roots::Roots;
use crate::fallback::scan::{self, Tree};

/// The names that files seem to define, with how they are like the one asked for.
type Written = BTreeMap<(PathBuf, String), Likeness>;

/// Looks; `None` where nothing is like it, or it is no name.
pub(crate) async fn symbols(
    roots: &Arc<Roots>,
    language: &'static Language,
    request: &SymbolsRequest,
    instead: &Instead,
) -> Option<SymbolsResult> {
    let name = Name::parse(&request.query, language)?;
    let within = request.path.as_deref().map(|it| roots.resolve(it)).transpose().ok()?;
    let (roots, instead) = (Arc::clone(roots), instead.clone());
    let looking = tokio::task::spawn_blocking(move || {
        let mut tree = roots.tree();
        if let Some(place) = within {
            tree.folders = vec![place.path];
        }
        look(&roots, language, &tree, &name, &instead)
    });
    looking.await.ok().flatten()
}

fn look(
    roots: &Roots,
    language: &'static Language,
    tree: &Tree,
    name: &Name,
    instead: &Instead,
) -> Option<SymbolsResult> {
    let mut sources = Sources::new(roots, language, instead.until);
    let mut found = having(&mut sources, tree, name);
    if found.is_empty() {
        let written = scan::declared_like(language, tree, &name.last, instead.until);
        found = confirmed(&mut sources, &written, name);
    }
    if found.is_empty() {
        return None;
    }
    let found = without_constructors(found);
    let total = found.len() as u64;
    let cut_short = if sources.is_cut { "; not every file was looked into" } else { "" };
    let note = Some(format!("{}{cut_short}", instead.why));
    let definitions = found.iter().map(|it| sources.write(it)).collect();
    let result = SymbolsResult { complete: false, source: Source("syntax".into()), note, total, definitions };
    Some(cut(result, &name.last))
}

/// Those whose names have what is asked for in one piece.
fn having(sources: &mut Sources<'_>, tree: &Tree, name: &Name) -> Vec<Seen> {
    let lines = scan::definitions_having(sources.language, tree, &name.last, sources.until);
    sources.is_cut |= !lines.complete || lines.lines.len() > FILES;
    let is_alike = |it: &syntax::Definition| likeness(&name.last, &it.name).is_some_and(Likeness::is_part);
    let mut found = Vec::new();
    for path in lines.lines.into_keys().take(FILES) {
        let Some(source) = sources.source(&path) else { continue };
        found.extend(seen(&source, name, is_alike));
    }
    found.retain(is_told);
    found
}

/// Whether one could name it from elsewhere.
fn is_told(seen: &Seen) -> bool {
    !seen.candidate.is_local && !seen.is_extension() && seen.candidate.fit != Fit::None
}

/// Those of the names that the outlines of their files have, the files with the likeliest first.
fn confirmed(sources: &mut Sources<'_>, written: &Written, name: &Name) -> Vec<Seen> {
    let mut files: BTreeMap<&PathBuf, (Likeness, BTreeSet<&str>)> = BTreeMap::new();
    for ((path, word), likeness) in written {
        let (best, words) = files.entry(path).or_insert((*likeness, BTreeSet::new()));
        *best = (*best).min(*likeness);
        words.insert(word);
    }
    let mut files: Vec<_> = files.into_iter().collect();
    files.sort_by_key(|(path, (likeness, _))| (*likeness, *path));
    sources.is_cut |= files.len() > FILES;
    let mut found = Vec::new();
    for (path, (_, words)) in files.into_iter().take(FILES) {
        let Some(source) = sources.source(path) else { continue };
        let mut here = seen(&source, name, |it| words.contains(it.name.as_str()));
        here.retain(is_told);
        found.extend(here);
    }
    found
}
