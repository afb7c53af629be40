//! The place of the background process on the machine: its private folder, its socket, and how it is started.

use std::collections::BTreeMap;
use std::ffi::{OsStr, OsString};
use std::fs::{self, DirBuilder, File, OpenOptions};
use std::hash::{DefaultHasher, Hash, Hasher};
use std::io::{self, BufRead, BufReader, Read, Write};
use std::os::unix::fs::{DirBuilderExt, MetadataExt, OpenOptionsExt, PermissionsExt};
use std::os::unix::process::CommandExt;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::time::Duration;

use rustix::fs::{FlockOperation, flock};
use rustix::process::Pid;

use crate::os;
use crate::xdg_dirs;

/// The variables of a terminal or a window, which no server needs.
const OF_TERMINALS: &[&str] =
    &["_", "COLORTERM", "COLUMNS", "LINES", "OLDPWD", "PWD", "SHLVL", "STY", "WINDOWID"];
const PREFIXES_OF_TERMINALS: &[&str] =
    &["SSH_", "TERM", "TMUX", "VTE_", "WEZTERM_", "KITTY_", "ITERM_", "GNOME_TERMINAL_"];

/// The size beyond which the log is begun anew, in bytes.
const LARGEST_LOG: u64 = 1024 * 1024;

/// The longest path of a socket, on Linux and macOS.
const SOCKET_PATH: usize = 100;

/// The time for another process to open its socket, or to give up its lock.
const HANDOVER: Duration = Duration::from_secs(10);
const LOOK: Duration = Duration::from_millis(10);

/// The background process that answers for this one: which executable it runs, and where its socket is.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Background {
    /// The executable, which serves when it is called with `arguments`.
    executable: PathBuf,
    arguments: Vec<OsString>,
    folder: PathBuf,
    name: String,
    /// The variables that decide what it finds. It gets no others.
    environment: BTreeMap<OsString, OsString>,
}

/// Returns the folder of sockets, `$XDG_RUNTIME_DIR/dialect`, or `dialect/run` in the user's cache. It may not be there.
pub(super) fn folder() -> Option<PathBuf> {
    folder_by(xdg_dirs::absolute)
}

/// Returns the folder of sockets by these variables, of which absolute paths count.
fn folder_by(absolute: impl Fn(&str) -> Option<PathBuf>) -> Option<PathBuf> {
    let runtime = absolute("XDG_RUNTIME_DIR").filter(|it| it.is_dir()).map(|it| it.join("dialect"));
    runtime.or_else(|| Some(xdg_dirs::cache_by(absolute)?.join("dialect/run")))
}

/// Returns the variables of this process that servers without a wall get.
pub(super) fn inherited() -> Vec<(OsString, OsString)> {
    let is_of_terminal = |name: &OsStr| {
        name.to_str().is_some_and(|it| {
            OF_TERMINALS.contains(&it) || PREFIXES_OF_TERMINALS.iter().any(|prefix| it.starts_with(prefix))
        })
    };
    let mut all: Vec<_> = std::env::vars_os().filter(|(name, _)| !is_of_terminal(name)).collect();
    all.sort();
    all
}

impl Background {
    /// Returns the background process for an executable, which serves when it is called with `arguments`. Processes with
    /// other variables have another one.
    ///
    /// # Errors
    /// The user has no folder for it, or the executable is gone.
    pub fn of(
        executable: &Path,
        arguments: &[&str],
        environment: BTreeMap<OsString, OsString>,
    ) -> io::Result<Self> {
        let variable = |name: &str| {
            let value = environment.get(OsStr::new(name)).map(PathBuf::from);
            value.filter(|it| it.is_absolute())
        };
        let folder = folder_by(variable).ok_or_else(|| io::Error::other("the user has no home folder"))?;
        let mut hasher = DefaultHasher::new();
        (env!("CARGO_PKG_VERSION"), identity(executable)?, &environment).hash(&mut hasher);
        let name = format!("{:016x}", hasher.finish());
        let arguments = arguments.iter().map(OsString::from).collect();
        Ok(Self { executable: executable.to_owned(), arguments, folder, name, environment })
    }

    /// Returns `false` if the executable is not the one that was started: there is a newer one.
    pub(super) fn is_current(&self, identity_at_start: &Identity) -> bool {
        identity(&self.executable).is_ok_and(|it| it == *identity_at_start)
    }

    /// Returns the executable.
    pub(super) fn executable(&self) -> &Path {
        &self.executable
    }

    /// Returns the path of the socket.
    pub(super) fn socket(&self) -> PathBuf {
        self.folder.join(format!("{}.sock", self.name))
    }

    fn lock_file(&self) -> PathBuf {
        self.folder.join(format!("{}.lock", self.name))
    }

    /// Returns the file with the process's log.
    pub fn log(&self) -> PathBuf {
        self.folder.join(format!("{}.log", self.name))
    }

    /// Creates the folder of sockets, and checks that it is the user's alone.
    fn make_folder(&self) -> io::Result<()> {
        DirBuilder::new().recursive(true).mode(0o700).create(&self.folder)?;
        let found = self.folder.symlink_metadata()?;
        let is_ours = found.is_dir() && found.uid() == rustix::process::geteuid().as_raw();
        if !is_ours || found.permissions().mode() & 0o077 != 0 {
            return Err(io::Error::other(format!(
                "{} is not a private folder of the user",
                self.folder.display()
            )));
        }
        if self.socket().as_os_str().len() > SOCKET_PATH {
            return Err(io::Error::other(format!(
                "the path of {} is too long for a socket",
                self.folder.display()
            )));
        }
        Ok(())
    }

    /// Returns the secret that clients show. A process that can connect to the socket but not read the user's files does
    /// not know it.
    ///
    /// # Errors
    /// It cannot be read or written.
    pub(super) fn key(&self) -> io::Result<String> {
        key(&self.folder)
    }

    /// Takes the lock that one process has at a time. Waits for one that is ending; `None` if another serves.
    pub(super) fn lock(&self) -> io::Result<Option<File>> {
        self.make_folder()?;
        let mut file =
            OpenOptions::new().create(true).truncate(false).write(true).mode(0o600).open(self.lock_file())?;
        let until = std::time::Instant::now() + HANDOVER;
        loop {
            match flock(&file, FlockOperation::NonBlockingLockExclusive) {
                Ok(()) => {
                    file.set_len(0)?;
                    write!(file, "{}", std::process::id())?; // for `memory_of_others`
                    return Ok(Some(file));
                }
                Err(error) if error != rustix::io::Errno::WOULDBLOCK => return Err(error.into()),
                Err(_) if std::os::unix::net::UnixStream::connect(self.socket()).is_ok() => return Ok(None),
                Err(_) if std::time::Instant::now() >= until => {
                    return Err(io::Error::other("another process has the lock and opens no socket"));
                }
                // The kernel tells nobody that a lock is free but who waits for it, and that one cannot look at the socket.
                Err(_) => std::thread::sleep(LOOK),
            }
        }
    }

    /// Returns the memory of the user's other background processes with all that they run, in bytes; blocking.
    pub(crate) fn memory_of_others(&self) -> u64 {
        let Ok(entries) = fs::read_dir(&self.folder) else { return 0 };
        let paths = entries.flatten().map(|it| it.path());
        let locks =
            paths.filter(|it| it.extension().is_some_and(|it| it == "lock") && *it != self.lock_file());
        locks.filter_map(|it| os::memory_of(holder(&it)?)).sum()
    }

    /// Starts the process, and waits until its socket is open; blocking. Does nothing more if another process was faster.
    ///
    /// # Errors
    /// It does not start, with what it said.
    pub(super) fn start(&self) -> io::Result<()> {
        self.make_folder()?;
        self.key()?;
        let log = OpenOptions::new().create(true).append(true).mode(0o600).open(self.log())?;
        if log.metadata()?.len() > LARGEST_LOG {
            log.set_len(0)?;
        }
        let mut command = Command::new(&self.executable);
        command.args(&self.arguments).env_clear().envs(&self.environment).current_dir("/");
        // The log's level is no matter of what it finds.
        command
            .envs(["DIALECT_LOG", "RUST_LOG"].into_iter().filter_map(|it| Some((it, std::env::var_os(it)?))));
        command.stdin(Stdio::null()).stdout(Stdio::piped()).stderr(log);
        // No signal for this process's terminal reaches it.
        command.process_group(0);
        let mut child = command.spawn()?;
        let mut said = String::new();
        let output = child.stdout.take().expect("it is piped");
        BufReader::new(output.take(1_000)).read_line(&mut said)?;
        match said.trim_end() {
            "serving" => {
                // It outlives this process; until then, somebody has to take its exit code.
                std::thread::spawn(move || child.wait());
                Ok(())
            }
            "another serves" => child.wait().map(drop),
            other => {
                let status = child.wait()?;
                let log = self.log();
                Err(io::Error::other(format!("it ended ({status}): {other}; its log is {}", log.display())))
            }
        }
    }
}

/// Returns the process that has a lock, if one has.
fn holder(lock: &Path) -> Option<Pid> {
    let file = File::open(lock).ok()?;
    // What an ended process wrote is the number of another one by now.
    flock(&file, FlockOperation::NonBlockingLockShared).is_err().then_some(())?;
    Pid::from_raw(io::read_to_string(file).ok()?.parse().ok()?)
}

/// The identity of an executable, which another version of it does not have.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(super) struct Identity([i64; 5]);

/// Returns the identity of an executable. Hashing its content would take longer than most questions.
pub(super) fn identity(executable: &Path) -> io::Result<Identity> {
    let found = executable.metadata()?;
    let signed = |it: u64| it.cast_signed();
    Ok(Identity([
        signed(found.dev()),
        signed(found.ino()),
        signed(found.size()),
        found.mtime(),
        found.mtime_nsec(),
    ]))
}

/// Returns the secret in a folder of sockets; the first call makes it.
///
/// # Errors
/// It cannot be read or written.
pub(super) fn key(folder: &Path) -> io::Result<String> {
    let path = folder.join("key");
    if let Ok(key) = fs::read_to_string(&path)
        && !key.is_empty()
    {
        return Ok(key);
    }
    let mut random = [0; 32];
    File::open("/dev/urandom")?.read_exact(&mut random)?;
    let mut draft = tempfile::NamedTempFile::new_in(folder)?; // readable by the user alone
    draft.write_all(hex::encode(random).as_bytes())?;
    match draft.persist_noclobber(&path) {
        Err(error) if error.error.kind() != io::ErrorKind::AlreadyExists => Err(error.error),
        // Another process was faster, or this one made it.
        _ => fs::read_to_string(path),
    }
}

/// Says to who started this process that it serves, or why not, and closes standard output.
pub(super) fn report(words: &str) {
    let mut output = io::stdout().lock();
    let _ = writeln!(output, "{words}").and_then(|()| output.flush()); // nobody may listen
    drop(output);
    os::close_output();
}
