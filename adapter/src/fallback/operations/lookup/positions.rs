//! Resolves a place in a file to the positions of the names it may mean.

use ide_protocol::{Column, ErrorCode, IdeError, Line, Location, Point};

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
pub(crate) fn points(asking: &QueryContext, nodes: &[Node], line: &str, at: &Location) -> Vec<Point> {
    let language = asking.server.setup.language;
    let point = |column| Point { line: at.line, column: Column::from_index(column) };
    if let Some(column) = at.column {
        let word = language.word_at(line, column.index());
        let is_defined = |at: Point| outline::named_at(nodes, at).is_some();
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
