//! `dialect audit`: prints and verifies the audit log.

use std::process::ExitCode;

use clap::{Args, Subcommand};
use component::State;
use component::audit::{Entry, Log};
use component::permission::ConfirmedGrants;
use serde_json::{Value, json};
use source_text::visible_json;

use crate::failure::Failure;
use crate::grants::{state, time};
use crate::output::{complain, say, say_line};

#[derive(Debug, Args)]
pub(crate) struct Audit {
    #[command(subcommand)]
    command: Option<Command>,
    #[command(flatten)]
    filter: Filter,
}

#[derive(Debug, Subcommand)]
enum Command {
    /// Verify that the audit log and the log of calls are complete and unchanged, and that the audit log confirms your
    /// lasting permissions
    ///
    /// Each line holds the hash of the line before it. The number of lines and the hash of the last one are
    /// also kept in a separate file, audit.head.json. This detects lines that were changed, removed or added
    /// by mistake, by a tool, or by somebody who did not know about the hashes.
    ///
    /// It does not protect against a program with your own rights, which every program that you start has.
    /// Such a program can rewrite or remove all of these files so that they match again. For protection
    /// against that, copy audit.head.json to a place where such a program cannot write.
    ///
    /// Exit codes: 0 when everything is unchanged, 1 otherwise.
    #[command(verbatim_doc_comment)]
    Verify,
}

#[derive(Debug, Args)]
struct Filter {
    /// Only entries of this capability, such as notes/Write
    #[arg(long)]
    capability: Option<String>,
    /// Only entries with this action
    #[arg(long, value_parser = ["requested", "granted", "denied", "used", "revoked", "failed", "ran", "loaded"])]
    action: Option<String>,
    /// Only entries of this session
    #[arg(long)]
    session: Option<String>,
    /// Only the last N entries
    #[arg(long, value_name = "N")]
    last: Option<usize>,
    /// Print each entry as a JSON object on its own line
    #[arg(long)]
    json: bool,
    /// Show the log of calls instead: each program with its outcome and its duration
    #[arg(long)]
    calls: bool,
}

pub(crate) fn run(arguments: Audit) -> Result<ExitCode, Failure> {
    let state = state()?;
    match arguments.command {
        Some(Command::Verify) => verify(&state),
        None if arguments.filter.calls => show(&Log::of_calls(state), &arguments.filter),
        None => show(&Log::new(state), &arguments.filter),
    }
}

fn verify(state: &State) -> Result<ExitCode, Failure> {
    let mut code = ExitCode::SUCCESS;
    let calls = Log::of_calls(state.clone());
    // The log of calls is there once a call has been measured.
    let logs = [Some(Log::new(state.clone())), Some(calls).filter(|it| it.path().exists())];
    for log in logs.into_iter().flatten() {
        if !verify_log(&log)? {
            code = ExitCode::FAILURE;
        }
    }
    Ok(if verify_grants(state)? { code } else { ExitCode::FAILURE })
}

/// Returns `true` if a log is complete and unchanged.
fn verify_log(log: &Log) -> Result<bool, Failure> {
    let verified = match log.verify(|_| {}) {
        Ok(verified) => verified,
        Err(error) => {
            complain(&error.to_string());
            return Ok(false);
        }
    };
    let before = match verified.first {
        1 => String::new(),
        first => format!("; {} older entries were dropped to save space", first - 1),
    };
    let later = match verified.later {
        0 => String::new(),
        later => format!(
            "; more entries than the last {later} may have been written (Dialect was stopped while writing)"
        ),
    };
    say(&format!("{} entries, unchanged{before}{later}: {}", verified.entries, log.path().display()))?;
    Ok(true)
}

/// Returns `true` if the audit log confirms every lasting permission.
fn verify_grants(state: &State) -> Result<bool, Failure> {
    let mut all_count = true;
    for (workspace, confirmed) in ConfirmedGrants::all(state)? {
        for (grant, why) in &confirmed.others {
            let what = crate::grants::described(grant);
            complain(&format!(
                "`dialect grants list` has {what} in {workspace}, which does not count: {why}"
            ));
            all_count = false;
        }
    }
    Ok(all_count)
}

/// Prints the entries that match, then the error of the first broken line.
fn show(log: &Log, filter: &Filter) -> Result<ExitCode, Failure> {
    let mut entries = Vec::new();
    let verified = log.verify(|entry| entries.extend(filter.takes(&entry).then_some(entry)));
    let skipped = filter.last.map_or(0, |last| entries.len().saturating_sub(last));
    for entry in &entries[skipped..] {
        match filter.json {
            true => say(&visible_json(&json!(entry).to_string()))?,
            false => say_line(&line(entry))?,
        }
    }
    Ok(match verified {
        Ok(_) => ExitCode::SUCCESS,
        Err(error) => {
            complain(&error.to_string());
            ExitCode::FAILURE
        }
    })
}

impl Filter {
    fn takes(&self, entry: &Entry) -> bool {
        let is = |wanted: &Option<String>, found: Option<&str>| {
            wanted.as_deref().is_none_or(|wanted| found == Some(wanted))
        };
        is(&self.capability, Some(&entry.event.capability))
            && is(&self.action, Some(&word(json!(entry.event.action))))
            && is(&self.session, entry.event.session.as_deref())
    }
}

fn word(value: Value) -> String {
    value.as_str().unwrap_or_default().to_owned()
}

/// Returns the line of an entry: `2026-11-21T16:00:00Z  used       notes/Write (once) by grant, writeNote
/// {"name":"a"}, in /work`.
fn line(entry: &Entry) -> String {
    let event = &entry.event;
    let scope = event.scope.as_ref().map_or_else(String::new, |it| format!(" ({it})"));
    let (action, by) = (word(json!(event.action)), word(json!(event.by)));
    let mut line = format!("{}  {action:<9}  {}{scope} by {by}", time(entry.ts), event.capability);
    for part in [event.tool.clone(), event.arguments.as_ref().map(Value::to_string), event.reason.clone()] {
        line.extend(part.map(|it| format!(", {it}")));
    }
    line.extend(event.measured.as_ref().map(|it| format!(", {} ms, {} tokens", it.ms, it.tokens_out)));
    line.extend(event.workspace.as_ref().map(|it| format!(", in {it}")));
    line
}
