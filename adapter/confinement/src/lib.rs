//! The wall: a sandbox of the operating system around processes that work for a workspace.
//!
//! A [`Wall`] names the folders that a process and its children may read and write, and their limits. The kernel
//! refuses everything outside of it: other files, the network, other processes, new privileges. [`spawn`] starts a
//! command behind the wall, or fails. [`stands`] says whether this machine can build one. Neither falls back to a
//! weaker wall silently.
//!
//! - Linux: Landlock restricts files, signals and abstract sockets; seccomp restricts system calls.
//!   Namespaces, where they are available, restrict the network, IPC and mounts. Read-only mounts also protect
//!   modes and times of files.
//! - macOS: a Seatbelt profile.

mod bounds;
mod folders;
#[cfg(target_os = "linux")]
mod linux;
#[cfg(any(target_os = "macos", test))]
mod seatbelt;
mod support;
mod wall;

use std::process::{Child, Command};

pub use bounds::Bounds;
pub use folders::{Origin, installation, tools};
pub use support::{Absent, Standing};
pub use wall::{Limits, Wall};

/// Builds a wall around a thread of this process, and tests it at every call.
///
/// # Errors
/// The reason why this machine cannot build a wall.
pub fn stands() -> Result<Standing, Absent> {
    #[cfg(target_os = "linux")]
    return linux::stands();
    #[cfg(target_os = "macos")]
    return seatbelt::stands();
    #[cfg(not(any(target_os = "linux", target_os = "macos")))]
    return Err(Absent("this operating system has no wall that we know".into()));
}

/// Enters a user namespace, which unprivileged users need for the other namespaces. Only a process with one thread
/// can enter it, so call this first in a process that will [`spawn`]. A machine may refuse it; the wall then works
/// without namespaces.
pub fn enter_namespace() {
    #[cfg(target_os = "linux")]
    linux::enter_user_namespace();
}

/// Puts this process with all of its threads behind the strictest wall, for good. It computes, it reads and writes what
/// is open, and it starts threads. It opens, connects, starts and signals nothing. `memory` is the maximum of its private
/// memory, in bytes.
///
/// # Errors
/// The reason why this machine cannot build it. Nothing is restricted then.
pub fn isolate(memory: u64) -> Result<(), Absent> {
    #[cfg(target_os = "linux")]
    return linux::isolate(memory);
    #[cfg(not(target_os = "linux"))]
    {
        let _ = memory;
        Err(Absent("this operating system has no way for a process to restrict itself that we know".into()))
    }
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
