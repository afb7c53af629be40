//! The record of what was asked, granted, denied, used and revoked: lines that vouch for each other.

mod chain;
mod entry;
mod head;
mod log;
mod record;
mod redact;

pub use chain::{Broken, Verified};
pub use entry::{Action, By, Entry, Event, Seal};
pub use log::{Log, LogError};

pub(crate) use entry::Written;
pub(crate) use record::Record;
pub(crate) use redact::redacted;
