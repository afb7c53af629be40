//! `dialect grants`: lists and revokes lasting permissions.

use std::path::PathBuf;
use std::process::ExitCode;

use clap::{Args, Subcommand};
use component::State;
use component::audit::{Action, Entry, Log};
use component::permission::{Bounds, ConfirmedGrants, Grant, revoke};
use serde_json::json;
use source_text::visible_json;

use crate::environment::workspace;
use crate::failure::Failure;
use crate::output::{complain, say, say_line};

#[derive(Debug, Args)]
pub(crate) struct Grants {
    #[command(subcommand)]
    command: Command,
}

#[derive(Debug, Subcommand)]
enum Command {
    /// List the permissions that you granted for good, by workspace
    ///
    /// Each permission names the entry of the audit log that granted it (`dialect audit`). A permission that
    /// was changed by hand, or whose entry is missing, does not count. It is marked here, and asked for again.
    #[command(verbatim_doc_comment)]
    List {
        /// Print each permission as a JSON object on its own line
        #[arg(long)]
        json: bool,
    },
    /// Revoke a lasting permission; its next use asks again, also in running sessions
    ///
    /// Exit codes: 0 when something was revoked, 1 otherwise.
    Revoke {
        /// The capability as the list shows it, such as notes/Write
        capability: String,
        /// The workspace, instead of the current folder
        #[arg(long, value_name = "DIR", conflicts_with = "all")]
        workspace: Option<PathBuf>,
        /// Revoke it in every workspace
        #[arg(long)]
        all: bool,
    },
}

/// Returns the folder of this user's permissions and audit log.
///
/// # Errors
/// The user has no home folder.
pub(crate) fn state() -> Result<State, Failure> {
    Ok(State::of_user().ok_or("neither XDG_STATE_HOME nor HOME names a folder, so nothing can be saved")?)
}

pub(crate) fn run(arguments: Grants) -> Result<ExitCode, Failure> {
    let state = state()?;
    match arguments.command {
        Command::List { json } => list(&state, json),
        Command::Revoke { capability, workspace: given, all } => {
            let workspace = if all { None } else { Some(workspace(given.as_deref())?) };
            let revoked = revoke(&state, workspace.as_deref(), &capability)?;
            for (workspace, grant) in &revoked {
                say_line(&format!("revoked {} in {workspace}", described(grant)))?;
            }
            if revoked.is_empty() {
                complain(&format!(
                    "no permission for `{capability}` is saved there; see `dialect grants list`"
                ));
                return Ok(ExitCode::FAILURE);
            }
            Ok(ExitCode::SUCCESS)
        }
    }
}

fn list(state: &State, as_json: bool) -> Result<ExitCode, Failure> {
    let uses = uses(state);
    for (workspace, ConfirmedGrants { grants, others }) in ConfirmedGrants::all(state)? {
        if !as_json {
            say_line(&workspace)?;
        }
        let counting = grants.iter().map(|it| (it, None));
        for (grant, lost) in counting.chain(others.iter().map(|(it, why)| (it, Some(why.to_string())))) {
            let used = uses.iter().filter(|it| {
                (it.workspace.as_str(), it.capability.as_str()) == (workspace.as_str(), &*grant.capability)
                    && it.ts >= grant.granted_at
            });
            let used = used.count();
            if as_json {
                let counts = lost.is_none();
                let line = json!({
                    "workspace": workspace, "grant": grant, "usageCount": used, "counts": counts, "why": lost,
                });
                say(&visible_json(&line.to_string()))?;
            } else {
                let lost = lost.map_or_else(String::new, |why| format!("; does not count: {why}"));
                say_line(&format!("  {}  {}{lost}; used {used}×", time(grant.granted_at), described(grant)))?;
            }
        }
    }
    Ok(ExitCode::SUCCESS)
}

/// A use of a capability under a lasting permission.
struct Use {
    workspace: String,
    capability: String,
    ts: u64,
}

/// Returns the uses of lasting permissions that the audit log still has. A log that was changed has those before the
/// change; `dialect audit verify` tells of it.
fn uses(state: &State) -> Vec<Use> {
    let mut uses = Vec::new();
    let _ = Log::new(state.clone()).verify(|Entry { ts, event, .. }| {
        if event.action == Action::Used && event.scope.as_deref() == Some("persistent") {
            let (workspace, capability) = (event.workspace.unwrap_or_default(), event.capability);
            uses.push(Use { workspace, capability, ts });
        }
    });
    uses
}

pub(crate) fn described(grant: &Grant) -> String {
    match limits(&grant.bounds) {
        limits if limits.is_empty() => grant.capability.clone(),
        limits => format!("{} ({limits})", grant.capability),
    }
}

fn limits(bounds: &Bounds) -> String {
    bounds.lines().join("; ")
}

/// Returns a time in UTC as text; `seconds` counts from the start of 1970.
pub(crate) fn time(seconds: u64) -> String {
    let stamp = i64::try_from(seconds).ok().and_then(|it| jiff::Timestamp::from_second(it).ok());
    stamp.map_or_else(|| seconds.to_string(), |it| it.to_string())
}
