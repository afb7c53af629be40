//! File metadata that tells two states of a file apart without reading it.

use std::time::{Duration, SystemTime};

/// Two writes within this time may leave the same stamp.
pub(crate) const RACY: Duration = Duration::from_millis(50);

/// What tells two states of a file apart without reading it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Stamp {
    /// When its content or its attributes were changed last.
    pub(crate) changed: SystemTime,
    /// When its content was changed last.
    pub(crate) modified: SystemTime,
    /// In bytes.
    pub(crate) size: u64,
    /// Which file it is.
    pub(crate) inode: u64,
}

impl Stamp {
    /// How long ago it was changed last.
    pub(crate) fn age(&self) -> Duration {
        self.age_at(SystemTime::now())
    }

    pub(crate) fn age_at(&self, now: SystemTime) -> Duration {
        now.duration_since(self.changed.max(self.modified)).unwrap_or_default()
    }
}
