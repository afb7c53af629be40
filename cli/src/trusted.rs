//! `dialect trust`: which workspaces the user trusts for good.

use std::path::PathBuf;
use std::process::ExitCode;

use adapter::fallback::{Level, TrustStore};
use clap::{Args, Subcommand};

use crate::Failure;
use crate::arguments::workspace;
use crate::output::say;

#[derive(Debug, Args)]
pub(crate) struct Trusted {
    #[command(subcommand)]
    command: Command,
}

#[derive(Debug, Subcommand)]
enum Command {
    /// List the workspaces that you settled, each with its level: trusted or restricted
    List,
    /// Trust a workspace for good: language servers may run code of it with your rights, and its settings count
    Allow {
        /// The workspace, instead of the current folder
        #[arg(long, value_name = "DIR")]
        workspace: Option<PathBuf>,
    },
    /// Restrict a workspace for good: language servers run no code of it, and nothing starts when it is opened
    Refuse {
        /// The workspace, instead of the current folder
        #[arg(long, value_name = "DIR")]
        workspace: Option<PathBuf>,
    },
    /// Forget what you said about a workspace: it is confined again, or restricted where there is no wall
    ///
    /// Exit codes: 0 when there was something to forget, else 1.
    Revoke {
        /// The workspace, instead of the current folder; it need not exist any more
        #[arg(long, value_name = "DIR")]
        workspace: Option<PathBuf>,
    },
}

pub(crate) fn run(arguments: Trusted) -> Result<ExitCode, Failure> {
    let store = TrustStore::of_user();
    let store = store.ok_or("neither XDG_STATE_HOME nor HOME names a folder, so nothing is kept for you")?;
    match arguments.command {
        Command::List => {
            for it in store.all()? {
                let level = if it.trusted { Level::Trusted } else { Level::Restricted };
                let remote = it.remote.map_or_else(String::new, |it| format!("  ({it})"));
                say(&format!("{level}  {}{remote}", it.workspace.display()))?;
            }
        }
        Command::Allow { workspace: given } => {
            let folder = workspace(given.as_deref())?;
            store.keep(&folder, true)?;
            say(&format!("{} is trusted", folder.display()))?;
        }
        Command::Refuse { workspace: given } => {
            let folder = workspace(given.as_deref())?;
            store.keep(&folder, false)?;
            say(&format!("{} is restricted", folder.display()))?;
        }
        Command::Revoke { workspace: given } => {
            let folder = match given {
                Some(gone) if !gone.exists() => gone,
                given => workspace(given.as_deref())?,
            };
            if !store.revoke(&folder)? {
                eprintln!("nothing was said about {}; see `dialect trust list`", folder.display());
                return Ok(ExitCode::FAILURE);
            }
            say(&format!("{} is as any other workspace again", folder.display()))?;
        }
    }
    Ok(ExitCode::SUCCESS)
}
