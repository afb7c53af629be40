//! Rename edits that replace a keyword, such as the `super` that leads to a renamed module.

use ide_protocol::{Line, Operation, QuotedLine, Reason};

use super::correction::{Correction, Edits, Query, Scope};
use crate::fallback::edits;
use crate::fallback::servers::run::convert::workspace_edit::RawStep;
use crate::fallback::session::query_context::{Problem, QueryContext};
use crate::fallback::workspace::session_folders::SessionFolders;

/// The servers that have the weakness.
pub(crate) const SCOPE: Scope = Scope { id: "keyword-edits", ..Scope::ALL };

/// The row of this correction.
pub(crate) const ROW: Correction = Correction {
    scope: SCOPE,
    operations: &[Operation::Rename],
    why: "rust-analyzer 1.95 replaces the keyword `super` or `crate` when it renames the module that the \
          keyword leads to",
    edits: Some(|query, _, edits| Box::pin(correct_edits(query, edits))),
    ..Correction::NONE
};

/// Removes the edits that replace a keyword.
async fn correct_edits(query: &Query<'_>, edits: &mut Edits) -> Result<(), Problem> {
    let steps = std::mem::take(&mut edits.steps);
    let (steps, remark) = without_keywords(query.asking(), query.roots(), &query.subject.name, steps).await;
    edits.steps = steps;
    edits.remarks.extend(remark);
    Ok(())
}

/// Removes the steps that replace a keyword of the language, and returns a remark that lists them.
async fn without_keywords(
    asking: &QueryContext,
    roots: &SessionFolders,
    old: &str,
    steps: Vec<RawStep>,
) -> (Vec<RawStep>, Option<Reason>) {
    let keywords = asking.server.setup.language.keywords;
    if keywords.contains(&old) {
        return (steps, None);
    }
    let (mut kept, mut spared) = (Vec::new(), Vec::new());
    for step in steps {
        match keyword(asking, &step).await.filter(|(word, _)| keywords.contains(&word.as_str())) {
            Some((word, line)) => {
                let path = edits::paths(std::slice::from_ref(&step)).next().map(|it| roots.display_path(it));
                spared.push(QuotedLine { path: path.unwrap_or_default(), line, times: 1, text: word });
            }
            None => kept.push(step),
        }
    }
    let server = asking.server.name().to_owned();
    let remark = (!spared.is_empty()).then_some(Reason::KeywordSpared { server, keywords: spared });
    (kept, remark)
}

/// Returns the text that a step replaces, and its line; `None` if the step changes no text.
async fn keyword(asking: &QueryContext, step: &RawStep) -> Option<(String, Line)> {
    let (path, extent) = super::correction::place(asking, step).await?;
    Some((asking.text(&path).await?.word(extent)?, extent.start.line))
}
