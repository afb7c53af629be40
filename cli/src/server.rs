//! `dialect server`: the background process, whose language servers all editors, agents and shells share.

use std::fmt::Write;
use std::process::ExitCode;

use adapter::background::{self, Status};
use clap::{Args, Subcommand};

use crate::environment::executable;
use crate::failure::Failure;
use crate::os;
use crate::output::{complain, say};

/// The arguments with which this executable is the background process.
pub(crate) const ARGUMENTS: &[&str] = &["server", "run"];

#[derive(Debug, Args)]
pub(crate) struct Arguments {
    #[command(subcommand)]
    pub(crate) command: Option<Command>,
}

#[derive(Clone, Copy, Debug, Subcommand)]
pub(crate) enum Command {
    /// Show its clients, language servers and memory; this is the default
    Status {
        /// Print JSON
        #[arg(long)]
        json: bool,
    },
    /// End it and its language servers; the next question starts it again
    Stop,
    /// Print its log
    Logs,
    /// Be the background process
    #[command(hide = true)]
    Run,
}

pub(crate) async fn run(command: Option<Command>) -> Result<ExitCode, Failure> {
    match command.unwrap_or(Command::Status { json: false }) {
        Command::Status { json } => status(json).await,
        Command::Stop => {
            let stopped = background::stop().await?;
            say(match stopped {
                0 => "no background process runs",
                _ => "it ends",
            })?;
            Ok(ExitCode::SUCCESS)
        }
        Command::Logs => logs(),
        Command::Run => {
            let background = background::of_user(&executable()?, ARGUMENTS)?;
            background::serve(background, os::asked_to_end()?).await?;
            Ok(ExitCode::SUCCESS)
        }
    }
}

async fn status(json: bool) -> Result<ExitCode, Failure> {
    let all = background::status().await?;
    if json {
        say(&serde_json::to_string_pretty(&all)?)?;
    } else if all.is_empty() {
        complain("no background process runs; the next question starts it");
    } else {
        say(all.iter().map(describe).collect::<String>().trim_end())?;
    }
    Ok(if all.is_empty() { ExitCode::FAILURE } else { ExitCode::SUCCESS })
}

/// Describes a background process for people.
pub(crate) fn describe(status: &Status) -> String {
    let Status { version, process, seconds, clients, servers, budget, .. } = status;
    let used: u64 = servers.iter().filter_map(|it| it.memory).sum();
    let of = budget.map_or(String::new(), |it| format!(" of {}", megabytes(it)));
    let mut text = format!(
        "process {process}, version {version}, since {}; its language servers take {}{of}\n",
        age(*seconds),
        megabytes(used)
    );
    for server in servers {
        let resting = if server.waits { "waits for memory" } else { "rests" };
        let memory = server.memory.map_or(resting.to_owned(), megabytes);
        let folders = server.folders.iter().map(|it| it.display().to_string()).collect::<Vec<_>>().join(", ");
        let (name, level) = (&server.name, &server.level);
        let idle = age(server.idle_seconds);
        let _ = writeln!(text, "  {name}, {level}: {memory}, last asked {idle} ago: {folders}");
    }
    for client in clients {
        let process = client.process.map_or("?".to_owned(), |it| it.to_string());
        let folders = client.folders.iter().map(|it| it.display().to_string()).collect::<Vec<_>>().join(", ");
        let _ = writeln!(text, "  client {process}, since {}: {folders}", age(client.seconds));
    }
    text
}

fn logs() -> Result<ExitCode, Failure> {
    let background = background::of_user(&executable()?, ARGUMENTS)?;
    let log = background.log();
    match std::fs::read_to_string(&log) {
        Ok(text) => say(text.trim_end())?,
        Err(error) if error.kind() == std::io::ErrorKind::NotFound => {
            complain("there is no log: no background process has run for this shell");
            return Ok(ExitCode::FAILURE);
        }
        Err(error) => return Err(format!("{}: {error}", log.display()).into()),
    }
    Ok(ExitCode::SUCCESS)
}

fn megabytes(bytes: u64) -> String {
    format!("{} MB", bytes / 1_000_000)
}

fn age(seconds: u64) -> String {
    match seconds {
        0..120 => format!("{seconds} s"),
        120..7_200 => format!("{} min", seconds / 60),
        _ => format!("{} h", seconds / 3_600),
    }
}
