//! Judges for an answer if code matters that only procedural macros and build scripts make, which do not run in
//! a restricted workspace.
//!
//! Such code uses a name that stands somewhere: in the input of a macro, in an attribute, in the source of the
//! macro or script itself, or in a template. So an answer that accounts for each mention of its name lacks none.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::{Path, PathBuf};

use ide_protocol::{Operation, Point, Reason};

use crate::blocking;
use crate::fallback::operations::corrections::correction::{Query, Uses};
use crate::fallback::operations::lookup::mentions::{Occurrence, mentions, occurrences};
use crate::fallback::session::query_context::{Problem, scan_for};
use crate::fallback::source::languages::makes_macros;
use crate::fallback::source::outline;
use crate::fallback::workspace::word_scan;
use crate::fallback::workspace::word_scan::MatchingLines;

/// The maximum number of lines with a name that are looked at; an answer about a more common name is doubted.
const LOOKED_AT: usize = 1_000;

/// Returns the reason why the answer about a symbol may lack code that was not made; `None` if it lacks none.
pub(crate) async fn doubt(query: &Query<'_>, uses: &Uses) -> Result<Option<Reason>, Problem> {
    let asking = query.asking();
    let Some(unknown) = &asking.unknown else { return Ok(None) };
    Ok(may_matter(query, uses).await?.then(|| unknown.clone()))
}

async fn may_matter(query: &Query<'_>, uses: &Uses) -> Result<bool, Problem> {
    let (asking, roots, subject) = (query.asking(), query.roots(), query.subject);
    // What macros of a dependency make of its own symbols, they name themselves.
    if !asking.server.setup.language.has_macro_input || !roots.contains(&subject.path) {
        return Ok(true);
    }
    let Some(all) = all(query, &uses.mentions, &subject.name).await else { return Ok(true) };
    let known = accounted(uses);
    let mut texts: BTreeMap<PathBuf, BTreeSet<Point>> = BTreeMap::new();
    for Occurrence { path, at, usage } in &all {
        if !known.contains(&(path, at.start)) && usage.is_macro_input() {
            return Ok(true);
        }
        if usage.role == "string" {
            texts.entry(path.clone()).or_default().insert(at.start);
        }
    }
    let mut files: Vec<_> = texts.into_keys().collect();
    let write_code = blocking::spawn(move || {
        files.retain(|it| writes_code(it));
        !files.is_empty()
    });
    Ok(write_code.await
        || is_rewritten(&head(query).await?)
        || is_derived(query, &all).await?
        || scan_for(asking, roots, &subject.name, word_scan::is_in_template).await)
}

/// Returns the occurrences of a name; `None` if there are too many, or not all could be read.
async fn all(query: &Query<'_>, mentions: &MatchingLines, name: &str) -> Option<Vec<Occurrence>> {
    let is_all = mentions.complete && mentions.total <= LOOKED_AT as u64;
    if !is_all {
        return None;
    }
    occurrences(query.asking(), query.roots(), &mentions.lines, name).await
}

/// Returns the places whose meaning the server knows: the uses, the definitions, and the uses of other symbols.
fn accounted(uses: &Uses) -> BTreeSet<(&PathBuf, Point)> {
    let elsewhere = uses.missed.elsewhere.iter().map(|it| &it.from);
    let places = uses.extents.iter().chain(&uses.apart.uses).chain(&uses.declared).chain(elsewhere);
    let places = places.map(|(path, at)| (path, at.start));
    places.chain(uses.home.iter().map(|(path, at)| (path, *at))).collect()
}

/// Returns `true` if the question is for implementations that a type may derive: of a trait, or for the type.
async fn is_derived(query: &Query<'_>, all: &[Occurrence]) -> Result<bool, Problem> {
    if query.context.operation != Operation::Implementations {
        return Ok(false);
    }
    if all.iter().any(|it| it.usage.is_derived()) {
        return Ok(true);
    }
    if is_expanded(&head(query).await?) {
        return Ok(true);
    }
    let (asking, subject) = (query.asking(), query.subject);
    let nodes = asking.outline(&subject.path).await?;
    let own = outline::named_at(&nodes, subject.point);
    let of =
        own.and_then(|it| it.around.last().filter(|it| it.kind == "interface").map(|it| it.name.clone()));
    let Some(of) = of else { return Ok(false) };
    let lines = mentions(asking, query.roots(), &of).await;
    Ok(self::all(query, &lines, &of).await.is_none_or(|all| all.iter().any(|it| it.usage.is_derived())))
}

/// Returns the lines above the names of the definition and those around it, with their attributes; empty if the symbol
/// is not defined there.
async fn head(query: &Query<'_>) -> Result<String, Problem> {
    let (asking, subject) = (query.asking(), query.subject);
    let nodes = asking.outline(&subject.path).await?;
    let own = outline::named_at(&nodes, subject.point);
    let Some((own, text)) = own.zip(asking.text(&subject.path).await) else { return Ok(String::new()) };
    let nodes = own.around.iter().copied().chain([own.node]);
    let lines = nodes.flat_map(|it| it.whole.start.line.index()..it.name_at.start.line.index());
    Ok(lines.filter_map(|it| text.line(it)).collect::<Vec<_>>().join("\n"))
}

/// The attributes that add no implementations and no uses: those of the compiler, and macros that only wrap a body.
const PLAIN: &[&str] = &[
    "allow",
    "cfg",
    "cold",
    "deny",
    "deprecated",
    "doc",
    "expect",
    "forbid",
    "ignore",
    "inline",
    "must_use",
    "no_mangle",
    "non_exhaustive",
    "repr",
    "should_panic",
    "test",
    "tokio::main",
    "tokio::test",
    "track_caller",
    "warn",
];

/// The traits whose derived implementations the server knows.
const DERIVED: &[&str] =
    &["Clone", "Copy", "Debug", "Default", "Eq", "Hash", "Ord", "PartialEq", "PartialOrd"];

/// Returns `true` if the attributes above a definition may add implementations.
fn is_expanded(attributes: &str) -> bool {
    let is_known = |traits: &str| {
        let names = traits.split(',').map(|it| it.rsplit("::").next().unwrap_or(it).trim());
        names.filter(|it| !it.is_empty()).all(|it| DERIVED.contains(&it))
    };
    let adds_none = |rest: &str| rest.trim_start_matches('(').split(')').next().is_some_and(is_known);
    is_rewritten(attributes) || parts(attributes).any(|(path, rest)| path == "derive" && !adds_none(rest))
}

/// Returns `true` if the definition is the input of an attribute macro, which may use its name as it likes.
fn is_rewritten(attributes: &str) -> bool {
    parts(attributes).any(|(path, _)| path != "derive" && !PLAIN.contains(&path))
}

/// Returns the path of each attribute, and what follows it.
fn parts(attributes: &str) -> impl Iterator<Item = (&str, &str)> {
    attributes.split("#[").skip(1).map(|attribute| {
        let attribute = attribute.trim_start();
        let end = attribute.find(|it: char| !it.is_alphanumeric() && !"_:".contains(it));
        attribute.split_at(end.unwrap_or(attribute.len()))
    })
}

/// Returns `true` for files of build scripts and of crates with procedural macros, whose strings may be code.
/// Blocking.
fn writes_code(path: &Path) -> bool {
    let manifest = path.ancestors().skip(1).map(|it| it.join("Cargo.toml")).find(|it| it.is_file());
    let Some(text) = manifest.as_ref().and_then(|it| fs::read_to_string(it).ok()) else { return false };
    let inner = manifest.as_ref().and_then(|it| path.strip_prefix(it.parent()?).ok());
    let is_of_script = inner.is_some_and(|it| !it.starts_with("src") && !it.starts_with("tests"));
    is_of_script || makes_macros(&text)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn attributes_may_add_implementations() {
        for (attributes, expected) in [
            ("/// A type.\n#[derive(Clone, std::hash::Hash,)]\n#[must_use]", false),
            ("#[derive(Clone, Serialize)]", true),
            ("#[pin_project]", true),
            ("#[cfg_attr(feature = \"x\", derive(Serialize))]", true),
            ("", false),
        ] {
            assert_eq!(is_expanded(attributes), expected, "{attributes}");
        }
        for (attributes, expected) in [
            ("#[derive(Serialize)]", false),
            ("#[tokio::test]\n#[ignore = \"x\"]", false),
            ("#[routes::get]", true),
        ] {
            assert_eq!(is_rewritten(attributes), expected, "{attributes}");
        }
    }

    #[test]
    fn scripts_and_crates_of_macros_write_code() {
        let folder = tempfile::tempdir().unwrap();
        let write = |path: &str, text: &str| {
            let path = folder.path().join(path);
            fs::create_dir_all(path.parent().unwrap()).unwrap();
            fs::write(path, text).unwrap();
        };
        write("Cargo.toml", "[package]\nname = \"a\"\n");
        write("macros/Cargo.toml", "[package]\nname = \"b\"\n[lib]\nproc-macro = true\n");
        for (path, expected) in [
            ("build.rs", true),
            ("build/made.rs", true),
            ("src/lib.rs", false),
            ("tests/all.rs", false),
            ("macros/src/lib.rs", true),
        ] {
            assert_eq!(writes_code(&folder.path().join(path)), expected, "{path}");
        }
    }
}
