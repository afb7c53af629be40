//! Whether the record vouches for a lasting permission: the entry that granted it is there, says the same, and nothing
//! behind it took it back.

use std::collections::BTreeMap;
use std::path::Path;

use serde_json::json;

use super::demand::Atom;
use super::grants::{Grant, Grants};
use super::store::{Store, StoreError};
use crate::audit::{Action, Entry, Log, LogError, Record};
use crate::state::State;

/// The reason that a grant in the file of permissions does not count.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum Unvouched {
    /// Its line in the file was written by hand, or by a Dialect before this.
    #[error("it names no entry of the record")]
    Unnamed,
    /// The entry was taken away or changed.
    #[error("entry {0} of the record, which granted it, is not there as it was written")]
    Missing(u64),
    /// The grant was changed.
    #[error("entry {0} of the record granted something else")]
    Other(u64),
    /// The grant was put back.
    #[error("entry {0} of the record revoked it")]
    Revoked(u64),
    /// It may be that it was revoked.
    #[error("a line of the record behind entry {0} is damaged")]
    Damaged(u64),
}

/// The grants of one workspace.
#[derive(Clone, Debug, Default)]
pub struct Vouched {
    /// Those that count.
    pub grants: Grants,
    /// Those that do not.
    pub others: Vec<(Grant, Unvouched)>,
}

/// The error of a file that says what is granted.
#[derive(Debug, thiserror::Error)]
pub enum VouchedError {
    /// The file of permissions.
    #[error(transparent)]
    Store(#[from] StoreError),
    /// The record.
    #[error(transparent)]
    Log(#[from] LogError),
}

impl Vouched {
    /// Returns all lasting grants, by workspace.
    ///
    /// # Errors
    /// A file is there and cannot be read.
    pub fn all(state: &State) -> Result<BTreeMap<String, Self>, VouchedError> {
        let (store, log) = (Store::new(state.clone()), Log::new(state.clone()));
        let each = store.all()?.into_iter();
        each.map(|(workspace, grants)| Ok((workspace.clone(), Self::of(&log, &workspace, grants)?))).collect()
    }

    /// Returns those of one workspace.
    ///
    /// # Errors
    /// A file is there and cannot be read.
    pub(crate) fn of_workspace(store: &Store, log: &Log, workspace: &Path) -> Result<Self, VouchedError> {
        let vouched = Self::of(log, &workspace.to_string_lossy(), store.of(workspace)?)?;
        for (grant, why) in &vouched.others {
            let path = store.path();
            tracing::warn!(path = %path.display(), capability = grant.capability, "a grant does not count: {why}");
        }
        Ok(vouched)
    }

    fn of(log: &Log, workspace: &str, grants: Grants) -> Result<Self, LogError> {
        let oldest = grants.iter().filter_map(|it| Some(it.entry.as_ref()?.seq)).min();
        let record = oldest.map(|it| log.since(it)).transpose()?;
        let mut vouched = Self::default();
        for grant in grants.iter() {
            match check(record.as_ref(), workspace, grant) {
                Ok(()) => vouched.grants.add(grant.clone()),
                Err(why) => vouched.others.push((grant.clone(), why)),
            }
        }
        Ok(vouched)
    }

    /// Returns why a grant does not count that would cover this.
    pub(super) fn lost(&self, atom: &Atom, fingerprint: &str) -> Option<&Unvouched> {
        let lost = self.others.iter().find(|(it, _)| it.covers(atom, fingerprint));
        lost.map(|(_, why)| why)
    }
}

fn check(record: Option<&Record>, workspace: &str, grant: &Grant) -> Result<(), Unvouched> {
    let (seal, record) = grant.entry.as_ref().zip(record).ok_or(Unvouched::Unnamed)?;
    let entry = record.entry(seal).ok_or(Unvouched::Missing(seal.seq))?;
    if !granted(&entry, workspace, grant) {
        return Err(Unvouched::Other(seal.seq));
    }
    for entry in record.revoked_after(seal.seq) {
        let entry = entry.ok_or(Unvouched::Damaged(seal.seq))?;
        if entry.event.capability == grant.capability && entry.event.workspace.as_deref() == Some(workspace) {
            return Err(Unvouched::Revoked(entry.seq));
        }
    }
    Ok(())
}

/// Returns whether an entry granted just this.
fn granted(entry: &Entry, workspace: &str, grant: &Grant) -> bool {
    let Grant { capability, bounds, fingerprint, granted_at, entry: _ } = grant;
    let event = &entry.event;
    event.action == Action::Granted
        && event.scope.as_deref() == Some("persistent")
        && event.workspace.as_deref() == Some(workspace)
        && event.capability == *capability
        && event.params == json!(bounds)
        && event.document_hash.as_ref() == Some(fingerprint)
        && entry.ts == *granted_at
}

#[cfg(test)]
#[path = "vouched_tests.rs"]
mod tests;
