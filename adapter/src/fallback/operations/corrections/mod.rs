//! Corrections of known weaknesses of language servers, one file each.
//!
//! [`CORRECTIONS`] lists them in the order of application. An operation queries its server, applies the table
//! to the answer, and then reports what is still missing. To correct another weakness, add a file here and a
//! row to the table.

pub(crate) mod assigned_attributes;
pub(crate) mod assigned_members;
pub(crate) mod changed_lines;
pub(crate) mod correction;
pub(crate) mod declared_apart;
pub(crate) mod exports;
pub(crate) mod false_references;
pub(crate) mod import_aliases;
pub(crate) mod keyword_edits;
pub(crate) mod macro_definitions;
pub(crate) mod macro_pasting;
pub(crate) mod missed_rename_sites;
pub(crate) mod new_name;
pub(crate) mod operator_calls;
pub(crate) mod overload_declarations;
pub(crate) mod overloads;
pub(crate) mod overridden_members;
pub(crate) mod overrides;
pub(crate) mod preprocessed_code;
pub(crate) mod pytest_fixtures;
pub(crate) mod redeclared_members;
pub(crate) mod returned_types;
pub(crate) mod same_name_symbols;
pub(crate) mod self_types;
pub(crate) mod separate_programs;
pub(crate) mod stub_files;
pub(crate) mod unfollowed_exports;
pub(crate) mod unlisted_calls;
pub(crate) mod unlisted_references;
pub(crate) mod unlisted_subtypes;
pub(crate) mod unrenamed_overrides;
pub(crate) mod unresolved_imports;

use std::collections::BTreeSet;
use std::path::PathBuf;

use correction::{Context, Correction, Edits, Place, Query, Related, Renamed, Scope, Uses};
use ide_protocol::{Point, Reason};

use crate::fallback::session::query_context::Problem;
use crate::fallback::syntactic::candidate::Candidate;

/// All corrections, in the order of application. Later rows see the results of earlier ones.
pub(crate) static CORRECTIONS: &[Correction] = &[
    declared_apart::ROW,
    assigned_members::ROW,
    unlisted_references::ROW,
    false_references::ROW,
    self_types::ROW,
    unresolved_imports::ROW,
    unfollowed_exports::ROW,
    redeclared_members::ROW,
    overridden_members::ROW,
    overload_declarations::ROW,
    macro_definitions::ROW,
    separate_programs::ROW,
    overrides::ROW,
    import_aliases::ROW,
    exports::ROW,
    keyword_edits::ROW,
    unlisted_subtypes::ROW,
    unlisted_calls::ROW,
    operator_calls::ROW,
    same_name_symbols::ROW,
    new_name::ROW,
    unrenamed_overrides::ROW,
    missed_rename_sites::ROW,
    macro_pasting::ROW,
    pytest_fixtures::ROW,
    assigned_attributes::ROW,
    overloads::ROW,
    preprocessed_code::ROW,
    returned_types::ROW,
    stub_files::ROW,
];

/// Returns the hooks of one kind that apply to a question, in the order of the table.
fn hooks<H>(context: &Context<'_>, kind: fn(&Correction) -> Option<H>) -> impl Iterator<Item = H> {
    CORRECTIONS.iter().filter(|row| row.corrects(context)).filter_map(kind)
}

/// Corrects the uses of a symbol.
///
/// # Errors
/// The server or the files changed meanwhile, or the server failed.
pub(crate) async fn correct_uses(query: &Query<'_>, uses: &mut Uses) -> Result<(), Problem> {
    for correct in hooks(&query.context, |row| row.uses) {
        correct(query, uses).await?;
    }
    Ok(())
}

/// Corrects the neighbours of a symbol in a hierarchy.
///
/// # Errors
/// As [`correct_uses`].
pub(crate) async fn correct_related(context: &Context<'_>, related: &mut Related) -> Result<(), Problem> {
    for correct in hooks(context, |row| row.related) {
        correct(context, related).await?;
    }
    Ok(())
}

/// Returns the calls in the body of a function that are not in `known`, each with the function that it calls.
///
/// # Errors
/// As [`correct_uses`].
pub(crate) async fn unlisted_calls(
    context: &Context<'_>,
    caller: &Candidate,
    known: &BTreeSet<Place>,
) -> Result<Vec<(Candidate, Place)>, Problem> {
    let mut found = Vec::new();
    for calls in hooks(context, |row| row.calls) {
        found.extend(calls(context, caller, known).await?);
    }
    Ok(found)
}

/// Corrects the edits of a rename.
///
/// # Errors
/// As [`correct_uses`].
pub(crate) async fn correct_edits(query: &Query<'_>, new: &str, edits: &mut Edits) -> Result<(), Problem> {
    for correct in hooks(&query.context, |row| row.edits) {
        correct(query, new, edits).await?;
    }
    Ok(())
}

/// Returns the reasons why the server's answer about a symbol is incomplete. `home` holds the positions of
/// the names of its own definitions.
///
/// # Errors
/// As [`correct_uses`].
pub(crate) async fn gaps(
    query: &Query<'_>,
    home: &BTreeSet<(PathBuf, Point)>,
) -> Result<Vec<Reason>, Problem> {
    let mut gaps = Vec::new();
    for find in hooks(&query.context, |row| row.gaps) {
        gaps.extend(find(query, home).await?);
    }
    Ok(gaps)
}

/// Returns a reason for each problem of a planned rename: a name that stays, or a conflict.
///
/// # Errors
/// As [`correct_uses`]. Also fails if the new name would break the syntax of a file.
pub(crate) async fn left_by_rename(query: &Query<'_>, renamed: Renamed<'_>) -> Result<Vec<Reason>, Problem> {
    let mut left = Vec::new();
    for find in hooks(&query.context, |row| row.renamed) {
        left.extend(find(query, renamed).await?);
    }
    Ok(left)
}

/// The public description of one row of the table of corrections.
#[derive(Clone, Copy, Debug)]
pub struct CorrectionRow {
    /// The id by which [`SwitchedOff`](crate::fallback::SwitchedOff) disables it.
    pub id: &'static str,
    /// The ids of the languages that it applies to; empty for all.
    pub languages: &'static [&'static str],
    /// The operations whose answers it corrects.
    pub operations: &'static [ide_protocol::Operation],
    /// The weakness: the server with its version, and what it leaves out or mistakes.
    pub why: &'static str,
}

/// Returns the table of corrections, in the order of application.
pub fn corrections() -> Vec<CorrectionRow> {
    let row = |it: &Correction| {
        let Correction { scope: Scope { id, languages, .. }, operations, why, .. } = *it;
        CorrectionRow { id, languages, operations, why }
    };
    CORRECTIONS.iter().map(row).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_row_says_for_what_it_is_and_why() {
        let mut ids = BTreeSet::new();
        for row in CORRECTIONS {
            assert!(ids.insert(row.scope.id), "`{}` is the name of two rows", row.scope.id);
            assert!(!row.operations.is_empty() && row.why.len() > 40, "`{}` says too little", row.scope.id);
        }
    }
}
