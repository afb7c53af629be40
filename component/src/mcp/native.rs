//! MCP over ACP: one `mcp/message` request carries one request of MCP 2026-07-28.

use rmcp::model::{ClientJsonRpcMessage, ServerJsonRpcMessage};
use rmcp::service::serve_directly_with_ct;
use rmcp::transport::OneshotTransport;
use serde::Deserialize;
use serde_json::{Value, json};
use tokio_util::sync::CancellationToken;

use crate::mcp::McpServer;

/// The only revision of MCP that this binding carries.
const VERSION: &str = "2026-07-28";

/// The params of `mcp/message`.
#[derive(Clone, Debug, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct Message {
    /// The id of the server that the message is for.
    pub(crate) server_id: String,
    /// The id that notifications about this request refer to.
    pub(crate) request_id: String,
    /// The inner method.
    pub(crate) method: String,
    /// The inner params.
    #[serde(default)]
    pub(crate) params: Value,
}

/// Answers the inner request with `{"result": …}` or `{"error": …}`. Dropping the future cancels it.
///
/// `notify` gets the method and params of each notification that is sent meanwhile.
pub(crate) async fn serve(server: McpServer, message: Message, notify: impl Fn(String, Value)) -> Value {
    let is_discovery = message.method == "server/discover";
    let request = match check(&message).and_then(|()| parse(message)) {
        Ok(request) => request,
        Err(error) => return json!({"error": error}),
    };
    let (transport, mut outgoing) = OneshotTransport::new(request);
    let token = CancellationToken::new();
    let _cancel = token.clone().drop_guard();
    let _running = serve_directly_with_ct(server, transport, None, token);
    while let Some(message) = outgoing.recv().await {
        match message {
            ServerJsonRpcMessage::Response(response) => {
                let result = serde_json::to_value(response.result).expect("results are plain data");
                return json!({"result": if is_discovery { only_this_version(result) } else { result }});
            }
            ServerJsonRpcMessage::Error(error) => return json!({"error": error.error}),
            ServerJsonRpcMessage::Notification(notification) => {
                let value = serde_json::to_value(notification).expect("notifications are plain data");
                notify(value["method"].as_str().unwrap_or_default().to_owned(), value["params"].clone());
            }
            ServerJsonRpcMessage::Request(_) => {
                tracing::warn!("a request to the agent cannot travel this way");
            }
        }
    }
    json!({"error": {"code": -32603, "message": "the server ended without an answer"}})
}

/// Checks that a message has what the binding requires.
fn check(message: &Message) -> Result<(), Value> {
    if message.method == "initialize" {
        return Err(json!({"code": -32601, "message": "MCP over ACP has no `initialize`"}));
    }
    let meta = &message.params["_meta"];
    let Some(version) = meta["io.modelcontextprotocol/protocolVersion"].as_str() else {
        return Err(invalid("params._meta must contain io.modelcontextprotocol/protocolVersion"));
    };
    if version != VERSION {
        let data = json!({"requested": version, "supported": [VERSION]});
        return Err(json!({"code": -32022, "message": "Unsupported protocol version", "data": data}));
    }
    if !meta["io.modelcontextprotocol/clientCapabilities"].is_object() {
        return Err(invalid("params._meta must contain io.modelcontextprotocol/clientCapabilities"));
    }
    Ok(())
}

fn parse(message: Message) -> Result<ClientJsonRpcMessage, Value> {
    let request = json!({"jsonrpc": "2.0", "id": 0, "method": message.method, "params": message.params});
    serde_json::from_value(request).map_err(|error| invalid(&error.to_string()))
}

fn invalid(message: &str) -> Value {
    json!({"code": -32602, "message": message})
}

/// Restricts the revisions that a discovery lists to the one that this binding carries.
fn only_this_version(mut discovered: Value) -> Value {
    if let Some(versions) = discovered.get_mut("supportedVersions") {
        *versions = json!([VERSION]);
    }
    discovered
}

#[cfg(test)]
mod tests {
    use super::*;

    fn message(method: &str, meta: Value) -> Message {
        let (server_id, request_id) = ("s".to_owned(), "r".to_owned());
        Message { server_id, request_id, method: method.to_owned(), params: json!({"_meta": meta}) }
    }

    #[test]
    fn only_the_newest_revision_is_carried() {
        let key = "io.modelcontextprotocol/protocolVersion";
        let capabilities = "io.modelcontextprotocol/clientCapabilities";
        for (method, meta, code) in [
            ("tools/list", json!({key: VERSION, capabilities: {}}), None),
            ("initialize", json!({key: VERSION, capabilities: {}}), Some(-32601)),
            ("tools/list", json!({key: "2025-11-25", capabilities: {}}), Some(-32022)),
            ("tools/list", json!({key: VERSION}), Some(-32602)),
            ("tools/list", json!(null), Some(-32602)),
        ] {
            let refused = check(&message(method, meta.clone())).err();
            assert_eq!(refused.map(|it| it["code"].as_i64().unwrap()), code, "{method} {meta}");
        }
    }
}
