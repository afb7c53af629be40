//! What this process has used.

use nix::sys::resource::{UsageWho, getrusage};
use rustix::time::{ClockId, clock_gettime};

/// Returns the computing time of all threads, in milliseconds.
pub(crate) fn cpu_ms() -> u64 {
    let used = clock_gettime(ClockId::ProcessCPUTime);
    let (seconds, nanoseconds) = (used.tv_sec.unsigned_abs(), used.tv_nsec.unsigned_abs());
    seconds * 1000 + nanoseconds / 1_000_000
}

/// Returns the most memory that was in use at once, in bytes; 0 if it is not known.
pub(crate) fn peak_memory() -> usize {
    let kibibytes = getrusage(UsageWho::RUSAGE_SELF).map_or(0, |it| it.max_rss());
    // macOS counts bytes.
    let unit = if cfg!(target_os = "macos") { 1 } else { 1024 };
    usize::try_from(kibibytes).unwrap_or(0) * unit
}
