//! Watches on folders and files: reports synchronously whether anything changed since the last call.
//!
//! The kernel queues an event before the changing system call returns, so a later call sees it. It reports no
//! writes through memory maps, through another hard link, or by other machines on a shared file system.

// Not the crate `notify` (8.2): events pass through a thread of its own, and no call waits until that has drained
// the kernel's queue. A request could so miss a change made a millisecond before. Its macOS back-end restarts the
// stream from "now" at each added path; its Windows back-end ignores overflows (zero bytes) and only logs failed
// reads. Each loses changes silently. This file drains inotify in the caller's thread, and reports every loss.

use std::collections::HashMap;
use std::ffi::OsStr;
use std::io;
use std::path::{Path, PathBuf};

/// The id of a watch. It changes when another file or folder takes the watched path.
pub(crate) type WatchId = i32;

/// A change that the kernel reported.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct WatchEvent<'a> {
    /// The watched path.
    pub(crate) at: &'a Path,
    /// The name of the changed entry of a watched folder; `None` for the watched path itself.
    pub(crate) name: Option<&'a OsStr>,
    pub(crate) is_folder: bool,
}

/// A set of watches.
#[derive(Debug)]
pub(crate) struct Watcher {
    #[cfg(target_os = "linux")]
    fd: rustix::fd::OwnedFd,
    places: HashMap<WatchId, PathBuf>,
}

#[cfg(target_os = "linux")]
mod linux {
    use std::collections::{HashMap, HashSet};
    use std::mem::MaybeUninit;
    use std::os::unix::ffi::OsStrExt;

    use rustix::fs::inotify::{self, CreateFlags, ReadFlags, Reader, WatchFlags};
    use rustix::io::Errno;

    use super::{OsStr, Path, WatchEvent, WatchId, Watcher, io};

    /// The changes that are watched.
    const CHANGES: WatchFlags = WatchFlags::MODIFY
        .union(WatchFlags::ATTRIB)
        .union(WatchFlags::CREATE)
        .union(WatchFlags::DELETE)
        .union(WatchFlags::MOVE)
        .union(WatchFlags::DELETE_SELF)
        .union(WatchFlags::MOVE_SELF);

    /// The size of the buffer for reading events, in bytes.
    const BUFFER: usize = 32 * 1024;

    /// The file systems that report every local write, by their magic numbers: ext2 to ext4, XFS, Btrfs,
    /// F2FS, ZFS, bcachefs, tmpfs. Overlay, network and FUSE file systems miss some.
    const TELLING: [u64; 7] =
        [0xEF53, 0x5846_5342, 0x9123_683E, 0xF2F5_2010, 0x2FC1_2FC1, 0xCA45_1A4E, 0x0102_1994];

    impl Watcher {
        /// Creates an empty set; `None` when the system's limit is reached.
        pub(crate) fn new() -> Option<Self> {
            let fd = inotify::init(CreateFlags::NONBLOCK | CreateFlags::CLOEXEC).ok()?;
            Some(Self { fd, places: HashMap::new() })
        }

        /// Watches a folder or file. Adding a path again returns the same id.
        pub(crate) fn add(&mut self, path: &Path) -> io::Result<WatchId> {
            let id = inotify::add_watch(&self.fd, path, CHANGES)?;
            self.places.insert(id, path.to_owned());
            Ok(id)
        }

        /// Removes all other watches.
        pub(crate) fn retain(&mut self, wanted: &HashSet<WatchId>) {
            let fd = &self.fd;
            self.places.retain(|id, _| {
                let is_wanted = wanted.contains(id);
                if !is_wanted {
                    // It fails when the watched path is gone.
                    let _ = inotify::remove_watch(fd, *id);
                }
                is_wanted
            });
        }

        /// Drains the queue, and returns whether an event matters or events were lost.
        pub(crate) fn has_events(&mut self, matters: impl Fn(WatchEvent<'_>) -> bool) -> bool {
            let mut buffer = vec![MaybeUninit::uninit(); BUFFER];
            let mut reader = Reader::new(&self.fd, &mut buffer);
            let mut has_events = false;
            loop {
                match reader.next() {
                    Ok(event) => has_events |= is_news(&self.places, &event, &matters),
                    Err(Errno::WOULDBLOCK) => return has_events,
                    Err(Errno::INTR) => {}
                    Err(_) => return true,
                }
            }
        }

        /// Returns the number of watches that a user may have.
        pub(crate) fn limit() -> usize {
            let limit = std::fs::read_to_string("/proc/sys/fs/inotify/max_user_watches").ok();
            limit.and_then(|it| it.trim().parse().ok()).unwrap_or(0)
        }

        /// Returns whether the folder's file system reports every local write.
        pub(crate) fn reports_every_write(folder: &Path) -> bool {
            let kind = rustix::fs::statfs(folder).ok();
            kind.is_some_and(|it| u64::try_from(it.f_type).is_ok_and(|it| TELLING.contains(&it)))
        }
    }

    fn is_news(
        places: &HashMap<WatchId, std::path::PathBuf>,
        event: &inotify::Event<'_>,
        matters: &impl Fn(WatchEvent<'_>) -> bool,
    ) -> bool {
        if event.events().contains(ReadFlags::QUEUE_OVERFLOW) {
            return true;
        }
        // Events of removed watches may still be queued.
        let Some(at) = places.get(&event.wd()) else { return false };
        let name = event.file_name().map(|it| OsStr::from_bytes(it.to_bytes()));
        matters(WatchEvent { at, name, is_folder: event.events().contains(ReadFlags::ISDIR) })
    }
}

#[cfg(not(target_os = "linux"))]
impl Watcher {
    /// Watching is not supported on this system.
    pub(crate) fn new() -> Option<Self> {
        None
    }

    /// Watching is not supported on this system.
    pub(crate) fn add(&mut self, _: &Path) -> io::Result<WatchId> {
        Err(io::ErrorKind::Unsupported.into())
    }

    /// Does nothing on this system.
    pub(crate) fn retain(&mut self, _: &std::collections::HashSet<WatchId>) {
        self.places.clear();
    }

    /// Always returns `true`: changes are unknown on this system.
    pub(crate) fn has_events(&mut self, _: impl Fn(WatchEvent<'_>) -> bool) -> bool {
        true
    }

    /// Returns 0 on this system.
    pub(crate) fn limit() -> usize {
        0
    }

    /// Returns `false` on this system.
    pub(crate) fn reports_every_write(_: &Path) -> bool {
        false
    }
}
