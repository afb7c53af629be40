//! Canaries: files, a secret, sockets and a process that code of a workspace must not reach. None of that code may
//! outlive the session either.

use std::collections::BTreeSet;
use std::fmt;
use std::io::{BufRead, BufReader, Read};
use std::net::TcpListener;
use std::os::unix::net::UnixListener;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::sync::atomic::{AtomicU32, Ordering};

use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};
use unpoisoned::lock;

use anyhow::Result;

use crate::processes::{self, Process};

const SECRET: &str = "a secret of the user's";

/// A way in which code of a workspace got out of it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Breach {
    /// It wrote a file in the home folder.
    Home,
    /// It wrote a file in the temporary folder of everybody.
    Temporary,
    /// It read a secret and kept a copy.
    Secret,
    /// It reached a listener on the loopback interface.
    Tcp,
    /// It reached a listener on a path.
    Unix,
    /// It ended a process that is not its own.
    Signal,
    /// A process of it lives on.
    Survivor,
}

impl Breach {
    /// All that a payload tries.
    pub const ALL: [Self; 7] =
        [Self::Home, Self::Temporary, Self::Secret, Self::Tcp, Self::Unix, Self::Signal, Self::Survivor];
}

impl fmt::Display for Breach {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Home => "home",
            Self::Temporary => "tmp",
            Self::Secret => "secret",
            Self::Tcp => "tcp",
            Self::Unix => "unix",
            Self::Signal => "signal",
            Self::Survivor => "survivor",
        })
    }
}

/// The canaries of one session; several traps share the listeners and the secret.
#[derive(Debug)]
pub struct Canaries {
    folder: PathBuf,
    secret: PathBuf,
    socket: PathBuf,
    port: u16,
    heard_tcp: Heard,
    heard_unix: Heard,
}

type Heard = Arc<Mutex<BTreeSet<String>>>;

/// The canaries of one trap.
#[derive(Debug)]
pub struct Watch {
    /// The trap's name in its payload.
    pub name: String,
    victim: Child,
    survivor: String,
}

/// Traces that all traps have left so far.
#[derive(Clone, Debug)]
pub struct Traces {
    /// The names of their files.
    files: BTreeSet<String>,
    /// The words of the command lines of all processes.
    words: BTreeSet<String>,
}

impl Canaries {
    /// Sets them up in a home folder and beside it.
    ///
    /// # Errors
    /// When the disk or the network refuses.
    pub fn new(home: &Path) -> Result<Self> {
        let folder = home.join("canaries");
        let secret = home.join(".ssh/id_secret");
        let socket = home.join("listener");
        std::fs::create_dir_all(&folder)?;
        std::fs::create_dir_all(home.join(".ssh"))?;
        std::fs::write(&secret, SECRET)?;
        let (heard_tcp, heard_unix) = (Heard::default(), Heard::default());
        let tcp = TcpListener::bind("127.0.0.1:0")?;
        let port = tcp.local_addr()?.port();
        let heard = Arc::clone(&heard_tcp);
        std::thread::spawn(move || tcp.incoming().flatten().for_each(|it| hear(it, &heard)));
        let unix = UnixListener::bind(&socket)?;
        let heard = Arc::clone(&heard_unix);
        std::thread::spawn(move || unix.incoming().flatten().for_each(|it| hear(it, &heard)));
        Ok(Self { folder, secret, socket, port, heard_tcp, heard_unix })
    }

    /// Watches one trap.
    ///
    /// # Errors
    /// When the process that it may signal does not start.
    pub fn watch(&self, trap: &str) -> Result<Watch> {
        static WATCHES: AtomicU32 = AtomicU32::new(1);
        let n = WATCHES.fetch_add(1, Ordering::Relaxed);
        let id = format!("{}{n:05}", std::process::id());
        let victim = Command::new("sleep").arg("600").stdin(Stdio::null()).spawn()?;
        // An amount of time that nobody else sleeps for.
        Ok(Watch { name: format!("{trap}-{id}"), victim, survivor: format!("0.00{id}7") })
    }

    /// Returns the text that is written into the payload of a trap.
    pub fn words(&self, watch: &Watch) -> String {
        let (folder, secret, socket) = (self.folder.display(), self.secret.display(), self.socket.display());
        let (victim, port) = (watch.victim.id(), self.port);
        format!("{}\n{folder}\n{secret}\n{port}\n{socket}\n{victim}\n{}", watch.name, watch.survivor)
    }

    /// The listener's port.
    pub fn port(&self) -> u16 {
        self.port
    }

    /// Returns the breaches of a trap so far.
    pub fn breaches(&self, watch: &mut Watch, traces: &Traces) -> BTreeSet<Breach> {
        let name = watch.name.clone();
        let has = |heard: &Heard| lock(heard).contains(&name);
        let is_signalled = !matches!(watch.victim.try_wait(), Ok(None));
        let found = [
            (Breach::Home, self.folder.join(format!("trap-ran-{name}")).exists()),
            (Breach::Temporary, temporary(&name).exists()),
            (Breach::Secret, traces.has("secret", &name)),
            (Breach::Tcp, has(&self.heard_tcp)),
            (Breach::Unix, has(&self.heard_unix)),
            (Breach::Signal, is_signalled),
            (Breach::Survivor, traces.words.contains(&watch.survivor)),
        ];
        found.into_iter().filter(|(_, is_found)| *is_found).map(|(it, _)| it).collect()
    }

    /// Returns whether its code ran at all, by the marks that it left where it may write.
    pub fn ran(&self, watch: &Watch, traces: &Traces) -> bool {
        self.folder.join(format!("trap-ran-{}", watch.name)).exists() || traces.has("mark", &watch.name)
    }
}

impl Traces {
    /// Looks for all of them once. `everything` is a folder that all places lie in where traps may write.
    pub fn new(everything: &Path) -> Self {
        let mut files = BTreeSet::new();
        let mut folders = vec![everything.to_owned()];
        while let Some(folder) = folders.pop() {
            for entry in std::fs::read_dir(folder).into_iter().flatten().flatten() {
                match entry.file_type() {
                    Ok(it) if it.is_dir() => folders.push(entry.path()),
                    Ok(_) if entry.file_name().as_encoded_bytes().starts_with(b"trap-") => {
                        files.insert(entry.file_name().to_string_lossy().into_owned());
                    }
                    _ => {}
                }
            }
        }
        Self { files, words: processes::words() }
    }

    /// Returns whether the payload of a trap left a file of that kind.
    fn has(&self, kind: &str, name: &str) -> bool {
        self.files.contains(&format!("trap-{kind}-{name}"))
    }
}

impl Watch {
    fn survivors(&self) -> Vec<Process> {
        processes::with_argument(&self.survivor)
    }

    /// Waits until what outlives the session had the time to end; what is about to end is no breach.
    pub fn settle(&self, limit: Duration) {
        let began = Instant::now();
        while !self.survivors().is_empty() && began.elapsed() < limit {
            std::thread::sleep(Duration::from_millis(20)); // nothing tells when a foreign process ends
        }
    }
}

impl Drop for Watch {
    fn drop(&mut self) {
        let _ = self.victim.kill(); // it may be gone already
        let _ = self.victim.wait();
        self.survivors().iter().for_each(Process::kill);
        let _ = std::fs::remove_file(temporary(&self.name));
    }
}

fn temporary(name: &str) -> PathBuf {
    Path::new("/tmp").join(format!("trap-tmp-{name}"))
}

fn hear(from: impl Read, heard: &Heard) {
    let mut line = String::new();
    let _ = BufReader::new(from.take(128)).read_line(&mut line); // a connection that says nothing names no trap
    lock(heard).insert(line.trim().to_owned());
}
