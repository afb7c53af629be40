//! The edit of `systemPrompt` in setup requests: what the client says stays, and a text of ours follows it. Pure JSON, for
//! ACP versions 1 and 2.

use serde_json::{Value, json};

/// Returns true if the agent's answer to `initialize` says that it takes additions to its system prompt.
pub(crate) fn takes_system_prompt(initialized: &Value) -> bool {
    let session = match &initialized["agentCapabilities"] {
        Value::Null => &initialized["capabilities"]["session"],
        version_1 => &version_1["sessionCapabilities"],
    };
    session["systemPrompt"].is_object()
}

/// Appends a text to the system prompt of a setup request. A prompt of a mode or a shape that is not known stays as it is:
/// the agent refuses it, or knows more.
pub(crate) fn append(params: &mut Value, text: &str) {
    let Some(params) = params.as_object_mut() else { return };
    let block = json!({"type": "text", "text": text});
    let prompt = params.entry("systemPrompt").or_insert(Value::Null);
    if prompt.is_null() {
        *prompt = json!({"mode": "append", "content": [block]});
    } else if matches!(prompt["mode"].as_str(), Some("append" | "override"))
        && let Some(content) = prompt.get_mut("content").and_then(Value::as_array_mut)
    {
        content.push(block);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn both_versions_say_that_they_take_one() {
        for (initialized, takes) in [
            (json!({"agentCapabilities": {"sessionCapabilities": {"systemPrompt": {}}}}), true),
            (json!({"capabilities": {"session": {"systemPrompt": {"mode": {"override": {}}}}}}), true),
            (json!({"agentCapabilities": {"sessionCapabilities": {"systemPrompt": null}}}), false),
            (json!({"agentCapabilities": {"sessionCapabilities": {"systemPrompt": true}}}), false),
            (json!({"agentCapabilities": {}}), false),
            (json!({}), false),
        ] {
            assert_eq!(takes_system_prompt(&initialized), takes, "{initialized}");
        }
    }

    #[test]
    fn what_the_client_says_comes_first() {
        let (own, ours) = (json!({"type": "text", "text": "own"}), json!({"type": "text", "text": "ours"}));
        for (given, expected) in [
            (json!({"cwd": "/w"}), json!({"mode": "append", "content": [ours]})),
            (json!({"systemPrompt": null}), json!({"mode": "append", "content": [ours]})),
            (
                json!({"systemPrompt": {"mode": "override", "content": [own], "_meta": {"a": 1}}}),
                json!({"mode": "override", "content": [own, ours], "_meta": {"a": 1}}),
            ),
            (
                json!({"systemPrompt": {"mode": "_prepend", "content": [own]}}),
                json!({"mode": "_prepend", "content": [own]}),
            ),
            (json!({"systemPrompt": "own"}), json!("own")),
            (json!({"systemPrompt": {"mode": "append"}}), json!({"mode": "append"})),
        ] {
            let mut params = given.clone();
            append(&mut params, "ours");
            assert_eq!(params["systemPrompt"], expected, "{given}");
        }
    }
}
