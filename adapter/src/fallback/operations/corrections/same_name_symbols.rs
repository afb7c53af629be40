//! What is called as a symbol is, for servers that go by names alone.

use std::collections::BTreeSet;
use std::path::PathBuf;

use ide_protocol::Point;

use crate::blocking;
use crate::fallback::operations::lookup::format_places::listed;
use crate::fallback::operations::lookup::target::Subject;
use crate::fallback::session::query_context::{QueryContext, folders};
use crate::fallback::workspace::session_folders::Roots;
use crate::fallback::workspace::word_scan;

/// How many definitions are named.
const NAMED: usize = 3;

/// Says so where the server goes by the name and others define it too: what it says of the symbol is said of those.
pub(crate) async fn told(
    asking: &QueryContext,
    roots: &Roots,
    subject: &Subject,
    home: &BTreeSet<(PathBuf, Point)>,
) -> Option<String> {
    if !asking.profile().goes_by_name {
        return None;
    }
    let (language, tree) = (asking.server.setup.language, folders(asking, roots));
    let (name, until) = (subject.name.clone(), asking.deadline);
    let scan = blocking::spawn(move || word_scan::declarations(language, &tree, &name, until));
    let lines = scan.await.lines;
    let is_home = |path: &PathBuf, line: usize| {
        home.iter().any(|(other, point)| (other, point.line.index()) == (path, line))
    };
    let others = lines.iter().flat_map(|(path, lines)| lines.iter().map(move |it| (path, *it)));
    let others = others.filter(|(path, line)| !is_home(path, *line));
    let others: Vec<_> = others.map(|(path, line)| format!("{}:{}", roots.spell(path), line + 1)).collect();
    let (server, name) = (asking.server.name(), &subject.name);
    (!others.is_empty()).then(|| {
        let others = listed(&others, NAMED);
        format!("{server} goes by the name: what means the `{name}` of {others} is among these")
    })
}
