//! What this process has used.

use std::fs::File;
use std::os::unix::fs::FileExt;

use rustix::time::{ClockId, clock_gettime};

/// The file in which the kernel tells a process about itself.
const STATUS: &str = "/proc/self/status";

/// Returns the computing time of all threads, in milliseconds.
pub(crate) fn cpu_ms() -> u64 {
    let used = clock_gettime(ClockId::ProcessCPUTime);
    let (seconds, nanoseconds) = (used.tv_sec.unsigned_abs(), used.tv_nsec.unsigned_abs());
    seconds * 1000 + nanoseconds / 1_000_000
}

/// The most memory that was in use at once. It is opened before the process gives up opening files.
///
/// The kernel's counters of `getrusage` are of no use: they include the process that started this one.
#[derive(Debug)]
pub struct PeakMemory(Option<File>);

impl PeakMemory {
    /// Opens the kernel's file.
    pub fn open() -> Self {
        Self(File::open(STATUS).ok())
    }

    /// Returns the number of bytes; 0 if it is not known.
    pub(crate) fn bytes(&self) -> usize {
        let mut chunk = [0; 4096];
        let read = self.0.as_ref().and_then(|it| it.read_at(&mut chunk, 0).ok());
        let text = String::from_utf8_lossy(&chunk[..read.unwrap_or(0)]);
        let line = text.lines().find_map(|it| it.strip_prefix("VmHWM:"));
        let kibibytes = line.and_then(|it| it.trim().strip_suffix("kB")?.trim().parse::<usize>().ok());
        kibibytes.unwrap_or(0) * 1024
    }
}
