//! What is asked of the operating system directly.

use std::fs::File;
use std::io;
use std::os::fd::OwnedFd;

use rustix::fs::{FlockOperation, Mode, OFlags, flock, open};
use rustix::io::Errno;

/// Waits until no other process has the file locked. The lock ends when the file is closed.
///
/// # Errors
/// When the file system has no locks.
pub(crate) fn lock(file: &File) -> io::Result<()> {
    loop {
        match flock(file, FlockOperation::LockExclusive) {
            Err(Errno::INTR) => {}
            result => return Ok(result?),
        }
    }
}

/// Opens a descriptor that is good for nothing but being closed when there are no others; `None` when there is none
/// even now.
pub(crate) fn reserve() -> Option<OwnedFd> {
    open("/dev/null", OFlags::RDONLY | OFlags::CLOEXEC, Mode::empty()).ok()
}

/// Returns whether an error means that this process, or all of them together, may open no more files.
pub(crate) fn is_out_of_descriptors(error: &io::Error) -> bool {
    matches!(Errno::from_io_error(error), Some(Errno::MFILE | Errno::NFILE))
}
