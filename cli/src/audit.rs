//! `dialect audit`: what was asked, granted, denied, used and revoked, and what failed against its word.

use std::process::ExitCode;

use clap::{Args, Subcommand};
use component::State;
use component::audit::{Entry, Log};
use component::permission::Vouched;
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
    /// Say whether the record is all that was written, and whether it vouches for what is always allowed
    ///
    /// Each line holds the hash of the line before it, and how many there are and the hash of the last
    /// is kept in a file of its own, audit.head.json. So this finds lines that were changed, taken away
    /// or added by mistake, by a tool, or by somebody who did not know of that.
    ///
    /// It proves nothing against somebody with your own rights, as every program that you start has:
    /// who can write these files can write all of them anew, so that they fit again, or remove them
    /// all. To be safe from that, copy audit.head.json to where such a program cannot write.
    ///
    /// Exit codes: 0 when all is as it was written, else 1.
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
    let state = state()?;
    let log = Log::new(state.clone());
    match arguments.command {
        Some(Command::Verify) => verify(&state, &log),
        None => show(&log, &arguments.filter),
    }
}

fn verify(state: &State, log: &Log) -> Result<ExitCode, Failure> {
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
    let later = match verified.later {
        0 => String::new(),
        later => format!(
            "; of the last {later}, nobody can say whether they are all (Dialect was stopped as it wrote)"
        ),
    };
    say(&format!("{} entries, unchanged{before}{later}: {}", verified.entries, log.path().display()))?;
    verify_grants(state)
}

fn verify_grants(state: &State) -> Result<ExitCode, Failure> {
    let mut code = ExitCode::SUCCESS;
    for (workspace, vouched) in Vouched::all(state)? {
        for (grant, why) in &vouched.others {
            let what = crate::grants::described(grant);
            eprintln!("`dialect grants list` has {what} in {workspace}, which does not count: {why}");
            code = ExitCode::FAILURE;
        }
    }
    Ok(code)
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
