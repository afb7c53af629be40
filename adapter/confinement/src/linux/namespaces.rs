//! Namespaces, where the kernel and its settings let us have them: no network, no shared objects, and a file system in
//! which only what the wall lets a process write can be changed at all, modes and times of files included.

use std::fs;
use std::path::{Path, PathBuf};

use nix::sched::{CloneFlags, unshare};
use rustix::mount::{MountFlags, MountPropagationFlags, mount_bind, mount_change, mount_remount};

use crate::Wall;

/// Enters a user namespace in which this user is himself, unless he is root, who needs none.
pub(crate) fn enter_user_namespace() {
    let (user, group) = (rustix::process::geteuid(), rustix::process::getegid());
    if user.is_root() || unshare(CloneFlags::CLONE_NEWUSER).is_err() {
        return;
    }
    let (user, group) = (user.as_raw(), group.as_raw());
    // Without a mapping files look like nobody's, and work all the same.
    let _ = fs::write("/proc/self/setgroups", "deny");
    let _ = fs::write("/proc/self/uid_map", format!("{user} {user} 1"));
    let _ = fs::write("/proc/self/gid_map", format!("{group} {group} 1"));
}

/// Enters the namespaces that this thread can enter. Returns whether all mounts but those that may be written are
/// read-only now.
pub(super) fn enter(wall: &Wall) -> bool {
    let isolated = unshare(CloneFlags::CLONE_NEWNS);
    // Without them Landlock and seccomp hold all the same.
    let _ = unshare(CloneFlags::CLONE_NEWNET);
    let _ = unshare(CloneFlags::CLONE_NEWIPC);
    isolated.is_ok() && make_read_only(wall).is_some()
}

/// Makes every mount read-only but those of the folders that may be written.
fn make_read_only(wall: &Wall) -> Option<()> {
    // Nothing of what follows reaches the namespace that we came from.
    mount_change("/", MountPropagationFlags::REC | MountPropagationFlags::PRIVATE).ok()?;
    let mut open: Vec<PathBuf> = Vec::new();
    for folder in &wall.write {
        let folder = folder.canonicalize().ok()?;
        mount_bind(&folder, &folder).ok()?;
        open.push(folder);
    }
    for (mount, flags) in mounts()? {
        if open.iter().any(|it| mount.starts_with(it)) {
            continue;
        }
        if mount_remount(&mount, MountFlags::BIND | MountFlags::RDONLY | flags, c"").is_err()
            && is_reachable(&mount)
        {
            return None;
        }
    }
    Some(())
}

/// One mount may hide another of the same path or above; what cannot be reached need not be closed.
fn is_reachable(mount: &Path) -> bool {
    fs::symlink_metadata(mount).is_ok()
}

/// The mounts of this thread with the flags that have to stay, since who lacks privileges may not clear them.
fn mounts() -> Option<Vec<(PathBuf, MountFlags)>> {
    let table = fs::read_to_string("/proc/thread-self/mountinfo").ok()?;
    let mounts = table.lines().filter_map(|line| {
        let mut fields = line.split(' ').skip(4);
        let (path, options) = (unescaped(fields.next()?), fields.next()?);
        let flags = options.split(',').map(|it| match it {
            "nosuid" => MountFlags::NOSUID,
            "nodev" => MountFlags::NODEV,
            "noexec" => MountFlags::NOEXEC,
            "noatime" => MountFlags::NOATIME,
            "nodiratime" => MountFlags::NODIRATIME,
            "relatime" => MountFlags::RELATIME,
            _ => MountFlags::empty(),
        });
        Some((path, flags.fold(MountFlags::empty(), MountFlags::union)))
    });
    Some(mounts.collect())
}

/// A path of the kernel's table, in which blanks and backslashes are written as octal numbers.
fn unescaped(path: &str) -> PathBuf {
    use std::os::unix::ffi::OsStringExt;
    let mut bytes = Vec::with_capacity(path.len());
    let mut rest = path.as_bytes();
    while let Some((first, after)) = rest.split_first() {
        let number =
            (*first == b'\\').then(|| after.get(..3)).flatten().and_then(|it| std::str::from_utf8(it).ok());
        match number.and_then(|it| u8::from_str_radix(it, 8).ok()) {
            Some(byte) => {
                bytes.push(byte);
                rest = &after[3..];
            }
            None => {
                bytes.push(*first);
                rest = after;
            }
        }
    }
    PathBuf::from(std::ffi::OsString::from_vec(bytes))
}

/// How many processes and threads this user has: the kernel counts them together.
pub(super) fn processes_of_user() -> u64 {
    let user = format!("\nUid:\t{}\t", rustix::process::getuid().as_raw());
    let all = fs::read_dir("/proc").into_iter().flatten().flatten();
    let statuses = all.filter_map(|it| fs::read_to_string(it.path().join("status")).ok());
    let threads = statuses
        .filter(|it| it.contains(&user))
        .filter_map(|it| it.lines().find_map(|it| it.strip_prefix("Threads:")?.trim().parse::<u64>().ok()));
    threads.sum()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn paths_of_mounts_are_read_as_they_are() {
        assert_eq!(unescaped(r"/a\040b\134c"), Path::new(r"/a b\c"));
        assert_eq!(unescaped(r"/a\04"), Path::new(r"/a\04"));
    }
}
