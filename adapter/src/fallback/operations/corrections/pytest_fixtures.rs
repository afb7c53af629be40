//! Parameters through which tests request a pytest fixture, which no server resolves.

use ide_protocol::{Operation, Reason};

use super::correction::{Correction, Query, Scope};
use crate::fallback::operations::lookup::follow;
use crate::fallback::operations::lookup::mentions::mentions;
use crate::fallback::operations::lookup::target::Subject;
use crate::fallback::session::query_context::{Problem, QueryContext, file_syntax};
use crate::fallback::source::languages::ids;
use crate::fallback::source::outline;
use crate::fallback::workspace::format_places::{NAMED, places};
use crate::fallback::workspace::session_folders::SessionFolders;

/// The servers that have the weakness.
pub(crate) const SCOPE: Scope = Scope { id: "pytest-fixtures", languages: &[ids::PYTHON], ..Scope::ALL };

/// The row of this correction.
pub(crate) const ROW: Correction = Correction {
    scope: SCOPE,
    operations: &[Operation::References, Operation::Rename],
    why: "ty 0.0.105 and basedpyright 1.40 do not resolve a test's parameter to the pytest fixture of the \
          same name",
    gaps: Some(|query, _| Box::pin(gaps(query))),
    ..Correction::NONE
};

async fn gaps(query: &Query<'_>) -> Result<Vec<Reason>, Problem> {
    Ok(gap(query.asking(), query.roots(), query.subject).await?.into_iter().collect())
}

/// Returns the reason that lists the parameters with the name of a fixture; `None` if the symbol is no fixture.
async fn gap(
    asking: &QueryContext,
    roots: &SessionFolders,
    subject: &Subject,
) -> Result<Option<Reason>, Problem> {
    if !is_one(asking, subject).await? {
        return Ok(None);
    }
    let name = &subject.name;
    let lines = mentions(asking, roots, name).await.lines;
    let named = follow::named_on(asking, roots, &lines, name).await;
    let mut parameters = Vec::new();
    for place in file_syntax::with_role(asking, &named, "definition").await {
        // An outline lists functions and variables, but no parameters.
        if outline::named_at(&asking.outline(&place.0).await?, place.1.start).is_none() {
            parameters.push(place);
        }
    }
    let count = parameters.len();
    let places = places(roots, parameters, NAMED);
    Ok((count > 0).then(|| Reason::Fixture { name: name.clone(), count, places }))
}

/// Returns `true` for a function that is decorated with `@fixture` or `@pytest.fixture(…)`.
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
    Ok(decorators.any(is_fixture))
}
