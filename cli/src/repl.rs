//! `dialect repl`: runs programs one after the other, in one session of the chain that agents use. What one binds, the
//! next ones can use.

mod complete;
mod editor;
mod entry;
mod reader;

use std::path::Path;
use std::process::ExitCode;

use agent_client_protocol::Error;
use complete::{Completions, Symbols};
use component::Bindings;
use entry::{Input, VOCABULARY};
use futures::FutureExt;
use reader::{Entries, is_interactive, read_entries};
use serde_json::Value;
use tokio::runtime::Handle;
use tokio::signal::unix::{Signal, SignalKind, signal};

use crate::answer::{Answer, Screen, Shown};
use crate::arguments::Repl;
use crate::environment::workspace;
use crate::eval::chain_for;
use crate::failure::Failure;
use crate::output::{complain, say, say_safe};
use crate::progress;
use crate::stub::{Session, converse};

/// The longest value in the list of bindings, in characters.
const LONGEST: usize = 100;

const HELP: &str = "\
A program on a line runs: findReferences(`User`). It goes on while a bracket is open; an empty line ends it.
x = findDefinition(`User`) binds x for the programs after it, until another one binds it.
Tab completes functions, arguments and bound names, and paths and symbols between backticks.
Ctrl-C stops the running program, Ctrl-D quits.
  :bindings   the bound names and their values
  :all        all of the last value, where it was longer than the screen
  :help       this text
  :quit       quits
  help()      the functions of programs; help(`search`) explains one";

pub(crate) async fn run(arguments: Repl) -> Result<ExitCode, Failure> {
    let workspace = workspace(arguments.workspace.as_deref())?;
    let mut chain =
        chain_for(arguments.trust, &arguments.plugins.plugins, arguments.timeout, arguments.wait)?;
    let bindings = Bindings::default();
    chain.component.bindings = Some(bindings.clone());
    let mut terminate = signal(SignalKind::terminate())?;
    let mut hang_up = signal(SignalKind::hangup())?;
    let conversation = async |session: Session| {
        let entries = read_entries(completions(&session, &workspace, &bindings));
        Ok(converse_with(&session, entries, &workspace, &bindings).await)
    };
    tokio::select! {
        ended = converse(chain, &workspace, Box::new(progress::step), conversation) => ended?,
        _ = terminate.recv() => Ok(ExitCode::FAILURE),
        _ = hang_up.recv() => Ok(ExitCode::FAILURE),
    }
}

fn completions(session: &Session, workspace: &Path, bindings: &Bindings) -> Completions {
    let session = session.clone();
    let symbols = Symbols::new(Handle::current(), move |begin| {
        let session = session.clone();
        async move { symbols_like(&session, &begin).await.unwrap_or_default() }
    });
    Completions { workspace: workspace.to_owned(), bindings: bindings.clone(), symbols }
}

/// Returns the names of symbols like `begin`, which is the beginning of a name. What cannot be known is no completion.
async fn symbols_like(session: &Session, begin: &str) -> Option<Vec<String>> {
    let program = format!("findSymbols(`{begin}`).map(it => it.name)");
    let result = session.ask_at_once(&program).await.ok()?;
    serde_json::from_str(result["content"][0]["text"].as_str()?).ok()
}

/// Runs each program, and prints its answer.
async fn converse_with(
    session: &Session,
    mut entries: Entries,
    workspace: &Path,
    bindings: &Bindings,
) -> Result<ExitCode, Failure> {
    let mut interrupt = signal(SignalKind::interrupt())?;
    if is_interactive() {
        say(&greeting(workspace))?;
    }
    let mut last = Shown::default();
    loop {
        let entry = tokio::select! {
            entry = entries.next() => entry,
            // The line editor handles Ctrl-C itself. One that comes just after a program ended was meant for that.
            _ = interrupt.recv(), if !is_interactive() => return Ok(ExitCode::FAILURE),
        };
        match entry {
            None | Some(Ok(Input::End)) => return Ok(ExitCode::SUCCESS),
            Some(Err(problem)) => {
                complain(&format!("dialect repl: {problem}"));
                return Ok(ExitCode::FAILURE);
            }
            Some(Ok(Input::Program(program))) => {
                let answer = answer(session, &program, &mut interrupt).await;
                print(&answer, None, workspace, &mut last)?;
            }
            Some(Ok(Input::Binding { name, program })) => {
                let answer = answer(session, &program, &mut interrupt).await;
                print(&answer, Some(&name), workspace, &mut last)?;
            }
            Some(Ok(Input::All)) => say_safe(&Screen::whole(&last))?,
            Some(Ok(Input::Bindings)) => say(&listed(bindings))?,
            Some(Ok(Input::Help)) => say(HELP)?,
            Some(Ok(Input::Unknown(command))) => {
                complain(&format!(
                    "there is no command `{command}`. Commands: :bindings, :all, :help, :quit"
                ));
            }
            Some(Ok(Input::Nothing)) => {}
        }
    }
}

/// Prints an answer: on a terminal as people read it, or what a name is bound to; elsewhere as it is. Keeps its lines.
fn print(answer: &Answer, name: Option<&str>, workspace: &Path, last: &mut Shown) -> Result<(), Failure> {
    match Screen::of_output(workspace, ":all shows them") {
        Some(screen) => *last = answer.print_on(&screen, name)?,
        None => drop(answer.print(false)?),
    }
    Ok(())
}

fn greeting(workspace: &Path) -> String {
    let version = env!("CARGO_PKG_VERSION");
    format!("Dialect {version} in {}. Tab completes, :help explains, Ctrl-D quits.", workspace.display())
}

/// Returns the bound names with their values, a line each.
fn listed(bindings: &Bindings) -> String {
    let line = |(name, value): (&String, _)| {
        ailang::visible_line(&format!("{name} = {}", dialect::print(&VOCABULARY, value)), LONGEST)
    };
    let lines: Vec<String> = bindings.list().iter().map(line).collect();
    if lines.is_empty() {
        "Nothing is bound. Bind a name: x = findDefinition(`User`)".to_owned()
    } else {
        lines.join("\n")
    }
}

/// Returns the answer of a program, which Ctrl-C stops.
async fn answer(session: &Session, program: &str, interrupt: &mut Signal) -> Answer {
    while interrupt.recv().now_or_never().is_some() {} // it was meant for an earlier program
    let _shown = progress::begin();
    match ask(session, program, interrupt).await {
        Ok(result) => Answer::of(&result),
        Err(error) => Answer::failure(format!("dialect repl: {error}")),
    }
}

/// Returns the result of a program. Stops the program each time that it is interrupted.
async fn ask(session: &Session, program: &str, interrupt: &mut Signal) -> Result<Value, Error> {
    let mut asking = std::pin::pin!(session.ask(program));
    loop {
        tokio::select! {
            result = &mut asking => return result,
            _ = interrupt.recv() => session.cancel()?,
        }
    }
}
