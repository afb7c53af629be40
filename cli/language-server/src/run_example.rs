//! `ailang.runExample`: runs an example of a document in a process of its own, and shows what it printed.

use std::path::{Path, PathBuf};
use std::process::{Output, Stdio};
use std::time::Duration;

use async_lsp::{ClientSocket, ErrorCode, ResponseError};
use futures::future::BoxFuture;
use lsp_types::notification::ShowMessage;
use lsp_types::{ExecuteCommandParams, MessageType, ShowMessageParams, Url};
use serde_json::{Value, json};
use tokio::process::Command;

use crate::capabilities::RUN_EXAMPLE;
use crate::handlers;
use crate::server::{Server, boxed};

/// The time after which an example is ended.
const TIMEOUT: Duration = Duration::from_secs(60);

/// The longest output that is shown, in characters.
const LONGEST: usize = 4_000;

type Answer = Result<Option<Value>, ResponseError>;

/// Executes a command. The only one is `ailang.runExample`, with the address of a document and the id of an example.
pub(crate) fn execute(server: &mut Server, params: ExecuteCommandParams) -> BoxFuture<'static, Answer> {
    let request = request(server, params);
    let (client, command) = (server.client.clone(), server.options.command.clone());
    boxed(async move {
        let (file, id) = request?;
        run(&client, &command, &file, &id).await
    })
}

/// Returns the file and the id of the example.
fn request(server: &Server, params: ExecuteCommandParams) -> Result<(PathBuf, String), ResponseError> {
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
    Ok((file, id.to_owned()))
}

async fn run(client: &ClientSocket, command: &[PathBuf], file: &Path, id: &str) -> Answer {
    let Some((program, arguments)) = command.split_first() else {
        return Err(failed("the server does not know the program that runs examples"));
    };
    let mut child = Command::new(program);
    child.args(arguments).arg("run").arg(file).arg(format!("--example={id}"));
    child.stdin(Stdio::null()).kill_on_drop(true);
    if let Some(folder) = file.parent() {
        child.current_dir(folder);
    }
    let output = tokio::time::timeout(TIMEOUT, child.output()).await;
    let Ok(output) = output else {
        return Err(failed(&format!("the example did not end within {} seconds", TIMEOUT.as_secs())));
    };
    let output = output.map_err(|error| failed(&format!("{} cannot be run: {error}", program.display())))?;
    let text = shown(&output)?;
    let is_success = output.status.success();
    let typ = if is_success { MessageType::INFO } else { MessageType::ERROR };
    let headline = if is_success { "ran" } else { "failed" };
    let message = format!("example `{id}` {headline}\n{text}");
    // An error means that the connection has ended.
    let _ = client.notify::<ShowMessage>(ShowMessageParams { typ, message });
    Ok(Some(json!({ "success": is_success, "code": output.status.code(), "output": text })))
}

/// Returns what a process printed.
fn shown(output: &Output) -> Result<String, ResponseError> {
    let (out, err) = (String::from_utf8_lossy(&output.stdout), String::from_utf8_lossy(&output.stderr));
    if err.contains("unrecognized subcommand") {
        return Err(failed("this version of `ailang` has no `ailang run`, so it cannot run examples"));
    }
    let text = [out.trim_end(), err.trim_end()].into_iter().filter(|text| !text.is_empty());
    let text = text.collect::<Vec<_>>().join("\n");
    Ok(ailang::visible(&text).chars().take(LONGEST).collect())
}

fn invalid(message: String) -> ResponseError {
    ResponseError::new(ErrorCode::INVALID_PARAMS, message)
}

fn failed(message: &str) -> ResponseError {
    ResponseError::new(ErrorCode::REQUEST_FAILED, message)
}
