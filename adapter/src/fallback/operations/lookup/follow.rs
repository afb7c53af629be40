//! Resolves the occurrences of a name on given lines to their targets.

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};

use futures::future::try_join_all;
use ide_protocol::{Column, Line, Point};

use crate::fallback::operations::lookup::candidates::ALIASES;
use crate::fallback::operations::lookup::follow;
use crate::fallback::servers::run::macros::directive;
use crate::fallback::session::query_context::{Problem, QueryContext, file_syntax};
use crate::fallback::source::outline;
use crate::fallback::source::outline::Extent;
use crate::fallback::source::text::Text;
use crate::fallback::syntactic::syntax_facts::Usage;
use crate::fallback::workspace::session_folders::SessionFolders;

/// The maximum number of lines with the name in code that are resolved.
const LINES: usize = 64;

/// The maximum if the server has to compile each queried file first.
const COSTLY_LINES: usize = 16;

/// The factor by which the maximum grows once some occurrences resolve to the symbol.
const WHERE_SOME_DO: usize = 8;

/// The maximum in files that use or define the symbol. What rust-analyzer leaves out there depends on what it was asked
/// before.
const LINES_NEAR_USES: usize = 256;

/// The number of lines resolved concurrently.
const AT_ONCE: usize = 8;

/// The resolved occurrences of a name, by target. "Home" is the set of the symbol's definitions.
#[derive(Debug, Default)]
pub(crate) struct ResolvedMentions {
    /// The occurrences that resolve home.
    pub(crate) uses: Vec<(PathBuf, Extent)>,
    /// The occurrences that the server cannot resolve.
    pub(crate) unclear: Vec<(PathBuf, Extent)>,
    /// The occurrences that resolve elsewhere.
    pub(crate) elsewhere: Vec<ResolvedMention>,
    /// Further targets of the occurrences that resolve home.
    pub(crate) beside: BTreeSet<(PathBuf, Point)>,
    /// The number of lines not resolved although others resolve home.
    pub(crate) unasked: usize,
    /// `true` if some lines were not resolved.
    pub(crate) is_cut: bool,
}

/// An occurrence with its targets.
#[derive(Debug)]
pub(crate) struct ResolvedMention {
    pub(crate) from: (PathBuf, Extent),
    pub(crate) to: Vec<(PathBuf, Point)>,
}

/// The target of a name.
enum MentionTarget {
    /// The symbol itself, with any further targets.
    Home(Vec<(PathBuf, Point)>),
    Elsewhere(Vec<(PathBuf, Point)>),
    Nowhere,
}

/// Finds the occurrences on these lines that resolve to a definition at `home` and are not definitions
/// themselves.
pub(crate) async fn uses(
    context: (&QueryContext, &SessionFolders),
    beyond: &BTreeMap<PathBuf, BTreeSet<usize>>,
    home: &BTreeSet<(PathBuf, Point)>,
    name: &str,
) -> Result<ResolvedMentions, Problem> {
    uses_near(context, beyond, home, name, &BTreeSet::new()).await
}

/// Finds the same, first and more of them in the files `near`, which use or define the symbol.
pub(crate) async fn uses_near(
    (asking, roots): (&QueryContext, &SessionFolders),
    beyond: &BTreeMap<PathBuf, BTreeSet<usize>>,
    home: &BTreeSet<(PathBuf, Point)>,
    name: &str,
    near: &BTreeSet<&Path>,
) -> Result<ResolvedMentions, Problem> {
    let (few, few_near) = match asking.profile().files.awaits_diagnostics {
        true => (COSTLY_LINES, COSTLY_LINES),
        false => (LINES, LINES_NEAR_USES),
    };
    let (near, far): (Vec<_>, Vec<_>) =
        spread(beyond).into_iter().partition(|(path, _)| near.contains(path.as_path()));
    let (mut missed, mut left) = (ResolvedMentions::default(), 0);
    for (all, most) in [(near, few_near), (far, few)] {
        // Lines with the name in comments alone cost nothing, and do not count.
        let (mut next, mut resolved) = (0, 0);
        while next < all.len() && resolved < if missed.uses.is_empty() { most } else { few * WHERE_SOME_DO } {
            let some = &all[next..all.len().min(next + AT_ONCE)];
            next += some.len();
            let asked =
                some.iter().map(|(path, line)| leading_home((asking, roots), path, *line, home, name));
            for (has_code, some) in try_join_all(asked).await? {
                resolved += usize::from(has_code);
                missed.uses.extend(some.uses);
                missed.unclear.extend(some.unclear);
                missed.elsewhere.extend(some.elsewhere);
                missed.beside.extend(some.beside);
            }
        }
        left += all.len() - next;
    }
    missed.is_cut = left > 0;
    missed.unasked = if missed.uses.is_empty() { 0 } else { left };
    Ok(missed)
}

/// Returns the lines with a use or definition that also contain the name elsewhere. An incomplete server may
/// list one use per line.
pub(crate) async fn beside(
    asking: &QueryContext,
    uses: &BTreeSet<(PathBuf, Extent)>,
    home: &BTreeSet<(PathBuf, Point)>,
    name: &str,
) -> BTreeMap<PathBuf, BTreeSet<usize>> {
    let mut beside: BTreeMap<PathBuf, BTreeSet<usize>> = BTreeMap::new();
    let mut known: BTreeMap<(&PathBuf, usize), BTreeSet<usize>> = BTreeMap::new();
    let uses = uses.iter().map(|(path, extent)| (path, extent.start));
    for (path, point) in uses.chain(home.iter().map(|(path, point)| (path, *point))) {
        known.entry((path, point.line.index())).or_default().insert(point.column.index());
    }
    for ((path, line), columns) in known {
        let Some(text) = asking.text(path).await else { continue };
        let words = asking.server.setup.language.words(text.line(line).unwrap_or_default());
        if words.iter().any(|(word, at)| word == name && !columns.contains(&at.start)) {
            beside.entry(path.clone()).or_default().insert(line);
        }
    }
    beside
}

/// Orders lines so that every file contributes its first line before any contributes its second.
pub(crate) fn spread(lines: &BTreeMap<PathBuf, BTreeSet<usize>>) -> Vec<(&PathBuf, usize)> {
    let mut all: Vec<_> = lines
        .iter()
        .flat_map(|(path, lines)| lines.iter().enumerate().map(move |(rank, line)| (rank, path, *line)))
        .collect();
    all.sort();
    all.into_iter().map(|(_, path, line)| (path, line)).collect()
}

/// Resolves the occurrences on a line. Also returns `true` if the name is in code there.
async fn leading_home(
    (asking, roots): (&QueryContext, &SessionFolders),
    path: &Path,
    line: usize,
    home: &BTreeSet<(PathBuf, Point)>,
    name: &str,
) -> Result<(bool, ResolvedMentions), Problem> {
    let mut missed = ResolvedMentions::default();
    if asking.text(path).await.is_none() {
        // The scan could read the file a moment ago.
        let start = Point { line: Line::from_index(line), column: Column::FIRST };
        missed.unclear.push((path.to_owned(), Extent::at(start)));
    }
    let named = named(asking, roots, path, line, name).await;
    let has_code = !named.is_empty();
    for extent in named {
        let from = (path.to_owned(), extent);
        match lead(asking, path, extent.start, home).await? {
            MentionTarget::Nowhere => missed.unclear.push(from),
            MentionTarget::Home(beside) => {
                missed.beside.extend(beside);
                let usages = file_syntax::usages(asking, roots, path, &[extent]).await.unwrap_or_default();
                let has_role = |role| usages.iter().any(|it| it.role == role);
                // A write that defines an attribute is also a use.
                let defines_alone = home.contains(&(from.0.clone(), extent.start)) && has_role("definition");
                if !defines_alone && (has_role("import") || !defines(asking, path, extent.start).await?) {
                    missed.uses.push(from);
                }
            }
            MentionTarget::Elsewhere(to) => missed.elsewhere.push(ResolvedMention { from, to }),
        }
    }
    Ok((has_code, missed))
}

/// Returns the occurrences of a name in code on these lines.
pub(crate) async fn named_on(
    asking: &QueryContext,
    roots: &SessionFolders,
    lines: &BTreeMap<PathBuf, BTreeSet<usize>>,
    name: &str,
) -> BTreeSet<(PathBuf, Extent)> {
    let mut all = BTreeSet::new();
    for (path, lines) in lines {
        for line in lines {
            let here = named(asking, roots, path, *line, name).await;
            all.extend(here.into_iter().map(|it| (path.clone(), it)));
        }
    }
    all
}

/// Returns the occurrences of a name in code on a line.
pub(crate) async fn named(
    asking: &QueryContext,
    roots: &SessionFolders,
    path: &Path,
    line: usize,
    name: &str,
) -> Vec<Extent> {
    let text = asking.text(path).await;
    let Some(code) = text.as_ref().and_then(|it| it.line(line)) else { return Vec::new() };
    let language = asking.server.setup.language;
    let words = language.words(code).into_iter().filter(|(word, _)| word == name);
    let all: Vec<_> = words.map(|(_, columns)| Extent::within(line, columns)).collect();
    let Some((code, _)) = code.split_once(language.comment) else { return all };
    // Links in documentation are not uses; but the comment marker may lie in a string.
    let (before, behind): (Vec<_>, Vec<_>) =
        all.into_iter().partition(|it| it.start.column.index() < code.chars().count());
    if behind.is_empty() {
        return before;
    }
    let usages = file_syntax::usages(asking, roots, path, &behind).await.unwrap_or_default();
    let is_code = |it: &Usage| !matches!(it.role, "documentation" | "comment" | "string");
    let behind = behind.into_iter().zip(usages).filter(|(_, it)| is_code(it)).map(|(it, _)| it);
    before.into_iter().chain(behind).collect()
}

async fn lead(
    asking: &QueryContext,
    path: &Path,
    point: Point,
    home: &BTreeSet<(PathBuf, Point)>,
) -> Result<MentionTarget, Problem> {
    let places = asking.places(path, point).await?;
    // A target outside any text proves nothing.
    if places.is_empty() || !is_told(asking, path, point).await? {
        return Ok(MentionTarget::Nowhere);
    }
    let (at_home, elsewhere): (Vec<_>, Vec<_>) = places.into_iter().partition(|it| home.contains(it));
    Ok(if at_home.is_empty() { MentionTarget::Elsewhere(elsewhere) } else { MentionTarget::Home(elsewhere) })
}

/// Returns `true` if a target can be trusted: the server sees a symbol there, or the name lies in a macro body.
/// There, servers see no symbols before expansion.
async fn is_told(asking: &QueryContext, path: &Path, point: Point) -> Result<bool, Problem> {
    if asking.sees(path, point).await? {
        return Ok(true);
    }
    let Some(text) = asking.text(path).await else { return Ok(false) };
    let line = text.line(point.line.index()).unwrap_or_default();
    let word = asking.server.setup.language.word_at(line, point.column.index());
    Ok(word.is_some_and(|(word, _)| follow::is_in_macro(&text, point, &word)))
}

/// Returns `true` if the name is that of a definition, such as a declaration in a header. Outlines may list
/// imported names as variables; these do not count.
async fn defines(asking: &QueryContext, path: &Path, point: Point) -> Result<bool, Problem> {
    let nodes = asking.outline(path).await?;
    let declares_apart = asking.server.setup.language.declares_apart;
    let defines = |kind: &str| declares_apart || !ALIASES.contains(&kind) && kind != outline::IMPL;
    Ok(outline::named_at(&nodes, point).is_some_and(|it| defines(it.node.kind)))
}

/// Returns `true` if the position is in a macro body and the word is not a macro parameter. The word then
/// resolves by name only.
pub(crate) fn is_in_macro(text: &Text, at: Point, word: &str) -> bool {
    let line = at.line.index();
    let goes_on = |it: &usize| text.line(*it).is_some_and(|it| it.trim_end().ends_with('\\'));
    let first = (line.saturating_sub(GOES_ON)..line).rev().take_while(goes_on).last().unwrap_or(line);
    let Some(code) = text.line(first) else { return false };
    let Some(("define", name)) = directive(code) else { return false };
    let behind = code.split_once(name).map_or("", |(_, it)| it);
    let parameters = behind.strip_prefix('(').and_then(|it| it.split_once(')')).map_or("", |(it, _)| it);
    word != name && parameters.split(',').all(|it| it.trim() != word)
}

/// The maximum number of lines that a directive may span.
const GOES_ON: usize = 1_000;

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_file_has_its_turn() {
        let lines = [("a", [1, 2, 3]), ("b", [4, 5, 6])];
        let lines: BTreeMap<PathBuf, BTreeSet<usize>> =
            lines.into_iter().map(|(path, lines)| (path.into(), lines.into())).collect();
        let spread: Vec<_> =
            spread(&lines).into_iter().map(|(path, line)| (path.to_str().unwrap(), line)).collect();
        assert_eq!(spread[..3], [("a", 1), ("b", 4), ("a", 2)]);
    }

    fn text(text: &str) -> Text {
        text.to_owned().into()
    }

    #[test]
    fn a_parameter_of_a_macro_is_no_name() {
        let code = text("#define HAS(j, flags) \\\n  (FLAGS(j) == flags)\nint flags;\n#define MAX flags\n");
        let at = |line| Point { line: Line::from_index(line), column: Column::FIRST };
        assert!(!is_in_macro(&code, at(1), "flags") && is_in_macro(&code, at(1), "FLAGS"));
        assert!(!is_in_macro(&code, at(2), "flags") && is_in_macro(&code, at(3), "flags"));
        assert!(!is_in_macro(&code, at(3), "MAX"));
    }
}
