//! The background process: clients share its servers and nothing else, and none notices when it dies. Long forms:
//! `DIALECT_LONG=background`, with `DIALECT_KILLS` and `DIALECT_TURNS` as numbers of rounds.

use std::collections::BTreeMap;
use std::ffi::OsString;
use std::io::Write;
use std::os::unix::fs::PermissionsExt;
use std::os::unix::net::UnixStream;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use adapter::background::{Background, Status};
use adapter::fallback::{Caller, Config, Fallback, environment_that_counts};
use anyhow::{Context, Result, anyhow, bail, ensure};
use conformance::processes::{Process, Run, VARIABLE};
use conformance::random::Random;
use conformance::workspace::Workspace;
use futures::future::{join_all, try_join_all};
use ide_protocol::{
    ApplyQuestion, DraftQuestion, Envelope, Operation, ReferencesQuestion, Request, SearchQuestion, Target,
};
use libtest_mimic::Trial;
use serde_json::{Value, json};
use tempfile::TempDir;
use tokio::time::timeout;

pub(crate) fn trials() -> Vec<Trial> {
    let mut trials = tests![async
        clients_share_one_process_and_its_servers,
        no_question_is_lost_whenever_the_process_is_killed,
        a_process_that_hangs_is_replaced,
        an_edit_outlives_the_process_that_previewed_it,
        the_socket_gives_nothing_to_strangers,
        another_user_cannot_connect,
        a_process_behind_the_wall_cannot_connect,
        a_newer_executable_gets_a_process_of_its_own,
    ];
    let mixed = || crate::with_server("ty", || crate::runtime()?.block_on(unsaved_texts_are_never_mixed()));
    trials.push(Trial::ignorable_test("unsaved_texts_are_never_mixed", mixed).with_kind("background"));
    trials
}

/// The limit of a question.
const LIMIT: Duration = Duration::from_secs(120);

/// The uses of `one` that the fake server and the text have.
pub(crate) const FILES: [(&str, &str); 2] = [
    ("Cargo.toml", "[package]\nname = \"small\"\nversion = \"0.1.0\"\nedition = \"2021\"\n"),
    ("src/lib.rs", "pub fn one() {}\n\npub fn two() {\n    one();\n}\n"),
];

/// A place for a background process, and a workspace.
struct Place {
    run: Run,
    runtime: TempDir,
    workspace: Workspace,
    executable: PathBuf,
}

impl Place {
    fn new<'a>(files: impl IntoIterator<Item = (&'a str, &'a str)>) -> Result<Self> {
        let runtime = TempDir::with_prefix("run-")?;
        let executable = crate::programs()?.path("dialect-under-test");
        Ok(Self { run: Run::new(), runtime, workspace: Workspace::new(files)?, executable })
    }

    fn environment(&self) -> BTreeMap<OsString, OsString> {
        let mut all = environment_that_counts();
        let own = [
            ("XDG_RUNTIME_DIR", self.runtime.path().into()),
            (VARIABLE, self.run.id().into()),
            ("DIALECT_SERVER_IDLE", "0".into()),
        ];
        all.extend(own.map(|(name, value): (&str, OsString)| (name.into(), value)));
        all
    }

    /// Returns the configuration of a client.
    fn config(&self) -> Result<Config> {
        let mut config = Config::new(self.executable.clone());
        let arguments = ["server", "run"];
        config.background = Some(Background::of(&self.executable, &arguments, self.environment())?);
        Ok(config)
    }

    /// Opens a client with a session.
    fn client(&self, config: Config) -> Fallback {
        let fallback = Fallback::new(config);
        fallback.open_session("s", vec![self.workspace.root().to_owned()]);
        fallback
    }

    /// Returns the background processes that live.
    fn processes(&self) -> Vec<Process> {
        let all = self.run.living().into_iter();
        all.filter(|it| it.command.ends_with(" server run")).collect()
    }

    /// Runs the program with the variables of this place.
    fn command(&self, arguments: &[&str]) -> std::process::Command {
        let mut command = std::process::Command::new(&self.executable);
        command.args(arguments).envs(self.environment());
        command
    }

    fn status(&self) -> Result<Vec<Status>> {
        let output = self.command(&["server", "status", "--json"]).output()?;
        Ok(serde_json::from_slice(&output.stdout)?)
    }

    fn socket(&self) -> Result<PathBuf> {
        let entries = std::fs::read_dir(self.runtime.path().join("dialect"))?;
        let sockets = entries.flatten().map(|it| it.path());
        let mut sockets = sockets.filter(|it| it.extension().is_some_and(|it| it == "sock"));
        sockets.next().context("there is no socket")
    }

    /// Ends the clients, and waits until no process is left.
    async fn end(&self, clients: impl IntoIterator<Item = &Fallback>) -> Result<()> {
        join_all(clients.into_iter().map(Fallback::shutdown)).await;
        self.run.gone(LIMIT).await
    }
}

/// Adds a server of Rust that answers by its plan, at once.
pub(crate) fn fake(mut config: Config, plan: &Value) -> Result<Config> {
    let fake = crate::programs()?.path("fake-language-server");
    config.servers.insert("rust".into(), vec![fake.into(), "--plan".into(), plan.to_string().into()]);
    Ok(config)
}

/// Returns the number that an environment variable gives.
pub(crate) fn number(name: &str) -> Option<usize> {
    std::env::var(name).ok().and_then(|it| it.parse().ok())
}

/// Asks for the uses of a name, and returns their files and lines.
async fn uses(fallback: &Fallback, name: &str) -> Result<Vec<(String, u32)>> {
    let target = Target { name: Some(name.into()), at: None };
    let question = ReferencesQuestion { target, include_declaration: false };
    let request = Request { envelope: Envelope::new("s"), question };
    let asked = fallback.ask(Operation::References, request, Caller::default());
    let answer = timeout(LIMIT, asked).await.context("no answer")?.map_err(|it| anyhow!("{it:?}"))?;
    ensure!(answer.completeness.source.0.starts_with("language-server"), "{:?}", answer.completeness);
    let mut all: Vec<_> = answer.references.into_iter().map(|it| (it.path, it.start.line.get())).collect();
    all.sort();
    Ok(all)
}

async fn clients_share_one_process_and_its_servers() -> Result<()> {
    let place = Place::new(FILES)?;
    let config = fake(place.config()?, &json!({"ready": "at once"}))?;
    // All come at once, so that each finds no process.
    let clients: Vec<_> = (0..6).map(|_| place.client(config.clone())).collect();
    let answers = try_join_all(clients.iter().map(|it| uses(it, "one"))).await?;
    ensure!(answers.iter().all(|it| *it == [("src/lib.rs".to_owned(), 4)]), "{answers:?}");
    let [status] = &place.status()?[..] else { bail!("there is not one process: {:?}", place.processes()) };
    ensure!(status.clients.len() == 6 && status.servers.len() == 1, "{status:#?}");
    ensure!(status.servers[0].workspaces > 0 && status.servers[0].memory.is_some(), "{status:#?}");
    place.end(&clients).await
}

/// Kills the process at random moments while clients ask. Each question is answered, and rightly.
async fn no_question_is_lost_whenever_the_process_is_killed() -> Result<()> {
    let kills = number("DIALECT_KILLS").unwrap_or(8);
    let mut random = Random::new(number("DIALECT_KILLS_SEED").unwrap_or(7) as u64);
    let place = Place::new(FILES)?;
    let config = fake(place.config()?, &json!({"ready": "at once"}))?;
    let clients: Vec<_> = (0..3).map(|_| place.client(config.clone())).collect();
    let is_over = std::sync::atomic::AtomicBool::new(false);
    let asking = clients.iter().map(async |client| {
        let mut asked = 0;
        while !is_over.load(std::sync::atomic::Ordering::Relaxed) {
            let found = uses(client, "one").await?;
            ensure!(found == [("src/lib.rs".to_owned(), 4)], "after {asked} questions: {found:?}");
            asked += 1;
        }
        Ok(asked)
    });
    let killing = async {
        let mut killed = 0;
        while killed < kills {
            tokio::time::sleep(Duration::from_millis(random.below(600) as u64)).await; // the moment is the point
            for process in place.processes() {
                process.kill();
                killed += 1;
            }
        }
        is_over.store(true, std::sync::atomic::Ordering::Relaxed);
        Ok(())
    };
    let (asked, killed): (Result<Vec<usize>>, Result<()>) = tokio::join!(try_join_all(asking), killing);
    killed?;
    eprintln!("{} questions while {kills} processes were killed", asked?.iter().sum::<usize>());
    place.end(&clients).await
}

async fn a_process_that_hangs_is_replaced() -> Result<()> {
    let place = Place::new(FILES)?;
    let client = place.client(fake(place.config()?, &json!({"ready": "at once"}))?);
    uses(&client, "one").await?;
    let [hung] = &place.processes()[..] else { bail!("{:?}", place.processes()) };
    rustix::process::kill_process(
        rustix::process::Pid::from_raw(hung.id).context("no id")?,
        rustix::process::Signal::STOP,
    )?;
    let found = uses(&client, "one").await?;
    ensure!(found == [("src/lib.rs".to_owned(), 4)], "{found:?}");
    ensure!(place.processes().iter().all(|it| it.id != hung.id), "{:?}", place.processes());
    place.end([&client]).await
}

async fn an_edit_outlives_the_process_that_previewed_it() -> Result<()> {
    let place = Place::new(FILES)?;
    let client = place.client(place.config()?);
    let path = place.workspace.root().join("src/lib.rs");
    let texts = json!({"path": path, "before": FILES[1].1, "after": "pub fn other() {}\n"});
    let question: DraftQuestion = serde_json::from_value(json!({"title": "other", "files": [texts]}))?;
    let request = Request { envelope: Envelope::new("s"), question };
    let draft = client.ask(Operation::Draft, request, Caller::default()).await;
    let draft = serde_json::to_value(draft.map_err(|it| anyhow!("{it:?}"))?)?;
    let id = draft["edits"][0]["id"].as_str().context(format!("no edit: {draft}"))?.to_owned();
    place.processes().iter().for_each(Process::kill);
    let question = ApplyQuestion { edits: vec![id] };
    let request = Request { envelope: Envelope::new("s"), question };
    client.ask(Operation::Apply, request, Caller::default()).await.map_err(|it| anyhow!("{it:?}"))?;
    let text = std::fs::read_to_string(path)?;
    ensure!(text == "pub fn other() {}\n", "{text}");
    place.end([&client]).await
}

/// Returns the number of connections of a flood: ten thousand, or what this process may have descriptors for.
fn flood() -> usize {
    transport::raise_descriptor_limit();
    let limit = rustix::process::getrlimit(rustix::process::Resource::Nofile).current.unwrap_or(u64::MAX);
    usize::try_from(limit).map_or(10_000, |it| it.saturating_sub(1_000).min(10_000))
}

/// Sends what is no message, halves of messages and floods of connections. The clients go on.
async fn the_socket_gives_nothing_to_strangers() -> Result<()> {
    let place = Place::new(FILES)?;
    let client = place.client(fake(place.config()?, &json!({"ready": "at once"}))?);
    uses(&client, "one").await?;
    let socket = place.socket()?;
    let folder = socket.parent().context("no folder")?;
    ensure!(folder.metadata()?.permissions().mode() & 0o777 == 0o700, "{folder:?} is open");
    let hello = |key: &str| frame(&json!({"Hello": {"key": key, "request": "Status"}}));
    let ask = frame(&json!({"Ask": {"id": 1, "operation": "search", "params": {"sessionId": "s"}}}));
    let half = hello("wrong")[..9].to_vec();
    let huge = [u32::MAX.to_be_bytes().to_vec(), vec![b'['; 1_000]].concat();
    let mut held = Vec::new();
    for bytes in [b"GET / HTTP/1.1\r\n\r\n".to_vec(), hello("wrong"), ask, half, huge, vec![0; 4_096]] {
        let mut stream = UnixStream::connect(&socket)?;
        // It may have closed the connection by now.
        let _closed = stream.write_all(&bytes);
        stream.set_read_timeout(Some(Duration::from_millis(50)))?;
        let mut said = Vec::new();
        let _nothing = std::io::Read::read_to_end(&mut stream, &mut said);
        ensure!(said.is_empty(), "it said {:?}", String::from_utf8_lossy(&said));
        held.push(stream);
    }
    let before = place.status()?;
    let flood = (0..flood()).map(|_| UnixStream::connect(&socket)).collect::<std::io::Result<Vec<_>>>()?;
    let newcomer = place.client(fake(place.config()?, &json!({"ready": "at once"}))?);
    for client in [&client, &newcomer] {
        let found = uses(client, "one").await?;
        ensure!(found == [("src/lib.rs".to_owned(), 4)], "{found:?}");
    }
    let after = place.status()?;
    ensure!(after.len() == 1 && after[0].process == before[0].process, "another process serves");
    ensure!(after[0].clients.len() == 2, "not all are served: {after:?}");
    drop((held, flood));
    place.end([&client, &newcomer]).await
}

fn frame(message: &Value) -> Vec<u8> {
    let text = message.to_string();
    let length = u32::try_from(text.len()).unwrap_or(u32::MAX).to_be_bytes();
    [length.as_slice(), text.as_bytes()].concat()
}

async fn another_user_cannot_connect() -> Result<()> {
    use std::os::unix::process::CommandExt;
    if !rustix::process::geteuid().is_root() {
        return Ok(()); // only root can be another user
    }
    let place = Place::new(FILES)?;
    let client = place.client(place.config()?);
    search(&client, "one").await?;
    // Even where every folder on the way is open, the peer's user counts.
    let open = |path: &Path, mode| std::fs::set_permissions(path, std::fs::Permissions::from_mode(mode));
    let socket = place.socket()?;
    let folder = socket.parent().context("no folder")?;
    open(place.runtime.path(), 0o755)?;
    open(folder, 0o755)?;
    open(&socket, 0o777)?;
    open(&folder.join("key"), 0o644)?;
    let mut command = place.command(&["server", "status", "--json"]);
    let output = command.uid(65_534).gid(65_534).current_dir("/").output();
    // It may not even be able to start the program.
    if let Ok(output) = output {
        let said = String::from_utf8_lossy(&output.stdout);
        ensure!(!said.contains("clients"), "another user sees {said}");
    }
    let found = search(&client, "one").await?;
    ensure!(found == 2, "{found}");
    place.end([&client]).await
}

/// Searches the workspace, and returns the number of hits.
async fn search(fallback: &Fallback, pattern: &str) -> Result<u64> {
    let question: SearchQuestion = serde_json::from_value(json!({"path": ".", "pattern": pattern}))?;
    let request = Request { envelope: Envelope::new("s"), question };
    let answer = timeout(LIMIT, fallback.ask(Operation::Search, request, Caller::default())).await;
    Ok(answer.context("no answer")?.map_err(|it| anyhow!("{it:?}"))?.total)
}

/// A confined program gets neither a connection nor the key.
async fn a_process_behind_the_wall_cannot_connect() -> Result<()> {
    if adapter::fallback::wall().is_err() {
        return Ok(());
    }
    let place = Place::new(FILES)?;
    let client = place.client(place.config()?);
    search(&client, "one").await?;
    let mut config = place.config()?;
    config.build_walls();
    let private = TempDir::with_prefix("confined-")?;
    config.confined_folders = Some(private.path().to_owned());
    for network in [false, true] {
        let widening = adapter::fallback::Widening { network, ..Default::default() };
        let program = (place.executable.as_path(), adapter::fallback::Origin::Installed);
        let roots = [place.workspace.root().to_owned()];
        let confined = adapter::fallback::confine(
            "stranger",
            &roots,
            program,
            &widening,
            Duration::from_secs(1),
            &config,
        )?;
        let mut command = std::process::Command::new(&confined.program);
        command.args(&confined.arguments).args(["server", "status", "--json"]);
        command.env_clear().envs(confined.environment).env("XDG_RUNTIME_DIR", place.runtime.path());
        command.stdin(std::process::Stdio::piped()).stdout(std::process::Stdio::piped());
        // The supervisor ends the program when its input is closed.
        let mut child = command.spawn()?;
        let input = child.stdin.take();
        let output = tokio::task::spawn_blocking(move || child.wait_with_output()).await??;
        drop(input);
        let said = String::from_utf8_lossy(&output.stdout);
        ensure!(!said.contains("clients"), "a confined program sees {said}");
    }
    place.end([&client]).await
}

/// The old process ends with its last client.
async fn a_newer_executable_gets_a_process_of_its_own() -> Result<()> {
    let mut place = Place::new(FILES)?;
    let programs = TempDir::with_prefix("programs-")?;
    let own = programs.path().join("dialect");
    std::fs::copy(&place.executable, &own)?;
    place.executable.clone_from(&own);
    let old = place.client(place.config()?);
    search(&old, "one").await?;
    let newer = programs.path().join("newer");
    std::fs::copy(&own, &newer)?;
    std::fs::rename(&newer, &own)?;
    let new = place.client(place.config()?);
    search(&new, "one").await?;
    ensure!(place.processes().len() == 2, "{:?}", place.processes());
    search(&old, "one").await?;
    old.shutdown().await;
    let began = Instant::now();
    while place.processes().len() > 1 {
        ensure!(began.elapsed() < LIMIT, "the old process stays");
        tokio::time::sleep(Duration::from_millis(20)).await; // nothing tells when a foreign process ends
    }
    place.end([&new]).await
}

/// Two editors have other unsaved texts of a file, and a third has none: each sees its own.
async fn unsaved_texts_are_never_mixed() -> Result<()> {
    let turns = number("DIALECT_TURNS").unwrap_or(60);
    let disk = "from a import foo\nfoo()\n";
    let place = Place::new([("pyproject.toml", ""), ("a.py", "def foo():\n    return 1\n"), ("b.py", disk)])?;
    let config = place.config()?;
    let clients: Vec<_> = (0..3).map(|_| place.client(config.clone())).collect();
    let path = place.workspace.root().join("b.py");
    let asking = clients.iter().enumerate().map(async |(n, client)| {
        let mut random = Random::new(n as u64 + 1);
        for turn in 0..turns {
            let calls = if n == 2 { 1 } else { 1 + random.below(6) };
            if n != 2 {
                let text = format!("from a import foo\n{}{}", "\n".repeat(n), "foo()\n".repeat(calls));
                client.shown_in_editor(&path, Some(text));
            }
            let first = if n == 2 { 2 } else { 2 + n };
            let lines = (first..first + calls).chain([1]);
            let mut expected: Vec<_> =
                lines.map(|it| ("b.py".to_owned(), u32::try_from(it).unwrap_or(0))).collect();
            expected.sort();
            let found = uses(client, "foo").await?;
            ensure!(found == expected, "client {n}, turn {turn}: {found:?} instead of {expected:?}");
        }
        Ok(())
    });
    let all: Vec<()> = try_join_all(asking).await?;
    ensure!(all.len() == 3);
    let [status] = &place.status()?[..] else { bail!("there is not one process") };
    ensure!(status.servers.len() == 1, "{status:#?}");
    place.end(&clients).await
}
