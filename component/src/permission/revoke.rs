//! Revoking lasting permissions, outside of any session.

use std::path::Path;

use serde_json::json;

use super::grants::Grant;
use super::store::{Store, StoreError};
use crate::audit::{Action, By, Event, Log, LogError};
use crate::state::State;

/// An error that keeps something from being revoked or recorded.
#[derive(Debug, thiserror::Error)]
pub enum RevokeError {
    /// The file of permissions cannot be used; nothing was revoked.
    #[error(transparent)]
    Store(#[from] StoreError),
    /// The permissions were revoked, but that is not recorded.
    #[error("the permission is revoked, but that is not recorded: {0}")]
    Log(#[from] LogError),
}

/// Revokes every lasting grant of a capability, in one workspace or in all. Returns the grants with their
/// workspaces. Running programs fail at their next use of it.
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
        measured: None,
    };
    if !revoked.is_empty() {
        Log::new(state.clone()).append(revoked.iter().map(event).collect())?;
    }
    Ok(revoked)
}
