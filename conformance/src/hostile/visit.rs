//! A session of the real program in a workspace of traps, at one level of trust.

use std::collections::BTreeSet;
use std::io::{Read, Write};
use std::os::unix::fs::{PermissionsExt, symlink};
use std::path::{Path, PathBuf};
use std::process::{Child, ChildStdin, Command, Stdio};
use std::thread::JoinHandle;
use std::time::{Duration, Instant};

pub use adapter::fallback::Level;
use adapter::fallback::TrustStore;
use anyhow::{Context, Result, anyhow, bail, ensure};
use tempfile::TempDir;

use super::canaries::{Breach, Canaries, Traces, Watch};
use super::payload::Payload;
use super::{Suite, Trap};
use crate::processes::{Run, VARIABLE};

/// The time limit for a session to answer everything.
const LIMIT: Duration = Duration::from_secs(180);

/// The time after which a session's processes count as left behind.
const END: Duration = Duration::from_secs(120);

/// The log's words for a session that starts no server by itself.
const STARTS_NONE: &str = "no language server is started before a question";

/// The log's words for a server that has answered its first request.
const HAS_STARTED: &str = "a language server has started";

/// The time that a trusted session stays open for traps that go on when everything is answered.
const FIRING: Duration = Duration::from_secs(120);

/// The time that processes which a command left behind have to spring canaries.
const PATIENCE: Duration = Duration::from_secs(60);

/// The effects of one trap in a session.
#[derive(Clone, Debug)]
pub struct Finding {
    pub trap: Trap,
    /// True when its code ran at all.
    pub ran: bool,
    pub breaches: BTreeSet<Breach>,
}

/// The result of a session.
#[derive(Clone, Debug)]
pub struct Report {
    pub findings: Vec<Finding>,
    /// True when the language server was started.
    pub started: bool,
    /// The program's output, answers first.
    pub said: String,
}

/// Folders on disk with traps in them, and the canaries around.
#[derive(Debug)]
pub struct TrapWorkspace {
    root: PathBuf,
    canaries: Canaries,
    traps: Vec<(Trap, Watch)>,
    /// The breaches of each that were seen so far.
    seen: Vec<BTreeSet<Breach>>,
    _folder: TempDir,
}

impl TrapWorkspace {
    /// Lays out traps: one that is alone in the workspace itself, several in a folder each.
    ///
    /// # Errors
    /// When the disk refuses.
    pub fn new(suite: &Suite, traps: &[Trap], payload: &Payload) -> Result<Self> {
        let folder = TempDir::with_prefix("hostile-")?;
        let root = folder.path().canonicalize()?;
        for below in ["home", "tmp", "work"] {
            std::fs::create_dir_all(root.join(below))?;
        }
        let home = root.join("home");
        let (language, server) = (&suite.language, &suite.server);
        let chosen = format!("[languages.{language}]\nserver = \"{server}\"\n{}", suite.settings);
        let chosen = chosen.replace("@HOME@", &home.display().to_string());
        write(&home.join(".config/dialect/config.toml"), chosen.as_bytes())?;
        suite.home.iter().try_for_each(|(path, text)| write(&home.join(path), text.as_bytes()))?;
        let canaries = Canaries::new(&root.join("home"))?;
        let mut workspace = Self { root, canaries, traps: Vec::new(), seen: Vec::new(), _folder: folder };
        let is_alone = traps.len() == 1;
        for trap in traps {
            let watch = workspace.canaries.watch(&trap.name)?;
            let place = if is_alone { workspace.work() } else { workspace.work().join(&trap.name) };
            workspace.lay(suite, trap, &watch, &place, payload)?;
            workspace.traps.push((trap.clone(), watch));
        }
        Ok(workspace)
    }

    fn work(&self) -> PathBuf {
        self.root.join("work")
    }

    fn lay(&self, suite: &Suite, trap: &Trap, watch: &Watch, place: &Path, payload: &Payload) -> Result<()> {
        let (library, program) = payload.with(&self.canaries.words(watch))?;
        let (hook, run) = (place.join("payload/hook.so"), place.join("payload/run"));
        write(&hook, &library)?;
        write(&run, &program)?;
        let inner = trap.open.as_ref().map_or_else(|| place.to_owned(), |it| place.join(it));
        let own = trap.files.iter().map(|(path, text)| (place.join(path), text));
        let common = suite.files.iter().map(|(path, text)| (inner.join(path), text));
        let own: Vec<_> = own.collect();
        let common = common.filter(|(path, _)| own.iter().all(|(it, _)| it != path)).collect::<Vec<_>>();
        for (path, text) in common.into_iter().chain(own.iter().map(|(path, text)| (path.clone(), *text))) {
            let text = text
                .replace("@NAME@", &word(trap))
                .replace("@DIR@", &place.display().to_string())
                .replace("@PORT@", &self.canaries.port().to_string())
                .replace("@LIBRARY@", &hook.display().to_string())
                .replace("@PROGRAM@", &run.display().to_string());
            match text.trim() {
                "" => {}
                "library" => write(&path, &library)?,
                "program" => write(&path, &program)?,
                text if text.starts_with("link ") => {
                    std::fs::create_dir_all(path.parent().unwrap_or(place))?;
                    symlink(text.trim_start_matches("link "), &path)?;
                }
                _ => write(&path, text.as_bytes())?,
            }
        }
        Ok(())
    }

    /// Runs a session at that level until it has answered; a trusted one only until everything has fired.
    ///
    /// # Errors
    /// When the program does not start or does not end.
    pub fn visit(mut self, suite: &Suite, dialect: &Path, level: Level) -> Result<Report> {
        let opened = match &self.traps[..] {
            [(Trap { open: Some(open), .. }, _)] => self.work().join(open),
            _ => self.work(),
        };
        let run = Run::new();
        let mut command = self.command(dialect, &opened);
        let log = self.root.join("log");
        command.env(VARIABLE, run.id()).env("DIALECT_LOG", "info").arg("--log").arg(&log);
        command.args(["repl", "--level", &level.to_string()]);
        command.args(["--timeout", "60", "--wait", "60", "--workspace"]).arg(&opened);
        let programs = self.programs(suite);
        let mut session = Running::start(&mut command, &programs)?;
        let began = Instant::now();
        let mut ran = BTreeSet::new();
        let awaits_traps = level == Level::Trusted && self.can_fire();
        loop {
            if !awaits_traps || began.elapsed() > FIRING {
                session.stdin = None; // it ends with its input
            }
            let is_over = session.is_over()?;
            let traces = Traces::new(&self.root);
            let all = self.traps.iter();
            ran.extend(all.filter(|(_, it)| self.canaries.ran(it, &traces)).map(|it| it.0.name.clone()));
            let has_fired = level == Level::Trusted && self.has_fired(&traces);
            if is_over || has_fired {
                break;
            }
            if began.elapsed() > LIMIT {
                bail!("{LIMIT:?} were not enough; it said\n{}", session.end());
            }
            std::thread::sleep(Duration::from_millis(100)); // nothing tells when a foreign process does something
        }
        let said = session.end();
        let started = read_logs(&log, &self.root).contains(HAS_STARTED);
        let ended = Instant::now();
        while !run.living().is_empty() {
            ensure!(ended.elapsed() < END, "{END:?} after the end there still were {:#?}", run.living());
            std::thread::sleep(Duration::from_millis(20)); // as above
        }
        if level != Level::Trusted {
            self.traps.iter().for_each(|(_, it)| it.settle(PATIENCE));
        }
        let traces = Traces::new(&self.root);
        let breaches = match level {
            Level::Trusted => std::mem::take(&mut self.seen),
            _ => self.breaches(&traces),
        };
        let canaries = &self.canaries;
        let findings = self.traps.iter().zip(breaches).map(|((trap, watch), breaches)| Finding {
            ran: ran.contains(&trap.name) || canaries.ran(watch, &traces),
            breaches,
            trap: trap.clone(),
        });
        Ok(Report { findings: findings.collect(), started, said })
    }

    /// Opens a session that nobody asks anything, and returns whether that starts the language server. The user may have
    /// refused to trust the workspace before.
    ///
    /// # Errors
    /// When the program neither starts the server nor says that it does not.
    pub fn opens(self, suite: &Suite, dialect: &Path, is_refused: bool) -> Result<bool> {
        let (work, log) = (self.work(), self.root.join("log"));
        if is_refused {
            TrustStore::at(self.root.join("home/.local/state/dialect/trust")).keep(&work, false)?;
        }
        let run = Run::new();
        let mut command = self.command(dialect, &work);
        command.env(VARIABLE, run.id()).env("DIALECT_LOG", "info").arg("--log").arg(&log);
        let session = Running::start(command.args(["repl", "--workspace"]).arg(&work), "")?;
        let began = Instant::now();
        let is_started = loop {
            let says_none = read_logs(&log, &self.root).contains(STARTS_NONE);
            if run.living().iter().any(|it| serves(&it.command, &suite.server)) {
                break true;
            }
            if says_none {
                break false;
            }
            ensure!(began.elapsed() < LIMIT, "neither a server nor a word about it: {}", session.end());
            std::thread::sleep(Duration::from_millis(20)); // nothing tells when a foreign process starts
        };
        session.end();
        Ok(is_started)
    }

    /// Runs the command of the only trap, and waits until it has fired.
    ///
    /// # Errors
    /// When it does not fire in time, with what the command said.
    pub fn provoke(mut self) -> Result<()> {
        let (trap, _) = self.traps.first().ok_or_else(|| anyhow!("there is no trap"))?;
        let line = trap.command.clone().ok_or_else(|| anyhow!("`{}` has no command", trap.name))?;
        let opened = self.work().join(trap.open.as_deref().unwrap_or(""));
        let mut command = self.command(Path::new("bash"), &opened);
        let mut running = Running::start(command.args(["-c", &line]), "")?;
        running.stdin = None;
        let began = Instant::now();
        let mut over = None;
        while !self.has_fired(&Traces::new(&self.root)) {
            if over.is_none() && running.is_over()? {
                over = Some(Instant::now());
            }
            // What it left behind may still be on its way.
            if over.is_some_and(|it| it.elapsed() > PATIENCE) || began.elapsed() > LIMIT {
                let (_, watch) = &mut self.traps[0];
                let breaches = self.canaries.breaches(watch, &Traces::new(&self.root));
                bail!("`{line}` springs only {breaches:?}:\n{}", running.end());
            }
            std::thread::sleep(Duration::from_millis(20)); // nothing tells when a foreign process does something
        }
        running.end();
        Ok(())
    }

    fn breaches(&mut self, traces: &Traces) -> Vec<BTreeSet<Breach>> {
        let canaries = &self.canaries;
        self.traps.iter_mut().map(|(_, it)| canaries.breaches(it, traces)).collect()
    }

    /// Returns whether each trap that a session can fire has reached every canary, now or before.
    fn has_fired(&mut self, traces: &Traces) -> bool {
        let now = self.breaches(traces);
        self.seen.resize(now.len(), BTreeSet::new());
        self.seen.iter_mut().zip(now).for_each(|(seen, now)| seen.extend(now));
        let all = self.traps.iter().zip(&self.seen);
        let mut fires = all.filter(|((trap, _), _)| self.is_fired_by_session(trap));
        let has_all = |breaches: &BTreeSet<Breach>| breaches.len() == Breach::ALL.len();
        fires.next().is_some_and(|(_, it)| has_all(it)) && fires.all(|(_, it)| has_all(it))
    }

    /// Returns `true` if a session can fire one of the traps.
    fn can_fire(&self) -> bool {
        self.traps.iter().any(|(trap, _)| trap.command.is_none())
    }

    fn is_fired_by_session(&self, trap: &Trap) -> bool {
        trap.command.is_none() || self.traps.len() == 1
    }

    fn command(&self, program: &Path, folder: &Path) -> Command {
        let home = self.root.join("home");
        let kept = |variable: &str, below: &str| {
            let usual = || Some(PathBuf::from(std::env::var_os("HOME")?).join(below));
            std::env::var_os(variable).map(PathBuf::from).or_else(usual).unwrap_or_default()
        };
        let mut command = Command::new(program);
        command.current_dir(folder).env("TMPDIR", self.root.join("tmp"));
        let own = self.traps.iter().filter(|_| self.traps.len() == 1).flat_map(|(trap, _)| &trap.path);
        let own = own.map(|it| self.work().join(it)).collect::<Vec<_>>();
        let usual = std::env::var_os("PATH").unwrap_or_default();
        let path = std::env::join_paths(own.into_iter().chain(std::env::split_paths(&usual)));
        command.env("PATH", path.unwrap_or(usual));
        // The tools are the machine's own; everything else of the user is made up.
        command.env("CARGO_HOME", kept("CARGO_HOME", ".cargo"));
        command.env("RUSTUP_HOME", kept("RUSTUP_HOME", ".rustup"));
        for variable in std::env::vars_os().map(|(it, _)| it) {
            let name = variable.to_string_lossy();
            let is_cargos = name.starts_with("CARGO_") && name != "CARGO_HOME" || name == "RUSTUP_TOOLCHAIN";
            if is_cargos || name.starts_with("XDG_") || name == "LD_LIBRARY_PATH" {
                command.env_remove(&variable);
            }
        }
        command.env("HOME", home);
        command
    }

    fn programs(&self, suite: &Suite) -> String {
        let is_alone = self.traps.len() == 1;
        let ask = |trap: &Trap| {
            let at = if is_alone { String::new() } else { format!("{}/", trap.name) };
            let fill = |it: &String| it.replace("@NAME@", &word(trap)).replace("@AT@", &at) + "\n";
            suite.questions.iter().map(fill).collect::<String>()
        };
        self.traps.iter().map(|(trap, _)| ask(trap)).collect()
    }
}

/// Returns the log so far; a program that has logged nothing has no file.
/// Returns the log of the program, and that of the background process, which has the servers if there is one.
fn read_logs(own: &Path, root: &Path) -> String {
    let entries = std::fs::read_dir(root.join("home/.cache/dialect/run")).into_iter().flatten().flatten();
    let others = entries.map(|it| it.path()).filter(|it| it.extension().is_some_and(|it| it == "log"));
    std::iter::once(own.to_owned()).chain(others).filter_map(|it| std::fs::read_to_string(it).ok()).collect()
}

/// A process with everything that it says.
struct Running {
    child: Child,
    /// Its input, which is open until this is dropped.
    stdin: Option<ChildStdin>,
    readers: Vec<JoinHandle<String>>,
}

impl Running {
    /// Starts it with that input, which stays open.
    fn start(command: &mut Command, input: &str) -> Result<Self> {
        command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
        let mut child = command.spawn().with_context(|| format!("{command:?}"))?;
        let mut stdin = child.stdin.take();
        if let Some(stdin) = &mut stdin {
            let _ = stdin.write_all(input.as_bytes()); // it may have ended: then its exit says why
        }
        let outputs = child.stdout.take().map(reader).into_iter().chain(child.stderr.take().map(reader));
        let readers = outputs.collect();
        Ok(Self { child, stdin, readers })
    }

    fn is_over(&mut self) -> Result<bool> {
        Ok(self.child.try_wait()?.is_some())
    }

    /// Ends it and returns its output.
    fn end(mut self) -> String {
        let _ = self.child.kill(); // it may be gone already
        let _ = self.child.wait();
        self.readers.into_iter().map(|it| it.join().unwrap_or_default()).collect()
    }
}

fn reader(mut from: impl Read + Send + 'static) -> JoinHandle<String> {
    std::thread::spawn(move || {
        let mut said = Vec::new();
        let _ = from.read_to_end(&mut said); // what came before an error counts
        String::from_utf8_lossy(&said).into_owned()
    })
}

/// Returns whether a command line is that of a server, not of a supervisor above it or a look at its version.
fn serves(command: &str, server: &str) -> bool {
    let is_named =
        |it: &str| Path::new(it).file_name().is_some_and(|it| it.to_string_lossy().starts_with(server));
    !command.contains(" supervise ")
        && !command.ends_with("--version")
        && command.split(' ').take(3).any(is_named)
}

/// The name of a trap as a word that code can use.
fn word(trap: &Trap) -> String {
    trap.name.replace('-', "_")
}

fn write(path: &Path, content: &[u8]) -> Result<()> {
    std::fs::create_dir_all(path.parent().unwrap_or(path))?;
    std::fs::write(path, content).with_context(|| path.display().to_string())?;
    if content.starts_with(b"#!") || content.starts_with(b"\x7fELF") {
        std::fs::set_permissions(path, std::fs::Permissions::from_mode(0o755))?;
    }
    Ok(())
}
