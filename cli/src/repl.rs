//! `dialect repl`: runs programs one after the other, in one session of the chain that agents use.

mod complete;
mod editor;
mod entry;
mod reader;

use std::process::ExitCode;

use agent_client_protocol::Error;
use reader::{Programs, read_programs};
use serde_json::Value;
use tokio::signal::unix::{SignalKind, signal};

use crate::arguments::Repl;
use crate::environment::workspace;
use crate::eval::{chain_for, print, progress};
use crate::failure::Failure;
use crate::output::complain;
use crate::stub::{Session, converse};

pub(crate) async fn run(arguments: Repl) -> Result<ExitCode, Failure> {
    let workspace = workspace(arguments.workspace.as_deref())?;
    let chain = chain_for(arguments.trust, arguments.timeout, arguments.wait)?;
    let mut terminate = signal(SignalKind::terminate())?;
    let mut hang_up = signal(SignalKind::hangup())?;
    let conversation = async |session| Ok(converse_with(&session, read_programs()).await);
    tokio::select! {
        ended = converse(chain, &workspace, progress(), conversation) => ended?,
        _ = terminate.recv() => Ok(ExitCode::FAILURE),
        _ = hang_up.recv() => Ok(ExitCode::FAILURE),
    }
}

/// Runs each program, and prints its answer. No program sees the names of another.
async fn converse_with(session: &Session, mut programs: Programs) -> Result<ExitCode, Failure> {
    let mut interrupt = signal(SignalKind::interrupt())?;
    loop {
        let program = tokio::select! {
            program = programs.next() => program,
            // While a line is edited, the editor handles Ctrl-C itself.
            _ = interrupt.recv() => return Ok(ExitCode::FAILURE),
        };
        match program {
            None => return Ok(ExitCode::SUCCESS),
            Some(Err(problem)) => {
                complain(&format!("dialect repl: {problem}"));
                return Ok(ExitCode::FAILURE);
            }
            Some(Ok(program)) => {
                let answer = ask(session, &program, async || {
                    interrupt.recv().await;
                });
                match answer.await {
                    Ok(answer) => drop(print(&answer, false)?),
                    Err(error) => complain(&format!("dialect repl: {error}")),
                }
            }
        }
    }
}

/// Returns the answer of a program. Stops the program each time that `interrupted` ends.
async fn ask(session: &Session, program: &str, mut interrupted: impl AsyncFnMut()) -> Result<Value, Error> {
    let mut answer = std::pin::pin!(session.ask(program));
    loop {
        tokio::select! {
            answer = &mut answer => return answer,
            () = interrupted() => session.cancel()?,
        }
    }
}
