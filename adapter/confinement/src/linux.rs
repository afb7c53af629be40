//! The wall on Linux.
//!
//! Landlock, seccomp and capabilities restrict one thread and the processes that it starts. So one thread is
//! restricted, starts the command and ends. The rest of this process stays outside, since it has to stop the
//! command.

mod namespaces;
mod seccomp;

use std::path::Path;
use std::process::{Child, Command};
use std::{io, thread};

use landlock::{
    ABI, Access, AccessFs, AccessNet, BitFlags, CompatLevel, Compatible, LandlockStatus, PathBeneath, PathFd,
    Ruleset, RulesetAttr, RulesetCreatedAttr, RulesetStatus, Scope,
};
pub(crate) use namespaces::enter_user_namespace;
use rustix::process::{Resource, Rlimit};
use rustix::thread::{CapabilitySet, CapabilitySets};

use crate::{Absent, Limits, Standing, Wall};

/// The minimum version of Landlock, the first one that covers signals and abstract sockets (Linux 6.12).
const LEAST: ABI = ABI::V6;

/// Returns the mechanisms that work here, by restricting a thread that then tries to read outside.
pub(crate) fn stands() -> Result<Standing, Absent> {
    let tried = thread::spawn(|| -> Result<Standing, String> {
        let version = landlock_version()?;
        let is_namespaced = close(&Wall::default()).map_err(|error| error.to_string())?;
        if std::fs::read_dir("/").is_ok() {
            return Err("Landlock was accepted and does not hold".into());
        }
        let namespaces = if is_namespaced { ", namespaces" } else { "" };
        Ok(Standing { mechanisms: format!("Landlock {version}, seccomp{namespaces}") })
    });
    match tried.join() {
        Ok(Ok(standing)) => Ok(standing),
        Ok(Err(reason)) => Err(Absent(reason)),
        Err(_) => Err(Absent("trying it failed".into())),
    }
}

/// Starts the command in a thread that is behind the wall.
pub(crate) fn spawn(mut command: Command, wall: &Wall) -> io::Result<Child> {
    limit(&wall.limits)?;
    let wall = wall.clone();
    let started = thread::spawn(move || {
        close(&wall)?;
        command.spawn()
    });
    started.join().unwrap_or_else(|_| Err(io::Error::other("the wall could not be built")))
}

/// Restricts the whole process to computing and to its open files.
pub(crate) fn isolate(memory: u64) -> Result<(), Absent> {
    // It starts no processes (`seccomp`), so those of the user need not be counted, which takes milliseconds.
    let limits = Limits { memory, processes: 0, files: 64, disk: 0 };
    limit(&limits).map_err(|error| Absent(error.to_string()))?;
    seccomp::isolate().map_err(|error| Absent(error.to_string()))
}

/// Puts this thread behind the wall for good. Returns whether namespaces are part of it.
fn close(wall: &Wall) -> io::Result<bool> {
    let is_namespaced = !wall.without_namespaces && namespaces::enter(wall);
    drop_capabilities()?;
    restrict_files(wall).map_err(io::Error::other)?;
    seccomp::install(is_namespaced, wall.network).map_err(io::Error::other)?;
    Ok(is_namespaced)
}

fn landlock_version() -> Result<String, String> {
    let least = LEAST as u32;
    let ruleset = Ruleset::default()
        .set_compatibility(CompatLevel::HardRequirement)
        .handle_access(AccessFs::from_all(LEAST))
        .and_then(|it| it.scope(Scope::from_all(LEAST)))
        .and_then(Ruleset::create);
    let status = match ruleset {
        Ok(_) => landlock_status(),
        Err(_) => None,
    };
    status.ok_or_else(|| {
        format!("Landlock {least} or newer is needed (Linux 6.12, with `landlock` among `lsm=`)")
    })
}

/// Returns the version of Landlock in use, as the kernel reports it.
fn landlock_status() -> Option<String> {
    let created = Ruleset::default().handle_access(AccessFs::from_all(LEAST)).ok()?.create().ok()?;
    let status = thread::spawn(move || created.restrict_self()).join().ok()?.ok()?;
    match status.landlock {
        LandlockStatus::Available { effective_abi, .. } => Some(effective_abi.to_string()),
        _ => None,
    }
}

/// Restricts this thread to the files of the wall. It reaches no process and no abstract socket outside, and no
/// TCP without the network.
fn restrict_files(wall: &Wall) -> Result<(), landlock::RulesetError> {
    let (all, read) = (AccessFs::from_all(LEAST), AccessFs::from_read(LEAST));
    // A new device file could be the disk itself, and processes outside could connect to a new socket.
    let write = all & !(AccessFs::MakeChar | AccessFs::MakeBlock | AccessFs::MakeSock | AccessFs::IoctlDev);
    let ruleset = Ruleset::default().set_compatibility(CompatLevel::HardRequirement).handle_access(all)?;
    let ruleset = if wall.network { ruleset } else { ruleset.handle_access(AccessNet::from_all(LEAST))? };
    let mut ruleset = ruleset
        .scope(Scope::from_all(LEAST))?
        // Newer kernels restrict more.
        .set_compatibility(CompatLevel::BestEffort)
        .handle_access(AccessFs::from_all(ABI::V9))?
        .create()?;
    let allowed = wall
        .read
        .iter()
        .map(|it| (it.as_path(), read))
        .chain(wall.write.iter().map(|it| (it.as_path(), write)));
    let null = (Path::new("/dev/null"), AccessFs::ReadFile | AccessFs::WriteFile);
    for (path, access) in allowed.chain([null]) {
        let Ok(file) = PathFd::new(path) else { continue }; // missing paths need no rule
        ruleset = ruleset.add_rule(PathBeneath::new(file, fitting(path, access)))?;
    }
    let status = ruleset.restrict_self()?;
    debug_assert_ne!(status.ruleset, RulesetStatus::NotEnforced);
    Ok(())
}

/// Returns the rights that apply to a path; a file has fewer than a folder.
fn fitting(path: &Path, access: BitFlags<AccessFs>) -> BitFlags<AccessFs> {
    if path.is_dir() { access } else { access & AccessFs::from_file(LEAST) }
}

/// Drops every privilege except root's right to read files of others, which the wall limits as well.
fn drop_capabilities() -> io::Result<()> {
    let keep = CapabilitySet::DAC_OVERRIDE | CapabilitySet::DAC_READ_SEARCH;
    for capability in CapabilitySet::all().iter().filter(|it| !keep.contains(*it)) {
        // Fails without privileges, when there are none to drop, and for capabilities that the kernel does not know.
        let _ = rustix::thread::remove_capability_from_bounding_set(capability);
    }
    let held = rustix::thread::capabilities(None)?;
    let kept = CapabilitySets {
        effective: held.effective & keep,
        permitted: held.permitted & keep,
        inheritable: CapabilitySet::empty(),
    };
    rustix::thread::set_capabilities(None, kept)?;
    Ok(())
}

/// Sets the limits of this process and its children. Tighter limits stay as they are.
fn limit(limits: &Limits) -> io::Result<()> {
    let mut all = vec![(Resource::Core, 0), (Resource::Nofile, limits.files)];
    if limits.memory > 0 {
        all.push((Resource::Data, limits.memory));
    }
    if limits.disk > 0 {
        all.push((Resource::Fsize, limits.disk));
    }
    if limits.processes > 0 {
        all.push((Resource::Nproc, namespaces::processes_of_user() + limits.processes));
    }
    for (resource, wanted) in all {
        let held = rustix::process::getrlimit(resource);
        let maximum = held.maximum.map_or(wanted, |it| it.min(wanted));
        rustix::process::setrlimit(resource, Rlimit { current: Some(maximum), maximum: Some(maximum) })?;
    }
    Ok(())
}
