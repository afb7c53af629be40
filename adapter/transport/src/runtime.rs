//! The runtime of the programs.

use std::time::Duration;

use tokio::runtime::{Builder, Runtime};

/// The maximum number of threads that read files and compute at once; more work waits. Each thread takes memory,
/// and fewer already keep all processors busy.
const BLOCKING_THREADS: usize = 32;

/// The time that such a thread stays without work.
const KEEP_ALIVE: Duration = Duration::from_secs(2);

/// Starts a runtime with a bounded pool of threads for blocking work.
///
/// # Errors
/// The system has no threads left.
pub fn runtime() -> std::io::Result<Runtime> {
    Builder::new_multi_thread()
        .enable_all()
        .max_blocking_threads(BLOCKING_THREADS)
        .thread_keep_alive(KEEP_ALIVE)
        .build()
}
