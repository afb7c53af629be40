//! The audit log: what was requested, granted, denied, used and revoked. Its lines form a hash chain.
//!
//! The log of calls has the same form and files of its own: its lines are many, and permissions rest on entries of the
//! audit log, which must not be rotated away by them.

mod chain;
mod entry;
mod error;
mod head;
mod log;
mod measured;
mod record;
mod redact;

pub use chain::{Broken, Verified};
pub(crate) use entry::Written;
pub use entry::{Action, By, Entry, Event, Seal};
pub use error::LogError;
pub use log::Log;
pub use measured::{Ending, FunctionCalls, Measured};
pub(crate) use record::Record;
pub(crate) use redact::redacted;
