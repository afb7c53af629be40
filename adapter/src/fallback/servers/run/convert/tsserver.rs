//! Diagnostics of TypeScript's own server, through the language server in front of it.
//!
//! It has three kinds of diagnostics for a file, each its own request. The protocol is that of `tsserver`
//! (`typescript/lib/protocol.d.ts`), where lines and columns count from 1, in UTF-16.

use std::path::Path;

use serde_json::{Value, json};

/// The commands that return all diagnostics of a file.
const REQUESTS: [&str; 3] =
    ["syntacticDiagnosticsSync", "semanticDiagnosticsSync", "suggestionDiagnosticsSync"];

/// The command of TypeScript's language servers that forwards a request.
const HAND_ON: &str = "typescript.tsserverRequest";

/// Returns the commands for the diagnostics of a file; `None` for a path that the protocol cannot name.
pub(crate) fn questions(path: &Path) -> Option<[Value; 3]> {
    let file = path.to_str()?;
    Some(REQUESTS.map(|it| json!({ "command": HAND_ON, "arguments": [it, { "file": file }] })))
}

/// Converts the diagnostics of an answer to LSP's form; `None` if the answer is invalid.
pub(crate) fn diagnostics(response: &Value) -> Option<Vec<Value>> {
    let items = response["body"].as_array().filter(|_| response["success"] == true)?;
    items.iter().map(diagnostic).collect()
}

fn diagnostic(it: &Value) -> Option<Value> {
    let severity = match it["category"].as_str()? {
        "error" => 1,
        "warning" => 2,
        "suggestion" => 4,
        _ => 3,
    };
    Some(json!({
        "range": { "start": position(&it["start"])?, "end": position(&it["end"])? },
        "severity": severity,
        "code": it["code"],
        "source": it["source"].as_str().unwrap_or("ts"),
        "message": it["text"],
    }))
}

fn position(it: &Value) -> Option<Value> {
    let from_zero = |it: &Value| it.as_u64()?.checked_sub(1);
    Some(json!({ "line": from_zero(&it["line"])?, "character": from_zero(&it["offset"])? }))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_answer_is_read_whole_or_not_at_all() {
        let place = |line, offset| json!({ "line": line, "offset": offset });
        let wrong = json!({
            "start": place(3, 7), "end": place(3, 9), "text": "No.", "code": 2322, "category": "error",
        });
        let answer = |body: Value| json!({ "success": true, "body": body });
        let found = diagnostics(&answer(json!([wrong])));
        let range = json!({ "start": { "line": 2, "character": 6 }, "end": { "line": 2, "character": 8 } });
        let expected =
            json!({ "range": range, "severity": 1, "code": 2322, "source": "ts", "message": "No." });
        assert_eq!(found, Some(vec![expected]));
        assert_eq!(diagnostics(&answer(json!([]))), Some(Vec::new()));
        for broken in [
            json!(null),
            json!({ "success": false, "body": [] }),
            json!({ "success": true }),
            answer(json!([{ "start": place(0, 1), "end": place(1, 1), "category": "error" }])),
            answer(json!([wrong, 7])),
        ] {
            assert_eq!(diagnostics(&broken), None, "{broken}");
        }
    }
}
