//! `dialect trust`: lists and changes the workspaces with a saved level of trust.

use std::path::PathBuf;
use std::process::ExitCode;

use adapter::fallback::{Level, TrustStore};
use clap::{Args, Subcommand};

use crate::environment::workspace;
use crate::failure::Failure;
use crate::output::{complain, say_line};

#[derive(Debug, Args)]
pub(crate) struct Trusted {
    #[command(subcommand)]
    command: Command,
}

#[derive(Debug, Subcommand)]
enum Command {
    /// List the workspaces with a saved level: trusted or restricted
    List,
    /// Trust a workspace for good: language servers may run its code with your rights, and its settings count
    Allow {
        /// The workspace, instead of the current folder
        #[arg(long, value_name = "DIR")]
        workspace: Option<PathBuf>,
    },
    /// Restrict a workspace for good: language servers run none of its code, and nothing starts when it is opened
    Refuse {
        /// The workspace, instead of the current folder
        #[arg(long, value_name = "DIR")]
        workspace: Option<PathBuf>,
    },
    /// Forget the saved level of a workspace: it is confined again, or restricted where there is no wall
    ///
    /// Exit codes: 0 when a level was saved, 1 otherwise.
    Revoke {
        /// The workspace, instead of the current folder; it need not exist any more
        #[arg(long, value_name = "DIR")]
        workspace: Option<PathBuf>,
    },
}

pub(crate) fn run(arguments: Trusted) -> Result<ExitCode, Failure> {
    let store = TrustStore::of_user();
    let store = store.ok_or("neither XDG_STATE_HOME nor HOME names a folder, so nothing can be saved")?;
    match arguments.command {
        Command::List => {
            for it in store.all()? {
                let level = if it.trusted { Level::Trusted } else { Level::Restricted };
                let remote = it.remote.map_or_else(String::new, |it| format!("  ({it})"));
                say_line(&format!("{level}  {}{remote}", it.workspace.display()))?;
            }
        }
        Command::Allow { workspace: given } => {
            let folder = workspace(given.as_deref())?;
            store.keep(&folder, true)?;
            say_line(&format!("{} is trusted", folder.display()))?;
        }
        Command::Refuse { workspace: given } => {
            let folder = workspace(given.as_deref())?;
            store.keep(&folder, false)?;
            say_line(&format!("{} is restricted", folder.display()))?;
        }
        Command::Revoke { workspace: given } => {
            let folder = match given {
                Some(gone) if !gone.exists() => gone,
                given => workspace(given.as_deref())?,
            };
            if !store.revoke(&folder)? {
                complain(&format!("no level is saved for {}; see `dialect trust list`", folder.display()));
                return Ok(ExitCode::FAILURE);
            }
            say_line(&format!("{} has no saved level any more", folder.display()))?;
        }
    }
    Ok(ExitCode::SUCCESS)
}
