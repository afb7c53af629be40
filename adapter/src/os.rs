//! Calls of the operating system: process groups, orphans, hang-ups, opening files without following links.

pub(crate) mod beneath;
pub(crate) mod watch;

use std::fs::File;
use std::io::{self, Stdin};
use std::os::fd::AsFd;
use std::path::{Component, Path};
use std::process::ExitCode;

use rustix::event::{PollFd, PollFlags, Timespec, poll};
use rustix::fs::{Mode, OFlags};
use rustix::io::Errno;
use rustix::process::{Pid, Signal, WaitOptions, WaitStatus};

/// Returns the parent process; it changes once the original parent has ended.
pub(crate) fn parent() -> Option<Pid> {
    rustix::process::getppid()
}

/// Makes this process the leader of its own process group, unless it is one.
pub(crate) fn lead_group() {
    // It fails only where this process leads a group or a session already.
    let _ = rustix::process::setpgid(None, None);
}

/// Makes this process the leader of its own session, so that no signal for the group or the terminal of its parent
/// reaches it.
pub(crate) fn lead_session() {
    // It fails only where this process leads a group already.
    let _ = rustix::process::setsid();
}

/// Closes standard output, which then leads nowhere.
pub(crate) fn close_output() {
    if let Ok(nowhere) = File::options().write(true).open("/dev/null") {
        // It fails only without descriptors.
        let _ = rustix::stdio::dup2_stdout(nowhere);
    }
}

/// Makes this process the parent of every orphaned descendant, so that none escapes.
#[cfg(target_os = "linux")]
pub(crate) fn adopt_orphans() {
    // Linux has it since 3.4. Without it, only the process group remains.
    let _ = rustix::process::set_child_subreaper(Some(rustix::process::getpid()));
}

#[cfg(not(target_os = "linux"))]
pub(crate) fn adopt_orphans() {}

/// Lowers this thread's priority to the minimum.
#[cfg(target_os = "linux")]
pub(crate) fn lower_priority() {
    // The call affects only the calling thread.
    let _ = rustix::process::setpriority_process(None, 19);
}

#[cfg(not(target_os = "linux"))]
pub(crate) fn lower_priority() {}

/// Opens a file for reading by its canonical path without following any symbolic link. A link that replaced a
/// part of the path fails with `ELOOP`. A pipe or a device does not block.
pub(crate) fn open_unlinked(path: &Path) -> io::Result<File> {
    #[cfg(target_os = "linux")]
    {
        use rustix::fs::{CWD, ResolveFlags, openat2};
        let flags = ResolveFlags::NO_SYMLINKS | ResolveFlags::NO_MAGICLINKS;
        match openat2(CWD, path, READ, Mode::empty(), flags) {
            // Kernels before 5.6 lack it, and some containers forbid it.
            Err(Errno::NOSYS | Errno::PERM) => {}
            opened => return Ok(opened?.into()),
        }
    }
    open_step_by_step(path)
}

/// Returns whether opening failed because of a symbolic link on the path.
pub(crate) fn is_link(error: &io::Error) -> bool {
    error.raw_os_error() == Some(Errno::LOOP.raw_os_error())
}

/// The flags for opening a file for reading.
const READ: OFlags = OFlags::RDONLY
    .union(OFlags::CLOEXEC)
    .union(OFlags::NOCTTY)
    .union(OFlags::NONBLOCK)
    .union(OFlags::NOFOLLOW);

/// Opens each folder on the path relative to the one before.
fn open_step_by_step(path: &Path) -> io::Result<File> {
    let names: Vec<_> = path
        .components()
        .map(|it| match it {
            Component::RootDir => Ok(None),
            Component::Normal(name) => Ok(Some(name)),
            _ => Err(io::Error::new(io::ErrorKind::InvalidInput, "the path is not canonical")),
        })
        .collect::<Result<Vec<_>, _>>()?;
    let [None, names @ .., Some(last)] = names.as_slice() else {
        return Err(io::Error::new(io::ErrorKind::InvalidInput, "the path is not absolute"));
    };
    let mut folder = rustix::fs::open("/", READ | OFlags::DIRECTORY, Mode::empty())?;
    for name in names.iter().flatten() {
        folder = rustix::fs::openat(&folder, *name, READ | OFlags::DIRECTORY, Mode::empty())?;
    }
    Ok(rustix::fs::openat(&folder, *last, READ, Mode::empty())?.into())
}

/// Waits until the other end of `stdin` is closed, for at most a second. Reads nothing.
pub(crate) fn has_hung_up(stdin: &Stdin) -> bool {
    // A hang-up is always reported; the bytes belong to the server.
    let mut fds = [PollFd::from_borrowed_fd(stdin.as_fd(), PollFlags::empty())];
    let second = Timespec { tv_sec: 1, tv_nsec: 0 };
    let woke = poll(&mut fds, Some(&second)).is_ok_and(|count| count > 0);
    woke && fds[0].revents().intersects(PollFlags::HUP | PollFlags::ERR | PollFlags::NVAL)
}

/// Returns this process's children, zombies included; `None` if the operating system has no list.
pub(crate) fn children() -> Option<Vec<Pid>> {
    children_of("self")
}

fn children_of(process: &str) -> Option<Vec<Pid>> {
    let tasks = std::fs::read_dir(format!("/proc/{process}/task")).ok()?;
    // A thread that has ended has no list. If none has one, the kernel was built without it.
    let lists: Vec<_> =
        tasks.flatten().filter_map(|it| std::fs::read_to_string(it.path().join("children")).ok()).collect();
    let pids = lists.iter().flat_map(|it| it.split_ascii_whitespace());
    (!lists.is_empty()).then(|| pids.filter_map(|it| Pid::from_raw(it.parse().ok()?)).collect())
}

/// Returns the resident memory of a process and its descendants in bytes; `None` if it is unknown or the
/// process is gone.
pub(crate) fn memory_of(root: Pid) -> Option<u64> {
    let (mut all, mut left) = (0, vec![root]);
    while let Some(pid) = left.pop() {
        let process = pid.as_raw_nonzero().to_string();
        all += number_of("VmRSS", &format!("/proc/{process}/status")).unwrap_or(0);
        // A process that has ended meanwhile has no children.
        left.extend(children_of(&process).unwrap_or_default());
    }
    (all > 0).then_some(all)
}

/// Returns the memory of this machine or container in bytes.
pub(crate) fn memory() -> Option<u64> {
    let machine = number_of("MemTotal", "/proc/meminfo");
    let container = std::fs::read_to_string("/sys/fs/cgroup/memory.max").ok();
    machine.into_iter().chain(container.and_then(|it| it.trim().parse().ok())).min()
}

/// Reads a line `name: number kB` of a file, in bytes.
fn number_of(name: &str, file: &str) -> Option<u64> {
    let text = std::fs::read_to_string(file).ok()?;
    let line = text.lines().find_map(|it| it.strip_prefix(name)?.strip_prefix(':'))?;
    line.trim().strip_suffix("kB")?.trim().parse::<u64>().ok().map(|it| it * 1024)
}

/// Kills one process.
pub(crate) fn kill(pid: Pid) {
    let _ = rustix::process::kill_process(pid, Signal::KILL);
}

/// Kills the process group of `leader`.
pub(crate) fn kill_group(leader: Pid) {
    let _ = rustix::process::kill_process_group(leader, Signal::KILL);
}

/// Kills this process's group, this process included.
pub(crate) fn kill_own_group() {
    let _ = rustix::process::kill_current_process_group(Signal::KILL);
}

/// Waits until a child ends; `None` when there is no child.
pub(crate) fn wait_for_child() -> Option<(Pid, WaitStatus)> {
    loop {
        match rustix::process::wait(WaitOptions::empty()) {
            Ok(ended) => return ended,
            Err(Errno::INTR) => {}
            Err(_) => return None,
        }
    }
}

/// Converts a status to an exit code as shells do: the code, or 128 plus the signal.
pub(crate) fn exit_code(status: WaitStatus) -> ExitCode {
    let number = match (status.exit_status(), status.terminating_signal()) {
        (Some(code), _) => code,
        (None, Some(signal)) => 128 + signal,
        (None, None) => 1,
    };
    ExitCode::from(u8::try_from(number).unwrap_or(1))
}

#[cfg(test)]
mod tests {
    use std::fs;
    use std::io::Read;
    use std::os::unix::fs::symlink;

    use super::*;

    #[test]
    fn no_link_on_the_way_is_followed() {
        let dir = tempfile::tempdir().unwrap();
        let root = dir.path().canonicalize().unwrap();
        fs::create_dir_all(root.join("a/b")).unwrap();
        fs::write(root.join("a/b/plain"), "plain").unwrap();
        symlink(root.join("a"), root.join("folder")).unwrap();
        symlink("plain", root.join("a/b/link")).unwrap();
        for open in [open_unlinked, open_step_by_step] {
            let mut text = String::new();
            open(&root.join("a/b/plain")).unwrap().read_to_string(&mut text).unwrap();
            assert_eq!(text, "plain");
            for linked in ["folder/b/plain", "a/b/link"] {
                let error = open(&root.join(linked)).unwrap_err();
                assert!(is_link(&error) || error.kind() == io::ErrorKind::NotADirectory, "{linked}: {error}");
            }
            assert_eq!(open(&root.join("a/none")).unwrap_err().kind(), io::ErrorKind::NotFound);
        }
    }
}
