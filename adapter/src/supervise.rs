//! Supervises one language server, so that no process of it outlives the adapter.
//!
//! The server inherits standard input, output and error; no byte is copied. Only the adapter holds the
//! writing end of standard input. When it ends, the kernel reports a hang-up, which `poll` sees without
//! reading the server's bytes. So no further descriptor is needed, and none can leak into a grandchild. If
//! another process inherited the writing end, the change of the parent process shows the adapter's end within
//! a second.
//!
//! The supervisor leads a process group that contains the server and its children. The adapter can kill this
//! group when the supervisor itself was killed. The supervisor also adopts orphans, so that it finds
//! grandchildren that left the group.
//!
//! Killed servers leave files in the temporary folder, such as clangd's preambles. Each server therefore has
//! its own temporary folder, which is removed when the server has ended.

use std::ffi::{OsStr, OsString};
use std::process::{Command, ExitCode};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread;
use std::time::Duration;

pub use confinement::Wall;
use rustix::process::Pid;
use tempfile::TempDir;

use crate::disk_budget::{self, DiskBudget};
use crate::os;

/// The options for supervising a command.
#[derive(Clone, Debug, Default)]
pub struct SupervisorOptions {
    /// The time that the command may continue once its starter is gone.
    pub patience: Duration,
    /// True when the command has its own temporary folder, removed at its end.
    pub scratch: bool,
    /// The limits of what the command can reach; `None` for all that its user can.
    pub wall: Option<Wall>,
}

/// Runs the command until it ends or the other end of standard input is closed, then kills everything that it
/// started.
///
/// Returns the command's exit code, or 127 if it cannot be started, or not behind its wall.
pub fn supervise(command: &OsStr, args: &[OsString], terms: SupervisorOptions) -> ExitCode {
    if terms.wall.is_some() {
        confinement::enter_namespace(); // while there is one thread
    }
    os::lead_group();
    os::adopt_orphans();
    let parent = os::parent();
    let scratch = terms.scratch.then(temporary).flatten();
    let budget = terms.wall.as_ref().and_then(|wall| {
        let watched = wall.watched.iter().cloned().chain(scratch.iter().map(|it| it.path().to_owned()));
        (wall.watched.is_some() && wall.limits.disk > 0)
            .then(|| (watched.collect::<Vec<_>>(), wall.limits.disk))
    });
    let watched = terms.wall.as_ref().and_then(|it| it.watched.clone());
    let mut server = Command::new(command);
    server.args(args).envs(scratch.iter().map(|it| ("TMPDIR", it.path())));
    let started = match terms.wall {
        Some(wall) => {
            confinement::spawn(server, &wall.writing(scratch.iter().map(|it| it.path().to_owned())))
        }
        None => server.spawn(),
    };
    let child = match started {
        Ok(child) => child,
        Err(error) => {
            eprintln!("{} does not start: {error}", command.display());
            return ExitCode::from(127);
        }
    };
    thread::spawn(move || {
        wait_until_alone(parent);
        thread::sleep(terms.patience);
        end_children();
    });
    let is_exceeded = Arc::new(AtomicBool::new(false));
    if let Some((folders, limit)) = budget {
        let is_exceeded = Arc::clone(&is_exceeded);
        thread::spawn(move || {
            let reason = DiskBudget::new(folders, limit).exceeded();
            is_exceeded.store(true, Ordering::SeqCst);
            eprintln!("{reason}"); // the last words of the command, which the adapter reads
            end_children();
        });
    }
    let code = wait_for(child.id());
    reap_all();
    if is_exceeded.load(Ordering::SeqCst) {
        watched.iter().for_each(|it| disk_budget::empty(it));
    }
    code
}

/// Creates a temporary folder that is removed on drop. Without it the server uses the shared one.
fn temporary() -> Option<TempDir> {
    tempfile::Builder::new().prefix("dialect-").tempdir().ok()
}

/// Returns when the adapter is gone.
fn wait_until_alone(parent: Option<Pid>) {
    let stdin = std::io::stdin();
    while !os::has_hung_up(&stdin) && os::parent() == parent {}
}

/// Returns when the command has ended; reaps orphans that end before it.
fn wait_for(pid: u32) -> ExitCode {
    while let Some((ended, status)) = os::wait_for_child() {
        if u32::try_from(ended.as_raw_nonzero().get()) == Ok(pid) {
            return os::exit_code(status);
        }
    }
    ExitCode::FAILURE
}

/// Kills and reaps children until none is left. The children of each killed process become our own.
fn reap_all() {
    loop {
        end_children();
        if os::wait_for_child().is_none() {
            return;
        }
    }
}

/// Kills every child, or the whole process group with this process if children cannot be listed.
fn end_children() {
    match os::children() {
        Some(children) => children.into_iter().for_each(os::kill),
        None => os::kill_own_group(),
    }
}
