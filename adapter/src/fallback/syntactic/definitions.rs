//! Where a name is defined, as far as the syntax of the files says.

use std::collections::BTreeSet;
use std::sync::Arc;

use ide_protocol::{Completeness, Definition, DefinitionsResult, Source, Target};

use super::Instead;
use super::candidate::Defined;
use super::sources::Sources;
use crate::blocking;
use crate::fallback::source::languages::Language;
use crate::fallback::source::names::Name;
use crate::fallback::workspace::index::Cards;
use crate::fallback::workspace::index::file_symbols::is_declared;
use crate::fallback::workspace::session_folders::Roots;
use crate::fallback::workspace::word_scan;
use crate::fallback::workspace::word_scan::Mentions;

/// What was found.
struct Found {
    definitions: Vec<Definition>,
    nearest: Vec<String>,
    /// What has to be said of them.
    note: Option<String>,
    /// Whether there may be more in files that were not looked into.
    is_cut: bool,
}

/// Looks. `None` where the syntax is not known, and where it says nothing of a place: then that is all there is to say.
pub(crate) async fn definitions(
    roots: &Arc<Roots>,
    language: &'static Language,
    target: &Target,
    mentions: Option<Arc<Mentions>>,
    instead: &Instead,
) -> Option<Defined> {
    if !language.has_syntax() {
        return None;
    }
    let is_by_name = target.at.is_none();
    let (roots, target, until) = (Arc::clone(roots), target.clone(), instead.until);
    let looking = blocking::spawn(move || {
        let found = look(&mut Sources::new(&roots, language, until).knowing(mentions).for_names(), &target);
        // There will be more questions like this one.
        roots.index_soon();
        found
    });
    let Found { definitions, nearest, note, is_cut } = looking.await;
    if !is_by_name && definitions.is_empty() && note.is_none() {
        return None;
    }
    let is_near = definitions.is_empty() || note.is_some();
    let blind = "Dependencies, generated code and what macros make are not seen";
    let cut = if is_cut { "; not every file that has the name was looked into" } else { "" };
    let note = note.map(|it| format!("{cut}; {it}")).unwrap_or(cut.to_owned());
    let (source, note) = (Source("syntax".into()), Some(format!("{}. {blind}{note}", instead.why)));
    let result = DefinitionsResult {
        completeness: Completeness { complete: false, source, note },
        definitions,
        nearest,
    };
    Some(Defined { result, is_near })
}

fn look(sources: &mut Sources<'_>, target: &Target) -> Found {
    let found = sources.meant(target);
    let definitions = sources.write_all(&found);
    let nearest = match (&target.at, definitions.is_empty()) {
        (None, true) => nearest(sources, target),
        _ => Vec::new(),
    };
    let note =
        if definitions.is_empty() { nothing_there(sources, target) } else { elsewhere(sources, target) };
    Found { definitions, nearest, note, is_cut: sources.is_cut }
}

/// Says that a place in a file that is known holds no name.
fn nothing_there(sources: &mut Sources<'_>, target: &Target) -> Option<String> {
    let at = target.at.as_ref().filter(|_| target.name.is_none())?;
    let path = sources.roots.resolve(&at.path).ok()?.path;
    let source = sources.source(&path)?;
    let line = source.text.line(at.line.index()).unwrap_or_default();
    let word = at.column.and_then(|column| sources.language.word_at(line, column.index()));
    let is_name = word.is_some_and(|(word, columns)| sources.language.is_name_in(line, &word, &columns));
    (!is_name).then(|| format!("no symbol's name stands at {}:{}", at.path, at.line))
}

/// Says so where not all that the name was qualified by counted.
fn elsewhere(sources: &Sources<'_>, target: &Target) -> Option<String> {
    let Name { path, last } = Name::of(target, sources.language)?;
    let kept = &sources.qualified_by;
    if target.at.is_some() || kept.len() == path.len() {
        return None;
    }
    let separator = sources.language.separator;
    let place =
        if kept.is_empty() { "elsewhere".to_owned() } else { format!("in `{}`", kept.join(separator)) };
    // What a file belongs to is not always written in it.
    Some(format!("no `{last}` is seen to be in `{}`; these are {place}", path.join(separator)))
}

/// Names that files seem to define and that are like the one that nothing has.
fn nearest(sources: &Sources<'_>, target: &Target) -> Vec<String> {
    let name = Name::of(target, sources.language);
    let Some(Name { last, .. }) = name else { return Vec::new() };
    let mut names: BTreeSet<_> = match sources.cards() {
        Some(cards) => told_names(cards),
        None => word_scan::declared_names(sources.language, &sources.roots.tree(), sources.until),
    };
    names.remove(&last);
    word_scan::nearest(&last, names)
}

/// The names of what is declared: data inside of something is seldom meant.
fn told_names(cards: &Cards) -> BTreeSet<String> {
    let mut names = BTreeSet::new();
    for card in cards.cards.values() {
        for (name, _) in
            card.kinds().filter(|(_, kind)| is_declared(*kind) && *kind != syntax::Kind::Extension)
        {
            if !names.contains(name) {
                names.insert(name.to_owned());
            }
        }
    }
    names
}
