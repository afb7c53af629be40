//! Fixtures of pytest: who wants one has a parameter of its name, which no server follows.

use crate::fallback::operations::lookup::follow;
use crate::fallback::operations::lookup::format_places::places;
use crate::fallback::operations::lookup::mentions::mentions;
use crate::fallback::operations::lookup::target::Subject;
use crate::fallback::session::query_context::{Problem, QueryContext, file_syntax};
use crate::fallback::source::outline;
use crate::fallback::workspace::session_folders::Roots;

/// How many places are named.
const NAMED: usize = 5;

/// Says where parameters are called as a fixture is.
pub(crate) async fn told(
    asking: &QueryContext,
    roots: &Roots,
    subject: &Subject,
) -> Result<Option<String>, Problem> {
    if !is_one(asking, subject).await? {
        return Ok(None);
    }
    let name = &subject.name;
    let lines = mentions(asking, roots, name).await.lines;
    let named = follow::named_on(asking, roots, &lines, name).await;
    let mut parameters = Vec::new();
    for place in file_syntax::with_usage(asking, roots, &named, |it| it.role == "definition").await {
        // What an outline lists is a function or a variable.
        if outline::named_at(&asking.outline(&place.0).await?, place.1.start).is_none() {
            parameters.push(place);
        }
    }
    let count = parameters.len();
    let what = if count == 1 { "parameter" } else { "parameters" };
    let at = places(roots, parameters, NAMED);
    Ok((count > 0).then(|| {
        format!("`{name}` is a fixture: pytest hands it to {count} {what} of that name, which are not followed: {at}")
    }))
}

/// Whether it is a function that `@fixture` or `@pytest.fixture(…)` stands before.
async fn is_one(asking: &QueryContext, subject: &Subject) -> Result<bool, Problem> {
    let nodes = asking.outline(&subject.path).await?;
    let function = outline::named_at(&nodes, subject.point).filter(|it| it.node.kind == "function");
    let (Some(function), Some(text)) = (function, asking.text(&subject.path).await) else { return Ok(false) };
    let before = function.node.whole.start.line.index()..subject.point.line.index();
    let mut decorators = before.filter_map(|it| text.line(it)?.trim_start().strip_prefix('@'));
    let is_fixture = |it: &str| {
        let name = it.split(['(', '#']).next().unwrap_or_default().trim();
        name.rsplit('.').next() == Some("fixture")
    };
    Ok(asking.server.setup.language.id == "python" && decorators.any(is_fixture))
}
