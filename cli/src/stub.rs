//! A minimal client and a minimal agent: the client prompts with programs, and the agent calls the tool with them. Or
//! the client only opens sessions, for callers of their own.

use std::path::Path;
use std::sync::Arc;

use agent_client_protocol::{
    Agent, Builder, Channel, Client, ConnectTo, ConnectionTo, Dispatch, Error, HandleDispatchFrom, Handled,
    Responder, UntypedMessage,
};
use futures::future::BoxFuture;
use serde_json::{Value, json};

use crate::{Chain, chain};

/// A callback for messages about progress.
pub(crate) type OnProgress = Box<dyn Fn(&str) + Send + Sync>;

/// Answers the params of a question to the user; `None` if nobody can be asked.
pub(crate) type Asks = Box<dyn Fn(Value) -> BoxFuture<'static, Option<Value>> + Send + Sync>;

/// The request of the chain that asks the user.
const PERMISSION: &str = "session/request_permission";

/// The key in the `_meta` of a prompt whose program neither waits for loading servers nor reports progress.
const AT_ONCE: &str = "dialect/atOnce";

/// The key in the `_meta` of a prompt whose value is a program.
const PROGRAM: &str = "dialect/program";

/// The key in the `_meta` of a prompt whose value are the arguments for the tool `script`.
const SCRIPT: &str = "dialect/script";

/// An open session of the chain, which runs one program after the other.
#[derive(Clone, Debug)]
pub(crate) struct Session {
    connection: ConnectionTo<Agent>,
    id: Value,
}

impl Session {
    /// Runs a program, and returns the result of the tool call in the form of MCP.
    pub(crate) async fn ask(&self, program: &str) -> Result<Value, Error> {
        self.prompt(program, false).await
    }

    /// Calls the tool `script`, and returns the result in the form of MCP.
    pub(crate) async fn script(&self, arguments: &Value) -> Result<Value, Error> {
        self.send(&json!({ SCRIPT: arguments })).await
    }

    /// Runs a program with what is known by now: it waits for no server that is still loading.
    pub(crate) async fn ask_at_once(&self, program: &str) -> Result<Value, Error> {
        self.prompt(program, true).await
    }

    async fn prompt(&self, program: &str, at_once: bool) -> Result<Value, Error> {
        self.send(&json!({ PROGRAM: program, AT_ONCE: at_once })).await
    }

    async fn send(&self, meta: &Value) -> Result<Value, Error> {
        let block = json!({"type": "text", "text": ""});
        let prompt = json!({"sessionId": self.id, "prompt": [block], "_meta": meta});
        let mut turn = send(&self.connection, "session/prompt", prompt).await?;
        Ok(turn["_meta"]["result"].take())
    }

    /// Stops the running program, which is then answered.
    pub(crate) fn cancel(&self) -> Result<(), Error> {
        let params = json!({"sessionId": self.id});
        let notification = UntypedMessage { method: "session/cancel".to_owned(), params };
        self.connection.send_notification_to(Agent, notification)
    }
}

/// A chain that opens sessions when they are needed.
#[derive(Clone, Debug)]
pub(crate) struct Sessions(ConnectionTo<Agent>);

impl Sessions {
    /// Opens a session in a folder, an absolute path, and returns its id.
    pub(crate) async fn open(&self, folder: &Path) -> Result<String, Error> {
        let new = json!({"cwd": folder, "mcpServers": []});
        let opened = send(&self.0, "session/new", new).await?;
        Ok(opened["sessionId"].as_str().unwrap_or_default().to_owned())
    }
}

/// Sets up a whole chain in this process, with a session in `workspace`, an absolute path. It runs for as long as
/// `conversation`.
pub(crate) async fn converse<T>(
    config: Chain,
    workspace: &Path,
    on_progress: OnProgress,
    conversation: impl AsyncFnOnce(Session) -> Result<T, Error>,
) -> Result<T, Error> {
    run(config, on_progress, None, async |sessions| {
        let id = Value::String(sessions.open(workspace).await?);
        conversation(Session { connection: sessions.0, id }).await
    })
    .await
}

/// Sets up a whole chain in this process, which runs for as long as `serving`. `asks` answers the questions to the user.
pub(crate) async fn serve<T>(
    config: Chain,
    asks: Asks,
    serving: impl AsyncFnOnce(Sessions) -> Result<T, Error>,
) -> Result<T, Error> {
    run(config, Box::new(|_| {}), Some(asks), serving).await
}

async fn run<T>(
    config: Chain,
    on_progress: OnProgress,
    asks: Option<Asks>,
    conversation: impl AsyncFnOnce(Sessions) -> Result<T, Error>,
) -> Result<T, Error> {
    let (client, conductor) = Channel::duplex();
    let agent = StubAgent { on_progress: Arc::from(on_progress), server: None, sessions: 0, calls: 0 };
    let running = tokio::spawn(chain(config, conductor, agent));
    let stub = Builder::new(Client).name("dialect-eval").with_handler(StubClient { asks });
    let result = stub.connect_with(client, async |connection| {
        let capabilities = json!({"protocolVersion": 1, "clientCapabilities": {}});
        send(&connection, "initialize", capabilities).await?;
        conversation(Sessions(connection)).await
    });
    let result = result.await;
    let ended = running.await.map_err(Error::into_internal_error)?; // ends with the client, after stopping its servers
    match result {
        Ok(result) => Ok(result),
        Err(error) => Err(ended.err().unwrap_or(error)), // the chain's own error says more
    }
}

async fn send(cx: &ConnectionTo<Agent>, method: &str, params: Value) -> Result<Value, Error> {
    cx.prepare_request_to(Agent, UntypedMessage { method: method.to_owned(), params }).block_task().await
}

/// A client that passes questions to the user on.
struct StubClient {
    asks: Option<Asks>,
}

impl HandleDispatchFrom<Agent> for StubClient {
    async fn handle_dispatch_from(
        &mut self,
        message: Dispatch,
        _: ConnectionTo<Agent>,
    ) -> Result<Handled<Dispatch>, Error> {
        match (message, &self.asks) {
            (Dispatch::Request(request, responder), Some(asks)) if request.method == PERMISSION => {
                let answer = asks(request.params);
                tokio::spawn(async move {
                    let answer = answer.await.ok_or_else(Error::method_not_found);
                    if let Err(error) = responder.respond_with_result(answer) {
                        tracing::debug!(?error, "the chain has ended");
                    }
                });
                Ok(Handled::Yes)
            }
            (message, _) => Ok(Handled::No { message, retry: false }),
        }
    }

    fn describe_chain(&self) -> impl std::fmt::Debug {
        "dialect-eval"
    }
}

/// An agent that calls the tool with each prompt.
struct StubAgent {
    on_progress: Arc<dyn Fn(&str) + Send + Sync>,
    /// The id of the latest session's MCP server.
    server: Option<Value>,
    /// The number of sessions so far.
    sessions: u64,
    /// The number of calls so far.
    calls: u64,
}

impl ConnectTo<Client> for StubAgent {
    async fn connect_to(self, client: impl ConnectTo<Agent>) -> Result<(), Error> {
        Builder::new(Agent).name("dialect-eval-agent").with_handler(self).connect_to(client).await
    }
}

impl HandleDispatchFrom<Client> for StubAgent {
    async fn handle_dispatch_from(
        &mut self,
        message: Dispatch,
        cx: ConnectionTo<Client>,
    ) -> Result<Handled<Dispatch>, Error> {
        match message {
            Dispatch::Request(mut request, responder) => match request.method.as_str() {
                "initialize" => responder.respond(initialized())?,
                "session/new" => {
                    self.server = Some(request.params["mcpServers"][0]["serverId"].take());
                    self.sessions += 1;
                    responder.respond(json!({"sessionId": format!("eval-{}", self.sessions)}))?;
                }
                "session/prompt" => {
                    let meta = request.params["_meta"].take();
                    self.call(&meta, responder, &cx)?;
                }
                _ => return Ok(Handled::No { message: Dispatch::Request(request, responder), retry: false }),
            },
            Dispatch::Notification(notification) if notification.method == "mcp/message" => {
                if let Some(message) = notification.params["params"]["message"].as_str() {
                    (self.on_progress)(message);
                }
            }
            // The component has heard it, and the call is answered.
            Dispatch::Notification(notification) if notification.method == "session/cancel" => {}
            message => return Ok(Handled::No { message, retry: false }),
        }
        Ok(Handled::Yes)
    }

    fn describe_chain(&self) -> impl std::fmt::Debug {
        "dialect-eval-agent"
    }
}

fn initialized() -> Value {
    json!({"protocolVersion": 1, "agentCapabilities": {"mcpCapabilities": {"acp": true}}})
}

impl StubAgent {
    fn call(&mut self, meta: &Value, responder: Responder, cx: &ConnectionTo<Client>) -> Result<(), Error> {
        self.calls += 1;
        let (name, arguments) = match meta.get(SCRIPT) {
            Some(arguments) => ("script", arguments.clone()),
            None => ("ide_operation", json!({"program": meta[PROGRAM]})),
        };
        let mut params = json!({
            "name": name,
            "arguments": arguments,
            "_meta": {
                "io.modelcontextprotocol/protocolVersion": "2026-07-28",
                "io.modelcontextprotocol/clientCapabilities": {},
                "dialect/outcome": true,
            },
        });
        if meta[AT_ONCE] == true {
            params["arguments"]["wait"] = json!(0);
        } else {
            params["_meta"]["progressToken"] = json!("eval");
        }
        let id = format!("call-{}", self.calls);
        let message = json!({
            "serverId": self.server, "requestId": id, "method": "tools/call", "params": params,
        });
        let request = UntypedMessage { method: "mcp/message".to_owned(), params: message };
        cx.prepare_request_to(Client, request).on_receiving_result(async move |answer| {
            let turn = answer.and_then(|answer| match answer.get("error") {
                Some(error) => Err(Error::internal_error().data(error.clone())),
                None => Ok(json!({"stopReason": "end_turn", "_meta": {"result": answer["result"]}})),
            });
            responder.respond_with_result(turn)
        })
    }
}
