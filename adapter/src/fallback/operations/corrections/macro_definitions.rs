//! Macro calls that generate a symbol's definition, which servers list as uses of the symbol.

use std::collections::BTreeSet;
use std::path::PathBuf;

use ide_protocol::{Operation, Point};

use super::correction::{Correction, Query, Scope, Uses};
use crate::fallback::operations::lookup::target::Subject;
use crate::fallback::session::query_context::{Problem, QueryContext};
use crate::fallback::source::outline::Extent;

/// The servers that have the weakness.
pub(crate) const SCOPE: Scope = Scope { id: "macro-definitions", ..Scope::ALL };

/// The row of this correction.
pub(crate) const ROW: Correction = Correction {
    scope: SCOPE,
    operations: &[Operation::References, Operation::Callers, Operation::Implementations],
    why: "clangd 22.1 and rust-analyzer 1.95 list the macro call that generates a definition among its \
          references",
    uses: Some(|query, uses| Box::pin(correct(query, uses))),
    ..Correction::NONE
};

/// Removes the macro call that generates the definition, unless declarations count as uses.
async fn correct(query: &Query<'_>, uses: &mut Uses) -> Result<(), Problem> {
    if !query.include_declaration {
        let extents = std::mem::take(&mut uses.extents);
        uses.extents = without_macros(query.asking(), query.subject, &uses.home, extents).await;
    }
    Ok(())
}

/// Returns the uses without the macro call that generates the symbol's definition.
async fn without_macros(
    asking: &QueryContext,
    subject: &Subject,
    home: &BTreeSet<(PathBuf, Point)>,
    extents: BTreeSet<(PathBuf, Extent)>,
) -> BTreeSet<(PathBuf, Extent)> {
    let mut uses = BTreeSet::new();
    for (path, extent) in extents {
        let is_home = home.contains(&(path.clone(), extent.start));
        let has_name =
            async || asking.text(&path).await.and_then(|it| it.word(extent)) == Some(subject.name.clone());
        if !is_home || has_name().await {
            uses.insert((path, extent));
        }
    }
    uses
}
