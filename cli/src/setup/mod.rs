//! `dialect setup`: writes the settings with which agents and editors start Dialect.

mod clients;
mod entry;
mod record;

use std::io::{BufRead as _, IsTerminal as _};
use std::path::PathBuf;
use std::process::ExitCode;

use clap::Args;
use clients::{Client, Clients, Format, Launch, Places};
use record::{Change, Changes};
use serde_json::Value;
use similar::TextDiff;

use crate::environment::{executable, workspace};
use crate::failure::Failure;
use crate::output::{complain, say, say_line, write_out};
use crate::source::read_if_there;

/// The agent that editors start unless another one is named.
const AGENT: [&str; 2] = ["npx", "@agentclientprotocol/claude-agent-acp"];

#[derive(Debug, Args)]
pub(crate) struct Setup {
    /// The client; without one, those on this machine are listed
    client: Option<String>,
    /// Always answer about this workspace, instead of the one that the client is opened in
    #[arg(long, value_name = "DIR")]
    workspace: Option<PathBuf>,
    /// Write without asking
    #[arg(long)]
    yes: bool,
    /// Print the settings, and write nothing
    #[arg(long, conflicts_with_all = ["yes", "remove"])]
    print: bool,
    /// Undo what was written for the client
    #[arg(long, requires = "client")]
    remove: bool,
    /// The agent's command, for editors that speak ACP
    #[arg(last = true, value_name = "AGENT", requires = "client")]
    agent: Vec<String>,
}

/// Returns the folder that a variable of the environment names.
fn variable(name: &str) -> Option<PathBuf> {
    std::env::var_os(name).map(PathBuf::from).filter(|it| it.is_absolute())
}

pub(crate) fn run(arguments: Setup) -> Result<ExitCode, Failure> {
    let clients = Clients::read().clients;
    let folder = workspace(arguments.workspace.as_deref())?;
    let places = Places { variable: &variable, workspace: &folder, is_mac: cfg!(target_os = "macos") };
    let named = arguments.workspace.as_ref().map(|_| folder.clone());
    let agent = match &arguments.agent[..] {
        [] => AGENT.map(str::to_owned).into(),
        words => words.to_vec(),
    };
    let launch = Launch { command: command()?, workspace: named, agent };
    let Some(id) = &arguments.client else { return list(&clients, &places) };
    let Some(client) = clients.iter().find(|it| it.id == *id) else {
        let known: Vec<&str> = clients.iter().map(|it| it.id.as_str()).collect();
        return Err(format!("there is no client `{id}`. Those that are known: {}", known.join(", ")).into());
    };
    let (Some(entry), Some(format), Some(file)) =
        (client.entry(&launch), client.format, client.file(&places))
    else {
        return print_snippet(client, &launch, &arguments);
    };
    let settings = Settings { client, format, file, entry };
    match (arguments.print, arguments.remove) {
        (true, _) => settings.print(),
        (_, true) => settings.remove(arguments.yes),
        _ => settings.write(arguments.yes),
    }
}

/// Returns the path of this executable as clients start it: the one in the search path, if it is the same.
fn command() -> Result<String, Failure> {
    let own = executable()?;
    let named = own.file_name().and_then(|it| which::which(it).ok());
    let is_own = |it: &PathBuf| it.canonicalize().ok() == own.canonicalize().ok();
    let command = named.filter(is_own).unwrap_or(own);
    let command =
        command.to_str().ok_or("the path of this executable is not UTF-8, and settings cannot name it")?;
    Ok(command.to_owned())
}

/// Lists the clients on this machine.
fn list(clients: &[Client], places: &Places) -> Result<ExitCode, Failure> {
    let changes = Changes::read()?;
    let (here, others): (Vec<&Client>, Vec<_>) = clients.iter().partition(|it| it.is_here(places));
    for client in &here {
        let file = client.file(places);
        let is_set_up = file.as_ref().is_some_and(|it| changes.of(it, &client.id).is_some());
        let state = if is_set_up { "set up" } else { "not set up" };
        let file = file.map_or_else(String::new, |it| format!("  {}", it.display()));
        say_line(&format!("{:<14} {}: {state}{file}", client.id, client.name))?;
    }
    if here.is_empty() {
        say("no client was found on this machine")?;
    }
    let others: Vec<&str> = others.iter().map(|it| it.id.as_str()).collect();
    say(&format!("Set one up with `dialect setup CLIENT`. Others: {}", others.join(", ")))?;
    Ok(ExitCode::SUCCESS)
}

fn print_snippet(client: &Client, launch: &Launch, arguments: &Setup) -> Result<ExitCode, Failure> {
    if arguments.remove || arguments.yes {
        let name = &client.name;
        return Err(format!(
            "the settings of {name} are code, which `dialect setup` prints and does not write"
        )
        .into());
    }
    write_out(client.snippet(launch).expect("a client without an entry has one").as_str())?;
    Ok(ExitCode::SUCCESS)
}

/// The settings of a client, and what they are to say.
struct Settings<'a> {
    client: &'a Client,
    format: Format,
    file: PathBuf,
    entry: Value,
}

impl Settings<'_> {
    /// Prints the settings as a file of their own.
    fn print(&self) -> Result<ExitCode, Failure> {
        complain(&format!("In {}:", self.file.display()));
        write_out(&entry::set(self.format, "", &self.client.at, &self.entry)?)?;
        Ok(ExitCode::SUCCESS)
    }

    /// Returns the text of the settings as they were before an earlier change, if that can be told.
    fn original(&self, text: Option<&str>, changes: &Changes) -> Option<String> {
        match (text, changes.of(&self.file, &self.client.id)) {
            (Some(text), Some(change)) => change.undone(text).unwrap_or_else(|| Some(text.to_owned())),
            (text, _) => text.map(str::to_owned),
        }
    }

    fn write(&self, yes: bool) -> Result<ExitCode, Failure> {
        let mut changes = Changes::read()?;
        let current = read_if_there(&self.file)?;
        let original = self.original(current.as_deref(), &changes);
        let wrong = |problem: String| format!("{}: {problem}", self.file.display());
        let text = original.as_deref().unwrap_or_default();
        let wanted = entry::set(self.format, text, &self.client.at, &self.entry).map_err(wrong)?;
        if current.as_deref() == Some(wanted.as_str()) {
            say_line(&format!("{} has these settings already", self.client.name))?;
            return Ok(ExitCode::SUCCESS);
        }
        if !self.is_agreed(current.as_deref().unwrap_or_default(), &wanted, yes)? {
            return Ok(ExitCode::FAILURE);
        }
        let change = Change::between(original.as_deref(), &wanted);
        record::replace(&self.file, &wanted)?;
        changes.keep(&self.file, &self.client.id, Some(change))?;
        say_line(&format!("{} is set up; restart it", self.client.name))?;
        Ok(ExitCode::SUCCESS)
    }

    fn remove(&self, yes: bool) -> Result<ExitCode, Failure> {
        let mut changes = Changes::read()?;
        let wrong = |problem: String| format!("{}: {problem}", self.file.display());
        let Some(current) = read_if_there(&self.file)? else {
            changes.keep(&self.file, &self.client.id, None)?;
            return self.nothing_to_undo();
        };
        let undone = match changes.of(&self.file, &self.client.id).and_then(|it| it.undone(&current)) {
            Some(undone) => undone,
            // The user has changed that part since, or wrote it.
            None => match entry::removed(self.format, &current, &self.client.at).map_err(wrong)? {
                Some(text) => Some(text),
                None => return self.nothing_to_undo(),
            },
        };
        if !self.is_agreed(&current, undone.as_deref().unwrap_or_default(), yes)? {
            return Ok(ExitCode::FAILURE);
        }
        match undone {
            Some(text) => record::replace(&self.file, &text)?,
            None => std::fs::remove_file(&self.file)?,
        }
        changes.keep(&self.file, &self.client.id, None)?;
        say_line(&format!("{} is as it was", self.client.name))?;
        Ok(ExitCode::SUCCESS)
    }

    fn nothing_to_undo(&self) -> Result<ExitCode, Failure> {
        say_line(&format!("{} has no settings of Dialect", self.client.name))?;
        Ok(ExitCode::SUCCESS)
    }

    /// Shows the difference, and asks the user.
    fn is_agreed(&self, before: &str, after: &str, yes: bool) -> Result<bool, Failure> {
        let path = self.file.display().to_string();
        let difference = TextDiff::from_lines(before, after);
        write_out(&difference.unified_diff().header(&path, &path).to_string())?;
        if yes {
            return Ok(true);
        }
        if !std::io::stdin().is_terminal() {
            complain("nothing is written without your consent: say `--yes`, or run this in a terminal");
            return Ok(false);
        }
        complain(&format!("Write {path}? [y/N]"));
        let mut answer = String::new();
        std::io::stdin().lock().read_line(&mut answer)?;
        Ok(["y", "yes"].contains(&answer.trim().to_lowercase().as_str()))
    }
}
