//! File metadata that distinguishes two states of a file without reading it.

use std::fs::{self, Metadata};
use std::os::unix::fs::MetadataExt;
use std::path::Path;
use std::time::{Duration, SystemTime};

/// The time within which two writes may leave the same stamp.
pub(crate) const RACY: Duration = Duration::from_millis(50);

/// The metadata of one state of a file.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Stamp {
    /// The time of the last change of content or attributes.
    pub(crate) changed: SystemTime,
    /// The time of the last change of content.
    pub(crate) modified: SystemTime,
    /// The size in bytes.
    pub(crate) size: u64,
    /// The inode number.
    pub(crate) inode: u64,
}

impl Stamp {
    /// Reads the stamp of a regular file; `None` if there is none at that path. Blocking.
    pub(crate) fn read(path: &Path) -> Option<Self> {
        fs::metadata(path).ok().filter(Metadata::is_file).map(|it| Self::from_metadata(&it))
    }

    /// Takes the stamp from metadata that was read already.
    pub(crate) fn from_metadata(metadata: &Metadata) -> Self {
        // A time before 1970 counts as 1970.
        let seconds = u64::try_from(metadata.ctime()).unwrap_or(0);
        let nanoseconds = u32::try_from(metadata.ctime_nsec()).unwrap_or(0);
        Self {
            changed: SystemTime::UNIX_EPOCH + Duration::new(seconds, nanoseconds),
            modified: metadata.modified().unwrap_or(SystemTime::UNIX_EPOCH),
            size: metadata.len(),
            inode: metadata.ino(),
        }
    }

    /// Returns the time since the last change; zero if that lies in the future.
    pub(crate) fn age(&self) -> Duration {
        self.age_at(SystemTime::now())
    }

    pub(crate) fn age_at(&self, now: SystemTime) -> Duration {
        now.duration_since(self.changed.max(self.modified)).unwrap_or(Duration::ZERO)
    }
}
