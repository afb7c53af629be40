//! Conversion between lines and messages, once each way. The SDK's own parser builds every value three times, and
//! its writer clones the message first.

use agent_client_protocol::{
    Error, RawJsonRpcId, RawJsonRpcMessage, RawJsonRpcNotification, RawJsonRpcParams, RawJsonRpcRequest,
    RawJsonRpcResponse, TransportFrame,
};
use serde::Serialize;
use serde_json::{Map, Value};

/// Parses a line. Leaves everything that is not plainly a message to the SDK.
pub(crate) fn read(line: &str) -> TransportFrame {
    let message = match serde_json::from_str(line) {
        Ok(Value::Object(members)) => message(members),
        _ => None,
    };
    message.map_or_else(|| TransportFrame::parse_json(line), TransportFrame::Single)
}

/// Returns the message of these members; `None` when one is missing, unknown or of the wrong type.
fn message(mut members: Map<String, Value>) -> Option<RawJsonRpcMessage> {
    (members.remove("jsonrpc")? == "2.0").then_some(())?;
    let id = members.remove("id").map(|it| serde_json::from_value::<RawJsonRpcId>(it).ok());
    let message = match (members.remove("method"), id) {
        (Some(Value::String(method)), id) => {
            let params = match members.remove("params") {
                Some(Value::Object(params)) => Some(RawJsonRpcParams::Object(params)),
                Some(Value::Array(params)) => Some(RawJsonRpcParams::Array(params)),
                Some(_) => return None,
                None => None,
            };
            match id {
                Some(id) => {
                    RawJsonRpcMessage::Request(RawJsonRpcRequest { id: id?, method: method.into(), params })
                }
                None => {
                    RawJsonRpcMessage::Notification(RawJsonRpcNotification { method: method.into(), params })
                }
            }
        }
        (None, Some(id)) => {
            let result = members.remove("result")?;
            RawJsonRpcMessage::Response(RawJsonRpcResponse::Result { id: id?, result })
        }
        _ => return None,
    };
    members.is_empty().then_some(message)
}

/// Returns the line of a message.
pub(crate) fn write(frame: &TransportFrame) -> Result<String, Error> {
    #[derive(Serialize)]
    struct Versioned<'a, M> {
        jsonrpc: &'static str,
        #[serde(flatten)]
        message: &'a M,
    }
    fn versioned(message: &impl Serialize) -> serde_json::Result<String> {
        serde_json::to_string(&Versioned { jsonrpc: "2.0", message })
    }
    let line = match frame {
        TransportFrame::Single(RawJsonRpcMessage::Request(it)) => versioned(it),
        TransportFrame::Single(RawJsonRpcMessage::Notification(it)) => versioned(it),
        TransportFrame::Single(RawJsonRpcMessage::Response(it)) => versioned(it),
        other => return other.to_json(),
    };
    line.map_err(Error::into_internal_error)
}

#[cfg(test)]
mod tests {
    use super::*;

    const LINES: [&str; 12] = [
        r#"{"jsonrpc":"2.0","id":1,"method":"a","params":{"z":1,"a":[1.5,null]}}"#,
        r#"{"jsonrpc":"2.0","id":"x","method":"a","params":[1]}"#,
        r#"{"jsonrpc":"2.0","id":null,"method":"a"}"#,
        r#"{"jsonrpc":"2.0","method":"a","params":{}}"#,
        r#"{"jsonrpc":"2.0","id":1,"result":null}"#,
        r#"{"jsonrpc":"2.0","id":1,"error":{"code":-1,"message":"m","data":[1]}}"#,
        r#"{"jsonrpc":"2.0","id":1,"method":"a","params":null}"#,
        r#"{"jsonrpc":"2.0","id":1.5,"method":"a"}"#,
        r#"{"jsonrpc":"1.0","id":1,"method":"a"}"#,
        r#"{"jsonrpc":"2.0","id":1,"method":"a","extra":1}"#,
        r#"{"jsonrpc":"2.0","id":1,"result":1,"error":{"code":1,"message":""}}"#,
        r#"[{"jsonrpc":"2.0","id":1,"method":"a"}]"#,
    ];

    #[test]
    fn a_line_is_read_and_written_as_the_sdk_does() {
        for line in LINES {
            let (ours, theirs) = (read(line), TransportFrame::parse_json(line));
            assert_eq!(format!("{ours:?}"), format!("{theirs:?}"), "{line}");
            assert_eq!(write(&ours).unwrap(), theirs.to_json().unwrap(), "{line}");
        }
    }
}
