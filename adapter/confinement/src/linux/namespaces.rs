//! Namespaces, where the kernel and its settings allow them: no network and no shared IPC objects. The file system
//! is read-only outside of the wall's writable folders, including modes and times of files.

use std::fs;
use std::path::{Path, PathBuf};

use nix::sched::{CloneFlags, unshare};
use rustix::mount::{MountFlags, MountPropagationFlags, mount_bind, mount_change, mount_remount};

use crate::Wall;

/// Enters a user namespace with the same user id in it. Root needs none.
pub(crate) fn enter_user_namespace() {
    let (user, group) = (rustix::process::geteuid(), rustix::process::getegid());
    if user.is_root() || unshare(CloneFlags::CLONE_NEWUSER).is_err() {
        return;
    }
    let (user, group) = (user.as_raw(), group.as_raw());
    // Without a mapping, files seem to belong to `nobody`, but can be used.
    let _ = fs::write("/proc/self/setgroups", "deny");
    let _ = fs::write("/proc/self/uid_map", format!("{user} {user} 1"));
    let _ = fs::write("/proc/self/gid_map", format!("{group} {group} 1"));
}

/// Enters the namespaces that this thread can enter. Returns whether all mounts outside of the writable folders are
/// read-only.
pub(super) fn enter(wall: &Wall) -> bool {
    let isolated = unshare(CloneFlags::CLONE_NEWNS);
    // Landlock and seccomp work without these.
    if !wall.network {
        let _ = unshare(CloneFlags::CLONE_NEWNET);
    }
    let _ = unshare(CloneFlags::CLONE_NEWIPC);
    isolated.is_ok() && make_read_only(wall).is_some()
}

/// Makes every mount read-only, except those of the writable folders.
fn make_read_only(wall: &Wall) -> Option<()> {
    // Keeps the following changes inside of this namespace.
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

/// Returns whether a mount can be reached. One that another mount hides need not be restricted.
fn is_reachable(mount: &Path) -> bool {
    fs::symlink_metadata(mount).is_ok()
}

/// Returns the mounts of this thread, with the flags that an unprivileged process must not clear.
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

/// Decodes a path of the kernel's table, in which blanks and backslashes are octal numbers.
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

/// Returns the number of processes and threads of this user, which the kernel counts together.
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
