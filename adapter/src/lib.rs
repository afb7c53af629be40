//! The proxy toward the editor: answers `ide_operations` with the editor or with language servers.

mod acp;
mod blocking;
mod consent;
mod disk_budget;
pub mod fallback;
mod loading;
mod lock;
mod os;
mod route;
mod sessions;
pub mod supervise;
pub(crate) mod xdg_dirs;

use std::ffi::OsString;
use std::process::ExitCode;

pub use acp::{Adapter, run, run_on_stdio};
use fallback::detached_write;

/// Runs what the adapter starts its own executable for, if `arguments` ask for that; otherwise returns `None`.
pub fn run_if_asked(arguments: &[OsString]) -> Option<ExitCode> {
    match arguments {
        [command] if command == detached_write::COMMAND => Some(detached_write::main()),
        _ => supervise::run_if_asked(arguments),
    }
}
