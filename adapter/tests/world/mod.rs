//! A workspace on disk and a fallback with a session over it, and how to write answers down.

use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::ffi::OsString;
use std::fs;
use std::path::Path;
use std::sync::{Arc, LazyLock, Mutex};
use std::time::{Duration, Instant};

use adapter::fallback::{Caller, Config, Fallback, Health, Level, SwitchedOff, find_server};
use ide_protocol::{
    Column, DefinitionsQuestion, DefinitionsResult, Envelope, FileRange, IdeError, Line, Location, Operation,
    Question, ReferencesQuestion, ReferencesResult, Request, Target,
};
use libtest_mimic::{Failed, Trial};
use tempfile::TempDir;
use tokio::runtime::Runtime;

/// A workspace on disk and a fallback with one session over it.
pub(crate) struct World {
    pub(crate) dir: TempDir,
    pub(crate) fallback: Arc<Fallback>,
    /// The corrections that its fallback does without.
    pub(crate) switched_off: SwitchedOff,
    settings: TempDir,
    /// `true` if servers run behind a wall where this machine can build one, as users have them.
    is_confined: bool,
}

impl World {
    pub(crate) fn new(runtime: &Runtime, files: &[(&str, &str)]) -> Self {
        let world = Self::without_session(files, "");
        world.open(runtime);
        world
    }

    /// Nothing is asked yet; `settings` are the user's.
    pub(crate) fn without_session(files: &[(&str, &str)], settings: &str) -> Self {
        Self::laid_out(files, settings, false)
    }

    /// The same with confined servers.
    pub(crate) fn confined(files: &[(&str, &str)], settings: &str) -> Self {
        Self::laid_out(files, settings, true)
    }

    fn laid_out(files: &[(&str, &str)], settings: &str, is_confined: bool) -> Self {
        let (dir, beside) = (tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap());
        fs::write(beside.path().join("config.toml"), settings).unwrap();
        let config = config(&beside, is_confined);
        let switched_off = config.switched_off.clone();
        let fallback = Arc::new(Fallback::new(config));
        let world = Self { dir, fallback, switched_off, settings: beside, is_confined };
        for (path, text) in files {
            world.write(path, text);
        }
        world
    }

    /// Nothing is asked yet, and servers that start cheaply rest when nobody asks for so long.
    pub(crate) fn resting_after(self, rest: Duration) -> Self {
        let health = Health { rest, ..Health::default() };
        let config = Config { health, ..self.config() };
        Self { fallback: Arc::new(Fallback::new(config)), ..self }
    }

    /// Nothing is asked yet, and the workspace is trusted.
    pub(crate) fn trusted(self) -> Self {
        self.at_level(Some(Level::Trusted))
    }

    /// Nothing is asked yet, and the user chose the level, or did not.
    pub(crate) fn at_level(self, level: Option<Level>) -> Self {
        let config = Config { level, ..self.config() };
        Self { fallback: Arc::new(Fallback::new(config)), ..self }
    }

    /// Has rust-analyzer read a standard library with next to nothing in it, which takes seconds less than the real one.
    pub(crate) fn without_std(self) -> Self {
        for (path, text) in [("core", "#![no_core]\n"), ("alloc", "#![no_std]\n"), ("std", "//\n")] {
            self.write(&format!(".library/{path}/src/lib.rs"), text);
        }
        let library = self.root().canonicalize().unwrap().join(".library");
        self.configure(&format!(
            "[languages.rust]\noptions = {{ cargo = {{ sysrootSrc = {library:?} }} }}\n"
        ));
        self
    }

    /// Changes the user's settings.
    pub(crate) fn configure(&self, settings: &str) {
        fs::write(self.settings.path().join("config.toml"), settings).unwrap();
    }

    /// Returns a string that no other world has.
    pub(crate) fn mark(&self) -> String {
        self.dir.path().display().to_string()
    }

    /// Returns the configuration of its fallback.
    pub(crate) fn config(&self) -> Config {
        config(&self.settings, self.is_confined)
    }

    /// Opens the session.
    pub(crate) fn open(&self, runtime: &Runtime) {
        let _in_runtime = runtime.enter();
        self.fallback.open_session("s", vec![self.root().to_owned()]);
    }

    /// Opens the session in a folder of the world.
    pub(crate) fn open_in(&self, runtime: &Runtime, folder: &str) {
        let _in_runtime = runtime.enter();
        self.fallback.open_session("s", vec![self.root().join(folder)]);
    }

    pub(crate) fn root(&self) -> &Path {
        self.dir.path()
    }

    pub(crate) fn write(&self, path: &str, text: &str) {
        let path = self.root().join(path);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, text).unwrap();
    }

    /// Asks for an operation, without an editor.
    pub(crate) async fn ask<Q: Question>(
        &self,
        operation: Operation,
        request: Request<Q>,
    ) -> Result<Q::Result, IdeError> {
        self.fallback.ask(operation, request, Caller::default()).await
    }

    pub(crate) async fn definitions(&self, target: Target) -> Result<DefinitionsResult, IdeError> {
        self.definitions_within(target, None).await
    }

    pub(crate) async fn references(&self, target: Target) -> Result<ReferencesResult, IdeError> {
        self.references_within(target, None).await
    }

    /// Within so many milliseconds, otherwise within the minutes that a busy machine may take.
    pub(crate) async fn definitions_within(
        &self,
        target: Target,
        deadline_ms: Option<u64>,
    ) -> Result<DefinitionsResult, IdeError> {
        let mut request = waiting(DefinitionsQuestion::new(target));
        request.envelope.deadline_ms = deadline_ms.or(request.envelope.deadline_ms);
        self.ask(Operation::Definitions, request).await
    }

    /// Within so many milliseconds, otherwise within the minutes that a busy machine may take.
    pub(crate) async fn references_within(
        &self,
        target: Target,
        deadline_ms: Option<u64>,
    ) -> Result<ReferencesResult, IdeError> {
        let mut request = references_request(target);
        request.envelope.deadline_ms = deadline_ms.or(request.envelope.deadline_ms);
        self.ask(Operation::References, request).await
    }

    pub(crate) async fn stop(self) {
        self.fallback.shutdown().await;
    }
}

fn config(settings: &TempDir, is_confined: bool) -> Config {
    static HAS_WALL: LazyLock<bool> = LazyLock::new(|| adapter::fallback::wall().is_ok());
    Config {
        wall: is_confined && *HAS_WALL,
        confined_folders: Some(settings.path().join("confined")),
        linger: Duration::ZERO,
        // What is remembered is to be tried, and nobody here waits until a server is still.
        stillness: Duration::ZERO,
        user_settings: Some(settings.path().join("config.toml")),
        own_servers: built_server(),
        ..Config::new(std::env::current_exe().unwrap())
    }
}

/// The server of interface documents, if it was built beside these tests.
fn built_server() -> HashMap<String, Vec<OsString>> {
    let tests = std::env::current_exe().unwrap();
    let server = tests.ancestors().nth(2).unwrap().join("dialect");
    let command = || ("ailang".to_owned(), vec![server.clone().into(), "ailang".into(), "lsp".into()]);
    server.is_file().then(command).into_iter().collect()
}

/// Returns a request that waits for servers: what they answer is to be tried, not what the syntax answers before.
pub(crate) fn waiting<Q>(question: Q) -> Request<Q> {
    let patience = Some(Duration::from_secs(600).as_millis() as u64);
    let envelope = Envelope { deadline_ms: patience, wait_ms: patience, ..Envelope::new("s") };
    Request { envelope, question }
}

pub(crate) fn references_request(target: Target) -> Request<ReferencesQuestion> {
    waiting(ReferencesQuestion { target, include_declaration: false })
}

pub(crate) fn named(name: &str) -> Target {
    Target { name: Some(name.into()), at: None }
}

pub(crate) fn at(path: &str, line: u32, column: u32) -> Target {
    Target {
        name: None,
        at: Some(Location { path: path.into(), line: Line::new(line).unwrap(), column: Column::new(column) }),
    }
}

pub(crate) fn pinned(name: &str, path: &str, line: u32) -> Target {
    let Target { at, .. } = at(path, line, 0);
    Target { name: Some(name.into()), at }
}

pub(crate) fn show_range(range: &FileRange) -> String {
    let FileRange { path, start, end, text, inside, inside_kind, role, .. } = range;
    let inside = inside.as_ref().map_or(String::new(), |it| format!(" in {it}"));
    let flags = [
        (range.signature, "signature"),
        (range.public, "public"),
        (range.test, "test"),
        (range.outside, "outside"),
    ];
    let flags = flags.into_iter().filter_map(|(is_set, name)| is_set.then_some(name));
    let facts: Vec<_> = inside_kind.as_deref().into_iter().chain(role.as_deref()).chain(flags).collect();
    let facts = if facts.is_empty() { String::new() } else { format!(" ({})", facts.join(" ")) };
    let text = text.as_deref().unwrap_or_default();
    format!("{path}:{}:{}-{}:{}{inside}{facts}: {text}", start.line, start.column, end.line, end.column)
}

pub(crate) fn show_definitions(answer: Result<DefinitionsResult, IdeError>) -> String {
    match answer {
        Err(error) => format!("{:?}: {}", error.kind, error.message),
        Ok(answer) => {
            let mut shown = String::new();
            for it in &answer.definitions {
                let container = it.container.as_ref().map_or(String::new(), |it| format!(" of {it}"));
                shown += &format!("{} {}{container}\n", it.kind, it.name);
                shown += &format!("  {}\n  {}\n", show_range(&it.defined_at), show_range(&it.name_at));
            }
            shown
                + &show_end(
                    answer.completeness.is_complete(),
                    answer.completeness.note().as_deref(),
                    &format!("{:?}", answer.nearest),
                )
        }
    }
}

pub(crate) fn show_references(answer: Result<ReferencesResult, IdeError>) -> String {
    match answer {
        Err(error) => format!("{:?}: {}", error.kind, error.message),
        Ok(answer) => {
            let lines: String = answer.references.iter().map(|it| show_range(it) + "\n").collect();
            lines
                + &show_end(
                    answer.completeness.is_complete(),
                    answer.completeness.note().as_deref(),
                    &format!("{:?}", answer.mentions),
                )
        }
    }
}

pub(crate) fn show_end(complete: bool, note: Option<&str>, more: &str) -> String {
    let complete = if complete { "complete" } else { "incomplete" };
    format!("{complete} {more} {}", note.unwrap_or_default())
}

/// A language and a server of it.
pub(crate) type Server = (&'static str, &'static str);

/// The servers that were looked for, with what [`missing`] returns.
static MISSING: Mutex<BTreeMap<Server, Option<String>>> = Mutex::new(BTreeMap::new());

/// Looks for servers, all at once: some take a second to tell their version.
pub(crate) fn look_for(servers: impl IntoIterator<Item = Server>) {
    let servers: BTreeSet<_> = servers.into_iter().collect();
    std::thread::scope(|scope| {
        for (language, server) in servers {
            scope.spawn(move || missing(language, server));
        }
    });
}

/// Returns the suffix for names of ignored tests, if the server is not installed and `DIALECT_REQUIRE_SERVERS` does
/// not name it.
pub(crate) fn missing(language: &'static str, server: &'static str) -> Option<String> {
    if let Some(known) = MISSING.lock().unwrap().get(&(language, server)) {
        return known.clone();
    }
    // Its settings are gone with it.
    let world = World::confined(&[], &settings(language, server));
    let missing = Runtime::new().unwrap().block_on(find_server(&world.config(), language)).err();
    let missing = missing.filter(|_| !is_required(server)).map(|it| {
        eprintln!("ignored: {}", it.reason);
        format!(" (no {server} here)")
    });
    MISSING.lock().unwrap().insert((language, server), missing.clone());
    missing
}

/// A test, shown as ignored with the reason where something is missing.
pub(crate) fn trial(
    name: String,
    missing: &Option<String>,
    test: impl FnOnce(&Runtime) -> Result<(), Failed> + Send + 'static,
) -> Trial {
    let name = name + missing.as_deref().unwrap_or_default();
    Trial::test(name, move || test(&Runtime::new()?)).with_ignored_flag(missing.is_some())
}

/// The settings that choose a server.
pub(crate) fn settings(language: &str, server: &str) -> String {
    format!("[languages.{language}]\nserver = \"{server}\"\n")
}

/// Returns `true` if `DIALECT_REQUIRE_SERVERS` names the server, so that its absence is a failure.
pub(crate) fn is_required(server: &str) -> bool {
    let required = std::env::var("DIALECT_REQUIRE_SERVERS").unwrap_or_default();
    required.split(',').any(|it| it.trim() == server)
}

/// The processes, supervisors aside, that run in a folder.
pub(crate) fn processes_in(root: &Path) -> Vec<u32> {
    let root = root.canonicalize().unwrap_or_else(|_| root.to_owned());
    let pids = fs::read_dir("/proc").unwrap().flatten();
    let own = fs::read_link("/proc/self/exe").unwrap_or_default();
    pids.filter_map(|it| it.file_name().to_str()?.parse().ok())
        .filter(|pid: &u32| {
            let folder = fs::read_link(format!("/proc/{pid}/cwd")).unwrap_or_default();
            let program = fs::read_link(format!("/proc/{pid}/exe")).unwrap_or_default();
            folder.starts_with(&root) && program != own
        })
        .collect()
}

/// The time after which a wait counts as a hang.
const PATIENCE: Duration = Duration::from_secs(120);

pub(crate) async fn wait_until(is_so: impl Fn() -> bool) {
    let end = Instant::now() + PATIENCE;
    while !is_so() {
        assert!(Instant::now() < end, "it did not come about in time");
        tokio::time::sleep(Duration::from_millis(20)).await;
    }
}
