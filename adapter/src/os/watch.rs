//! Watches on folders and files: whether the operating system tells of a change since it was asked last.
//!
//! A change is told before the call that made it returns, so whoever asks afterwards hears of it. Not told are writes
//! through memory maps, those under another hard link, and what other machines do to a shared file system.

use std::collections::HashMap;
use std::ffi::OsStr;
use std::io;
use std::path::{Path, PathBuf};

/// Which watch it is: another one when something else is at the same path now.
pub(crate) type Id = i32;

/// What happened.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Happening<'a> {
    /// What is watched.
    pub(crate) at: &'a Path,
    /// What in it has changed; `None` for itself.
    pub(crate) name: Option<&'a OsStr>,
    pub(crate) is_folder: bool,
}

/// Some watches.
#[derive(Debug)]
pub(crate) struct Watch {
    #[cfg(target_os = "linux")]
    fd: rustix::fd::OwnedFd,
    places: HashMap<Id, PathBuf>,
}

#[cfg(target_os = "linux")]
mod linux {
    use std::collections::{HashMap, HashSet};
    use std::mem::MaybeUninit;
    use std::os::unix::ffi::OsStrExt;

    use rustix::fs::inotify::{self, CreateFlags, ReadFlags, Reader, WatchFlags};
    use rustix::io::Errno;

    use super::{Happening, Id, OsStr, Path, Watch, io};

    /// What a watch is about.
    const CHANGES: WatchFlags = WatchFlags::MODIFY
        .union(WatchFlags::ATTRIB)
        .union(WatchFlags::CREATE)
        .union(WatchFlags::DELETE)
        .union(WatchFlags::MOVE)
        .union(WatchFlags::DELETE_SELF)
        .union(WatchFlags::MOVE_SELF);

    /// So many bytes are read at a time.
    const BUFFER: usize = 32 * 1024;

    /// The file systems on which every write of this machine is told, by their magic numbers: ext2 to 4, XFS, Btrfs,
    /// F2FS, ZFS, bcachefs, tmpfs. In layers, over networks and in user space some are not.
    const TELLING: [u64; 7] =
        [0xEF53, 0x5846_5342, 0x9123_683E, 0xF2F5_2010, 0x2FC1_2FC1, 0xCA45_1A4E, 0x0102_1994];

    impl Watch {
        /// `None` where the operating system gives no further one.
        pub(crate) fn new() -> Option<Self> {
            let fd = inotify::init(CreateFlags::NONBLOCK | CreateFlags::CLOEXEC).ok()?;
            Some(Self { fd, places: HashMap::new() })
        }

        /// Watches a folder or file; once more is the same.
        pub(crate) fn add(&mut self, path: &Path) -> io::Result<Id> {
            let id = inotify::add_watch(&self.fd, path, CHANGES)?;
            self.places.insert(id, path.to_owned());
            Ok(id)
        }

        /// Lets go of all other watches.
        pub(crate) fn retain(&mut self, wanted: &HashSet<Id>) {
            let fd = &self.fd;
            self.places.retain(|id, _| {
                let is_wanted = wanted.contains(id);
                if !is_wanted {
                    // It fails when what was watched is gone.
                    let _ = inotify::remove_watch(fd, *id);
                }
                is_wanted
            });
        }

        /// Whether anything has happened that matters, or nobody can tell. It is told once.
        pub(crate) fn has_heard(&mut self, matters: impl Fn(Happening<'_>) -> bool) -> bool {
            let mut buffer = vec![MaybeUninit::uninit(); BUFFER];
            let mut reader = Reader::new(&self.fd, &mut buffer);
            let mut has_heard = false;
            loop {
                match reader.next() {
                    Ok(event) => has_heard |= is_news(&self.places, &event, &matters),
                    Err(Errno::WOULDBLOCK) => return has_heard,
                    Err(Errno::INTR) => {}
                    Err(_) => return true,
                }
            }
        }

        /// How many watches a user may have.
        pub(crate) fn limit() -> usize {
            let limit = std::fs::read_to_string("/proc/sys/fs/inotify/max_user_watches").ok();
            limit.and_then(|it| it.trim().parse().ok()).unwrap_or(0)
        }

        /// Whether every write there is told that is made on this machine.
        pub(crate) fn is_told_of(folder: &Path) -> bool {
            let kind = rustix::fs::statfs(folder).ok();
            kind.is_some_and(|it| u64::try_from(it.f_type).is_ok_and(|it| TELLING.contains(&it)))
        }
    }

    fn is_news(
        places: &HashMap<Id, std::path::PathBuf>,
        event: &inotify::Event<'_>,
        matters: &impl Fn(Happening<'_>) -> bool,
    ) -> bool {
        if event.events().contains(ReadFlags::QUEUE_OVERFLOW) {
            return true;
        }
        // Of what was let go of, some is told late.
        let Some(at) = places.get(&event.wd()) else { return false };
        let name = event.file_name().map(|it| OsStr::from_bytes(it.to_bytes()));
        matters(Happening { at, name, is_folder: event.events().contains(ReadFlags::ISDIR) })
    }
}

#[cfg(not(target_os = "linux"))]
impl Watch {
    /// Nothing tells of changes here.
    pub(crate) fn new() -> Option<Self> {
        None
    }

    /// Watches nothing.
    pub(crate) fn add(&mut self, _: &Path) -> io::Result<Id> {
        Err(io::ErrorKind::Unsupported.into())
    }

    /// There are none.
    pub(crate) fn retain(&mut self, _: &std::collections::HashSet<Id>) {
        self.places.clear();
    }

    /// Nobody can tell.
    pub(crate) fn has_heard(&mut self, _: impl Fn(Happening<'_>) -> bool) -> bool {
        true
    }

    /// None.
    pub(crate) fn limit() -> usize {
        0
    }

    /// Nothing is.
    pub(crate) fn is_told_of(_: &Path) -> bool {
        false
    }
}
