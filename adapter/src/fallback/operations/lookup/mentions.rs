//! The declarations, definitions and mentions of a symbol, in Dialect's positions.

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};

use ide_protocol::Point;

use crate::fallback::operations::lookup::target::Subject;
use crate::fallback::servers::run::convert::RawRange;
use crate::fallback::session::query_context::{Problem, QueryContext, file_syntax, scan_for};
use crate::fallback::source::languages::Language;
use crate::fallback::source::outline;
use crate::fallback::source::outline::Extent;
use crate::fallback::source::text::Text;
use crate::fallback::syntactic::syntax_facts::Usage;
use crate::fallback::workspace::session_folders::SessionFolders;
use crate::fallback::workspace::word_scan;
use crate::fallback::workspace::word_scan::MatchingLines;

/// Converts ranges to extents, sorted and without duplicates.
pub(crate) async fn extents(
    asking: &QueryContext,
    uses: &[RawRange],
) -> Result<BTreeSet<(PathBuf, Extent)>, Problem> {
    asking.read(uses.iter().map(|it| it.path.clone()).collect()).await;
    let mut extents = BTreeSet::new();
    for range in uses {
        match asking.extent(range).await {
            Some(extent) => drop(extents.insert((range.path.clone(), extent))),
            None if range.path.exists() => return Err(Problem::FilesChanged),
            // A deleted file has no uses, even if an index still lists some.
            None => {}
        }
    }
    Ok(extents)
}

/// Converts the ranges of uses of a name, as [`extents`]. A range that cuts a word is no use: it is left out, so that its
/// line is looked at again for the name.
pub(crate) async fn uses_of_name(
    asking: &QueryContext,
    uses: &[RawRange],
    name: &str,
) -> Result<BTreeSet<(PathBuf, Extent)>, Problem> {
    asking.read(uses.iter().map(|it| it.path.clone()).collect()).await;
    let language = asking.server.setup.language;
    let mut extents = BTreeSet::new();
    for range in uses {
        let Some(extent) = asking.extent_of(range, name).await else {
            if range.path.exists() {
                return Err(Problem::FilesChanged);
            }
            continue;
        };
        let text = asking.text(&range.path).await;
        if !text.is_some_and(|it| cuts_word(language, &it, extent, name)) {
            extents.insert((range.path.clone(), extent));
        }
    }
    Ok(extents)
}

/// Returns `true` if a range begins or ends within a word, and is not the name without its prefix or ending.
fn cuts_word(language: &Language, text: &Text, extent: Extent, name: &str) -> bool {
    let is_sign = |it: char| !(it.is_alphanumeric() || it == '_');
    let is_named = text.word(extent).is_none_or(|it| it.trim_matches(is_sign) == name.trim_matches(is_sign));
    let cuts = |at: Point| {
        let words = language.words(text.line(at.line.index()).unwrap_or_default());
        words.iter().any(|(_, it)| it.start < at.column.index() && at.column.index() < it.end)
    };
    !is_named && (cuts(extent.start) || cuts(extent.end))
}

/// Returns the declarations of the symbol at a position: references listed only with `includeDeclaration`.
pub(crate) async fn declared(
    asking: &QueryContext,
    path: &Path,
    point: Point,
) -> Result<BTreeSet<(PathBuf, Extent)>, Problem> {
    let all = asking.references(path, point, true).await?.unwrap_or_default();
    let uses = asking.references(path, point, false).await?.unwrap_or_default();
    let declared: Vec<_> = all.iter().filter(|it| !uses.contains(it)).cloned().collect();
    extents(asking, &declared).await
}

/// Returns the names of the symbol's own definitions, including the requested position.
pub(crate) async fn home(
    asking: &QueryContext,
    subject: &Subject,
) -> Result<BTreeSet<(PathBuf, Point)>, Problem> {
    let mut home: BTreeSet<_> = [(subject.path.clone(), subject.point)].into();
    let nodes = asking.outline(&subject.path).await?;
    let own = outline::named_at(&nodes, subject.point);
    // A trait's declaration and its implementation resolve to each other but are two symbols. A property's
    // getter and setter are one.
    let is_home = |path: &Path, point| match &own {
        Some(own) => {
            let around = |it: &outline::NestedNode<'_>| it.around.last().map(|it| it.name_at);
            let other = outline::named_at(&nodes, point).filter(|_| *path == subject.path);
            other.is_some_and(|it| (it.node.kind, around(&it)) == ("property", around(own)))
        }
        None => true,
    };
    if own.as_ref().is_some_and(|it| it.node.kind != "property") {
        return Ok(home);
    }
    for target in asking.definition(&subject.path, subject.point).await?.iter() {
        let path = &target.name.path;
        if let Some(extent) = asking.extent(&target.name).await.filter(|it| is_home(path, it.start)) {
            home.insert((path.clone(), extent.start));
        }
    }
    Ok(home)
}

/// Returns the names of a function's overloads that the outline lists in the same container.
pub(crate) async fn overloads(asking: &QueryContext, subject: &Subject) -> Result<BTreeSet<Point>, Problem> {
    let nodes = asking.outline(&subject.path).await?;
    let all = outline::all(&nodes);
    let Some(own) = all.iter().find(|it| it.node.name_at.start == subject.point) else {
        return Ok(BTreeSet::new());
    };
    let is_alike = |it: &&outline::NestedNode<'_>| {
        let around = |it: &outline::NestedNode<'_>| it.around.last().map(|it| it.name_at);
        matches!(it.node.kind, "function" | "method")
            && it.node.name == own.node.name
            && it.node.kind == own.node.kind
            && around(it) == around(own)
    };
    Ok(all.iter().filter(is_alike).map(|it| it.node.name_at.start).collect())
}

/// Scans the server's folders for lines that contain a name.
pub(crate) async fn mentions(asking: &QueryContext, roots: &SessionFolders, name: &str) -> MatchingLines {
    scan_for(asking, roots, name, word_scan::mentions).await
}

/// A place where a name is written, with its syntax facts.
#[derive(Clone, Debug)]
pub(crate) struct Occurrence {
    pub(crate) path: PathBuf,
    pub(crate) at: Extent,
    pub(crate) usage: Usage,
}

/// Returns every occurrence of a name on these lines, also in comments and strings; `None` if the syntax of a
/// file is not known.
pub(crate) async fn occurrences(
    asking: &QueryContext,
    roots: &SessionFolders,
    lines: &BTreeMap<PathBuf, BTreeSet<usize>>,
    name: &str,
) -> Option<Vec<Occurrence>> {
    asking.read(lines.keys().cloned().collect()).await;
    let language = asking.server.setup.language;
    let mut all = Vec::new();
    for (path, lines) in lines {
        let text = asking.text(path).await?;
        let words = |line: &usize| {
            let words = language.words(text.line(*line).unwrap_or_default()).into_iter();
            let named =
                words.filter(|(word, _)| word == name).map(|(_, columns)| Extent::within(*line, columns));
            named.collect::<Vec<_>>()
        };
        let extents: Vec<_> = lines.iter().flat_map(words).collect();
        let usages = file_syntax::usages(asking, roots, path, &extents).await?;
        let here = extents.into_iter().zip(usages);
        all.extend(here.map(|(at, usage)| Occurrence { path: path.clone(), at, usage }));
    }
    Some(all)
}

/// The lines that mention the name beyond its uses and definitions.
pub(crate) struct OtherMentions {
    pub(crate) count: u64,
    pub(crate) lines: BTreeMap<PathBuf, BTreeSet<usize>>,
}

impl OtherMentions {
    pub(crate) fn new(
        mentions: &MatchingLines,
        extents: &BTreeSet<(PathBuf, Extent)>,
        home: &BTreeSet<(PathBuf, Point)>,
    ) -> Self {
        let uses = extents.iter().map(|(path, extent)| (path, extent.start.line.index()));
        let homes = home.iter().map(|(path, point)| (path, point.line.index()));
        let covered: BTreeSet<_> = uses.chain(homes).collect();
        let mut lines: BTreeMap<PathBuf, BTreeSet<usize>> = BTreeMap::new();
        for (path, line) in
            mentions.lines.iter().flat_map(|(path, lines)| lines.iter().map(move |it| (path, *it)))
        {
            if !covered.contains(&(path, line)) {
                lines.entry(path.clone()).or_default().insert(line);
            }
        }
        let kept: usize = mentions.lines.values().map(BTreeSet::len).sum();
        let beyond: usize = lines.values().map(BTreeSet::len).sum();
        Self { count: beyond as u64 + mentions.total.saturating_sub(kept as u64), lines }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::fallback::source::languages;

    #[test]
    fn a_use_cuts_no_word() {
        let is_cut = |file: &str, line: &str, columns: std::ops::Range<usize>, name: &str| {
            let language = languages::of_file(Path::new(file)).unwrap();
            cuts_word(language, &Text::from(line.to_owned()), Extent::within(0, columns), name)
        };
        for (file, line, columns, name) in [
            ("/w/a.py", "m.rate(3)", 2..6, "rate"),
            ("/w/a.py", "a + b", 2..3, "__add__"),
            ("/w/a.rs", "r#type()", 2..6, "type"),
            ("/w/a.rs", "Self::new()", 0..4, "User"),
            ("/w/a.ts", "this.#x", 6..7, "#x"),
            ("/w/a.rb", "save!", 0..4, "save!"),
        ] {
            assert!(!is_cut(file, line, columns, name), "{line}");
        }
        for (file, line, columns, name) in [
            ("/w/a.py", "m.rate(3)", 3..7, "rate"),
            ("/w/a.py", "m.rate(3)", 5..9, "rate"),
            ("/w/a.py", "from m import rate", 17..18, "rate"),
            ("/w/a.ts", "rates", 0..4, "rate_"),
        ] {
            assert!(is_cut(file, line, columns, name), "{line}");
        }
    }
}
