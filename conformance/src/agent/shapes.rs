//! Differences between versions 1 and 2 of ACP, on the agent's side.

use serde_json::{Map, Value, json};

use super::Config;

/// The answer to `initialize`: the version that both have, and what the agent advertises.
pub(super) fn initialized(config: &Config, asked: &Value) -> Value {
    let version = config.protocol.min(asked["protocolVersion"].as_u64().unwrap_or(1));
    let name = json!({"name": config.name, "version": "0"});
    if version >= 2 {
        let mut transports = Map::from_iter([("stdio".to_owned(), json!({}))]);
        transports.extend(config.transports.iter().map(|it| (it.clone(), json!({}))));
        let mut session = json!({ "mcp": transports });
        if config.takes_system_prompt {
            session["systemPrompt"] = json!({});
        }
        return json!({
            "protocolVersion": version,
            "info": name,
            "capabilities": {"session": session},
            "authMethods": [],
        });
    }
    let transports: Map<_, _> = config.transports.iter().map(|it| (it.clone(), json!(true))).collect();
    let mut capabilities = json!({
        "loadSession": true,
        "sessionCapabilities": {"resume": {}, "fork": {}, "close": {}},
        "_meta": {"mock": {"says": "hello", "number": 1.50}},
    });
    if config.takes_system_prompt {
        capabilities["sessionCapabilities"]["systemPrompt"] = json!({"mode": {"override": {}}});
    }
    if !transports.is_empty() {
        capabilities["mcpCapabilities"] = Value::Object(transports);
    }
    json!({
        "protocolVersion": version, "agentInfo": name, "agentCapabilities": capabilities, "authMethods": [],
    })
}

/// The text of a prompt's blocks.
pub(super) fn text_of(prompt: &Value) -> String {
    let blocks = prompt.as_array().into_iter().flatten();
    blocks.filter_map(|it| it["text"].as_str()).collect::<Vec<_>>().join("\n")
}

/// The update by which an agent speaks.
pub(super) fn chunk(version: u64, session: &str, text: &str) -> Value {
    let mut update =
        json!({"sessionUpdate": "agent_message_chunk", "content": {"type": "text", "text": text}});
    if version >= 2 {
        update["messageId"] = json!("answer");
    }
    json!({"sessionId": session, "update": update})
}

/// The update that begins a turn in version 2.
pub(super) fn running(session: &str) -> Value {
    json!({"sessionId": session, "update": {"sessionUpdate": "state_update", "state": "running"}})
}

/// The update that ends a turn in version 2.
pub(super) fn idle(session: &str, stop_reason: &str) -> Value {
    let update = json!({"sessionUpdate": "state_update", "state": "idle", "stopReason": stop_reason});
    json!({"sessionId": session, "update": update})
}

/// Returns a tool's answer as text: its blocks, the first line marked if it is an error.
pub(super) fn tool_text(answer: Result<Value, Value>) -> String {
    match answer {
        Ok(result) => {
            let blocks = result["content"].as_array().into_iter().flatten();
            let texts = blocks.map(|it| it["text"].as_str().map_or_else(|| it.to_string(), str::to_owned));
            let text = texts.collect::<Vec<_>>().join("\n---\n");
            match result["isError"] == true {
                true => format!("failure: {text}"),
                false => text,
            }
        }
        Err(error) => format!("error {}: {}", error["code"], error["message"].as_str().unwrap_or_default()),
    }
}
