//! Resolves a place in a file to the positions of the names it may mean.

use std::ops::Range;
use std::path::Path;

use ide_protocol::{Column, ErrorCode, IdeError, Line, Location, Point};

use crate::fallback::servers::run::request::AskError;
use crate::fallback::session::query_context::QueryContext;
use crate::fallback::source::outline;
use crate::fallback::source::outline::Node;
use crate::fallback::source::text::Text;

/// Returns a line of the text.
///
/// # Errors
/// The file has no such line.
pub(crate) fn line_of<'a>(text: &'a Text, at: &Location) -> Result<&'a str, IdeError> {
    text.line(at.line.index()).filter(|_| at.line.index() < text.line_count().max(1)).ok_or_else(|| {
        let message = format!("`{}` has {} lines; there is no line {}", at.path, text.line_count(), at.line);
        IdeError::new(ErrorCode::InvalidRequest, message)
    })
}

/// Returns the positions of the names that a place may mean. With a column: the name there, or the definition
/// that starts on the line. Without: the definition on the line, or all its names.
///
/// # Errors
/// As for [`QueryContext::outline`], which is asked for only where the name at the column does not decide.
pub(crate) async fn points(
    asking: &QueryContext,
    path: &Path,
    line: &str,
    at: &Location,
) -> Result<Vec<Point>, AskError> {
    let language = asking.server.setup.language;
    let point = |column| Point { line: at.line, column: Column::from_index(column) };
    let word = at.column.and_then(|it| language.word_at(line, it.index()));
    let is_name = |(word, columns): &(String, Range<usize>)| language.is_name_in(line, word, columns);
    let named = word.as_ref().filter(|it| is_name(it)).map(|(_, columns)| point(columns.start));
    // From a definition, a server may go to its declaration.
    if let Some(named) = named.filter(|_| !language.declares_apart)
        && leads_somewhere(asking, path, named).await?
    {
        return Ok(vec![named]);
    }
    let nodes = asking.outline(path).await?;
    if at.column.is_some() {
        let is_defined = |at: &Point| outline::named_at(&nodes, *at).is_some();
        let named =
            word.map(|(_, columns)| point(columns.start)).filter(|it| named.is_some() || is_defined(it));
        let begun = defined_from(&nodes, at.line).map(|it| it.name_at.start);
        return Ok(match (named, begun) {
            // In a comment, the definition that it describes is meant. A decorator has a name of its own.
            (Some(named), Some(begun)) if begun.line != at.line => {
                let leads = language.declares_apart && leads_somewhere(asking, path, named).await?;
                vec![if leads { named } else { begun }]
            }
            (Some(only), _) | (None, Some(only)) => vec![only],
            (None, None) => Vec::new(),
        });
    }
    if let Some(node) = defined_on(&nodes, at.line).or_else(|| defined_from(&nodes, at.line)) {
        return Ok(vec![node.name_at.start]);
    }
    let words = language.words(line).into_iter();
    let names = words.filter(is_name);
    Ok(names.map(|(_, columns)| point(columns.start)).take(20).collect())
}

/// Returns `true` if the server knows a target of the name at a point.
async fn leads_somewhere(asking: &QueryContext, path: &Path, point: Point) -> Result<bool, AskError> {
    Ok(!asking.definition(path, point).await?.is_empty())
}

/// Returns the outermost definition whose name is on that line.
fn defined_on(nodes: &[Node], line: Line) -> Option<&Node> {
    outline::find(nodes, |it| it.name_at.start.line == line).map(|it| it.node)
}

/// Returns the outermost definition that starts on that line, including its documentation.
fn defined_from(nodes: &[Node], line: Line) -> Option<&Node> {
    outline::find(nodes, |it| it.whole.start.line == line).map(|it| it.node)
}

pub(crate) fn not_there(name: &str, path: &str) -> IdeError {
    IdeError::new(ErrorCode::NotFound, format!("nothing in `{path}` is called `{name}` (any more)"))
        .recovery(format!("Look for it everywhere: findDefinition(`{name}`)."))
}
