//! A client and an agent that do one thing: the client prompts with a program, and the agent calls the tool.

use std::path::PathBuf;
use std::sync::Arc;

use agent_client_protocol::{
    Agent, Builder, Channel, Client, ConnectTo, ConnectionTo, Dispatch, Error, HandleDispatchFrom, Handled,
    Responder, UntypedMessage,
};
use serde_json::{Value, json};

use crate::{Chain, chain};

/// One call of the tool.
pub(crate) struct Question {
    pub(crate) program: String,
    /// An absolute path.
    pub(crate) workspace: PathBuf,
    pub(crate) on_progress: Box<dyn Fn(&str) + Send + Sync>,
}

/// Asks through a whole chain, in this process. Gives the result of the tool call, as MCP spells it.
pub(crate) async fn ask(config: Chain, question: Question) -> Result<Value, Error> {
    let (client, conductor) = Channel::duplex();
    let Question { program, workspace, on_progress } = question;
    let agent = StubAgent { program, on_progress: Arc::from(on_progress), server: None };
    let running = tokio::spawn(chain(config, conductor, agent));
    let result = Builder::new(Client).name("dialect-eval").connect_with(client, async |cx| {
        let capabilities = json!({"protocolVersion": 1, "clientCapabilities": {}});
        send(&cx, "initialize", capabilities).await?;
        let session = send(&cx, "session/new", json!({"cwd": workspace, "mcpServers": []})).await?;
        let prompt = json!({"sessionId": session["sessionId"], "prompt": []});
        let mut turn = send(&cx, "session/prompt", prompt).await?;
        Ok(turn["_meta"]["result"].take())
    });
    let result = result.await;
    let ended = running.await.map_err(Error::into_internal_error)?; // with the client, and its servers stopped
    match result {
        Ok(result) => Ok(result),
        Err(error) => Err(ended.err().unwrap_or(error)), // the chain's own error says more
    }
}

async fn send(cx: &ConnectionTo<Agent>, method: &str, params: Value) -> Result<Value, Error> {
    cx.prepare_request_to(Agent, UntypedMessage { method: method.to_owned(), params }).block_task().await
}

struct StubAgent {
    program: String,
    on_progress: Arc<dyn Fn(&str) + Send + Sync>,
    /// The MCP server of the only session.
    server: Option<Value>,
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
                    responder.respond(json!({"sessionId": "eval"}))?;
                }
                "session/prompt" => self.call(responder, &cx)?,
                _ => return Ok(Handled::No { message: Dispatch::Request(request, responder), retry: false }),
            },
            Dispatch::Notification(notification) if notification.method == "mcp/message" => {
                if let Some(message) = notification.params["params"]["message"].as_str() {
                    (self.on_progress)(message);
                }
            }
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
    fn call(&self, responder: Responder, cx: &ConnectionTo<Client>) -> Result<(), Error> {
        let params = json!({
            "name": "ide_operation",
            "arguments": {"program": self.program},
            "_meta": {
                "io.modelcontextprotocol/protocolVersion": "2026-07-28",
                "io.modelcontextprotocol/clientCapabilities": {},
                "progressToken": "eval",
                "dialect/outcome": true,
            },
        });
        let message = json!({
            "serverId": self.server, "requestId": "call", "method": "tools/call", "params": params,
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
