//! The occurrences of a word in code, whatever it refers to there.

use std::collections::BTreeSet;
use std::path::Path;
use std::sync::Arc;
use std::time::Instant;

use ide_protocol::{Completeness, FileRange, Location, Reason, ReferencesQuestion, ReferencesResult, Source};

use super::fallback_reason::FallbackReason;
use super::found_definition::{occurrences_on_line, range, text_of};
use super::syntax_facts;
use crate::blocking;
use crate::fallback::source::languages::Language;
use crate::fallback::source::names::Name;
use crate::fallback::source::outline::Extent;
use crate::fallback::source::package;
use crate::fallback::workspace::session_folders::SessionFolders;
use crate::fallback::workspace::word_scan;

/// The most places in an answer.
const PLACES: usize = 5_000;

/// The occurrences that were found.
#[derive(Default)]
struct FoundReferences {
    references: Vec<FileRange>,
    /// The number of lines with the word only in comments and strings.
    mentions: u64,
    is_cut: bool,
}

/// Finds the occurrences of the target's name; `None` if there is no name at the target.
pub(crate) async fn references(
    roots: &Arc<SessionFolders>,
    language: &'static Language,
    request: &ReferencesQuestion,
    instead: &FallbackReason,
) -> Option<ReferencesResult> {
    let at = request.target.at.clone()?;
    let (roots, name, declared) =
        (Arc::clone(roots), request.target.name.clone(), request.include_declaration);
    let until = instead.until;
    let looking = blocking::spawn(move || {
        let name = name_at_target(&roots, language, name.as_deref(), &at)?;
        let found = look(&roots, language, &name, &at, declared, until);
        Some((name, found))
    });
    let (name, found) = looking.await?;
    let sign = (!language.is_written_in_uses(&name)).then_some(Reason::SignUses {});
    let occurrences = Reason::Occurrences { why: instead.why.clone(), name, is_cut: found.is_cut };
    Some(ReferencesResult {
        completeness: Completeness::with(Source("text".into()), [occurrences].into_iter().chain(sign)),
        references: found.references,
        mentions: Some(found.mentions),
        // Code is among the references.
        code_mentions: Some(Vec::new()),
    })
}

/// Returns the target's name: the given one, otherwise the word at the place.
fn name_at_target(
    roots: &SessionFolders,
    language: &Language,
    name: Option<&str>,
    at: &Location,
) -> Option<String> {
    if let Some(name) = name {
        return Name::parse_known(name, language).map(|it| it.last);
    }
    let text = text_of(roots, &roots.resolve(&at.path).ok()?.path)?;
    language.word_at(text.line(at.line.index())?, at.column?.index()).map(|(word, _)| word)
}

fn look(
    roots: &SessionFolders,
    language: &'static Language,
    name: &str,
    at: &Location,
    include_declaration: bool,
    until: Instant,
) -> FoundReferences {
    // Without the target's file no place counts as lying in another package.
    let home = roots.resolve(&at.path).map(|it| it.path).ok();
    let lines = word_scan::mentions(language, &roots.search_scope(), name, until);
    let mut found = FoundReferences { is_cut: !lines.complete, ..FoundReferences::default() };
    for (path, lines) in lines.lines {
        if found.references.len() >= PLACES || Instant::now() >= until {
            found.is_cut = true;
            break;
        }
        in_file(roots, name, (home.as_deref(), &path), &lines, include_declaration, &mut found);
    }
    found.references.sort_by(|a, b| (&a.path, a.start).cmp(&(&b.path, b.start)));
    found
}

fn in_file(
    roots: &SessionFolders,
    name: &str,
    (home, path): (Option<&Path>, &Path),
    lines: &BTreeSet<usize>,
    include_declaration: bool,
    found: &mut FoundReferences,
) {
    let Some(text) = text_of(roots, path) else { return };
    let extents: Vec<Extent> =
        lines.iter().flat_map(|line| occurrences_on_line(path, &text, *line, name)).collect();
    let points: Vec<_> = extents.iter().map(|it| it.start).collect();
    let spelling = roots.display_path(path);
    let usages = syntax_facts::read(path, &text, &spelling, &points);
    let is_outside = home.is_some_and(|it| package::are_in_different_packages(it, path));
    let mut mentioning = BTreeSet::new();
    for (index, extent) in extents.into_iter().enumerate() {
        let place = FileRange { outside: is_outside, ..range(roots, path, &text, extent) };
        let Some(usage) = usages.as_ref().map(|it| it[index].clone()) else {
            found.references.push(place);
            continue;
        };
        match usage.role {
            "documentation" | "comment" | "string" => drop(mentioning.insert(extent.start.line)),
            "definition" if !include_declaration => {}
            _ => found.references.push(usage.add_to(place)),
        }
    }
    found.mentions += mentioning.len() as u64;
}
