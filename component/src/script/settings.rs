//! The settings of the tool `script`.

use std::ffi::OsString;
use std::fmt;
use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;

/// The settings of the tool `script`.
#[derive(Clone, Debug)]
pub struct Scripts {
    /// The program of a process that runs one script, and its arguments.
    pub(crate) program: PathBuf,
    pub(crate) arguments: Vec<OsString>,
    /// The limits of one program.
    pub limits: ScriptLimits,
    /// The runtimes besides the engine, which know the packages of the workspace.
    pub runtimes: Vec<ExternalRuntime>,
    /// The type checker that advises programs, if there is one.
    pub checker: Option<TypeChecker>,
}

/// A type checker outside of this program: TypeScript 7 or later, which is fast enough to run beside each program.
#[derive(Clone)]
pub struct TypeChecker(Arc<FindChecker>);

/// Returns the command of a checker for the folders of a session, if there is one; may block.
type FindChecker = dyn Fn(&[PathBuf]) -> Option<CheckerCommand> + Send + Sync;

/// The command of a type checker, and a folder that it can read, in which programs are written for it.
#[derive(Clone, Debug)]
pub struct CheckerCommand {
    /// The command; it takes the arguments of `tsc`.
    pub command: RuntimeCommand,
    /// The folder, which only this user can read.
    pub folder: PathBuf,
}

impl TypeChecker {
    /// Wraps the search for a checker.
    pub fn new(find: impl Fn(&[PathBuf]) -> Option<CheckerCommand> + Send + Sync + 'static) -> Self {
        Self(Arc::new(find))
    }

    /// Finds its command; blocking.
    pub(crate) fn find(&self, roots: &[PathBuf]) -> Option<CheckerCommand> {
        (self.0)(roots)
    }
}

impl fmt::Debug for TypeChecker {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.debug_struct("TypeChecker").finish_non_exhaustive()
    }
}

/// A runtime outside of this program: Node.js or Deno.
#[derive(Clone)]
pub struct ExternalRuntime {
    /// The name by which calls choose it: `node`.
    pub name: String,
    find: Arc<FindRuntime>,
}

/// Returns the command of a runtime for the folders of a session, or why there is none; may block.
type FindRuntime = dyn Fn(&[PathBuf]) -> Result<RuntimeCommand, String> + Send + Sync;

/// The command of a runtime. Its process and all that it starts end when its standard input is closed.
#[derive(Clone, Debug)]
pub struct RuntimeCommand {
    /// The path of the runtime's executable.
    pub program: PathBuf,
    /// The arguments of the executable, with [`script_protocol::external`] among them.
    pub arguments: Vec<OsString>,
    /// The environment, which replaces the user's.
    pub environment: Vec<(OsString, OsString)>,
    /// The way of its frames.
    pub transport: FrameTransport,
}

/// The way on which a runtime and the host exchange frames.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum FrameTransport {
    /// The standard input and output of the runtime.
    #[default]
    Streams,
    /// Requests to a port of loopback, with a token in its environment.
    Loopback,
}

impl ExternalRuntime {
    /// Wraps the search for a runtime.
    pub fn new(
        name: impl Into<String>,
        find: impl Fn(&[PathBuf]) -> Result<RuntimeCommand, String> + Send + Sync + 'static,
    ) -> Self {
        Self { name: name.into(), find: Arc::new(find) }
    }

    /// Finds its command; blocking.
    pub(crate) fn find(&self, roots: &[PathBuf]) -> Result<RuntimeCommand, String> {
        (self.find)(roots)
    }
}

impl fmt::Debug for ExternalRuntime {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.debug_struct("ExternalRuntime").field("name", &self.name).finish_non_exhaustive()
    }
}

/// The limits of one program.
#[derive(Clone, Copy, Debug)]
pub struct ScriptLimits {
    /// The time that it may compute. Waiting for calls does not count.
    pub cpu: Duration,
    /// The time that it may take, with its calls. Waiting for the user does not count.
    pub wall: Duration,
    /// The memory of the engine, in bytes.
    pub memory: usize,
    /// The number of calls of functions; those of files do not count.
    pub calls: usize,
    /// The time that a type checker may take, and that a program waits for its advice after a failure.
    pub checking: Duration,
}

impl Default for ScriptLimits {
    /// Returns 10 s of computing, 60 s in all, 64 MiB, 256 calls, and 2 s for advice.
    fn default() -> Self {
        let (cpu, wall) = (Duration::from_secs(10), Duration::from_secs(60));
        Self { cpu, wall, memory: 64 * 1024 * 1024, calls: 256, checking: Duration::from_secs(2) }
    }
}

impl Scripts {
    /// Returns the settings with the command of a process that runs one program, whose frames come over its standard
    /// streams (`script_worker::run`).
    pub fn new(program: impl Into<PathBuf>, arguments: impl IntoIterator<Item = OsString>) -> Self {
        let arguments = arguments.into_iter().collect();
        let (limits, runtimes) = (ScriptLimits::default(), Vec::new());
        Self { program: program.into(), arguments, limits, runtimes, checker: None }
    }
}
