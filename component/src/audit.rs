//! The record of what was asked, granted, denied, used and revoked: lines that nobody changes unnoticed.

mod chain;
mod entry;
mod log;
mod redact;

pub use chain::{Broken, Verified};
pub use entry::{Action, By, Entry, Event};
pub use log::{Log, LogError};

pub(crate) use redact::redacted;
