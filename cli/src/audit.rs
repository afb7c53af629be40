//! `dialect audit`: what was asked, granted, denied, used and revoked, and what failed against its word.

use std::process::ExitCode;

use clap::{Args, Subcommand};
use component::audit::{Entry, Log};
use serde_json::{Value, json};

use crate::Failure;
use crate::grants::{state, time};
use crate::output::say;

#[derive(Debug, Args)]
pub(crate) struct Audit {
    #[command(subcommand)]
    command: Option<Command>,
    #[command(flatten)]
    filter: Filter,
}

#[derive(Debug, Subcommand)]
enum Command {
    /// Say whether every line is the one that was written, or which is the first that is not
    ///
    /// Lines vouch for the lines before them. That the last ones were taken away cannot be seen.
    /// Exit codes: 0 when all are, else 1.
    #[command(verbatim_doc_comment)]
    Verify,
}

#[derive(Debug, Args)]
struct Filter {
    /// Only of this capability: notes/Write
    #[arg(long)]
    capability: Option<String>,
    /// Only requested, granted, denied, used, revoked or failed
    #[arg(long, value_parser = ["requested", "granted", "denied", "used", "revoked", "failed"])]
    action: Option<String>,
    /// Only of this session
    #[arg(long)]
    session: Option<String>,
    /// Only the last so many
    #[arg(long, value_name = "N")]
    last: Option<usize>,
    /// Print one JSON object for each, on a line of its own
    #[arg(long)]
    json: bool,
}

pub(crate) fn run(arguments: Audit) -> Result<ExitCode, Failure> {
    let log = Log::new(state()?);
    match arguments.command {
        Some(Command::Verify) => verify(&log),
        None => show(&log, &arguments.filter),
    }
}

fn verify(log: &Log) -> Result<ExitCode, Failure> {
    let verified = match log.verify(|_| {}) {
        Ok(verified) => verified,
        Err(error) => {
            eprintln!("{error}");
            return Ok(ExitCode::FAILURE);
        }
    };
    let before = match verified.first {
        1 => String::new(),
        first => format!("; the {} before were dropped for their size", first - 1),
    };
    say(&format!("{} entries, unchanged{before}: {}", verified.entries, log.path().display()))?;
    Ok(ExitCode::SUCCESS)
}

/// What is broken is said after what comes before it.
fn show(log: &Log, filter: &Filter) -> Result<ExitCode, Failure> {
    let mut entries = Vec::new();
    let verified = log.verify(|entry| entries.extend(filter.takes(&entry).then_some(entry)));
    let skipped = filter.last.map_or(0, |last| entries.len().saturating_sub(last));
    for entry in &entries[skipped..] {
        say(&if filter.json { json!(entry).to_string() } else { line(entry) })?;
    }
    Ok(match verified {
        Ok(_) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("{error}");
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

/// `2026-11-21T16:00:00Z  used       notes/Write (once) by grant, writeNote {"name":"a"}, in /work`
fn line(entry: &Entry) -> String {
    let event = &entry.event;
    let scope = event.scope.as_ref().map_or_else(String::new, |it| format!(" ({it})"));
    let (action, by) = (word(json!(event.action)), word(json!(event.by)));
    let mut line = format!("{}  {action:<9}  {}{scope} by {by}", time(entry.ts), event.capability);
    for part in [event.tool.clone(), event.arguments.as_ref().map(Value::to_string), event.reason.clone()] {
        line.extend(part.map(|it| format!(", {it}")));
    }
    line.extend(event.workspace.as_ref().map(|it| format!(", in {it}")));
    line
}
