//! What is asked of the operating system directly.

use std::fs::File;
use std::io;

use rustix::fs::{FlockOperation, flock};

/// Waits until no other process has the file locked. The lock ends when the file is closed.
///
/// # Errors
/// When the file system has no locks.
pub(crate) fn lock(file: &File) -> io::Result<()> {
    loop {
        match flock(file, FlockOperation::LockExclusive) {
            Err(error) if error == rustix::io::Errno::INTR => {}
            result => return Ok(result?),
        }
    }
}
