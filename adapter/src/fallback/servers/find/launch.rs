//! Finds a language's server on this machine, and the environment in which it may run.
//!
//! Nothing that lies in the workspace is executed, neither by path nor by what the workspace configures: rustup is
//! asked from outside it, and the toolchain that it names is pinned for the server and everything under it.

use super::config::Config;
use super::confined::Confinement;
use super::rejected_servers::RejectedServers;
use super::settings::Setting;
use crate::fallback::source::languages::{Candidate, Language, Proof, Server, companion};
use crate::fallback::trust::level::Level;
use crate::fallback::workspace::walk::is_inside;
use crate::{blocking, os, xdg_dirs};
use std::ffi::{OsStr, OsString};
use std::path::{Path, PathBuf};
use std::process::{Output, Stdio};
use std::time::Duration;

use rustix::process::Pid;
use serde_json::Value;
use tokio::process::Command;

/// How long any tool may take to say where something is or which version it has.
const PROBE_TIMEOUT: Duration = Duration::from_secs(10);

/// Variables that make tools load or run something else than they are.
const SCRUBBED: &[&str] = &[
    "LD_PRELOAD",
    "LD_AUDIT",
    "DYLD_INSERT_LIBRARIES",
    "NODE_OPTIONS",
    "NODE_PATH",
    "PYTHONPATH",
    "PYTHONSTARTUP",
    "PERL5OPT",
    "RUBYOPT",
    "RUSTC",
    "RUSTDOC",
    "CARGO",
    "RUSTC_BOOTSTRAP",
    "RUSTFLAGS",
    "CARGO_ENCODED_RUSTFLAGS",
    "CARGO_BUILD_RUSTC",
    "CARGO_BUILD_RUSTC_WRAPPER",
    "CARGO_BUILD_RUSTC_WORKSPACE_WRAPPER",
    "RUSTUP_TOOLCHAIN",
];

/// A server that was found and answers.
#[derive(Clone, Debug)]
pub(crate) struct Launch {
    /// What is known of it.
    pub(crate) server: &'static Server,
    /// Absolute.
    pub(crate) program: PathBuf,
    /// Its arguments.
    pub(crate) args: Vec<OsString>,
    /// What it says its version is.
    pub(crate) version: String,
    /// What was tried before and came to nothing, one sentence each.
    pub(crate) passed_over: Vec<String>,
    /// What it runs in.
    pub(crate) environment: Environment,
    /// What is configured on top of its own initialization options.
    pub(crate) options: Value,
}

/// Changes to the environment that this process has.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash)]
pub(crate) struct Environment {
    /// The Cargo to ask about workspaces, absolute.
    pub(crate) cargo: Option<PathBuf>,
    set: Vec<(OsString, OsString)>,
    /// The wall around whatever runs in it, in a confined workspace.
    confinement: Option<Box<Confinement>>,
}

impl Launch {
    /// Confines the server, and whatever else runs for the workspace in its environment.
    ///
    /// # Errors
    /// The private folder of the workspace cannot be made.
    pub(crate) async fn confine(
        &mut self,
        language: &'static Language,
        workspace: &[PathBuf],
        config: &Config,
    ) -> std::io::Result<()> {
        let (program, config, workspace) = (self.program.clone(), config.clone(), workspace.to_vec());
        let path: Vec<_> = std::env::split_paths(self.environment.search_path()).collect();
        let confined =
            blocking::spawn(move || Confinement::new(language, &workspace, &program, &path, &config));
        self.environment.confine(confined.await?);
        Ok(())
    }
}

/// No server was found.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{server} is not installed or does not start{}", tried_list(.tried))]
pub(crate) struct NotFound {
    /// The server that would be best.
    pub(crate) server: &'static str,
    /// What was tried and what came of it, one sentence each.
    pub(crate) tried: Vec<String>,
    /// What to do about it.
    pub(crate) remedy: InstallHint,
}

/// What gives a workspace the server that it lacks.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum InstallHint {
    /// This command installs it.
    Install(&'static str),
    /// It is there, and runs code of the workspace: the workspace has to be trusted.
    Trust,
    /// Configuration turned the language off, or names what does not exist.
    Configure,
}

fn tried_list(tried: &[String]) -> String {
    if tried.is_empty() { String::new() } else { format!(": {}", tried.join("; ")) }
}

impl Environment {
    /// Gives a command this environment.
    pub(crate) fn apply(&self, command: &mut Command) {
        match &self.confinement {
            Some(confinement) => {
                command.env_clear().envs(confinement.environment());
            }
            None => SCRUBBED.iter().for_each(|it| {
                command.env_remove(it);
            }),
        }
        command.envs(self.set.iter().map(|(name, value)| (name, value)));
    }

    /// Confines whatever runs in it.
    pub(crate) fn confine(&mut self, confinement: Confinement) {
        self.confinement = Some(Box::new(confinement));
    }

    /// The wall around whatever runs in it, if there is one.
    pub(crate) fn confinement(&self) -> Option<&Confinement> {
        self.confinement.as_deref()
    }

    /// Where to look for programs.
    pub(crate) fn search_path(&self) -> &OsStr {
        let path = self.set.iter().rev().find(|(name, _)| name == "PATH");
        path.map_or(OsStr::new(""), |(_, value)| value)
    }

    /// Keeps Cargo off the network, where a workspace could name a program that is to fetch credentials for it.
    pub(crate) fn go_offline(&mut self) {
        self.set.push(("CARGO_NET_OFFLINE".into(), "true".into()));
    }

    /// Adds what keeps the server safe, and what somebody configured.
    fn complete(&mut self, server: &Server, setting: &Setting, level: Level) {
        let safe = server.safe_environment.iter().filter(|_| !level.runs_code());
        self.set.extend(safe.map(|(name, value)| (name.into(), value.into())));
        self.set.extend(setting.env.iter().map(|(name, value)| (name.into(), value.into())));
    }

    /// An environment with the toolchain pinned that holds `program`, if one does.
    fn pinned(toolchain: Option<&Toolchain>, workspace: &[PathBuf]) -> Self {
        let path = search_path(toolchain.map(Toolchain::bin), workspace);
        let mut set: Vec<(OsString, OsString)> = vec![
            ("PATH".into(), path),
            // Set but empty, these win over what a `.cargo/config.toml` says.
            ("RUSTC_WRAPPER".into(), OsString::new()),
            ("RUSTC_WORKSPACE_WRAPPER".into(), OsString::new()),
            ("RUSTUP_AUTO_INSTALL".into(), "0".into()),
        ];
        if std::env::var_os("LD_LIBRARY_PATH").is_some() {
            let folders = std::env::join_paths(trusted_folders("LD_LIBRARY_PATH", workspace));
            set.push(("LD_LIBRARY_PATH".into(), folders.unwrap_or_default()));
        }
        let Some(toolchain) = toolchain else { return Self { set, ..Self::default() } };
        let tool = |name: &str| Some(toolchain.bin().join(name)).filter(|it| it.is_file());
        let cargo = tool("cargo");
        set.push(("RUSTUP_TOOLCHAIN".into(), toolchain.name.clone()));
        set.extend(tool("rustc").map(|it| ("RUSTC".into(), it.into())));
        set.extend(tool("rustdoc").map(|it| ("RUSTDOC".into(), it.into())));
        set.extend(cargo.clone().map(|it| ("CARGO".into(), it.into())));
        Self { cargo, set, confinement: None }
    }
}

/// One of rustup's toolchains.
#[derive(Clone, Debug, PartialEq, Eq)]
struct Toolchain {
    name: OsString,
    folder: PathBuf,
}

impl Toolchain {
    /// The toolchain that a program lies in: `…/toolchains/<name>/bin/<program>`.
    fn of(program: &Path) -> Option<Self> {
        let program = program.canonicalize().unwrap_or_else(|_| program.to_owned());
        let folder = program.parent()?.parent()?;
        let is_toolchain = folder.parent()?.file_name()? == "toolchains";
        is_toolchain
            .then(|| Some(Self { name: folder.file_name()?.to_owned(), folder: folder.to_owned() }))
            .flatten()
    }

    fn bin(&self) -> PathBuf {
        self.folder.join("bin")
    }
}

/// Finds a server, trying one candidate after the other until one works that is not known to be unfit.
///
/// # Errors
/// None does; the error names each.
pub(crate) async fn find(
    language: &'static Language,
    setting: &Setting,
    workspace: &[PathBuf],
    level: Level,
    unfit: &RejectedServers,
) -> Result<Launch, NotFound> {
    let servers = setting.servers(language)?;
    if let Some(command) = &setting.command {
        return Ok(chosen(command, servers[0], setting, workspace, level).await);
    }
    let mut absence = NotFound {
        server: servers[0].name,
        tried: Vec::new(),
        remedy: InstallHint::Install(servers[0].install),
    };
    for server in servers {
        if let Some(launch) = find_one(server, setting, workspace, level, unfit, &mut absence).await {
            return Ok(launch);
        }
    }
    let mut seen = std::collections::HashSet::new();
    absence.tried.retain(|it| seen.insert(it.clone())); // one rustup may stand twice in the search path
    Err(absence)
}

/// One server, if it is there and works; what was tried in vain is added to the absence.
async fn find_one(
    server: &'static Server,
    setting: &Setting,
    workspace: &[PathBuf],
    level: Level,
    unfit: &RejectedServers,
    absence: &mut NotFound,
) -> Option<Launch> {
    let default = default_toolchain(server, workspace).await;
    for program in candidates(server.candidates, workspace, &mut absence.tried).await {
        if let Some(reason) = unfit.reason(&program) {
            absence.tried.push(format!("`{}`: {reason}", program.display()));
            continue;
        }
        let toolchain = Toolchain::of(&program).or_else(|| default.clone());
        let mut environment = Environment::pinned(toolchain.as_ref(), workspace);
        match (version(server, &program, &environment).await, server.runs.filter(|_| !level.runs_code())) {
            (Ok(version), None) => {
                environment.complete(server, setting, level);
                let args = setting.args(server);
                let options = setting.options.clone();
                let passed_over = absence.tried.clone();
                return Some(Launch { server, program, args, version, passed_over, environment, options });
            }
            (Ok(_), Some(what)) => {
                absence.server = server.name;
                absence.tried.push(format!("{} runs {what}, and the workspace is restricted", server.name));
                absence.remedy = InstallHint::Trust;
            }
            (Err(cause), _) => absence.tried.push(format!("`{}` {cause}", program.display())),
        }
    }
    None
}

/// What an executable says its version is; or why it is of no use, as the end of a sentence.
async fn version(server: &Server, program: &Path, environment: &Environment) -> Result<String, String> {
    let unknown = || "version unknown".to_owned();
    match server.proof {
        Proof::Version(args) => probe(program, args, environment).await,
        Proof::VersionLike(args, like) => {
            let version = probe(program, args, environment).await?;
            let like = regex::Regex::new(like).map_err(|error| error.to_string())?;
            if like.is_match(&version) { Ok(version) } else { Err(format!("is too old ({version})")) }
        }
        Proof::Sibling(name) => {
            let sibling = program.with_file_name(name);
            Ok(probe(&sibling, &["--version"], environment).await.unwrap_or_else(|_| unknown()))
        }
        Proof::Companion(wanted) => match companion(program, wanted) {
            Some(companion) => Ok(format!("with {}", companion.display())),
            None => Err(format!("has no {wanted} beside it")),
        },
        Proof::Presence => Ok(unknown()),
    }
}

/// A command that somebody chose: it is taken as it is.
async fn chosen(
    command: &[OsString],
    server: &'static Server,
    setting: &Setting,
    workspace: &[PathBuf],
    level: Level,
) -> Launch {
    let toolchain = default_toolchain(server, workspace).await;
    let mut environment = Environment::pinned(toolchain.as_ref(), workspace);
    environment.complete(server, setting, level);
    let (program, args) =
        command.split_first().map_or((OsString::new(), &[][..]), |(it, rest)| (it.clone(), rest));
    Launch {
        server,
        program: program.into(),
        args: args.to_vec(),
        version: "chosen by configuration".into(),
        passed_over: Vec::new(),
        environment,
        options: setting.options.clone(),
    }
}

/// The toolchain that rustup uses where nothing is configured, for a server that works with one.
async fn default_toolchain(server: &Server, workspace: &[PathBuf]) -> Option<Toolchain> {
    if !server.candidates.iter().any(|it| matches!(it, Candidate::Rustup(_))) {
        return None;
    }
    for rustup in search("rustup", workspace) {
        if let Ok(cargo) = rustup_which(&rustup, &[], "cargo", workspace).await {
            return Toolchain::of(&cargo);
        }
    }
    None
}

async fn candidates(
    candidates: &[Candidate],
    workspace: &[PathBuf],
    tried: &mut Vec<String>,
) -> Vec<PathBuf> {
    let mut programs = Vec::new();
    for candidate in candidates {
        match candidate {
            Candidate::Rustup(name) => programs.extend(in_toolchains(name, workspace, tried).await),
            Candidate::SearchPath(name) => {
                let before = programs.len();
                programs.extend(search(name, workspace));
                if programs.len() == before {
                    tried.push(format!("no `{name}` is in the search path"));
                }
            }
        }
    }
    let mut seen = std::collections::HashSet::new();
    programs.retain(|it| seen.insert(it.clone()));
    programs
}

/// The component in the default toolchain, else in the others.
async fn in_toolchains(name: &str, workspace: &[PathBuf], tried: &mut Vec<String>) -> Vec<PathBuf> {
    for rustup in search("rustup", workspace) {
        match rustup_which(&rustup, &[], name, workspace).await {
            Ok(program) => return vec![program],
            Err(cause) => tried.push(format!("`rustup which {name}` {cause}")),
        }
        let environment = Environment::pinned(None, workspace);
        let list = probe(&rustup, &["toolchain", "list"], &environment).await.unwrap_or_default();
        let names = list.lines().filter_map(|it| it.split_whitespace().next());
        for toolchain in names {
            if let Ok(program) = rustup_which(&rustup, &["--toolchain", toolchain], name, workspace).await {
                return vec![program];
            }
        }
    }
    Vec::new()
}

async fn rustup_which(
    rustup: &Path,
    options: &[&str],
    name: &str,
    workspace: &[PathBuf],
) -> Result<PathBuf, String> {
    let args: Vec<_> = ["which"].iter().chain(options).copied().chain([name]).collect();
    let program = PathBuf::from(probe(rustup, &args, &Environment::pinned(None, workspace)).await?);
    if is_inside(&program, workspace) {
        return Err(format!("names `{}`, which lies in the workspace", program.display()));
    }
    if program.is_file() {
        Ok(program)
    } else {
        Err(format!("names `{}`, which is no file", program.display()))
    }
}

/// Runs a tool outside the workspace and returns what it prints, trimmed; or why not, as the end of a sentence.
async fn probe(program: &Path, args: &[&str], environment: &Environment) -> Result<String, String> {
    let mut command = std::process::Command::new(program);
    command.args(args);
    let output = run(command, environment, PROBE_TIMEOUT).await?;
    let stdout = String::from_utf8_lossy(&output.stdout).trim().to_owned();
    if output.status.success() && !stdout.is_empty() {
        return Ok(stdout);
    }
    let stderr = String::from_utf8_lossy(&output.stderr);
    let last = stderr.lines().rfind(|it| !it.trim().is_empty()).unwrap_or("it says nothing").trim();
    Err(format!("failed ({}: {last})", output.status))
}

/// Runs a tool to its end, outside the workspace and behind the environment's wall; or why not, as the end of a sentence.
/// When that takes too long, or nobody waits any more, the tool ends with everything that it started.
pub(crate) async fn run(
    tool: std::process::Command,
    environment: &Environment,
    patience: Duration,
) -> Result<Output, String> {
    let mut command = match environment.confinement() {
        Some(confinement) => {
            let mut command = Command::new(confinement.supervisor());
            command.args(["supervise", "--scratch"]).args(confinement.arguments());
            command.arg("--").arg(tool.get_program()).args(tool.get_args());
            command
        }
        None => tool.into(),
    };
    command.stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::piped());
    command.current_dir(outside()).process_group(0);
    environment.apply(&mut command);
    command.env("RUST_BACKTRACE", "0"); // the last line of what a tool says is then its reason
    let child = command.spawn().map_err(|error| format!("does not start ({error})"))?;
    let mut group = Group(child.id().and_then(|it| Pid::from_raw(i32::try_from(it).ok()?)));
    match tokio::time::timeout(patience, child.wait_with_output()).await {
        Err(_) => Err(format!("did not answer within {} seconds", patience.as_secs())),
        Ok(Err(error)) => Err(format!("cannot be waited for ({error})")),
        Ok(Ok(output)) => {
            group.0 = None;
            Ok(output)
        }
    }
}

/// A process group that ends when this is dropped.
struct Group(Option<Pid>);

impl Drop for Group {
    fn drop(&mut self) {
        self.0.take().into_iter().for_each(os::kill_group);
    }
}

/// A folder that configures nothing.
fn outside() -> &'static Path {
    Path::new("/")
}

/// Every executable of that name in the search path that does not lie in the workspace.
fn search(name: &str, workspace: &[PathBuf]) -> Vec<PathBuf> {
    let path = search_path(None, workspace);
    which::which_in_all(name, Some(path), outside())
        .map(|found| found.filter(|it| !is_inside(it, workspace)).collect())
        .unwrap_or_default()
}

/// Where installers put programs, in the home folder.
const HOME_FOLDERS: &[&str] = &[".cargo/bin", ".local/bin", "go/bin", ".dotnet/tools"];

/// The search path without relative folders and without those of the workspace. The folders of installers are
/// looked into as well: editors that were not started from a shell have not heard of them.
fn search_path(first: Option<PathBuf>, workspace: &[PathBuf]) -> OsString {
    let home = xdg_dirs::home();
    let cargo = std::env::var_os("CARGO_HOME").map(|it| Path::new(&it).join("bin"));
    let in_home = home.iter().flat_map(|home| HOME_FOLDERS.iter().map(|it| home.join(it)));
    let own = trusted_folders("PATH", workspace);
    let more = cargo
        .into_iter()
        .chain(in_home)
        .filter(|it| it.is_dir() && !own.contains(it) && !is_inside(it, workspace));
    // Folders out of such a list hold no separator, so they can be joined again; the others might hold one.
    let all = first.into_iter().chain(own.iter().cloned()).chain(more);
    std::env::join_paths(all).or_else(|_| std::env::join_paths(&own)).unwrap_or_default()
}

/// A variable that lists folders, without relative ones and without those of the workspace.
fn trusted_folders(variable: &str, workspace: &[PathBuf]) -> Vec<PathBuf> {
    let list = std::env::var_os(variable).unwrap_or_default();
    std::env::split_paths(&list).filter(|it| it.is_absolute() && !is_inside(it, workspace)).collect()
}

#[cfg(test)]
#[path = "launch_tests.rs"]
mod tests;
