//! Finds a language's server on this machine, and the environment in which it may run.
//!
//! Nothing that lies in the workspace is executed, neither by path nor by what the workspace configures: rustup is
//! asked from outside it, and the toolchain that it names is pinned for the server and everything under it.

use std::ffi::OsString;
use std::path::{Path, PathBuf};
use std::process::{Output, Stdio};
use std::time::Duration;

use rustix::process::Pid;
use tokio::process::Command;

use super::languages::{Candidate, Language};
use crate::os;

/// How long any tool may take to say where something is or which version it has.
const PROBE_TIMEOUT: Duration = Duration::from_secs(10);

/// Variables that make tools load or run something else than they are.
const SCRUBBED: &[&str] = &[
    "LD_PRELOAD",
    "LD_AUDIT",
    "DYLD_INSERT_LIBRARIES",
    "NODE_OPTIONS",
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
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Launch {
    /// Absolute.
    pub(crate) program: PathBuf,
    /// Its arguments.
    pub(crate) args: Vec<OsString>,
    /// What it says its version is.
    pub(crate) version: String,
    /// What it runs in.
    pub(crate) environment: Environment,
}

/// Changes to the environment that this process has.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Environment {
    /// The Cargo to ask about workspaces, absolute.
    pub(crate) cargo: Option<PathBuf>,
    set: Vec<(OsString, OsString)>,
}

/// No server was found.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{server} is not installed or does not start{}", tried_list(.tried))]
pub(crate) struct NotFound {
    server: &'static str,
    /// What was tried and what came of it, one sentence each.
    pub(crate) tried: Vec<String>,
    /// The command that installs it.
    pub(crate) install: &'static str,
}

fn tried_list(tried: &[String]) -> String {
    if tried.is_empty() { String::new() } else { format!(": {}", tried.join("; ")) }
}

impl Environment {
    /// Gives a command this environment.
    pub(crate) fn apply(&self, command: &mut Command) {
        for name in SCRUBBED {
            command.env_remove(name);
        }
        command.envs(self.set.iter().map(|(name, value)| (name, value)));
    }

    /// Keeps Cargo off the network, where a workspace could name a program that is to fetch credentials for it.
    pub(crate) fn go_offline(&mut self) {
        self.set.push(("CARGO_NET_OFFLINE".into(), "true".into()));
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
        let Some(toolchain) = toolchain else { return Self { cargo: None, set } };
        let tool = |name: &str| Some(toolchain.bin().join(name)).filter(|it| it.is_file());
        let cargo = tool("cargo");
        set.push(("RUSTUP_TOOLCHAIN".into(), toolchain.name.clone()));
        set.extend(tool("rustc").map(|it| ("RUSTC".into(), it.into())));
        set.extend(tool("rustdoc").map(|it| ("RUSTDOC".into(), it.into())));
        set.extend(cargo.clone().map(|it| ("CARGO".into(), it.into())));
        Self { cargo, set }
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

/// Finds the server, trying one candidate after the other until one answers `--version`.
///
/// # Errors
/// None does; the error names each.
pub(crate) async fn find(language: &'static Language, workspace: &[PathBuf]) -> Result<Launch, NotFound> {
    let server = &language.server;
    let default = default_toolchain(workspace).await;
    let mut tried = Vec::new();
    for program in candidates(server.candidates, workspace, &mut tried).await {
        let toolchain = Toolchain::of(&program).or_else(|| default.clone());
        let environment = Environment::pinned(toolchain.as_ref(), workspace);
        match probe(&program, &["--version"], &environment).await {
            Ok(version) => {
                let args = server.args.iter().map(Into::into).collect();
                return Ok(Launch { program, args, version, environment });
            }
            Err(cause) => tried.push(format!("`{} --version` {cause}", program.display())),
        }
    }
    let mut seen = std::collections::HashSet::new();
    tried.retain(|it| seen.insert(it.clone())); // one rustup may stand twice in the search path
    Err(NotFound { server: server.name, tried, install: server.install })
}

/// A command that somebody chose: it is taken as it is.
pub(crate) async fn chosen(command: &[OsString], workspace: &[PathBuf]) -> Option<Launch> {
    let (program, args) = command.split_first()?;
    let toolchain = default_toolchain(workspace).await;
    Some(Launch {
        program: program.into(),
        args: args.to_vec(),
        version: "chosen by configuration".into(),
        environment: Environment::pinned(toolchain.as_ref(), workspace),
    })
}

/// The toolchain that rustup uses where nothing is configured.
async fn default_toolchain(workspace: &[PathBuf]) -> Option<Toolchain> {
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
    let mut command = Command::new(program);
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

/// Runs a tool to its end, outside the workspace; or why not, as the end of a sentence. When that takes too long,
/// or nobody waits any more, the tool ends with everything that it started.
pub(crate) async fn run(
    mut command: Command,
    environment: &Environment,
    patience: Duration,
) -> Result<Output, String> {
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

/// The search path without relative folders and without those of the workspace. Rustup's own folder is looked into
/// as well: editors that were not started from a shell have not heard of it.
fn search_path(first: Option<PathBuf>, workspace: &[PathBuf]) -> OsString {
    let home = std::env::var_os("HOME").map(|it| Path::new(&it).join(".cargo"));
    let cargo = std::env::var_os("CARGO_HOME").map(PathBuf::from).or(home).map(|it| it.join("bin"));
    let own = trusted_folders("PATH", workspace);
    let rustup = cargo.filter(|it| !own.contains(it) && !is_inside(it, workspace));
    // Folders out of such a list hold no separator, so they can be joined again; the others might hold one.
    let all = first.into_iter().chain(own.iter().cloned()).chain(rustup);
    std::env::join_paths(all).or_else(|_| std::env::join_paths(&own)).unwrap_or_default()
}

/// A variable that lists folders, without relative ones and without those of the workspace.
fn trusted_folders(variable: &str, workspace: &[PathBuf]) -> Vec<PathBuf> {
    let list = std::env::var_os(variable).unwrap_or_default();
    std::env::split_paths(&list).filter(|it| it.is_absolute() && !is_inside(it, workspace)).collect()
}

fn is_inside(path: &Path, workspace: &[PathBuf]) -> bool {
    let canonical = path.canonicalize();
    let canonical = canonical.as_deref().unwrap_or(path);
    workspace.iter().any(|root| canonical.starts_with(root) || path.starts_with(root))
}

#[cfg(test)]
#[path = "launch_tests.rs"]
mod tests;
