//! The editor under check: a process, or an exchange with one that was recorded.

use std::io::Write;
use std::path::PathBuf;
use std::time::Duration;

use agent_client_protocol::{
    Agent, Client, ConnectTo, ConnectionTo, Dispatch, Error, HandleDispatchFrom, Handled, UntypedMessage,
};
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};
use tokio::sync::watch;
use tokio::time::timeout;

use super::cases::Answer;
use super::workspace::{Folder, text_on_disk};
use crate::failure::Failure;

/// The id of the session that the editor opens.
pub(super) const SESSION: &str = "check-editor";

/// The time in which the editor opens its session.
const OPENING: Duration = Duration::from_secs(60);

/// The time that each question gives as its deadline.
pub(super) const DEADLINE: Duration = Duration::from_secs(30);

/// The time after the deadline in which an answer still counts, for its way.
const GRACE: Duration = Duration::from_secs(5);

/// The error that stands for an answer which did not come.
pub(super) const NO_ANSWER: i64 = 0;

/// One question of an exchange with its answer, a line of a recording.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub(super) struct Exchange {
    pub(super) method: String,
    params: Value,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    result: Option<Value>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    error: Option<Value>,
}

/// The editor under check.
#[derive(Debug)]
pub(super) struct Editor {
    source: Source,
    pub(super) folder: Folder,
    /// The params of its `initialize`.
    pub(super) initialize: Value,
    recording: Option<std::fs::File>,
}

#[derive(Debug)]
enum Source {
    Live(ConnectionTo<Client>),
    Recorded(Vec<Exchange>),
}

impl Editor {
    /// Opens a recorded exchange.
    ///
    /// # Errors
    /// The file cannot be read, or is no recording.
    pub(super) fn recorded(path: &PathBuf) -> Result<Self, Failure> {
        let wrong = |error: &dyn std::fmt::Display| format!("{}: {error}", path.display());
        let text = std::fs::read_to_string(path).map_err(|error| wrong(&error))?;
        let lines = text.lines().filter(|it| !it.trim().is_empty());
        let exchanges: Vec<Exchange> =
            lines.map(serde_json::from_str).collect::<Result<_, _>>().map_err(|error| wrong(&error))?;
        let first = exchanges.first().filter(|it| it.method == "initialize");
        let initialize = first.ok_or_else(|| wrong(&"it does not begin with `initialize`"))?.params.clone();
        let (source, folder) = (Source::Recorded(exchanges), Folder::recorded());
        Ok(Self { source, folder, initialize, recording: None })
    }

    /// Waits until the editor on this connection has opened its session in the workspace, and records all to `record`.
    ///
    /// # Errors
    /// It does not, or the recording cannot be written.
    pub(super) async fn live(
        connection: ConnectionTo<Client>,
        mut state: watch::Receiver<State>,
        folder: Folder,
        record: Option<std::fs::File>,
    ) -> Result<Self, Failure> {
        let opened = timeout(OPENING, state.wait_for(|it| it.cwd.is_some())).await;
        let Ok(Ok(state)) = opened.map(|it| it.map(|it| it.clone())) else {
            return Err("the editor opened no session with `session/new`".into());
        };
        let cwd = state.cwd.unwrap_or_default();
        let root = folder.root();
        if std::path::Path::new(&cwd).canonicalize().ok().as_ref() != Some(&root) {
            return Err(format!("the editor's session is in {cwd}, and not in {}", root.display()).into());
        }
        let initialize = folder.to_recorded(&state.initialize);
        let source = Source::Live(connection);
        let mut editor = Self { source, folder, initialize: state.initialize, recording: record };
        editor.record("initialize", &initialize, &Ok(json!({})))?;
        Ok(editor)
    }

    fn record(&mut self, method: &str, params: &Value, answer: &Answer) -> Result<(), Failure> {
        let Some(recording) = &mut self.recording else { return Ok(()) };
        let (result, error) = (answer.as_ref().ok().cloned(), answer.as_ref().err().cloned());
        let exchange = Exchange { method: method.to_owned(), params: params.clone(), result, error };
        Ok(writeln!(recording, "{}", self.folder.to_recorded(&serde_json::to_value(exchange)?))?)
    }

    /// Asks a question until its answer is `settled`, and records the last one.
    ///
    /// # Errors
    /// The recording cannot be written.
    pub(super) async fn ask(
        &mut self,
        method: &str,
        params: Value,
        settled: impl Fn(&Answer) -> bool,
    ) -> Result<Answer, Failure> {
        let answer = match &mut self.source {
            Source::Live(connection) => {
                let mut answer = send(connection, method, &params).await;
                while !settled(&answer) {
                    // A server of the editor may still be loading, and nothing says when it has.
                    tokio::time::sleep(Duration::from_millis(250)).await;
                    answer = send(connection, method, &params).await;
                }
                answer
            }
            Source::Recorded(exchanges) => replayed(exchanges, method, &params),
        };
        self.record(method, &params, &answer)?;
        Ok(answer)
    }

    /// Returns the text that a file has after changes, by the editor's word or else on disk.
    ///
    /// # Errors
    /// The recording cannot be written.
    pub(super) async fn text(&mut self, path: &str, by_editor: Option<&str>) -> Result<Value, Failure> {
        if let Some(method) = by_editor {
            let params = json!({"sessionId": SESSION, "path": path});
            let answer = self.ask(method, params, |_| true).await?;
            return Ok(answer.map_or(Value::Null, |it| it["text"].clone()));
        }
        let params = json!({"path": path});
        let answer = match &mut self.source {
            Source::Live(_) => Ok(json!({"text": text_on_disk(&self.folder.root(), path)})),
            Source::Recorded(exchanges) => replayed(exchanges, "disk", &params),
        };
        self.record("disk", &params, &answer)?;
        Ok(answer.map_or(Value::Null, |it| it["text"].clone()))
    }
}

/// Takes the answer to a question out of a recording: to the same question again, the next one.
fn replayed(exchanges: &mut Vec<Exchange>, method: &str, params: &Value) -> Answer {
    let Some(at) = exchanges.iter().position(|it| it.method == method && it.params == *params) else {
        return Err(json!({"code": NO_ANSWER, "message": "the recording has no answer to this question"}));
    };
    let Exchange { result, error, .. } = exchanges.remove(at);
    error.map_or_else(|| Ok(result.unwrap_or_default()), Err)
}

async fn send(connection: &ConnectionTo<Client>, method: &str, params: &Value) -> Answer {
    let request = UntypedMessage { method: method.to_owned(), params: params.clone() };
    let asked = connection.prepare_request_to(Client, request).block_task();
    match timeout(DEADLINE + GRACE, asked).await {
        Ok(Ok(result)) => Ok(result),
        Ok(Err(error)) => Err(serde_json::to_value(error).unwrap_or_default()),
        Err(_) => Err(json!({"code": NO_ANSWER, "message": "no answer within the deadline"})),
    }
}

/// The messages of the editor so far.
#[derive(Clone, Debug, Default)]
pub(super) struct State {
    initialize: Value,
    cwd: Option<String>,
}

/// The agent that an editor under check talks to. It answers until a session is open.
pub(super) struct CheckAgent(pub(super) watch::Sender<State>);

impl HandleDispatchFrom<Client> for CheckAgent {
    async fn handle_dispatch_from(
        &mut self,
        message: Dispatch,
        _: ConnectionTo<Client>,
    ) -> Result<Handled<Dispatch>, Error> {
        match message {
            Dispatch::Request(request, responder) => match request.method.as_str() {
                "initialize" => {
                    let version = request.params["protocolVersion"].clone();
                    self.0.send_modify(|it| it.initialize = request.params);
                    let info = json!({"name": "dialect-check-editor", "version": env!("CARGO_PKG_VERSION")});
                    responder.respond(match version.as_u64() {
                        Some(2..) => json!({"protocolVersion": 2, "capabilities": {}, "info": info}),
                        _ => json!({"protocolVersion": 1, "agentCapabilities": {}, "agentInfo": info}),
                    })?;
                }
                "session/new" => {
                    responder.respond(json!({"sessionId": SESSION}))?;
                    let cwd = request.params["cwd"].as_str().unwrap_or_default().to_owned();
                    self.0.send_modify(|it| it.cwd = Some(cwd));
                }
                _ => return Ok(Handled::No { message: Dispatch::Request(request, responder), retry: false }),
            },
            Dispatch::Notification(_) => {}
            message => return Ok(Handled::No { message, retry: false }),
        }
        Ok(Handled::Yes)
    }

    fn describe_chain(&self) -> impl std::fmt::Debug {
        "dialect-check-editor"
    }
}

/// Talks to the editor at the other end of `transport`, for as long as `conversation`.
///
/// # Errors
/// The connection fails, or the conversation.
pub(super) async fn talk<T>(
    transport: impl ConnectTo<Agent>,
    conversation: impl AsyncFnOnce(ConnectionTo<Client>, watch::Receiver<State>) -> Result<T, Failure>,
) -> Result<T, Failure> {
    let (state, told) = watch::channel(State::default());
    let builder = agent_client_protocol::Builder::new(Agent).name("dialect-check-editor");
    let talked = builder
        .with_handler(CheckAgent(state))
        .connect_with(transport, async |connection| Ok(conversation(connection, told).await));
    talked.await?
}
