//! Other definitions of the same name, for servers that match by name alone.

use std::collections::BTreeSet;
use std::path::PathBuf;

use ide_protocol::{Operation, Point};

use super::correction::{Correction, Query, Scope};
use crate::fallback::operations::lookup::format_places::listed;
use crate::fallback::operations::lookup::target::Subject;
use crate::fallback::session::query_context::{Problem, QueryContext, scan_for};
use crate::fallback::workspace::session_folders::SessionFolders;
use crate::fallback::workspace::word_scan;

/// The servers that have the weakness.
pub(crate) const SCOPE: Scope =
    Scope { id: "same-name-symbols", servers: |it| it.goes_by_name, ..Scope::ALL };

/// The row of this correction.
pub(crate) const ROW: Correction = Correction {
    scope: SCOPE,
    operations: &[Operation::References, Operation::Rename],
    why: "bash-language-server 5.8 matches by name alone: references to one symbol include those to every \
          symbol of that name",
    gaps: Some(|query, home| Box::pin(gaps(query, home))),
    ..Correction::NONE
};

async fn gaps(query: &Query<'_>, home: &BTreeSet<(PathBuf, Point)>) -> Result<Vec<String>, Problem> {
    Ok(note(query.asking(), query.roots(), query.subject, home).await.into_iter().collect())
}

/// The maximum number of definitions in the note.
const NAMED: usize = 3;

/// Returns a note that lists the name's other definitions, whose uses the server mixes with the symbol's own.
/// Returns `None` if there are none.
pub(crate) async fn note(
    asking: &QueryContext,
    roots: &SessionFolders,
    subject: &Subject,
    home: &BTreeSet<(PathBuf, Point)>,
) -> Option<String> {
    let lines = scan_for(asking, roots, &subject.name, word_scan::declarations).await.lines;
    let is_home = |path: &PathBuf, line: usize| {
        home.iter().any(|(other, point)| (other, point.line.index()) == (path, line))
    };
    let others = lines.iter().flat_map(|(path, lines)| lines.iter().map(move |it| (path, *it)));
    let others = others.filter(|(path, line)| !is_home(path, *line));
    let others: Vec<_> =
        others.map(|(path, line)| format!("{}:{}", roots.display_path(path), line + 1)).collect();
    let (server, name) = (asking.server.name(), &subject.name);
    (!others.is_empty()).then(|| {
        let others = listed(&others, NAMED);
        format!("{server} goes by the name: what means the `{name}` of {others} is among these")
    })
}
