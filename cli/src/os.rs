//! Direct calls of the operating system.

#[cfg(not(unix))]
compile_error!("Dialect runs on Linux and macOS; on Windows, build and run it inside WSL.");

use std::future::Future;
use std::io;
use std::time::Duration;

use rustix::process::{Pid, Signal};
use tokio::signal::unix::{SignalKind, signal};

/// The time that the log of calls may delay the end of the process.
pub(crate) const LOG_WAIT: Duration = Duration::from_millis(500);

/// The time that the ends of plugins may delay the end of the process: a second for the answer to the shutdown, and two
/// to exit.
pub(crate) const PLUGIN_WAIT: Duration = Duration::from_secs(4);

/// The time that background work may delay the end of the process, such as abandoned searches.
pub(crate) const END_WAIT: Duration = Duration::from_millis(100);

/// Returns a future that ends when this process is asked to end.
///
/// # Errors
/// The signals cannot be watched.
pub(crate) fn asked_to_end() -> io::Result<impl Future<Output = ()>> {
    let mut terminate = signal(SignalKind::terminate())?;
    let mut interrupt = signal(SignalKind::interrupt())?;
    let mut hang_up = signal(SignalKind::hangup())?;
    Ok(async move {
        tokio::select! {
            _ = terminate.recv() => {}
            _ = interrupt.recv() => {}
            _ = hang_up.recv() => {}
        }
    })
}

/// Kills the process group of a leader.
pub(crate) fn kill_group(leader: u32) {
    if let Some(leader) = i32::try_from(leader).ok().and_then(Pid::from_raw) {
        let _ = rustix::process::kill_process_group(leader, Signal::KILL); // it may be gone already
    }
}
