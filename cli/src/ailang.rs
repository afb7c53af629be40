//! `dialect ailang`: looks at interface documents. The program `ailang` is the same.

mod arguments;
mod bridges;
mod check_value;
mod diff;
mod docs;
mod documents;
mod download;
mod explain;
mod extract;
mod fmt;
mod folder;
mod format;
mod generate;
mod init;
mod install;
mod lsp;
mod outcome;
mod parse;
mod pattern;
mod publish;
mod registry;
mod run;
mod search;
mod tokens;
mod validate;

use std::process::ExitCode;

use arguments::Command;
pub(crate) use arguments::{Ailang, Nested};
use outcome::UNREADABLE;
pub(crate) use run::{Conversation, WithWorkspace};

use crate::audit::Audit;
use crate::output::{complain, say};

/// Runs the program `ailang` with the arguments of this process.
pub(crate) fn program(with_workspace: WithWorkspace) -> ExitCode {
    run(crate::arguments::parsed::<Ailang>().command, with_workspace)
}

/// Runs `dialect ailang` with its arguments.
pub(crate) fn nested(arguments: Nested, with_workspace: WithWorkspace) -> ExitCode {
    run(arguments.command, with_workspace)
}

fn run(command: Command, with_workspace: WithWorkspace) -> ExitCode {
    let result = match command {
        Command::Parse(arguments) => parse::run(&arguments),
        Command::Validate(arguments) => validate::run(&arguments),
        Command::Fmt(arguments) => fmt::run(&arguments),
        Command::Extract(arguments) => extract::run(arguments),
        Command::Tokens(files) => tokens::run(&files),
        Command::Generate(arguments) => generate::run(&arguments),
        Command::Explain(arguments) => explain::run(arguments.code.as_deref()),
        Command::Guide => say(ailang::GUIDE.trim_end()).map(|()| 0),
        Command::Export(arguments) => bridges::export(&arguments),
        Command::Import(arguments) => bridges::import(&arguments),
        Command::Diff(arguments) => diff::run(&arguments),
        Command::Docs(arguments) => docs::run(&arguments),
        Command::CheckValue(arguments) => check_value::run(&arguments),
        Command::Audit(arguments) => return audit(arguments),
        Command::Init(arguments) => init::run(&arguments),
        Command::Install(arguments) => install::run(arguments),
        Command::Search(arguments) => search::run(&arguments),
        Command::Publish(arguments) => publish::run(&arguments),
        Command::Lsp(arguments) => lsp::run(&arguments),
        Command::Run(arguments) => run::run(&arguments, with_workspace),
    };
    match result {
        Ok(code) => ExitCode::from(code),
        Err(error) => {
            complain(&format!("ailang: {error}"));
            ExitCode::from(UNREADABLE)
        }
    }
}

/// Runs `dialect audit`, which has its own exit codes.
fn audit(arguments: Audit) -> ExitCode {
    crate::audit::run(arguments).unwrap_or_else(|error| {
        complain(&format!("ailang: {error}"));
        ExitCode::from(UNREADABLE)
    })
}
