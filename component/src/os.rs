//! Direct calls of the operating system.

use std::fs::File;
use std::io;
use std::os::fd::OwnedFd;

use rustix::fs::{FlockOperation, Mode, OFlags, flock, open};
use rustix::io::Errno;

/// Waits for an exclusive lock on a file. The lock ends when the file is closed.
///
/// # Errors
/// The file system has no locks.
pub(crate) fn lock(file: &File) -> io::Result<()> {
    loop {
        match flock(file, FlockOperation::LockExclusive) {
            Err(Errno::INTR) => {}
            result => return Ok(result?),
        }
    }
}

/// Opens a spare descriptor, to be closed when no others are left; `None` when there is none.
pub(crate) fn reserve() -> Option<OwnedFd> {
    open("/dev/null", OFlags::RDONLY | OFlags::CLOEXEC, Mode::empty()).ok()
}

/// Returns whether an error means that no more files can be opened, in this process or in the system.
pub(crate) fn is_out_of_descriptors(error: &io::Error) -> bool {
    matches!(Errno::from_io_error(error), Some(Errno::MFILE | Errno::NFILE))
}
