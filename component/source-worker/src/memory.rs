//! The memory of this process. The interpreter leaves counting it to the program around it.

use std::fs::File;
use std::os::unix::fs::FileExt;
use std::sync::atomic::Ordering;

use monty_types::{BASELINE_MEMORY, LIVE_MEMORY};

/// The file in which the kernel tells a process about itself.
const STATUS: &str = "/proc/self/status";

/// The memory that is in use. It is opened before the process gives up opening files.
#[derive(Debug)]
pub struct UsedMemory {
    file: Option<File>,
    /// The memory that was in use before the source ran.
    before: Option<usize>,
}

impl UsedMemory {
    /// Opens the kernel's file. Without it, the operating system's limit is the only one.
    pub fn open() -> Self {
        Self { file: File::open(STATUS).ok(), before: None }
    }

    /// Tells the interpreter what is in use now, which it compares with its limit.
    pub(crate) fn count(&mut self) {
        let bytes = self.bytes();
        let before = *self.before.get_or_insert(bytes);
        BASELINE_MEMORY.store(0, Ordering::Relaxed);
        LIVE_MEMORY.store(bytes.saturating_sub(before), Ordering::Relaxed);
    }

    /// Returns the number of bytes that are reserved, used or not, which the operating system limits; 0 if it is not known.
    fn bytes(&self) -> usize {
        let mut chunk = [0; 4096];
        let read = self.file.as_ref().and_then(|it| it.read_at(&mut chunk, 0).ok());
        let text = String::from_utf8_lossy(&chunk[..read.unwrap_or(0)]);
        let line = text.lines().find_map(|it| it.strip_prefix("VmData:"));
        let kibibytes = line.and_then(|it| it.trim().strip_suffix("kB")?.trim().parse::<usize>().ok());
        kibibytes.unwrap_or(0) * 1024
    }
}
