//! Taking lasting permissions back, from outside of any session.

use std::path::Path;

use serde_json::json;

use super::grants::Grant;
use super::store::{Store, StoreError};
use crate::audit::{Action, By, Event, Log, LogError};
use crate::state::State;

/// Why something was not revoked, or not recorded.
#[derive(Debug, thiserror::Error)]
pub enum RevokeError {
    /// Nothing was revoked.
    #[error(transparent)]
    Store(#[from] StoreError),
    /// It was revoked, and the record does not say so.
    #[error("it is revoked, but that is not recorded: {0}")]
    Log(#[from] LogError),
}

/// Takes every lasting grant of that capability back, of one workspace or of all, and gives them with their
/// workspaces. What runs meanwhile fails at its next use.
///
/// # Errors
/// See [`RevokeError`].
pub fn revoke(
    state: &State,
    workspace: Option<&Path>,
    capability: &str,
) -> Result<Vec<(String, Grant)>, RevokeError> {
    let revoked = Store::new(state.clone()).revoke(workspace, capability)?;
    let event = |(workspace, grant): &(String, Grant)| Event {
        session: None,
        workspace: Some(workspace.clone()),
        capability: grant.capability.clone(),
        params: json!(grant.bounds),
        action: Action::Revoked,
        tool: None,
        document: None,
        document_hash: Some(grant.fingerprint.clone()),
        scope: Some("persistent".to_owned()),
        by: By::User,
        arguments: None,
        reason: None,
    };
    if !revoked.is_empty() {
        Log::new(state.clone()).append(revoked.iter().map(event).collect())?;
    }
    Ok(revoked)
}
