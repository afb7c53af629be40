//! The runtime of the programs.

use std::time::Duration;

use tokio::runtime::{Builder, Runtime};

/// How many threads read files and compute at once. More calls than that wait for one another: each thread takes
/// memory of its own, and the processors are taken long before.
const BLOCKING_THREADS: usize = 32;

/// How long such a thread stays without work.
const KEEP_ALIVE: Duration = Duration::from_secs(2);

/// Starts a runtime with a bounded pool of threads for work that blocks.
///
/// # Errors
/// When the system has no threads left.
pub fn runtime() -> std::io::Result<Runtime> {
    Builder::new_multi_thread()
        .enable_all()
        .max_blocking_threads(BLOCKING_THREADS)
        .thread_keep_alive(KEEP_ALIVE)
        .build()
}
