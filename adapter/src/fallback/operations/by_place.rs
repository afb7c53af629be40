//! Which definitions a place means: what the name there leads to, or the definition of a name nearest to it.

use crate::fallback::syntactic::candidate::module;
use std::path::Path;

use ide_protocol::{Column, ErrorCode, IdeError, Line, Location, Point};

use super::candidate::{Answer, candidates, is_called};
use super::{declared_apart, overloads};
use crate::fallback::servers::run::convert::RawTarget;
use crate::fallback::session::query_context::{Asking, Problem};
use crate::fallback::source::names::{Fit, Name};
use crate::fallback::source::outline;
use crate::fallback::source::outline::{Extent, Node};
use crate::fallback::source::text::Text;
use crate::fallback::syntactic::candidate::{Candidate, of_node, plain};
use crate::fallback::workspace::session_folders::SessionFolders;

/// The definition of a name nearest to a place.
pub(super) async fn pinned(
    asking: &Asking,
    roots: &SessionFolders,
    name: &Name,
    at: &Location,
) -> Result<Answer, Problem> {
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
    Ok(Answer { candidates: vec![candidate], ..Answer::default() })
}

/// What a name means on that very line: a local variable, or what is written in a macro.
async fn written_at(
    asking: &Asking,
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

/// How far a definition is from a place, in lines; of those on one line the one at the column comes first.
fn distance(candidate: &Candidate, at: &Location) -> (u32, bool) {
    let lines = candidate.name_at.start.line.get().abs_diff(at.line.get());
    let is_at = at.column.is_some_and(|column| candidate.name_at.holds(Point { line: at.line, column }));
    (lines, !is_at)
}

pub(super) fn not_there(name: &str, path: &str) -> IdeError {
    IdeError::new(ErrorCode::NotFound, format!("nothing in `{path}` is called `{name}` (any more)"))
        .recovery(format!("Look for it everywhere: findDefinition(`{name}`)."))
}

/// What the name at a place leads to.
pub(super) async fn at_place(
    asking: &Asking,
    roots: &SessionFolders,
    at: &Location,
) -> Result<Answer, Problem> {
    let place = roots.resolve(&at.path)?;
    let Some(text) = asking.text(&place.path).await else {
        return Err(IdeError::new(ErrorCode::InvalidRequest, format!("`{}` is no text", at.path)).into());
    };
    let line = line_of(&text, at)?;
    let nodes = asking.outline(&place.path).await?;
    let language = asking.server.setup.language;
    let mut answer = Answer::default();
    let points = points(asking, &nodes, line, at);
    for point in &points {
        // Asked at a definition, some servers lead to its declaration.
        let own = outline::named_at(&nodes, *point).map(|it| of_node(&place.path, &it, &Name::any()));
        let own = own.filter(|it| language.declares_apart && !declared_apart::is_declaration(&text, it));
        match own {
            Some(own) if asking.is_loaded(&place.path, *point).await? => answer.add(vec![own]),
            _ => answer.add(led_to(asking, &place.path, *point).await?),
        }
    }
    let found = declared_apart::defined(asking, std::mem::take(&mut answer.candidates)).await?;
    let (found, pieces) = overloads::wholes(asking, found).await;
    answer.candidates = found;
    overloads::tell(roots, &mut answer, &pieces);
    if answer.candidates.is_empty() {
        let column = at.column.map_or(String::new(), |it| format!(":{it}"));
        answer.notes.push(format!("no symbol's name stands at {}:{}{column}", place.spelling, at.line));
    }
    Ok(answer)
}

/// A line of the text.
///
/// # Errors
/// The file has no such line.
pub(super) fn line_of<'a>(text: &'a Text, at: &Location) -> Result<&'a str, IdeError> {
    text.line(at.line.index()).filter(|_| at.line.index() < text.line_count().max(1)).ok_or_else(|| {
        let message = format!("`{}` has {} lines; there is no line {}", at.path, text.line_count(), at.line);
        IdeError::new(ErrorCode::InvalidRequest, message)
    })
}

/// Where the names stand that a place means: the one at the column; else the one that is defined from there on, so
/// that the start of a definition means the definition; without a column, what the line defines, or all its names.
pub(super) fn points(asking: &Asking, nodes: &[Node], line: &str, at: &Location) -> Vec<Point> {
    let language = asking.server.setup.language;
    let point = |column| Point { line: at.line, column: Column::from_index(column) };
    if let Some(column) = at.column {
        let word = language.word_at(line, column.index());
        let is_defined = |at: Point| outline::all(nodes).iter().any(|it| it.node.name_at.start == at);
        let word = word.filter(|(word, columns)| {
            language.is_name_in(line, word, columns) || is_defined(point(columns.start))
        });
        let is_comment = defined_from(nodes, at.line).is_some_and(|it| it.name_at.start.line != at.line);
        if let Some((_, columns)) = word.filter(|_| !is_comment) {
            return vec![point(columns.start)];
        }
        return defined_from(nodes, at.line).map(|it| it.name_at.start).into_iter().collect();
    }
    if let Some(node) = defined_on(nodes, at.line).or_else(|| defined_from(nodes, at.line)) {
        return vec![node.name_at.start];
    }
    let words = language.words(line).into_iter();
    let names = words.filter(|(word, columns)| language.is_name_in(line, word, columns));
    names.map(|(_, columns)| point(columns.start)).take(20).collect()
}

/// The outermost definition whose name stands on that line.
fn defined_on(nodes: &[Node], line: Line) -> Option<&Node> {
    let on = outline::all(nodes).into_iter().find(|it| it.node.name_at.start.line == line);
    on.map(|it| it.node)
}

/// The outermost definition that starts on that line, with its documentation.
fn defined_from(nodes: &[Node], line: Line) -> Option<&Node> {
    let from = outline::all(nodes).into_iter().find(|it| it.node.whole.start.line == line);
    from.map(|it| it.node)
}

/// The definitions to which the name at a point leads. What a macro writes leads to the call of the macro too, which
/// has another name.
pub(super) async fn led_to(asking: &Asking, path: &Path, point: Point) -> Result<Vec<Candidate>, Problem> {
    let text = asking.text(path).await;
    let line = text.as_ref().and_then(|it| it.line(point.line.index())).unwrap_or_default();
    let word = asking.server.setup.language.word_at(line, point.column.index()).map(|(word, _)| word);
    let mut found = Vec::new();
    for target in asking.definition(path, point).await?.iter() {
        found.extend(there(asking, target, word.as_deref()).await?);
    }
    // What may not be read is called so only because it was led to from here.
    let is_named = |it: &Candidate| Some(&it.name) == word.as_ref() && !asking.withholds(&it.path);
    if found.iter().any(is_named) {
        found.retain(|it| Some(&it.name) == word.as_ref());
    }
    Ok(found)
}

/// What stands where a server points; `None` where nothing has a name. Of several, which a macro writes there, the one that
/// is called so.
pub(super) async fn there(
    asking: &Asking,
    target: &RawTarget,
    called: Option<&str>,
) -> Result<Option<Candidate>, Problem> {
    let (Some(whole), Some(name_at)) =
        (asking.extent(&target.whole).await, asking.extent(&target.name).await)
    else {
        return Err(Problem::Moved);
    };
    let path = &target.name.path;
    if asking.withholds(path) {
        return Ok(Some(unread(path, whole, name_at, called)));
    }
    let nodes = asking.outline(path).await?;
    let any = Name::any();
    let all = outline::all(&nodes);
    // Some servers point at all of a definition.
    let mut named = all.iter().filter(|it| it.node.name_at == name_at);
    let first = named.clone().next();
    let named = named.find(|it| called == Some(plain(&it.node.name))).or(first);
    match named.or_else(|| all.iter().find(|it| it.node.whole == name_at)) {
        Some(node) => Ok(Some(of_node(path, node, &any))),
        None => Ok(unlisted(asking, path, whole, name_at, &nodes).await),
    }
}

/// A definition that no outline lists: a local variable, a parameter, a macro.
async fn unlisted(
    asking: &Asking,
    path: &Path,
    whole: Extent,
    name_at: Extent,
    nodes: &[Node],
) -> Option<Candidate> {
    if is_file(name_at) {
        return Some(module(path, whole, name_at));
    }
    let text = asking.text(path).await?;
    let line = text.line(name_at.start.line.index())?;
    let language = asking.server.setup.language;
    // Of `self.count` the last word is the name.
    let dotted =
        text.word(name_at).filter(|it| it.contains('.') && it.split('.').all(|it| language.is_name(it)));
    let behind = dotted.and_then(|it| Some(it.rsplit_once('.')?.0.chars().count() + 1)).unwrap_or_default();
    let start = name_at.start.column.index() + behind;
    let (name, _) = language.word_at(line, start)?;
    let start = Point { line: name_at.start.line, column: Column::from_index(start) };
    let name_at = Extent { start, ..name_at };
    let separator = language.separator;
    Some(Candidate {
        path: path.to_owned(),
        name,
        kind: "variable".into(),
        whole,
        name_at,
        container: outline::enclosing(nodes, name_at.start, separator),
        fit: Fit::Exact,
        is_local: true,
        loaded: true,
    })
}

/// What stands in a file that may not be read: it is called as it was where it led from, and else as its file.
fn unread(path: &Path, whole: Extent, name_at: Extent, called: Option<&str>) -> Candidate {
    let module = module(path, whole, name_at);
    match called.filter(|_| !is_file(name_at)) {
        Some(name) => Candidate { name: name.to_owned(), kind: "variable".into(), ..module },
        None => module,
    }
}

/// Whether a server that points there instead of at a name means all of the file.
pub(super) fn is_file(name_at: Extent) -> bool {
    let start = Point { line: Line::FIRST, column: Column::FIRST };
    name_at.start == start && (name_at.end == start || name_at.end.line > start.line)
}
