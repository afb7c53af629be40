//! The audit log: what was requested, granted, denied, used and revoked. Its lines form a hash chain.

mod chain;
mod entry;
mod error;
mod head;
mod log;
mod record;
mod redact;

pub use chain::{Broken, Verified};
pub(crate) use entry::Written;
pub use entry::{Action, By, Entry, Event, Seal};
pub use error::LogError;
pub use log::Log;
pub(crate) use record::Record;
pub(crate) use redact::redacted;
