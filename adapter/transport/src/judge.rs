//! The decision about a line: it is delivered, or its sender or the waiting requester gets an error.

use agent_client_protocol::{Error, RawJsonRpcId, RawJsonRpcMessage, TransportFrame};
use json_text::Envelope;
use serde_json::{Value, json};

use crate::limits::{LONGEST_LINE, MOST_VALUES};
use crate::split::Line;
use crate::{frame, surrogate};

/// The maximum length of the part of a line that an error repeats, in characters.
const EXCERPT: usize = 200;

/// The destination of a line.
#[derive(Debug)]
pub(crate) enum Verdict {
    /// The line is a message, or the error response of a request.
    Deliver(TransportFrame),
    /// The line is broken; this error goes back to its sender.
    Answer(String),
    /// The line is blank, or a broken response without an id.
    Nothing,
}

pub(crate) fn judge(line: Line) -> Verdict {
    match line {
        Line::Whole(bytes) => whole(bytes),
        Line::TooLong { envelope, length } => {
            let reason =
                format!("the line has {length} bytes, and at most {LONGEST_LINE} are read. Send it in parts");
            refuse(&envelope, Error::invalid_request().data(json!({"reason": reason})))
        }
    }
}

fn whole(bytes: Vec<u8>) -> Verdict {
    if bytes.iter().all(u8::is_ascii_whitespace) {
        return Verdict::Nothing;
    }
    let line = match String::from_utf8(bytes) {
        Ok(line) => line,
        Err(error) => {
            let at = error.utf8_error().valid_up_to();
            let bytes = error.into_bytes();
            let reason = format!(
                "byte {} of the line, {:#04x}, is not UTF-8. JSON is UTF-8: encode it so",
                at + 1,
                bytes[at]
            );
            let data = json!({"reason": reason, "line": excerpt(&String::from_utf8_lossy(&bytes))});
            return refuse(&Envelope::scan(&bytes), Error::parse_error().data(data));
        }
    };
    if memchr::memchr_iter(b',', line.as_bytes()).count() >= MOST_VALUES {
        let envelope = Envelope::scan(line.as_bytes()); // does not count commas inside texts
        if envelope.n_values() > MOST_VALUES {
            let reason = format!(
                "the line has {} JSON values, and at most {MOST_VALUES} are read. Send it in parts",
                envelope.n_values()
            );
            return refuse(&envelope, Error::invalid_request().data(json!({"reason": reason})));
        }
    }
    match frame::read(&surrogate::hide(&line)) {
        TransportFrame::Malformed { error, .. } => refuse(&Envelope::scan(line.as_bytes()), shorten(error)),
        frame => Verdict::Deliver(frame),
    }
}

/// Turns a broken line into an error. A request, or a line that cannot be identified, is answered as JSON-RPC
/// specifies. A broken response becomes the error response of its request.
fn refuse(envelope: &Envelope, error: Error) -> Verdict {
    let id = id(envelope);
    tracing::warn!(?id, %error, "a line cannot be read");
    if envelope.is_response() {
        let id = id.and_then(|it| serde_json::from_value::<RawJsonRpcId>(it).ok());
        return id.map_or(Verdict::Nothing, |id| {
            Verdict::Deliver(TransportFrame::Single(RawJsonRpcMessage::response(id, Err(error))))
        });
    }
    Verdict::Answer(json!({"jsonrpc": "2.0", "id": id, "error": error}).to_string())
}

/// Returns the id of a message, if it is a number or a text.
fn id(envelope: &Envelope) -> Option<Value> {
    let id: Value = serde_json::from_str(envelope.id()?).ok()?;
    (id.is_number() || id.is_string()).then_some(id)
}

/// Shortens the line that the SDK repeats in its error.
fn shorten(mut error: Error) -> Error {
    if let Some(Value::String(line)) = error.data.as_mut().and_then(|it| it.get_mut("line")) {
        *line = excerpt(line);
    }
    error
}

fn excerpt(line: &str) -> String {
    match line.char_indices().nth(EXCERPT) {
        Some((end, _)) => format!("{}…", &line[..end]),
        None => line.to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn judged(line: &[u8]) -> String {
        match judge(Line::Whole(line.to_vec())) {
            Verdict::Deliver(frame) => format!("deliver {}", frame.to_json().unwrap()),
            Verdict::Answer(answer) => format!("answer {answer}"),
            Verdict::Nothing => "nothing".to_owned(),
        }
    }

    #[test]
    fn a_request_that_is_not_utf_8_is_answered_by_its_id() {
        let answer = judged(b"{\"jsonrpc\":\"2.0\",\"id\":7,\"method\":\"x\",\"params\":{\"t\":\"\xff\"}}");
        assert!(answer.starts_with(r#"answer {"jsonrpc":"2.0","id":7,"error":{"code":-32700,"#), "{answer}");
        assert!(answer.contains("byte 53 of the line, 0xff, is not UTF-8"), "{answer}");
    }

    #[test]
    fn a_response_that_cannot_be_read_is_an_error_for_whoever_asked() {
        let deep =
            format!(r#"{{"jsonrpc":"2.0","id":"a","result":{}1{}}}"#, "[".repeat(500), "]".repeat(500));
        for line in [
            b"{\"jsonrpc\":\"2.0\",\"id\":\"a\",\"result\":\"\xff\"}".to_vec(),
            deep.into_bytes(),
            br#"{"jsonrpc":"2.0","id":"a","result":1,"error":{"code":1,"message":"m"}}"#.to_vec(),
        ] {
            let delivered = judged(&line);
            assert!(delivered.starts_with(r#"deliver {"jsonrpc":"2.0","id":"a","error":{"#), "{delivered}");
        }
    }

    #[test]
    fn what_has_no_id_is_answered_without_one_unless_it_is_a_response() {
        assert!(judged(b"\xff").starts_with(r#"answer {"jsonrpc":"2.0","id":null,"error":"#));
        assert!(judged(b"{").starts_with(r#"answer {"jsonrpc":"2.0","id":null,"error":"#));
        assert_eq!(judged(b"{\"result\":\"\xff\"}"), "nothing");
        assert_eq!(judged(b" \t"), "nothing");
    }

    #[test]
    fn an_answer_repeats_no_more_than_the_beginning_of_a_line() {
        let answer = judged("x".repeat(1_000_000).as_bytes());
        assert!(answer.len() < 400, "{}", answer.len());
    }

    #[test]
    fn values_are_counted_and_commas_in_texts_are_not() {
        let line = |params: &str| format!(r#"{{"jsonrpc":"2.0","id":3,"method":"x","params":[{params}1]}}"#);
        let answer = judged(line(&"1,".repeat(MOST_VALUES)).as_bytes());
        assert!(answer.starts_with(r#"answer {"jsonrpc":"2.0","id":3,"error":{"code":-32600,"#), "{answer}");
        assert!(answer.contains("1000005 JSON values"), "{answer}");
        let text = line(&format!("\"{}\",", ",".repeat(MOST_VALUES)));
        assert!(judged(text.as_bytes()).starts_with("deliver "));
    }

    #[test]
    fn a_message_is_delivered() {
        let line = r#"{"jsonrpc":"2.0","method":"x","params":{"a":1.50}}"#;
        assert_eq!(judged(line.as_bytes()), format!("deliver {line}").replace("1.50", "1.5"));
        let half = r#"{"jsonrpc":"2.0","method":"x","params":{"a":"\ud83d"}}"#;
        assert!(judged(half.as_bytes()).starts_with("deliver "));
    }
}
