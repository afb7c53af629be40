//! Other declarations of an overloaded function, which some servers list as uses of one of them.

use std::collections::BTreeSet;

use ide_protocol::{Operation, Point};

use super::correction::{Correction, Query, Scope, Uses};
use crate::fallback::operations::corrections::correction::Place;
use crate::fallback::operations::lookup::mentions::overloads;
use crate::fallback::operations::lookup::target::Subject;
use crate::fallback::session::query_context::{Problem, QueryContext};
use crate::fallback::workspace::word_scan;

/// The servers that have the weakness.
pub(crate) const SCOPE: Scope = Scope { id: "overload-declarations", ..Scope::ALL };

/// The row of this correction.
pub(crate) const ROW: Correction = Correction {
    scope: SCOPE,
    operations: &[Operation::References, Operation::Callers, Operation::Implementations],
    why: "rust-analyzer 1.95, basedpyright 1.40 and clangd 22.1 list other declarations of a symbol among \
          its references",
    uses: Some(|query, uses| Box::pin(correct(query, uses))),
    ..Correction::NONE
};

/// Removes the other declarations, unless declarations count as uses.
async fn correct(query: &Query<'_>, uses: &mut Uses) -> Result<(), Problem> {
    if query.include_declaration {
        return Ok(());
    }
    let (path, beside) = (&query.subject.path, declared_beside(query.asking(), query.subject).await?);
    let is_declared = |it: &Place| it.0 == *path && beside.contains(&it.1.start);
    let (declared, extents) = std::mem::take(&mut uses.extents).into_iter().partition(is_declared);
    (uses.declared, uses.extents) = (declared, extents);
    Ok(())
}

/// Returns the names of the symbol's other declarations, its overloads, in the same file.
async fn declared_beside(asking: &QueryContext, subject: &Subject) -> Result<BTreeSet<Point>, Problem> {
    let mut declared = overloads(asking, subject).await?;
    let language = asking.server.setup.language;
    if language.has_overloads
        && !declared.is_empty()
        && let Some(text) = asking.text(&subject.path).await
    {
        // Some outlines list only one of several overloads.
        declared.extend(word_scan::declared_in(language, &text, &subject.name));
    }
    Ok(declared)
}
