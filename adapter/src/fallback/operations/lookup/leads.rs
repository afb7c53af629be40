//! Resolves names to definitions by the server's targets and the outlines of their files.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

use ide_protocol::{Column, Line, Point};

use crate::fallback::servers::run::convert::RawTarget;
use crate::fallback::session::query_context::{Problem, QueryContext, file_syntax};
use crate::fallback::source::names::{Fit, Name};
use crate::fallback::source::outline;
use crate::fallback::source::outline::{Extent, Node};
use crate::fallback::syntactic::candidate::{Candidate, module, of_node, plain};

/// Returns the definitions of the name at a point. For code written by a macro, servers also return the macro
/// call, which has another name and is dropped.
pub(crate) async fn led_to(
    asking: &QueryContext,
    path: &Path,
    point: Point,
) -> Result<Vec<Candidate>, Problem> {
    let text = asking.text(path).await;
    let line = text.as_ref().and_then(|it| it.line(point.line.index())).unwrap_or_default();
    let word = asking.server.setup.language.word_at(line, point.column.index()).map(|(word, _)| word);
    let mut found = Vec::new();
    for target in asking.definition(path, point).await?.iter() {
        found.extend(there(asking, target, word.as_deref()).await?);
    }
    // A candidate in an unreadable file takes its name from this word, so it is no match.
    let is_named = |it: &Candidate| Some(&it.name) == word.as_ref() && !asking.withholds(&it.path);
    if found.iter().any(is_named) {
        found.retain(|it| Some(&it.name) == word.as_ref());
    }
    Ok(found)
}

/// Returns the definition at a server's target; `None` if nothing there has a name. If a macro defines
/// several there, prefers the one named `called`.
pub(crate) async fn there(
    asking: &QueryContext,
    target: &RawTarget,
    called: Option<&str>,
) -> Result<Option<Candidate>, Problem> {
    let (Some(whole), Some(name_at)) =
        (asking.extent(&target.whole).await, asking.extent(&target.name).await)
    else {
        return Err(Problem::FilesChanged);
    };
    let path = &target.name.path;
    if asking.withholds(path) {
        return Ok(Some(unread(path, whole, name_at, called)));
    }
    let nodes = asking.outline(path).await?;
    let any = Name::any();
    let is_called = |it: &Node| called == Some(plain(&it.name));
    let named = outline::find(&nodes, |it| it.name_at == name_at && is_called(it))
        .or_else(|| outline::find(&nodes, |it| it.name_at == name_at))
        // Some servers return the range of the whole definition.
        .or_else(|| outline::find(&nodes, |it| it.whole == name_at));
    match named {
        Some(node) => Ok(Some(of_node(path, &node, &any))),
        None => Ok(unlisted(asking, path, whole, name_at, &nodes).await),
    }
}

/// Returns a definition that no outline lists: a local variable, a parameter, a macro.
pub(crate) async fn unlisted(
    asking: &QueryContext,
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
    // In `self.count`, the last word is the name.
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

/// Returns a candidate in a file that may not be read. It is named `called`, or after its file.
fn unread(path: &Path, whole: Extent, name_at: Extent, called: Option<&str>) -> Candidate {
    let module = module(path, whole, name_at);
    match called.filter(|_| !is_file(name_at)) {
        Some(name) => Candidate { name: name.to_owned(), kind: "variable".into(), ..module },
        None => module,
    }
}

/// Returns `true` if a target denotes a whole file instead of a name.
pub(crate) fn is_file(name_at: Extent) -> bool {
    let start = Point { line: Line::FIRST, column: Column::FIRST };
    name_at.start == start && (name_at.end == start || name_at.end.line > start.line)
}

/// The maximum number of imports on the way to a definition.
const IMPORTS: usize = 8;

/// Replaces targets in imports, apart from the symbol's own, by what they import: a shorthand property `{
/// name }` resolves to the import of its value.
pub(crate) async fn beyond_imports(
    asking: &QueryContext,
    own: Option<&Candidate>,
    mut targets: Vec<Candidate>,
) -> Result<Vec<Candidate>, Problem> {
    let place = |it: &Candidate| (it.path.clone(), it.name_at);
    let own = own.map(place);
    for _ in 0..IMPORTS {
        let is_meant = |it: &(PathBuf, Extent)| Some(it) != own.as_ref() && !is_file(it.1);
        let places: BTreeSet<_> = targets.iter().map(place).filter(is_meant).collect();
        let imports = file_syntax::with_role(asking, &places, "import").await;
        let imports: BTreeSet<_> = imports.into_iter().cloned().collect();
        let (mut next, mut is_changed) = (Vec::new(), false);
        for target in targets {
            let led = match imports.contains(&place(&target)) {
                true => led_to(asking, &target.path, target.name_at.start).await?,
                false => Vec::new(),
            };
            let further: Vec<_> = led.into_iter().filter(|it| place(it) != place(&target)).collect();
            is_changed |= !further.is_empty();
            next.extend(if further.is_empty() { vec![target] } else { further });
        }
        targets = next;
        if !is_changed {
            break;
        }
    }
    Ok(targets)
}
