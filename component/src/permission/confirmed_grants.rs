//! The check of lasting permissions against the audit log. A grant counts when its entry is there and unchanged,
//! and no later entry revoked it.

use std::collections::BTreeMap;
use std::path::Path;

use serde_json::json;

use super::demand::CapabilityDemand;
use super::grants::{Grant, Grants};
use super::store::{Store, StoreError};
use crate::audit::{Action, Entry, Log, LogError, Record};
use crate::state::State;

/// A reason why a grant in the file of permissions does not count.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum Unconfirmed {
    /// The grant names no entry: it was written by hand, or by an older Dialect.
    #[error("it names no entry of the record")]
    Unnamed,
    /// The entry was removed or changed.
    #[error("entry {0} of the record, which granted it, is not there as it was written")]
    Missing(u64),
    /// The grant was changed.
    #[error("entry {0} of the record granted something else")]
    Other(u64),
    /// The grant was put back after it was revoked.
    #[error("entry {0} of the record revoked it")]
    Revoked(u64),
    /// A damaged entry might have revoked it.
    #[error("a line of the record behind entry {0} is damaged")]
    Damaged(u64),
}

/// The grants of one workspace, by whether they count.
#[derive(Clone, Debug, Default)]
pub struct ConfirmedGrants {
    /// The grants that count.
    pub grants: Grants,
    /// The grants that do not count, with the reasons.
    pub others: Vec<(Grant, Unconfirmed)>,
}

/// An error of the files that say what is granted.
#[derive(Debug, thiserror::Error)]
pub enum ConfirmedGrantsError {
    /// The file of permissions cannot be used.
    #[error(transparent)]
    Store(#[from] StoreError),
    /// The audit log cannot be used.
    #[error(transparent)]
    Log(#[from] LogError),
}

impl ConfirmedGrants {
    /// Returns all lasting grants, by workspace.
    ///
    /// # Errors
    /// A file exists and cannot be read.
    pub fn all(state: &State) -> Result<BTreeMap<String, Self>, ConfirmedGrantsError> {
        let (store, log) = (Store::new(state.clone()), Log::new(state.clone()));
        let each = store.all()?.into_iter();
        each.map(|(workspace, grants)| Ok((workspace.clone(), Self::check_all(&log, &workspace, grants)?)))
            .collect()
    }

    /// Returns the lasting grants of one workspace.
    ///
    /// # Errors
    /// A file exists and cannot be read.
    pub(crate) fn of_workspace(
        store: &Store,
        log: &Log,
        workspace: &Path,
    ) -> Result<Self, ConfirmedGrantsError> {
        let confirmed = Self::check_all(log, &workspace.to_string_lossy(), store.of_workspace(workspace)?)?;
        for (grant, why) in &confirmed.others {
            let path = store.path();
            tracing::warn!(path = %path.display(), capability = grant.capability, "a grant does not count: {why}");
        }
        Ok(confirmed)
    }

    fn check_all(log: &Log, workspace: &str, grants: Grants) -> Result<Self, LogError> {
        let oldest = grants.iter().filter_map(|it| Some(it.entry.as_ref()?.seq)).min();
        let record = oldest.map(|it| log.since(it)).transpose()?;
        let mut confirmed = Self::default();
        for grant in grants.iter() {
            match check(record.as_ref(), workspace, grant) {
                Ok(()) => confirmed.grants.add(grant.clone()),
                Err(why) => confirmed.others.push((grant.clone(), why)),
            }
        }
        Ok(confirmed)
    }

    /// Returns the reason why a grant that would cover a demand does not count.
    pub(super) fn lost(&self, demand: &CapabilityDemand, fingerprint: &str) -> Option<&Unconfirmed> {
        let lost = self.others.iter().find(|(it, _)| it.covers(demand, fingerprint));
        lost.map(|(_, why)| why)
    }
}

fn check(record: Option<&Record>, workspace: &str, grant: &Grant) -> Result<(), Unconfirmed> {
    let (seal, record) = grant.entry.as_ref().zip(record).ok_or(Unconfirmed::Unnamed)?;
    let entry = record.entry(seal).ok_or(Unconfirmed::Missing(seal.seq))?;
    if !granted(&entry, workspace, grant) {
        return Err(Unconfirmed::Other(seal.seq));
    }
    for entry in record.revoked_after(seal.seq) {
        let entry = entry.ok_or(Unconfirmed::Damaged(seal.seq))?;
        if entry.event.capability == grant.capability && entry.event.workspace.as_deref() == Some(workspace) {
            return Err(Unconfirmed::Revoked(entry.seq));
        }
    }
    Ok(())
}

/// Returns whether an entry granted exactly this.
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
#[path = "confirmed_grants_tests.rs"]
mod tests;
