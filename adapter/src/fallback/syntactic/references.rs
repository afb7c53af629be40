//! Where a word stands in code, whatever it means there.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Instant;

use ide_protocol::{Completeness, FileRange, Location, ReferencesQuestion, ReferencesResult, Source};

use super::sources::{range, text_of};
use super::{Instead, syntax_facts};
use crate::blocking;
use crate::fallback::source::languages::Language;
use crate::fallback::source::names::Name;
use crate::fallback::source::outline::Extent;
use crate::fallback::source::text::Text;
use crate::fallback::source::{languages, package};
use crate::fallback::workspace::session_folders::Roots;
use crate::fallback::workspace::word_scan;

/// How many places are given.
const PLACES: usize = 5_000;

/// What was found.
#[derive(Default)]
struct Found {
    references: Vec<FileRange>,
    /// Lines that have the word only in comments and strings.
    mentions: u64,
    is_cut: bool,
}

/// Looks. `None` when the word stands nowhere else.
pub(crate) async fn references(
    roots: &Arc<Roots>,
    language: &'static Language,
    request: &ReferencesQuestion,
    instead: &Instead,
) -> Option<ReferencesResult> {
    let at = request.target.at.clone()?;
    let (roots, name, declared) =
        (Arc::clone(roots), request.target.name.clone(), request.include_declaration);
    let until = instead.until;
    let looking = blocking::spawn(move || {
        let name = meant(&roots, language, name.as_deref(), &at)?;
        let found = look(&roots, language, &name, &at, declared, until);
        Some((name, found))
    });
    let (name, found) = looking.await?;
    let cut = if found.is_cut { ", and not all of them" } else { "" };
    let why = &instead.why;
    let sign = if language.is_spoken(&name) { "" } else { "; what uses it by its sign is not seen" };
    Some(ReferencesResult {
        completeness: Completeness {
            complete: false,
            source: Source("text".into()),
            note: Some(format!(
                "{why}. These are the places in code that say `{name}`, namesakes among them{cut}{sign}"
            )),
        },
        references: found.references,
        mentions: Some(found.mentions),
    })
}

/// The name that is asked about: what is given, else the word at the place.
fn meant(roots: &Roots, language: &Language, name: Option<&str>, at: &Location) -> Option<String> {
    if let Some(name) = name {
        return Name::told(name, language).map(|it| it.last);
    }
    let text = text_of(roots, &roots.resolve(&at.path).ok()?.path)?;
    language.word_at(text.line(at.line.index())?, at.column?.index()).map(|(word, _)| word)
}

fn look(
    roots: &Roots,
    language: &'static Language,
    name: &str,
    at: &Location,
    include_declaration: bool,
    until: Instant,
) -> Found {
    let home = roots.resolve(&at.path).map(|it| it.path).unwrap_or_default();
    let lines = word_scan::mentions(language, &roots.tree(), name, until);
    let mut found = Found { is_cut: !lines.complete, ..Found::default() };
    for (path, lines) in lines.lines {
        if found.references.len() >= PLACES || Instant::now() >= until {
            found.is_cut = true;
            break;
        }
        in_file(roots, name, (&home, &path), &lines, include_declaration, &mut found);
    }
    found.references.sort_by(|a, b| (&a.path, a.start).cmp(&(&b.path, b.start)));
    found
}

fn in_file(
    roots: &Roots,
    name: &str,
    (home, path): (&PathBuf, &Path),
    lines: &BTreeSet<usize>,
    include_declaration: bool,
    found: &mut Found,
) {
    let Some(text) = text_of(roots, path) else { return };
    let extents: Vec<Extent> = lines.iter().flat_map(|line| on_line(path, &text, *line, name)).collect();
    let points: Vec<_> = extents.iter().map(|it| it.start).collect();
    let spelling = roots.spell(path);
    let usages = syntax_facts::read(path, &text, &spelling, &points);
    let is_outside = package::is_apart(home, path);
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
            _ => found.references.push(usage.onto(place)),
        }
    }
    found.mentions += mentioning.len() as u64;
}

/// Where the word stands on a line.
fn on_line(path: &Path, text: &Text, line: usize, name: &str) -> Vec<Extent> {
    let words = languages::words(path, text.line(line).unwrap_or_default());
    let words = words.into_iter().filter(|(word, _)| word == name);
    words.map(|(_, columns)| Extent::within(line, columns)).collect()
}
