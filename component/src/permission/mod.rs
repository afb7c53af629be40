//! Permissions: what programs need beyond reading, what the user grants, and the checks that nothing else runs.

mod approval;
mod bounds;
mod caller;
mod capability;
mod changes;
mod confirmed_grants;
mod demand;
mod denial;
pub(crate) mod denied_name;
mod events;
mod gate;
mod grants;
mod guard;
pub(crate) mod hunks;
mod later_requests;
mod ledger;
pub(crate) mod local;
mod memory;
mod question;
mod revoke;
pub(crate) mod shown_edits;
mod store;
mod undeclared;

pub use ailang::{Capability, CapabilityKind as Kind, GrantScope as Scope};
pub(crate) use approval::Approval;
pub use bounds::Bounds;
pub(crate) use caller::{Caller, Waiting};
pub use capability::{CapabilityError, Catalogue};
pub(crate) use changes::Changes;
pub use confirmed_grants::{ConfirmedGrants, ConfirmedGrantsError, Unconfirmed};
pub(crate) use gate::Gate;
pub use grants::{Grant, Grants};
pub(crate) use guard::{AskingCode, AskingLibraries, CallPermit, Guarded};
pub(crate) use later_requests::{LaterRequests, WhileAsking};
pub use revoke::{RevokeError, revoke};
pub use store::{Store, StoreError};
