//! The arguments of the small process above each server.

use std::ffi::OsString;
use std::process::ExitCode;
use std::time::Duration;

use adapter::supervise::{SupervisorOptions, Wall, supervise};
use clap::Args;

#[derive(Debug, Args)]
pub(crate) struct Supervise {
    /// The time the command may run once the process that started this is gone, in milliseconds
    #[arg(long, default_value_t = 0)]
    patience: u64,
    /// Give the command a temporary folder of its own, and remove it at the end
    #[arg(long)]
    scratch: bool,
    /// Restrict the command to what this wall allows, as JSON
    #[arg(long, value_parser = wall)]
    wall: Option<Wall>,
    #[arg(last = true, required = true)]
    command: Vec<OsString>,
}

impl Supervise {
    pub(crate) fn run(self) -> ExitCode {
        let (command, arguments) = self.command.split_first().expect("clap requires one");
        let Self { patience, scratch, ref wall, .. } = self;
        let terms =
            SupervisorOptions { patience: Duration::from_millis(patience), scratch, wall: wall.clone() };
        supervise(command, arguments, terms)
    }
}

fn wall(written: &str) -> Result<Wall, String> {
    serde_json::from_str(written).map_err(|error| error.to_string())
}
