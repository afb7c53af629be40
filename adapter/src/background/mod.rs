//! The background process: one for each user, whose language servers and indexes serve all sessions on the machine.
//!
//! [`serve`] runs it. A [`Fallback`](crate::fallback::Fallback) that may use it asks it ([`client`]) and answers by itself
//! where it cannot be had; it starts it when it is not there ([`place`]). What belongs to a session stays in the process
//! of its editor or agent: unsaved texts, of which the background process gets a copy, the user's consent, and the
//! writing of files. So nothing is lost when the background process ends, at whatever moment.
//!
//! Each client has a `Fallback` of its own in the background process, with its own sessions, trust and texts. They share
//! the servers ([`pool`](crate::fallback::servers::run::pool)), whose key holds all that decides what a server computes,
//! and what is found for folders ([`workspaces`](crate::fallback::session::workspaces)).

pub(crate) mod client;
pub(crate) mod place;
mod serve;
mod status;
pub(crate) mod wire;

use std::io;
use std::path::Path;

pub use place::Background;
pub use serve::{Ended, serve};
pub use status::{ClientReport, Status, status, stop};

use crate::fallback::environment_that_counts;
pub use crate::fallback::servers::run::pool::RunningServer;

/// Returns the background process for an executable and the variables of this process. `arguments` make it serve.
///
/// # Errors
/// The user has no folder for it, or the executable is gone.
pub fn of_user(executable: &Path, arguments: &[&str]) -> io::Result<Background> {
    Background::of(executable, arguments, environment_that_counts())
}
