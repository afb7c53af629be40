//! Uses of a symbol under the name that an import gives it, which many servers do not follow.

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};

use ide_protocol::{Column, Operation, Point, Reason};

use super::correction::{Correction, Query, Scope, Uses};
use crate::fallback::operations::lookup::leads::led_to;
use crate::fallback::operations::lookup::mentions::{OtherMentions, mentions};
use crate::fallback::operations::lookup::target::Subject;
use crate::fallback::operations::lookup::{follow, mentions};
use crate::fallback::session::query_context::{Problem, QueryContext, file_syntax};
use crate::fallback::source::languages::{Language, ids};
use crate::fallback::source::outline;
use crate::fallback::source::outline::Extent;
use crate::fallback::source::text::Text;
use crate::fallback::workspace::session_folders::SessionFolders;

/// The servers that have the weakness.
pub(crate) const SCOPE: Scope = Scope { id: "import-aliases", ..Scope::ALL };

/// The row of this correction.
pub(crate) const ROW: Correction = Correction {
    scope: SCOPE,
    operations: &[Operation::References, Operation::Callers, Operation::Implementations],
    why: "tsc, ty, basedpyright and rust-analyzer do not follow an import that renames a symbol, or follow \
          it only if it is written with `as`",
    uses: Some(|query, uses| Box::pin(correct(query, uses))),
    ..Correction::NONE
};

/// Adds the uses under other names, and for references remarks about them.
async fn correct(query: &Query<'_>, uses: &mut Uses) -> Result<(), Problem> {
    let remarks =
        follow(query.asking(), query.roots(), &mut uses.extents, (query.subject, &uses.home)).await?;
    if query.context.operation == Operation::References {
        uses.reasons.extend(remarks);
    }
    Ok(())
}

/// The maximum number of aliases that are followed.
const ALIASES: usize = 16;

/// Adds the uses under other names, and returns remarks that list these names.
pub(crate) async fn follow(
    asking: &QueryContext,
    roots: &SessionFolders,
    extents: &mut BTreeSet<(PathBuf, Extent)>,
    (subject, home): (&Subject, &BTreeSet<(PathBuf, Point)>),
) -> Result<Vec<Reason>, Problem> {
    let mut left: Vec<_> = extents.iter().map(|it| (it.clone(), subject.name.clone())).collect();
    let mut names = BTreeSet::new();
    for (path, name) in other_names(asking, extents, &subject.name).await? {
        // The server may not list the import that introduces this name.
        let lines = lines_with(asking, &path, &name, extents).await;
        extents.extend(follow::uses((asking, roots), &lines, home, &name).await?.uses);
    }
    while let Some(((path, extent), name)) = left.pop() {
        let Some(text) = asking.text(&path).await else { continue };
        let line = text.line(extent.start.line.index()).unwrap_or_default();
        let behind = alias_behind(asking.server.setup.language, line, extent.end.column.index());
        let alias = match behind {
            Some(alias) if is_import(asking, roots, &path, extent).await => Some(alias),
            _ => exported_as(asking.server.setup.language, &text, extent),
        };
        let Some((alias, column)) = alias.filter(|(it, _)| *it != name && names.len() < ALIASES) else {
            continue;
        };
        if !names.insert((path.clone(), alias.clone())) {
            continue;
        }
        let point = Point { line: extent.start.line, column: Column::from_index(column) };
        let uses = asking.references(&path, point, false).await?.unwrap_or_default();
        let mut uses = mentions::uses_of_name(asking, &uses, &alias).await?;
        // Some servers stop here too, but the mentions of the alias still resolve to the symbol.
        let mut home: BTreeSet<_> = home.iter().cloned().chain([(path.clone(), point)]).collect();
        // The declaration of a module resolves to its file.
        home.extend(asking.places(&path, point).await?);
        let known = extents.union(&uses).cloned().collect();
        let beyond = OtherMentions::new(&mentions(asking, roots, &alias).await, &known, &home);
        uses.extend(follow::uses((asking, roots), &beyond.lines, &home, &alias).await?.uses);
        let beside = follow::beside(asking, &uses, &home, &alias).await;
        uses.extend(follow::uses((asking, roots), &beside, &home, &alias).await?.uses);
        for found in uses {
            // Some servers list the definition even if declarations are excluded.
            let is_home = home.contains(&(found.0.clone(), found.1.start));
            if !is_home && extents.insert(found.clone()) {
                left.push((found, alias.clone()));
            }
        }
    }
    let (written, others): (Vec<_>, Vec<_>) =
        named_otherwise(asking, extents, subject).await?.into_iter().partition(|(_, is_macro)| *is_macro);
    let counted = |others: Vec<(String, bool)>| {
        let names: BTreeSet<_> = others.iter().map(|(it, _)| it.clone()).collect();
        (!others.is_empty()).then(|| (others.len(), names.into_iter().collect()))
    };
    let others = counted(others).map(|(count, names)| Reason::OtherNames { count, names });
    let written = counted(written).map(|(count, names)| Reason::InMacros { count, names });
    Ok(others.into_iter().chain(written).collect())
}

/// Returns the names of uses that differ from the symbol's, each with `true` if it is a macro. A constructor
/// is called by the name of its type, which does not count.
async fn named_otherwise(
    asking: &QueryContext,
    uses: &BTreeSet<(PathBuf, Extent)>,
    subject: &Subject,
) -> Result<Vec<(String, bool)>, Problem> {
    let language = asking.server.setup.language;
    let nodes = asking.outline(&subject.path).await?;
    let named = outline::named_at(&nodes, subject.point);
    let container = named.and_then(|it| it.around.last().map(|it| outline::plain_name(it)));
    let (mut others, mut macros) = (Vec::new(), BTreeMap::new());
    for (path, extent) in uses {
        let word = asking.text(path).await.and_then(|it| it.word(*extent)).unwrap_or_default();
        // Text that is not a plain name may contain the name or stand for it: `r#type`, `super`.
        if let [(word, _)] = &language.words(&word)[..]
            && *word != subject.name
            && Some(word) != container.as_ref()
            && language.is_name(word)
        {
            if !macros.contains_key(word) {
                macros.insert(word.clone(), is_macro(asking, path, *extent).await?);
            }
            others.push((word.clone(), macros[word]));
        }
    }
    Ok(others)
}

/// Returns the other names of the symbol where it is used, by file.
async fn other_names(
    asking: &QueryContext,
    extents: &BTreeSet<(PathBuf, Extent)>,
    name: &str,
) -> Result<BTreeSet<(PathBuf, String)>, Problem> {
    let language = asking.server.setup.language;
    let mut names = BTreeMap::new();
    for (path, extent) in extents {
        let word = asking.text(path).await.and_then(|it| it.word(*extent));
        if let Some(word) = word.filter(|it| it != name && language.is_name(it) && names.len() < ALIASES) {
            names.entry((path.clone(), word)).or_insert(*extent);
        }
    }
    let mut others = BTreeSet::new();
    for ((path, word), extent) in names {
        if !is_macro(asking, &path, extent).await? {
            others.insert((path, word));
        }
    }
    Ok(others)
}

/// Returns `true` if the place calls a macro; a name that a macro writes is no alias.
async fn is_macro(asking: &QueryContext, path: &Path, extent: Extent) -> Result<bool, Problem> {
    let is_known = asking.profile().guesses;
    Ok(is_known && led_to(asking, path, extent.start).await?.iter().any(|it| it.kind == "macro"))
}

/// Returns the lines of a file that mention a name and hold no known use.
async fn lines_with(
    asking: &QueryContext,
    path: &PathBuf,
    name: &str,
    extents: &BTreeSet<(PathBuf, Extent)>,
) -> BTreeMap<PathBuf, BTreeSet<usize>> {
    let text = asking.text(path).await;
    let known: BTreeSet<_> =
        extents.iter().filter(|it| it.0 == *path).map(|(_, it)| it.start.line.index()).collect();
    let holds = |line: &str| asking.server.setup.language.words(line).iter().any(|(word, _)| word == name);
    let lines = text.iter().flat_map(|text| {
        (0..text.line_count()).filter(|it| text.line(*it).is_some_and(holds) && !known.contains(it))
    });
    [(path.clone(), lines.collect())].into()
}

/// Returns `true` if the name is imported. The word after `as` may otherwise be a type, or the variable for a
/// value.
async fn is_import(asking: &QueryContext, roots: &SessionFolders, path: &Path, extent: Extent) -> bool {
    let usages = file_syntax::usages(asking, roots, path, &[extent]).await;
    usages.is_some_and(|it| it.iter().any(|it| it.role == "import"))
}

/// Returns the name under which a CommonJS module exports the symbol, `module.exports = { NAME: total }`, and
/// its column on that line.
fn exported_as(language: &Language, text: &Text, extent: Extent) -> Option<(String, usize)> {
    let line = text.line(extent.start.line.index()).filter(|_| language.id == ids::TYPESCRIPT)?;
    let (from, to) = (extent.start.column.index(), extent.end.column.index());
    let behind: String = line.chars().skip(to).collect();
    if !(behind.trim().is_empty() || behind.trim_start().starts_with([',', '}', ';'])) {
        return None;
    }
    let (name, columns) = language.words(line).into_iter().rfind(|(_, columns)| columns.end <= from)?;
    let gap: String = line.chars().skip(columns.end).take(from - columns.end).collect();
    let before: String = line.chars().take(columns.start).collect();
    let is_exported = match gap.trim() {
        "=" => before.ends_with("exports."),
        ":" => {
            let lines = (0..extent.start.line.index()).filter_map(|it| text.line(it));
            let before: String = lines.chain([before.as_str()]).flat_map(|it| [it, "\n"]).collect();
            let owner = opened(&before).and_then(|it| it.trim_end().strip_suffix('='));
            owner.is_some_and(|it| it.trim_end().ends_with("exports"))
        }
        _ => false,
    };
    is_exported.then_some((name, columns.start))
}

/// Returns the text before the brace that is open at the end of a text.
fn opened(text: &str) -> Option<&str> {
    let mut depth = 0usize;
    for (at, char) in text.char_indices().rev() {
        match char {
            '}' | ')' | ']' => depth += 1,
            '{' if depth == 0 => return Some(&text[..at]),
            '{' | '(' | '[' => depth = depth.checked_sub(1)?,
            _ => {}
        }
    }
    None
}

/// Returns the alias that may follow the name that ends at a column: `total as sum`, `{ total: sum }`.
fn alias_behind(language: &Language, line: &str, column: usize) -> Option<(String, usize)> {
    let behind = language.words(line).into_iter().filter(|(_, columns)| columns.start >= column);
    let mut behind = behind.map(|(word, columns)| (word, columns.start));
    let gap = |from: usize, to: usize| {
        let gap: String = line.chars().skip(from).take(to.saturating_sub(from)).collect();
        gap.trim().to_owned()
    };
    let (word, at) = behind.next()?;
    match gap(column, at).as_str() {
        "" if word == "as" => behind.next().filter(|(_, alias)| gap(at + word.len(), *alias).is_empty()),
        ":" => Some((word, at)),
        _ => None,
    }
}
