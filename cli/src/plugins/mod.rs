//! `dialect plugins`: lists, adds, removes, trusts and checks plugins.

mod check;
mod list;

use std::os::unix::fs::symlink;
use std::path::{Path, PathBuf};
use std::process::ExitCode;

use clap::{Args, Subcommand};
use component::State;
use component::plugins::TrustedPlugins;

use crate::failure::Failure;
use crate::output::{complain, say, say_line};
use crate::plugin_sources::user_folder;
use crate::plugins::check::Check;
use crate::plugins::list::List;

pub(crate) use crate::plugins::list::{describe, plugins_of};

#[derive(Debug, Args)]
pub(crate) struct Plugins {
    #[command(subcommand)]
    command: Command,
}

#[derive(Debug, Subcommand)]
enum Command {
    /// Start the plugins of a workspace, and list what each offers, or why it is not there
    ///
    /// Exit codes: 0 when all of them started, 1 otherwise.
    List(List),
    /// Run the checks of the protocol against a plugin, and print what fails and how to mend it
    ///
    /// Exit codes: 0 when it passes what every host needs, 1 otherwise.
    Check(Check),
    /// Add a plugin to your own folder of plugins, as a link: it is there in every session from then on
    Add {
        /// The executable
        path: PathBuf,
    },
    /// Remove a plugin from your own folder of plugins; the executable itself stays
    ///
    /// Exit codes: 0 when it was there, 1 otherwise.
    Remove {
        /// The name or the path with which it was added
        name: PathBuf,
    },
    /// Trust a plugin of a workspace, as long as its content stays the same: it starts without a question
    Trust {
        /// The executable; without it, lists the trusted ones
        path: Option<PathBuf>,
        /// Trust it no longer
        #[arg(long, requires = "path")]
        forget: bool,
    },
}

pub(crate) async fn run(arguments: Plugins) -> Result<ExitCode, Failure> {
    match arguments.command {
        Command::List(arguments) => list::run(arguments).await,
        Command::Check(arguments) => check::run(arguments).await,
        Command::Add { path } => add(&path),
        Command::Remove { name } => remove(&name),
        Command::Trust { path: None, .. } => {
            for (path, hash) in trusted()?.all()? {
                say_line(&format!("{}  sha256:{hash}", path.display()))?;
            }
            Ok(ExitCode::SUCCESS)
        }
        Command::Trust { path: Some(path), forget: true } => {
            let file = path.canonicalize().unwrap_or(path);
            if trusted()?.forget(&file)? {
                say_line(&format!("{} is not trusted any more", file.display()))?;
                return Ok(ExitCode::SUCCESS);
            }
            complain(&format!("{} was not trusted; see `dialect plugins trust`", file.display()));
            Ok(ExitCode::FAILURE)
        }
        Command::Trust { path: Some(path), forget: false } => {
            let file = canonical(&path)?;
            let hash = trusted()?.trust(&file)?;
            say_line(&format!("{} is trusted while its content is sha256:{hash}", file.display()))?;
            Ok(ExitCode::SUCCESS)
        }
    }
}

fn trusted() -> Result<TrustedPlugins, Failure> {
    let state = State::of_user();
    let none = "neither XDG_STATE_HOME nor HOME names a folder, so nothing can be saved";
    Ok(state.map(TrustedPlugins::of).ok_or(none)?)
}

fn folder() -> Result<PathBuf, Failure> {
    let none = "neither XDG_CONFIG_HOME nor HOME names a folder, so there is no folder of plugins";
    Ok(user_folder().ok_or(none)?)
}

fn canonical(path: &Path) -> Result<PathBuf, Failure> {
    Ok(path.canonicalize().map_err(|error| format!("{}: {error}", path.display()))?)
}

fn add(path: &Path) -> Result<ExitCode, Failure> {
    let (file, folder) = (canonical(path)?, folder()?);
    let name = file.file_name().ok_or_else(|| format!("{} is no file", file.display()))?;
    std::fs::create_dir_all(&folder)?;
    let link = folder.join(name);
    match symlink(&file, &link) {
        Err(error) if error.kind() == std::io::ErrorKind::AlreadyExists => {
            let there = link.canonicalize().unwrap_or_default();
            let is_same = there == file;
            let words =
                if is_same { "is there already" } else { "is the name of another plugin; remove that first" };
            complain(&format!("{} {words}", link.display()));
            Ok(if is_same { ExitCode::SUCCESS } else { ExitCode::FAILURE })
        }
        made => {
            made.map_err(|error| format!("{}: {error}", link.display()))?;
            say_line(&format!("{} → {}", link.display(), file.display()))?;
            say("It starts with every session from now on. To see what it offers: dialect plugins list")?;
            Ok(ExitCode::SUCCESS)
        }
    }
}

fn remove(name: &Path) -> Result<ExitCode, Failure> {
    let folder = folder()?;
    let link = folder.join(name.file_name().unwrap_or(name.as_os_str()));
    match link.symlink_metadata() {
        Ok(it) if it.is_symlink() => {
            std::fs::remove_file(&link).map_err(|error| format!("{}: {error}", link.display()))?;
            say_line(&format!("{} is removed", link.display()))?;
            Ok(ExitCode::SUCCESS)
        }
        Ok(_) => Err(format!("{} is no link: delete the file yourself", link.display()).into()),
        Err(_) => {
            complain(&format!("there is no {}; see `dialect plugins list`", link.display()));
            Ok(ExitCode::FAILURE)
        }
    }
}
