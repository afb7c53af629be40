//! The settings of the tool `script`.

use std::ffi::OsString;
use std::path::PathBuf;
use std::time::Duration;

/// The settings of the tool `script`.
#[derive(Clone, Debug)]
pub struct Scripts {
    /// The program of a process that runs one script, and its arguments.
    pub(crate) program: PathBuf,
    pub(crate) arguments: Vec<OsString>,
    /// The limits of one program.
    pub limits: ScriptLimits,
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
    /// The number of calls.
    pub calls: usize,
}

impl Default for ScriptLimits {
    /// Returns 2 s of computing, 60 s in all, 64 MiB and 256 calls.
    fn default() -> Self {
        let (cpu, wall) = (Duration::from_secs(2), Duration::from_secs(60));
        Self { cpu, wall, memory: 64 * 1024 * 1024, calls: 256 }
    }
}

impl Scripts {
    /// Returns the settings with the command of a process that runs one program, whose frames come over its standard
    /// streams (`script_worker::run`).
    pub fn new(program: impl Into<PathBuf>, arguments: impl IntoIterator<Item = OsString>) -> Self {
        let arguments = arguments.into_iter().collect();
        Self { program: program.into(), arguments, limits: ScriptLimits::default() }
    }
}
