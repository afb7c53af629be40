//! `ailang.runExample`: runs an example of a document in a process of its own. What it printed is a message, and where it
//! failed has a diagnostic until the document changes.

use std::path::PathBuf;
use std::process::{Output, Stdio};
use std::time::Duration;

use async_lsp::{ClientSocket, ErrorCode, ResponseError};
use futures::future::BoxFuture;
use lsp_types::notification::ShowMessage;
use lsp_types::{Diagnostic, DiagnosticSeverity, ExecuteCommandParams, MessageType, ShowMessageParams, Url};
use serde_json::{Value, json};
use source_text::Span;
use tokio::process::Command;

use crate::capabilities::RUN_EXAMPLE;
use crate::convert::Lines;
use crate::document;
use crate::handlers;
use crate::server::{Server, boxed};
use crate::workspace::View;

/// The time after which an example is ended.
const TIMEOUT: Duration = Duration::from_secs(60);

/// The longest output that is shown, in characters.
const LONGEST: usize = 4_000;

/// The source of the diagnostics of failed examples.
pub(crate) const SOURCE: &str = "ailang run";

type Answer = Result<Option<Value>, ResponseError>;

/// The notification of an example's end: `ailang/exampleRan`.
pub(crate) struct ExampleRan {
    pub(crate) url: Url,
    pub(crate) id: String,
    /// The version of the document when it started; `None` if it was not open.
    pub(crate) version: Option<i32>,
    /// The failure; `None` if it succeeded.
    pub(crate) failure: Option<Failure>,
}

/// The failure of an example.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Failure {
    /// The line, from 0; `None` if it has no place.
    pub(crate) line: Option<usize>,
    /// The column, from 0, in characters.
    pub(crate) column: usize,
    pub(crate) message: String,
}

/// A request to run an example.
struct Request {
    url: Url,
    file: PathBuf,
    id: String,
    version: Option<i32>,
}

/// Executes a command. The only one is `ailang.runExample`, with the address of a document and the id of an example.
pub(crate) fn execute(server: &mut Server, params: ExecuteCommandParams) -> BoxFuture<'static, Answer> {
    let request = request(server, params);
    let (client, command) = (server.client.clone(), server.options.command.clone());
    boxed(async move { run(&client, &command, request?).await })
}

fn request(server: &Server, params: ExecuteCommandParams) -> Result<Request, ResponseError> {
    if params.command != RUN_EXAMPLE {
        return Err(invalid(format!("there is no command `{}`", params.command)));
    }
    let text = |index: usize| params.arguments.get(index).and_then(Value::as_str);
    let (Some(address), Some(id)) = (text(0), text(1)) else {
        return Err(invalid("it takes the address of a document and the id of an example".to_owned()));
    };
    let url = Url::parse(address).map_err(|error| invalid(format!("`{address}`: {error}")))?;
    let file =
        url.to_file_path().map_err(|()| invalid("only files can be run: save the document".to_owned()))?;
    let view = server.workspace.view(&url);
    if view.is_some_and(|view| !handlers::saved(&view, &file)) {
        return Err(failed(
            "the document has changes that are not saved, and examples run from the file: save it",
        ));
    }
    let version = server.workspace.file(&url).map(|file| file.version);
    Ok(Request { url, file, id: id.to_owned(), version })
}

async fn run(client: &ClientSocket, command: &[PathBuf], request: Request) -> Answer {
    let Request { url, file, id, version } = request;
    let Some((program, arguments)) = command.split_first() else {
        return Err(failed("the server does not know the program that runs examples"));
    };
    let mut child = Command::new(program);
    child.args(arguments).arg("run").arg(&file).arg(format!("--example={id}"));
    child.stdin(Stdio::null()).kill_on_drop(true);
    if let Some(folder) = file.parent() {
        child.current_dir(folder);
    }
    let output = tokio::time::timeout(TIMEOUT, child.output()).await;
    let Ok(output) = output else {
        return Err(failed(&format!("the example did not end within {} seconds", TIMEOUT.as_secs())));
    };
    let output = output.map_err(|error| failed(&format!("{} cannot be run: {error}", program.display())))?;
    let text = shown(&output);
    let is_success = output.status.success();
    let typ = if is_success { MessageType::INFO } else { MessageType::ERROR };
    let headline = if is_success { "ran" } else { "failed" };
    let message = format!("example `{id}` {headline}\n{text}");
    let failure = (!is_success).then(|| failure(&String::from_utf8_lossy(&output.stderr), &text));
    // An error means that the connection has ended.
    let _ = client.notify::<ShowMessage>(ShowMessageParams { typ, message });
    let _ = client.emit(ExampleRan { url, id, version, failure });
    Ok(Some(json!({ "success": is_success, "code": output.status.code(), "output": text })))
}

/// Returns what a process printed.
fn shown(output: &Output) -> String {
    let (out, err) = (String::from_utf8_lossy(&output.stdout), String::from_utf8_lossy(&output.stderr));
    let text = [out.trim_end(), err.trim_end()].into_iter().filter(|text| !text.is_empty());
    let text = text.collect::<Vec<_>>().join("\n");
    ailang::visible(&text).chars().take(LONGEST).collect()
}

/// Reads the place of a failure: `ailang run` complains with `FILE: line 3, column 7: MESSAGE`.
fn failure(complaints: &str, text: &str) -> Failure {
    let placed = complaints.lines().find_map(|line| {
        // The name of the file may look like a place too.
        line.match_indices(": line ").find_map(|(at, mark)| {
            let (place, message) = line[at + mark.len()..].split_once(": ")?;
            let (line, column) = place.split_once(", column ").unwrap_or((place, "1"));
            let number = |text: &str| text.parse::<usize>().ok()?.checked_sub(1);
            Some(Failure {
                line: Some(number(line)?),
                column: number(column)?,
                message: ailang::visible(message),
            })
        })
    });
    placed.unwrap_or_else(|| Failure { line: None, column: 0, message: text.to_owned() })
}

/// Returns the diagnostic of an example that failed.
pub(crate) fn failed_example(view: &View, id: &str, failure: &Failure) -> Diagnostic {
    let examples = view.document().map(document::example_lenses).unwrap_or_default();
    let tag = examples.iter().find(|it| it.id == id).map(|it| it.span);
    diagnostic(view.lines(), tag, id, failure)
}

/// Returns the diagnostic of a failure: on its line, or else on the tag of the example.
fn diagnostic(lines: Lines<'_>, tag: Option<Span>, id: &str, failure: &Failure) -> Diagnostic {
    let of_line = |line: usize| {
        let span = lines.text.line(line)?;
        let text = &lines.text.source[span.range()];
        let indented = text.len() - text.trim_start().len();
        let column = text.char_indices().nth(failure.column).map_or(0, |(at, _)| at);
        Some(Span::new(span.start + column.max(indented), span.end))
    };
    let span = failure.line.and_then(of_line).or(tag).unwrap_or_default();
    Diagnostic {
        range: lines.range(span),
        severity: Some(DiagnosticSeverity::ERROR),
        source: Some(SOURCE.to_owned()),
        message: format!("example `{id}`: {}", failure.message),
        ..Diagnostic::default()
    }
}

fn invalid(message: String) -> ResponseError {
    ResponseError::new(ErrorCode::INVALID_PARAMS, message)
}

fn failed(message: &str) -> ResponseError {
    ResponseError::new(ErrorCode::REQUEST_FAILED, message)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_place_of_a_failure_is_read() {
        for (complaints, expected) in [
            ("a.md: line 26: expected `x`, printed `y`\n", (Some(25), 0, "expected `x`, printed `y`")),
            ("at: line 3.md: line 32, column 7: No: it\n32 | f\n", (Some(31), 6, "No: it")),
            ("a log\n/tmp/a.md: line 2, column 1: It.\n", (Some(1), 0, "It.")),
            ("there is no example `x`\n", (None, 0, "all")),
            ("a.md: line 0: x", (None, 0, "all")),
        ] {
            let found = failure(complaints, "all");
            assert_eq!((found.line, found.column, found.message.as_str()), expected, "{complaints}");
        }
    }
}
