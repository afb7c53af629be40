//! Permissions: what programs need beyond reading, what the user grants, and that nothing runs without.

mod asking;
mod bounds;
mod capability;
mod changes;
mod demand;
mod denial;
mod gate;
mod grants;
mod guard;
mod ledger;
mod memory;
mod question;
mod revoke;
mod store;
mod stretches;
mod vouched;

pub use ailang::{Capability, CapabilityKind as Kind, GrantScope as Scope};
pub use bounds::Bounds;
pub use capability::{CapabilityError, Catalogue};
pub use grants::{Grant, Grants};
pub use revoke::{RevokeError, revoke};
pub use store::{Store, StoreError};
pub use vouched::{Unvouched, Vouched, VouchedError};

pub(crate) use changes::Changes;
pub(crate) use gate::{Caller, Gate, Permit, Waiting};
pub(crate) use guard::{Guarded, Pass};
pub(crate) use stretches::is_cut;
