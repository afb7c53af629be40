//! The wall: what a process that works for a workspace may reach, held by the operating system.
//!
//! A [`Wall`] names the folders that a process and everything under it may read and write, and its limits. All else is
//! refused by the kernel: other files, the network, other processes, new privileges. [`spawn`] starts a command behind
//! it, or fails; [`stands`] says whether this machine can build one at all. Neither falls back to less in silence.
//!
//! - Linux: Landlock (files, signals, abstract sockets), seccomp (system calls), and, where they can be had, namespaces
//!   (network, IPC, and mounts that are read-only, so that not even modes and times of files change).
//! - macOS: a Seatbelt profile.

mod folders;
#[cfg(target_os = "linux")]
mod linux;
#[cfg(any(target_os = "macos", test))]
mod seatbelt;
mod wall;

use std::process::{Child, Command};

pub use folders::{installation, tools};
pub use wall::{Limits, Wall};

/// A reason why no wall can be built, for people.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{0}")]
pub struct Absent(pub String);

/// Parts of the wall that a machine may lack without the wall being absent.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Standing {
    /// The mechanisms that hold it, for people: `Landlock 7, seccomp, namespaces`.
    pub mechanisms: String,
}

/// Builds a wall around a thread of this process and tries it, once per call.
///
/// # Errors
/// No wall stands on this machine, and why.
pub fn stands() -> Result<Standing, Absent> {
    #[cfg(target_os = "linux")]
    return linux::stands();
    #[cfg(target_os = "macos")]
    return seatbelt::stands();
    #[cfg(not(any(target_os = "linux", target_os = "macos")))]
    return Err(Absent("this operating system has no wall that we know".into()));
}

/// Enters what only a process with one thread can enter: a user namespace, which unprivileged users need for the others.
/// Call it first in a process that will [`spawn`]. A machine may refuse it; the wall is built without it then.
pub fn enter_namespace() {
    #[cfg(target_os = "linux")]
    linux::enter_user_namespace();
}

/// Starts a command behind a wall.
///
/// # Errors
/// The wall cannot be built, or the command does not start. Nothing runs then.
pub fn spawn(command: Command, wall: &Wall) -> std::io::Result<Child> {
    #[cfg(target_os = "linux")]
    return linux::spawn(command, wall);
    #[cfg(target_os = "macos")]
    return seatbelt::spawn(&command, wall);
    #[cfg(not(any(target_os = "linux", target_os = "macos")))]
    {
        let (_, _) = (command, wall);
        Err(std::io::ErrorKind::Unsupported.into())
    }
}
