//! The name of the failure of a denied permission, as programs and documents catch it.

use dialect::{Failure, FailureKind};

pub(crate) const DENIED: &str = "CapabilityDenied";

/// Returns `true` for the failure of a denied permission.
pub(crate) fn is_denied(failure: &Failure) -> bool {
    matches!(&*failure.kind, FailureKind::Raised { name, .. } if name == DENIED)
}
