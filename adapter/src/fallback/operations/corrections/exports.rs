//! Renames through exports: servers keep the old name for importers with `export { new as old }`.

use ide_protocol::{Operation, Reason};

use super::correction::{Correction, Edits, Query, Scope};
use crate::fallback::servers::run::convert::RawRange;
use crate::fallback::servers::run::convert::workspace_edit::{RawChange, RawStep};
use crate::fallback::servers::run::request::AskError;
use crate::fallback::session::query_context::{Problem, QueryContext};
use crate::fallback::source::languages::ids;
use crate::fallback::workspace::format_places::{NAMED, places};
use crate::fallback::workspace::session_folders::SessionFolders;

/// The servers that have the weakness.
pub(crate) const SCOPE: Scope = Scope { id: "exports", languages: &[ids::TYPESCRIPT], ..Scope::ALL };

/// The row of this correction.
pub(crate) const ROW: Correction = Correction {
    scope: SCOPE,
    operations: &[Operation::Rename],
    why: "tsc 7.0 keeps the old name for importers of a renamed symbol: it writes `export { new as old }`",
    edits: Some(|query, new, edits| Box::pin(correct(query, new, edits))),
    ..Correction::NONE
};

/// Renames the symbol in the files that import it, too.
async fn correct(query: &Query<'_>, new: &str, edits: &mut Edits) -> Result<(), Problem> {
    let names = (query.subject.name.as_str(), new);
    let steps = std::mem::take(&mut edits.steps);
    let (steps, remark) = through(query.asking(), query.roots(), names, steps).await?;
    edits.steps = steps;
    edits.remarks.extend(remark);
    Ok(())
}

/// The maximum number of exports that a rename is carried through.
const EXPORTS: usize = 64;

/// Adds the steps that rename the symbol for its importers. Also returns a remark that lists the exports that
/// keep the old name.
pub(crate) async fn through(
    asking: &QueryContext,
    roots: &SessionFolders,
    (old, new): (&str, &str),
    mut steps: Vec<RawStep>,
) -> Result<(Vec<RawStep>, Option<Reason>), Problem> {
    let (keeping, giving) = (format!("{new} as {old}"), format!("{old} as {new}"));
    let mut asked = Vec::new();
    while let Some(at) = unasked(&steps, &keeping, &asked).filter(|_| asked.len() < EXPORTS) {
        // Renaming at the export itself returns the edits of its importers.
        let extent = asking.extent(&at).await.ok_or(Problem::FilesChanged)?;
        let more = match asking.rename(&at.path, extent.start, new).await {
            Ok(edit) => asking.steps(&edit)?,
            Err(AskError::Refused { .. }) => Vec::new(),
            Err(error) => return Err(error.into()),
        };
        if changes(&more).any(|it| it.at == at && it.text == giving) {
            let here = steps.iter_mut().filter_map(|it| match it {
                RawStep::Change(change) if change.at == at => Some(change),
                _ => None,
            });
            here.for_each(|it| new.clone_into(&mut it.text));
        }
        asked.push(at);
        let is_known = |step: &RawStep| match step {
            RawStep::Change(change) => changes(&steps).any(|it| it.at == change.at),
            _ => false,
        };
        let unknown: Vec<_> = more.into_iter().filter(|it| !is_known(it)).collect();
        steps.extend(unknown);
    }
    let mut stays = Vec::new();
    for change in changes(&steps).filter(|it| it.text == keeping) {
        let extent = asking.extent(&change.at).await.ok_or(Problem::FilesChanged)?;
        stays.push((change.at.path.clone(), extent));
    }
    let places = places(roots, &stays, NAMED);
    let remark = (!stays.is_empty()).then(|| Reason::KeptForImporters { name: old.to_owned(), places });
    Ok((steps, remark))
}

/// Returns the first change to such a text that has not been followed yet.
fn unasked(steps: &[RawStep], text: &str, asked: &[RawRange]) -> Option<RawRange> {
    changes(steps).find(|it| it.text == text && !asked.contains(&it.at)).map(|it| it.at.clone())
}

fn changes(steps: &[RawStep]) -> impl Iterator<Item = &RawChange> {
    steps.iter().filter_map(|it| match it {
        RawStep::Change(change) => Some(change),
        _ => None,
    })
}
