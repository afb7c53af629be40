//! Other definitions of the same name, for servers that match by name alone.

use std::collections::BTreeSet;
use std::path::PathBuf;

use ide_protocol::{Listing, Operation, Point, Reason};

use super::correction::{Correction, Query, Scope};
use crate::fallback::operations::lookup::target::Subject;
use crate::fallback::session::query_context::{Problem, QueryContext, scan_for};
use crate::fallback::source::outline::Extent;
use crate::fallback::workspace::format_places::line_of;
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

async fn gaps(query: &Query<'_>, home: &BTreeSet<(PathBuf, Point)>) -> Result<Vec<Reason>, Problem> {
    Ok(gap(query.asking(), query.roots(), query.subject, home).await.into_iter().collect())
}

/// The maximum number of definitions in the reason.
const NAMED: usize = 3;

/// Returns the reason that lists the name's other definitions, whose uses the server mixes with the symbol's own.
/// Returns `None` if there are none.
async fn gap(
    asking: &QueryContext,
    roots: &SessionFolders,
    subject: &Subject,
    home: &BTreeSet<(PathBuf, Point)>,
) -> Option<Reason> {
    let lines = scan_for(asking, roots, &subject.name, word_scan::declarations).await.lines;
    let is_home = |path: &PathBuf, line: usize| {
        home.iter().any(|(other, point)| (other, point.line.index()) == (path, line))
    };
    let others = lines.iter().flat_map(|(path, lines)| lines.iter().map(move |it| (path, *it)));
    let others = others.filter(|(path, line)| !is_home(path, *line));
    let place = |(path, line): (&PathBuf, usize)| line_of(roots, (path, Extent::within(line, 0..0)));
    let places = Listing::of(others.map(place), NAMED);
    let (server, name) = (asking.server.name().to_owned(), subject.name.clone());
    (!places.is_empty()).then_some(Reason::GoesByName { server, name, places })
}
