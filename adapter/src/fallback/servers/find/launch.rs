//! Finds a language's server on this machine, and the environment in which it may run.
//!
//! Nothing that lies in the workspace, or in a repository around it, is executed, whether by path or by the workspace's
//! configuration. Programs are asked for their versions without the user's environment, and behind a wall where one
//! stands. rustup runs outside of the workspace. The toolchain that rustup names is pinned for the server and its child
//! processes.

use std::ffi::{OsStr, OsString};
use std::path::{Path, PathBuf};
use std::process::{Output, Stdio};
use std::time::Duration;

use rustix::process::Pid;
use serde_json::Value;
use tokio::process::Command;

use super::config::Config;
use super::confined::{self, Confinement};
use super::not_found::{InstallHint, NotFound};
use super::rejected_servers::RejectedServers;
use super::settings::Setting;
use crate::fallback::source::languages::{
    Language, ProgramCandidate, ServerProfile, VersionCheck, companion,
};
use crate::fallback::trust::level::Level;
use crate::fallback::trust::ownership;
use crate::fallback::trust::ownership::is_inside;
use crate::{blocking, os, xdg_dirs};

/// The timeout of a tool that is run for a path or a version. A busy machine takes many seconds to start one of Node.js,
/// and a server is not missing because of that; answers return by their own deadline meanwhile.
const PROBE_TIMEOUT: Duration = Duration::from_secs(60);

/// Variables that make tools load or run other code.
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

/// A server that was found and works.
#[derive(Clone, Debug)]
pub(crate) struct Launch {
    /// The profile of the server.
    pub(crate) server: &'static ServerProfile,
    /// The executable, absolute.
    pub(crate) program: PathBuf,
    /// The arguments.
    pub(crate) args: Vec<OsString>,
    /// The version that it prints.
    pub(crate) version: String,
    /// The earlier candidates that failed, one sentence each.
    pub(crate) passed_over: Vec<String>,
    /// The environment that it runs in.
    pub(crate) environment: Environment,
    /// The configured options, merged over its own initialization options.
    pub(crate) options: Value,
}

/// Changes to the environment of this process.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash)]
pub(crate) struct Environment {
    /// The Cargo to query for workspaces, absolute.
    pub(crate) cargo: Option<PathBuf>,
    set: Vec<(OsString, OsString)>,
    /// The confinement of everything that runs in it, in a confined workspace.
    confinement: Option<Box<Confinement>>,
    /// `true` if it has none of the user's variables but harmless ones.
    is_cleared: bool,
    /// The user's variables, if they are not those of this process.
    inherited: Option<Vec<(OsString, OsString)>>,
}

impl Launch {
    /// Confines the server and everything that runs in its environment.
    ///
    /// # Errors
    /// The private folder of the workspace cannot be created.
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

impl Environment {
    /// Applies this environment to a command.
    pub(crate) fn apply(&self, command: &mut Command) {
        match &self.confinement {
            Some(confinement) => {
                command.env_clear().envs(confinement.environment());
            }
            None if self.is_cleared => {
                command.env_clear().envs(confined::probe_environment());
            }
            None => {
                if let Some(inherited) = &self.inherited {
                    command.env_clear().envs(inherited.iter().map(|(name, value)| (name, value)));
                }
                SCRUBBED.iter().for_each(|it| {
                    command.env_remove(it);
                });
            }
        }
        command.envs(self.set.iter().map(|(name, value)| (name, value)));
    }

    /// Sets the user's variables for what runs without a wall.
    pub(crate) fn inherit(&mut self, variables: Option<Vec<(OsString, OsString)>>) {
        self.inherited = variables;
    }

    /// Confines everything that runs in this environment.
    pub(crate) fn confine(&mut self, confinement: Confinement) {
        self.confinement = Some(Box::new(confinement));
    }

    /// Returns the confinement of everything that runs in this environment, if there is one.
    pub(crate) fn confinement(&self) -> Option<&Confinement> {
        self.confinement.as_deref()
    }

    /// Returns the search path for programs.
    pub(crate) fn search_path(&self) -> &OsStr {
        let path = self.set.iter().rev().find(|(name, _)| name == "PATH");
        path.map_or(OsStr::new(""), |(_, value)| value)
    }

    /// Returns this environment for a look at a program, without the user's variables, and behind a wall where one stands.
    ///
    /// # Errors
    /// The private folder of such looks cannot be created; the error is the end of a sentence.
    async fn for_probe(&self, program: &Path, look: &Look<'_>) -> Result<Self, String> {
        let mut environment = Self { is_cleared: true, ..self.clone() };
        if look.config.wall && look.level != Level::Trusted {
            let (program, config, workspace) =
                (program.to_owned(), look.config.clone(), look.grounds.to_vec());
            let path: Vec<_> = std::env::split_paths(self.search_path()).collect();
            let confined =
                blocking::spawn(move || Confinement::of_probe(&workspace, &program, &path, &config)).await;
            environment.confine(confined.map_err(|error| format!("cannot be confined: {error}"))?);
        }
        Ok(environment)
    }

    /// Keeps Cargo offline, where a workspace could name a program that fetches credentials.
    pub(crate) fn go_offline(&mut self) {
        self.set.push(("CARGO_NET_OFFLINE".into(), "true".into()));
    }

    /// Adds the variables that keep the server safe, and the configured ones.
    fn complete(&mut self, server: &ServerProfile, setting: &Setting, level: Level) {
        let safe = server.safe_environment.iter().filter(|_| !level.runs_code());
        self.set.extend(safe.map(|(name, value)| (name.into(), value.into())));
        self.set.extend(setting.env.iter().map(|(name, value)| (name.into(), value.into())));
    }

    /// Returns an environment with this toolchain pinned, if there is one.
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
            // Folders of a list hold no separator, so that joining them again cannot fail.
            set.push(("LD_LIBRARY_PATH".into(), folders.unwrap_or_default()));
        }
        let Some(toolchain) = toolchain else { return Self { set, ..Self::default() } };
        let tool = |name: &str| Some(toolchain.bin().join(name)).filter(|it| it.is_file());
        let cargo = tool("cargo");
        set.push(("RUSTUP_TOOLCHAIN".into(), toolchain.name.clone()));
        set.extend(tool("rustc").map(|it| ("RUSTC".into(), it.into())));
        set.extend(tool("rustdoc").map(|it| ("RUSTDOC".into(), it.into())));
        set.extend(cargo.clone().map(|it| ("CARGO".into(), it.into())));
        Self { cargo, set, ..Self::default() }
    }
}

/// A search for a server.
pub(crate) struct Look<'a> {
    /// The folders of the workspace and the repositories around them.
    grounds: Vec<PathBuf>,
    level: Level,
    config: &'a Config,
}

/// One of rustup's toolchains.
#[derive(Clone, Debug, PartialEq, Eq)]
struct Toolchain {
    name: OsString,
    folder: PathBuf,
}

impl Toolchain {
    /// Returns the toolchain that contains a program: `…/toolchains/<name>/bin/<program>`.
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

/// Finds a server: tries one candidate after the other until one works that is not rejected.
///
/// # Errors
/// None works; the error names each attempt.
pub(crate) async fn find(
    language: &'static Language,
    setting: &Setting,
    workspace: &[PathBuf],
    (level, config): (Level, &Config),
    unfit: &RejectedServers,
) -> Result<Launch, NotFound> {
    let servers = setting.servers(language)?;
    let folders = workspace.to_vec();
    let grounds = blocking::spawn(move || ownership::grounds(&folders)).await;
    let look = &Look { grounds, level, config };
    if let Some(command) = &setting.command {
        return Ok(chosen(command, servers[0], setting, look).await);
    }
    let mut absence = NotFound {
        server: servers[0].name,
        tried: Vec::new(),
        remedy: InstallHint::Install(servers[0].install),
    };
    for server in servers {
        if let Some(launch) = find_one(server, setting, look, unfit, &mut absence).await {
            return Ok(launch);
        }
    }
    let mut seen = std::collections::HashSet::new();
    absence.tried.retain(|it| seen.insert(it.clone())); // one rustup may stand twice in the search path
    Err(absence)
}

/// Looks for one server; failed attempts are added to `absence.tried`.
async fn find_one(
    server: &'static ServerProfile,
    setting: &Setting,
    look: &Look<'_>,
    unfit: &RejectedServers,
    absence: &mut NotFound,
) -> Option<Launch> {
    let Look { grounds: workspace, level, .. } = look;
    let default = default_toolchain(server, workspace).await;
    for program in candidates(server.candidates, workspace, &mut absence.tried).await {
        if let Some(reason) = unfit.reason(&program) {
            absence.tried.push(format!("`{}`: {reason}", program.display()));
            continue;
        }
        let toolchain = Toolchain::of(&program).or_else(|| default.clone());
        let mut environment = Environment::pinned(toolchain.as_ref(), workspace);
        let version = match environment.for_probe(&program, look).await {
            Ok(environment) => version(server, &program, &environment).await,
            Err(cause) => Err(cause),
        };
        match (version, server.runs.filter(|_| !level.runs_code())) {
            (Ok(version), None) => {
                environment.complete(server, setting, *level);
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

/// Returns the version that an executable prints. The error is the end of a sentence.
async fn version(
    server: &ServerProfile,
    program: &Path,
    environment: &Environment,
) -> Result<String, String> {
    let unknown = || "version unknown".to_owned();
    match server.proof {
        VersionCheck::Version(args) => probe(program, args, environment).await,
        VersionCheck::VersionLike(args, like) => {
            let version = probe(program, args, environment).await?;
            let like = regex::Regex::new(like).map_err(|error| error.to_string())?;
            if like.is_match(&version) { Ok(version) } else { Err(format!("is too old ({version})")) }
        }
        VersionCheck::Sibling(name) => {
            let sibling = program.with_file_name(name);
            Ok(probe(&sibling, &["--version"], environment).await.unwrap_or_else(|_| unknown()))
        }
        VersionCheck::Companion(wanted) => match companion(program, wanted) {
            Some(companion) => Ok(format!("with {}", companion.display())),
            None => Err(format!("has no {wanted} beside it")),
        },
        VersionCheck::Presence => Ok(unknown()),
    }
}

/// Returns the launch of a configured command, which is not checked.
async fn chosen(
    command: &[OsString],
    server: &'static ServerProfile,
    setting: &Setting,
    look: &Look<'_>,
) -> Launch {
    let toolchain = default_toolchain(server, &look.grounds).await;
    let mut environment = Environment::pinned(toolchain.as_ref(), &look.grounds);
    environment.complete(server, setting, look.level);
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

/// Returns rustup's default toolchain, for a server that works with one.
async fn default_toolchain(server: &ServerProfile, workspace: &[PathBuf]) -> Option<Toolchain> {
    if !server.candidates.iter().any(|it| matches!(it, ProgramCandidate::Rustup(_))) {
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
    candidates: &[ProgramCandidate],
    workspace: &[PathBuf],
    tried: &mut Vec<String>,
) -> Vec<PathBuf> {
    let mut programs = Vec::new();
    for candidate in candidates {
        match candidate {
            ProgramCandidate::Rustup(name) => programs.extend(in_toolchains(name, workspace, tried).await),
            ProgramCandidate::SearchPath(name) => {
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

/// Finds the component in the default toolchain, otherwise in the others.
async fn in_toolchains(name: &str, workspace: &[PathBuf], tried: &mut Vec<String>) -> Vec<PathBuf> {
    for rustup in search("rustup", workspace) {
        match rustup_which(&rustup, &[], name, workspace).await {
            Ok(program) => return vec![program],
            Err(cause) => tried.push(format!("`rustup which {name}` {cause}")),
        }
        let environment = Environment::pinned(None, workspace);
        let list = probe(&rustup, &["toolchain", "list"], &environment).await.unwrap_or_else(|cause| {
            tracing::debug!(rustup = %rustup.display(), cause, "`rustup toolchain list` failed");
            String::new()
        });
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

/// Runs a tool outside the workspace and returns its trimmed output. The error is the end of a sentence.
async fn probe(program: &Path, args: &[&str], environment: &Environment) -> Result<String, String> {
    let mut command = std::process::Command::new(program);
    command.args(args);
    let environment = &Environment { is_cleared: true, ..environment.clone() };
    let output = run(command, environment, PROBE_TIMEOUT).await?;
    let stdout = String::from_utf8_lossy(&output.stdout).trim().to_owned();
    if output.status.success() && !stdout.is_empty() {
        return Ok(stdout);
    }
    let stderr = String::from_utf8_lossy(&output.stderr);
    let last = stderr.lines().rfind(|it| !it.trim().is_empty()).unwrap_or("it says nothing").trim();
    Err(format!("failed ({}: {last})", output.status))
}

/// Runs a tool to its end, outside of the workspace and behind the environment's wall. The error is the end
/// of a sentence. On a timeout or when the future is dropped, the tool and its child processes are killed.
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

/// A process group that is killed on drop.
struct Group(Option<Pid>);

impl Drop for Group {
    fn drop(&mut self) {
        self.0.take().into_iter().for_each(os::kill_group);
    }
}

/// Returns a folder without configuration.
fn outside() -> &'static Path {
    Path::new("/")
}

/// Finds every executable of that name in the search path, without those in the workspace.
fn search(name: &str, workspace: &[PathBuf]) -> Vec<PathBuf> {
    let path = search_path(None, workspace);
    // An error means that no folder holds such a program.
    which::which_in_all(name, Some(path), outside())
        .map(|found| found.filter(|it| !is_inside(it, workspace)).collect())
        .unwrap_or_default()
}

/// The folders below the home folder into which installers put programs.
const HOME_FOLDERS: &[&str] = &[".cargo/bin", ".local/bin", "go/bin", ".dotnet/tools"];

/// Returns the folders and files that change when a server or a toolchain is installed, removed or chosen.
pub(crate) fn places_of_programs() -> Vec<PathBuf> {
    let path = search_path(None, &[]);
    let rustup = confined::rustup_home();
    let chosen = rustup.iter().flat_map(|it| ["settings.toml", "toolchains"].map(|part| it.join(part)));
    std::env::split_paths(&path).chain(chosen).collect()
}

/// Returns the search path without relative folders and folders of the workspace. Adds the folders of
/// installers, which editors that were not started from a shell do not know.
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

/// Returns the folders that a variable lists, without relative ones and those of the workspace.
fn trusted_folders(variable: &str, workspace: &[PathBuf]) -> Vec<PathBuf> {
    let list = std::env::var_os(variable).unwrap_or_default();
    std::env::split_paths(&list).filter(|it| it.is_absolute() && !is_inside(it, workspace)).collect()
}

#[cfg(test)]
#[path = "launch_tests.rs"]
mod tests;
