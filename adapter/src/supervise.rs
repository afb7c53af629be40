//! Runs one language server so that nothing of it outlives the adapter, however the adapter ends.
//!
//! The server inherits standard input, output and error; not a byte is copied. Standard input is at the same time
//! the lifeline: the adapter alone holds its writing end, so the kernel reports a hang-up the moment the adapter is
//! gone, and `poll` sees it without reading what belongs to the server. No further descriptor has to be passed
//! down, and none can leak into a grandchild. Should some process have inherited the writing end all the same, a
//! change of parent tells the adapter's end within a second.
//!
//! The supervisor leads a process group that the server and its children are in, so that the adapter can end them
//! together when the supervisor itself is killed; and it adopts orphans, so that a grandchild that left the group
//! is found as well.
//!
//! Servers keep files in the temporary folder (clangd its preambles, rust-analyzer what it loads of macros) that stay
//! there when they are killed. A server therefore gets a temporary folder of its own, which goes when it has ended.

use std::ffi::{OsStr, OsString};
use std::process::{Command, ExitCode};
use std::thread;
use std::time::Duration;

pub use confinement::Wall;
use rustix::process::Pid;
use tempfile::TempDir;

use crate::os;

/// How a command is supervised.
#[derive(Clone, Debug, Default)]
pub struct Terms {
    /// How long it may go on by itself once its starter is gone.
    pub patience: Duration,
    /// Gives it a temporary folder that ends with it.
    pub scratch: bool,
    /// Everything that it may reach; without one, whatever its user may.
    pub wall: Option<Wall>,
}

/// Does what `arguments` say when they are those of a supervisor, `supervise [--scratch] [--wall JSON] -- command…`, for
/// programs that read their command line themselves. Returns `None` when they are something else.
pub fn run_if_asked(arguments: &[OsString]) -> Option<ExitCode> {
    let (name, mut rest) = arguments.split_first()?;
    let mut terms = Terms::default();
    if name != "supervise" {
        return None;
    }
    loop {
        match rest {
            [flag, after @ ..] if flag == "--scratch" => {
                terms.scratch = true;
                rest = after;
            }
            [flag, wall, after @ ..] if flag == "--wall" => {
                terms.wall = Some(serde_json::from_str(wall.to_str()?).ok()?);
                rest = after;
            }
            [separator, command, args @ ..] if separator == "--" => {
                return Some(supervise(command, args, terms));
            }
            _ => return None,
        }
    }
}

/// Runs the command until it ends or nobody holds the other end of standard input, then ends everything that it
/// started. The exit code is the command's own; 127 when it cannot be started, or not behind its wall.
pub fn supervise(command: &OsStr, args: &[OsString], terms: Terms) -> ExitCode {
    if terms.wall.is_some() {
        confinement::enter_namespace(); // while there is one thread
    }
    os::lead_group();
    os::adopt_orphans();
    let parent = os::parent();
    let scratch = terms.scratch.then(temporary).flatten();
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
    let code = wait_for(child.id());
    reap_all();
    code
}

/// A temporary folder that is removed when this is dropped. A server runs without one as well: it shares that of all
/// then.
fn temporary() -> Option<TempDir> {
    tempfile::Builder::new().prefix("dialect-").tempdir().ok()
}

/// Returns when the adapter is gone.
fn wait_until_alone(parent: Option<Pid>) {
    let stdin = std::io::stdin();
    while !os::has_hung_up(&stdin) && os::parent() == parent {}
}

/// Returns when the command has ended; orphans that end before it are let go.
fn wait_for(pid: u32) -> ExitCode {
    while let Some((ended, status)) = os::wait_for_child() {
        if u32::try_from(ended.as_raw_nonzero().get()) == Ok(pid) {
            return os::exit_code(status);
        }
    }
    ExitCode::FAILURE
}

/// Ends and reaps children until there are none: each one that ends hands its own children over to us.
fn reap_all() {
    loop {
        end_children();
        if os::wait_for_child().is_none() {
            return;
        }
    }
}

/// Ends every child, or the whole group, ourselves included, where children cannot be listed.
fn end_children() {
    match os::children() {
        Some(children) => children.into_iter().for_each(os::kill),
        None => os::kill_own_group(),
    }
}
