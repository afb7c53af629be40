//! A new name through what exports the old one: servers keep that for those who import it, by `export { new as old }`.

use crate::fallback::operations::lookup::format_places::places;
use crate::fallback::servers::run::convert::workspace_edit::{RawChange, RawStep};
use crate::fallback::servers::run::convert::{RawRange, workspace_edit};
use crate::fallback::servers::run::request::AskError;
use crate::fallback::session::query_context::{Problem, QueryContext};
use crate::fallback::workspace::session_folders::Roots;

/// How many exports are gone through.
const EXPORTS: usize = 64;

/// How many places are named.
const NAMED: usize = 5;

/// The steps of a rename with those for whoever imports the symbol; and where the old name stays all the same, for a
/// note.
pub(crate) async fn through(
    asking: &QueryContext,
    roots: &Roots,
    (old, new): (&str, &str),
    mut steps: Vec<RawStep>,
) -> Result<(Vec<RawStep>, Option<String>), Problem> {
    let (keeping, giving) = (format!("{new} as {old}"), format!("{old} as {new}"));
    let mut asked = Vec::new();
    while let Some(at) = unasked(&steps, &keeping, &asked).filter(|_| asked.len() < EXPORTS) {
        // Asked to rename what is exported there, it says who imports that.
        let extent = asking.extent(&at).await.ok_or(Problem::FilesChanged)?;
        let more = match asking.rename(&at.path, extent.start, new).await {
            Ok(edit) => workspace_edit::steps(&edit).unwrap_or_default(),
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
    let note =
        || format!("`{old}` stays the name for those who import it from {}", places(roots, &stays, NAMED));
    let note = (!stays.is_empty()).then(note);
    Ok((steps, note))
}

/// The first change to such a text that was not asked about.
fn unasked(steps: &[RawStep], text: &str, asked: &[RawRange]) -> Option<RawRange> {
    changes(steps).find(|it| it.text == text && !asked.contains(&it.at)).map(|it| it.at.clone())
}

fn changes(steps: &[RawStep]) -> impl Iterator<Item = &RawChange> {
    steps.iter().filter_map(|it| match it {
        RawStep::Change(change) => Some(change),
        _ => None,
    })
}
