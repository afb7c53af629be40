//! Resolves a place to definitions: the target of the name there, or the nearest definition of a given name.

use std::collections::BTreeSet;
use std::path::Path;

use ide_protocol::{ErrorCode, IdeError, Location, Point, Reason};

use crate::fallback::operations::corrections::{declared_apart, overloads};
use crate::fallback::operations::lookup::candidates::{DefinitionAnswer, candidates, is_called};
use crate::fallback::operations::lookup::leads::{beyond_imports, led_to, unlisted};
use crate::fallback::operations::lookup::positions::{line_of, not_there, points};
use crate::fallback::servers::run::request::AskError;
use crate::fallback::session::query_context::{Problem, QueryContext, file_syntax};
use crate::fallback::source::names::{Fit, Name};
use crate::fallback::source::outline;
use crate::fallback::source::outline::{Extent, Node};
use crate::fallback::source::text::Text;
use crate::fallback::syntactic::candidate::{Candidate, of_node, plain};
use crate::fallback::workspace::session_folders::SessionFolders;

/// Returns the definition of a name that is nearest to a place.
pub(crate) async fn pinned(
    asking: &QueryContext,
    roots: &SessionFolders,
    name: &Name,
    at: &Location,
) -> Result<DefinitionAnswer, Problem> {
    let place = roots.resolve(&at.path)?;
    let nodes = asking.outline(&place.path).await?;
    let all = outline::all(&nodes);
    let named = all.iter().filter(|it| plain(&it.node.name) == name.last);
    let mut found: Vec<_> = named.map(|it| of_node(&place.path, it, name)).collect();
    if found.is_empty() {
        found = written_at(asking, &place.path, &nodes, name, at).await?;
    }
    if found.is_empty() {
        let listed = asking.symbols(name.last.clone()).await?;
        let here: Vec<_> =
            listed.iter().filter(|it| is_called(it, &name.last) && it.at.path == place.path).collect();
        found = candidates(asking, &here, name).await?;
    }
    let best = found.iter().map(|it| it.fit).max().unwrap_or(Fit::None);
    let nearest = found.into_iter().filter(|it| it.fit == best).min_by_key(|it| distance(it, at));
    let Some(candidate) = nearest else { return Err(not_there(&name.last, &place.spelling).into()) };
    let candidates = beyond_imports(asking, None, vec![candidate]).await?;
    Ok(DefinitionAnswer { candidates, ..DefinitionAnswer::default() })
}

/// Resolves the occurrences of a name on a line: a local variable, or code in a macro.
async fn written_at(
    asking: &QueryContext,
    path: &Path,
    nodes: &[Node],
    name: &Name,
    at: &Location,
) -> Result<Vec<Candidate>, Problem> {
    let text = asking.text(path).await;
    let line = text.as_ref().and_then(|it| it.line(at.line.index())).unwrap_or_default();
    let words = asking.server.setup.language.words(line).into_iter().filter(|(word, _)| *word == name.last);
    let mut found = Vec::new();
    for (_, columns) in words {
        let name_at = Extent::within(at.line.index(), columns);
        let led = led_to(asking, path, name_at.start).await?;
        match led.is_empty() {
            true => found.extend(unlisted(asking, path, name_at, name_at, nodes).await),
            false => found.extend(led),
        }
    }
    Ok(found)
}

/// Returns the distance in lines between a definition and a place; on one line, the definition at the column
/// sorts first.
fn distance(candidate: &Candidate, at: &Location) -> (u32, bool) {
    let lines = candidate.name_at.start.line.get().abs_diff(at.line.get());
    let is_at = at.column.is_some_and(|column| candidate.name_at.holds(Point { line: at.line, column }));
    (lines, !is_at)
}

/// Starts to parse the files that a name leads to, beside the questions for their outlines.
async fn parse_targets(asking: &QueryContext, path: &Path, name: Point) -> Result<(), AskError> {
    let targets = asking.definition(path, name).await?;
    let files: BTreeSet<_> = targets.iter().map(|it| &it.name.path).collect();
    for path in files.into_iter().filter(|it| !asking.withholds(it)) {
        file_syntax::parse(asking, path).await;
    }
    Ok(())
}

/// Returns the definition whose name is at a point, if the server knows it: from there, some go to its declaration.
async fn own_definition(
    asking: &QueryContext,
    path: &Path,
    text: &Text,
    point: Point,
) -> Result<Option<Candidate>, AskError> {
    let nodes = asking.outline(path).await?;
    let own = outline::named_at(&nodes, point).map(|it| of_node(path, &it, &Name::any()));
    match own.filter(|it| !declared_apart::is_declaration(text, it)) {
        Some(own) if asking.is_loaded(path, point).await? => Ok(Some(own)),
        _ => Ok(None),
    }
}

/// Resolves the name at a place to its definitions.
pub(crate) async fn at_place(
    asking: &QueryContext,
    roots: &SessionFolders,
    at: &Location,
) -> Result<DefinitionAnswer, Problem> {
    let place = roots.resolve(&at.path)?;
    let path = place.path.clone();
    let Some(text) = asking.text(&path).await else {
        return Err(IdeError::new(ErrorCode::InvalidRequest, format!("`{}` is no text", at.path)).into());
    };
    let line = line_of(&text, at)?;
    let language = asking.server.setup.language;
    let points = points(asking, &path, line, at).await?;
    let mut answer = DefinitionAnswer::default();
    for point in points {
        if language.declares_apart
            && let Some(own) = own_definition(asking, &path, &text, point).await?
        {
            answer.add(vec![own]);
            continue;
        }
        parse_targets(asking, &path, point).await?;
        let led = led_to(asking, &path, point).await?;
        answer.add(beyond_imports(asking, None, led).await?);
    }
    let found = declared_apart::defined(asking, std::mem::take(&mut answer.candidates)).await?;
    let (found, pieces) = overloads::wholes(asking, found).await;
    answer.candidates = found;
    overloads::tell(roots, &mut answer, &pieces);
    if answer.candidates.is_empty() {
        let place = Location { path: place.spelling, ..at.clone() };
        answer.reasons.push(Reason::NoNameThere { place });
    }
    // What is asked next is mostly about these files.
    let files: BTreeSet<_> = answer.candidates.iter().map(|it| it.path.clone()).chain([path]).collect();
    for path in files.iter().filter(|it| !asking.withholds(it)) {
        file_syntax::prepare_for_next(asking, path).await;
    }
    Ok(answer)
}
