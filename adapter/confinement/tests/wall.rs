//! Attacks from behind the wall, each as a process of its own. Each is tried four times. Without a wall it has to
//! succeed, or it would prove nothing. Behind the wall, and behind the wall without namespaces, it has to fail. Behind
//! the wall with a network, only the network is there.

#![expect(clippy::unwrap_used, reason = "a test that cannot go on fails")]

use std::fs;
use std::io::{self, Write};
use std::net::{TcpListener, TcpStream, UdpSocket};
use std::os::unix::fs::PermissionsExt;
use std::os::unix::net::{UnixDatagram, UnixListener, UnixStream};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, ExitCode, Stdio};
use std::time::SystemTime;

use confinement::Wall;
use libtest_mimic::{Arguments, Failed, Trial};
use rustix::process::{Pid, Signal, kill_process, test_kill_process};

/// An attack: its name, and what a process does with the folder that the test made, and the process id of a victim.
type Attack = fn(&Targets) -> io::Result<()>;

/// The attacks by name.
const ATTACKS: &[(&str, Attack)] = &[
    ("writes a file outside", |it| fs::write(it.outside("new"), "x")),
    ("appends to a file outside", |it| {
        fs::File::options().append(true).open(it.outside("secret"))?.write_all(b"x")
    }),
    ("truncates a file outside", |it| {
        rustix::fs::ftruncate(fs::File::options().write(true).open(it.outside("secret"))?, 0)
            .map_err(Into::into)
    }),
    ("removes a file outside", |it| fs::remove_file(it.outside("secret"))),
    ("makes a folder outside", |it| fs::create_dir(it.outside("folder"))),
    ("moves a file outside", |it| fs::rename(it.outside("secret"), it.outside("moved"))),
    ("moves a file out", |it| {
        fs::write(it.own("made"), "x")?;
        fs::rename(it.own("made"), it.outside("made"))
    }),
    ("links a file outside", |it| fs::hard_link(it.outside("secret"), it.own("link"))),
    ("reads a secret", |it| fs::read(it.outside("secret")).map(drop)),
    ("reads a secret through a link", |it| {
        let _ = std::os::unix::fs::symlink(it.outside("secret"), it.own("soft"));
        fs::read(it.own("soft")).map(drop)
    }),
    ("lists a folder", |it| fs::read_dir(it.outside("")).map(drop)),
    ("changes the mode of a file by path", |it| {
        fs::set_permissions(it.outside("secret"), fs::Permissions::from_mode(0o777))
    }),
    ("changes the times of a file by path", |it| {
        let now = rustix::fs::Timespec { tv_sec: 0, tv_nsec: 0 };
        let times = rustix::fs::Timestamps { last_access: now, last_modification: now };
        rustix::fs::utimensat(rustix::fs::CWD, it.outside("secret"), &times, rustix::fs::AtFlags::empty())
            .map_err(Into::into)
    }),
    ("writes a file that it may read", |it| fs::write(it.readable("source"), "x")),
    ("writes beside a file that it may read", |it| fs::write(it.readable("new"), "x")),
    ("reads the environment of another process", |it| {
        fs::read(format!("/proc/{}/environ", it.victim)).map(drop)
    }),
    ("reads the command line of another process", |it| {
        fs::read(format!("/proc/{}/cmdline", it.victim)).map(drop)
    }),
    ("signals another process", |it| test_kill_process(it.victim()).map_err(Into::into)),
    ("stops another process", |it| {
        kill_process(it.victim(), Signal::STOP)?;
        kill_process(it.victim(), Signal::CONT).map_err(Into::into)
    }),
    ("limits another process", |it| {
        let limit = rustix::process::Rlimit { current: Some(64), maximum: Some(64) };
        rustix::process::prlimit(Some(it.victim()), rustix::process::Resource::Nofile, limit)
            .map(drop)
            .map_err(Into::into)
    }),
    ("lowers the priority of another process", |it| {
        rustix::process::setpriority_process(Some(it.victim()), 19).map_err(Into::into)
    }),
    ("connects over TCP", |it| TcpStream::connect(("127.0.0.1", it.port)).map(drop)),
    ("listens over TCP", |_| TcpListener::bind("127.0.0.1:0").map(drop)),
    ("sends over UDP", |it| UdpSocket::bind("127.0.0.1:0")?.send_to(b"x", ("127.0.0.1", it.port)).map(drop)),
    ("connects to a socket by path", |it| UnixStream::connect(it.outside("socket")).map(drop)),
    ("connects to a socket that it may see", |it| UnixStream::connect(it.readable("socket")).map(drop)),
    ("listens at a path of its own", |it| UnixListener::bind(it.own("listens")).map(drop)),
    ("aims a pair of sockets anew", |it| {
        let (one, _other) = UnixDatagram::pair()?;
        one.send_to(b"x", it.outside("datagrams")).map(drop)
    }),
    ("connects one of a pair of sockets anew", |it| {
        let (one, _other) = UnixDatagram::pair()?;
        one.connect(it.readable("datagrams"))
    }),
    ("mounts", |it| rustix::mount::mount_bind(it.readable(""), it.own("mounted")).map_err(Into::into)),
    ("executes what it may not read", |it| Command::new(it.outside("tool")).status().map(drop)),
];

/// The attacks that a wall with a network permits. It does not permit services.
const NETWORK: &[&str] = &["connects over TCP", "sends over UDP"];

/// The work that has to succeed behind the wall, as builds do it.
const CHORES: &[(&str, Attack)] = &[
    ("reads what it may read", |it| fs::read(it.readable("source")).map(drop)),
    ("writes in its own folder", |it| fs::write(it.own("out"), "x")),
    ("makes a program and runs it", |it| {
        fs::copy("/bin/true", it.own("true"))?;
        let ended = Command::new(it.own("true")).status()?;
        if ended.success() { Ok(()) } else { Err(io::Error::other(ended.to_string())) }
    }),
    ("moves and links between its folders", |it| {
        fs::create_dir_all(it.own("a"))?;
        fs::write(it.own("a/x"), "x")?;
        let _ = fs::remove_file(it.own("y"));
        fs::hard_link(it.own("a/x"), it.own("y"))?;
        fs::rename(it.own("y"), it.own("a/z"))
    }),
    ("sets the time of its own open file", |it| {
        let file = fs::File::create(it.own("timed"))?;
        file.set_modified(SystemTime::UNIX_EPOCH)
    }),
    ("sets the mode of its own open file", |it| {
        fs::File::create(it.own("moded"))?.set_permissions(fs::Permissions::from_mode(0o755))
    }),
    ("starts a shell with a pipe", |_| {
        let output = Command::new("/bin/sh").args(["-c", "echo a | cat"]).output()?;
        if output.stdout == b"a\n" {
            Ok(())
        } else {
            Err(io::Error::other("the shell printed something else"))
        }
    }),
    ("starts threads", |_| std::thread::spawn(|| ()).join().map_err(|_| io::Error::other("a thread"))),
    ("makes a pair of sockets", |_| UnixStream::pair().map(drop)),
    ("throws away what it writes to nowhere", |_| fs::write("/dev/null", "x")),
    ("draws random numbers", |_| fs::File::open("/dev/urandom").map(drop)),
    ("ends its own child", |_| {
        let mut child = Command::new("/bin/sh").args(["-c", "read x"]).stdin(Stdio::piped()).spawn()?;
        child.kill()?;
        child.wait().map(drop)
    }),
];

/// The targets of an attack.
struct Targets {
    root: PathBuf,
    victim: i32,
    port: u16,
}

impl Targets {
    fn outside(&self, name: &str) -> PathBuf {
        self.root.join("outside").join(name)
    }

    fn readable(&self, name: &str) -> PathBuf {
        self.root.join("readable").join(name)
    }

    fn own(&self, name: &str) -> PathBuf {
        self.root.join("own").join(name)
    }

    fn victim(&self) -> Pid {
        Pid::from_raw(self.victim).unwrap()
    }
}

fn main() -> ExitCode {
    let args: Vec<String> = std::env::args().skip(1).collect();
    match &args[..] {
        [word, kind, name, root, victim, port] if word == "try" => {
            let place =
                Targets { root: root.into(), victim: victim.parse().unwrap(), port: port.parse().unwrap() };
            attempt(kind, name, &place)
        }
        [word, wall, rest @ ..] if word == "behind" => behind(&serde_json::from_str(wall).unwrap(), rest),
        _ => tests(),
    }
}

/// Exits with 0 when the attempt succeeded, and with 1 when it was refused.
fn attempt(kind: &str, name: &str, place: &Targets) -> ExitCode {
    let all = if kind == "attack" { ATTACKS } else { CHORES };
    let done = all.iter().find(|it| it.0 == name).unwrap().1(place);
    match done {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("{name}: {error}");
            ExitCode::FAILURE
        }
    }
}

/// Runs a command like a supervisor: the namespace first, then the command.
fn behind(wall: &Wall, command: &[String]) -> ExitCode {
    confinement::enter_namespace();
    let (program, args) = command.split_first().unwrap();
    let mut child_command = Command::new(program);
    child_command.args(args);
    let ended = confinement::spawn(child_command, wall).and_then(|mut it| it.wait());
    match ended {
        Ok(status) => ExitCode::from(u8::try_from(status.code().unwrap_or(9)).unwrap_or(9)),
        Err(error) => {
            eprintln!("no wall: {error}");
            ExitCode::from(8)
        }
    }
}

fn tests() -> ExitCode {
    let arguments = Arguments::from_args();
    let standing = confinement::stands();
    let trials = ATTACKS.iter().map(|it| ("attack", it)).chain(CHORES.iter().map(|it| ("chore", it)));
    let trials = trials.map(|(kind, (name, _))| {
        let ignored = standing.is_err();
        Trial::test(format!("{kind}: {name}"), move || test(kind, name)).with_ignored_flag(ignored)
    });
    let mut trials: Vec<Trial> = trials.collect();
    if let Err(absent) = &standing {
        eprintln!("there is no wall here: {absent}");
    }
    let is_needed = std::env::var_os("DIALECT_REQUIRE_WALL").is_some();
    trials.push(Trial::test("this machine has a wall", move || match standing {
        Ok(standing) => {
            eprintln!("the wall: {}", standing.mechanisms);
            Ok(())
        }
        Err(absent) if is_needed => Err(Failed::from(absent.to_string())),
        Err(_) => Ok(()),
    }));
    libtest_mimic::run(&arguments, trials).exit_code()
}

/// The outcome of one attempt.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Outcome {
    Done,
    Refused,
}

fn test(kind: &str, name: &str) -> Result<(), Failed> {
    let wanted = if kind == "attack" { Outcome::Refused } else { Outcome::Done };
    // Only root can mount without a wall.
    let control = if name == "mounts" && !rustix::process::geteuid().is_root() {
        Outcome::Refused
    } else {
        Outcome::Done
    };
    let with_network = if NETWORK.contains(&name) { Outcome::Done } else { wanted };
    for (walls, wanted) in
        [("none", control), ("all", wanted), ("without namespaces", wanted), ("with a network", with_network)]
    {
        let found = run(kind, name, walls).map_err(|error| format!("{walls}: {error}"))?;
        if found != wanted {
            return Err(Failed::from(format!("wall: {walls}; {found:?}, and it should be {wanted:?}")));
        }
    }
    Ok(())
}

/// A process that is attacked; it ends when this is dropped.
struct Victim(Child);

impl Drop for Victim {
    fn drop(&mut self) {
        let _ = self.0.kill();
        let _ = self.0.wait();
    }
}

fn run(kind: &str, name: &str, walls: &str) -> io::Result<Outcome> {
    let dir = tempfile::tempdir()?;
    let root = dir.path().canonicalize()?;
    for folder in ["outside", "readable", "own/mounted"] {
        fs::create_dir_all(root.join(folder))?;
    }
    fs::write(root.join("outside/secret"), "s3cret")?;
    fs::write(root.join("readable/source"), "text")?;
    fs::copy("/bin/true", root.join("outside/tool"))?;
    let _sockets =
        (UnixListener::bind(root.join("outside/socket"))?, UnixListener::bind(root.join("readable/socket"))?);
    let _datagrams = (
        UnixDatagram::bind(root.join("outside/datagrams"))?,
        UnixDatagram::bind(root.join("readable/datagrams"))?,
    );
    let listener = TcpListener::bind("127.0.0.1:0")?;
    let victim = Command::new("/bin/sh").args(["-c", "read x"]).stdin(Stdio::piped()).spawn().map(Victim)?;
    let own = std::env::current_exe()?;
    let mut command = Command::new(&own);
    if walls != "none" {
        let wall = Wall {
            without_namespaces: walls == "without namespaces",
            network: walls == "with a network",
            ..Wall::system().reading([root.join("readable"), own.clone()]).writing([root.join("own")])
        };
        command.arg("behind").arg(serde_json::to_string(&wall)?).arg(&own);
    }
    command.args(["try", kind, name]).arg(&root);
    command.arg(victim.0.id().to_string()).arg(listener.local_addr()?.port().to_string());
    let output = command.output()?;
    if is_mounted(&root.join("own/mounted")) {
        let _ = rustix::mount::unmount(root.join("own/mounted"), rustix::mount::UnmountFlags::DETACH);
    }
    match output.status.code() {
        Some(0) => Ok(Outcome::Done),
        Some(1) => Ok(Outcome::Refused),
        _ => Err(io::Error::other(format!("{}: {}", output.status, String::from_utf8_lossy(&output.stderr)))),
    }
}

fn is_mounted(folder: &Path) -> bool {
    let table = fs::read_to_string("/proc/self/mountinfo").unwrap_or_default();
    table.lines().any(|it| it.split(' ').nth(4) == folder.to_str())
}
