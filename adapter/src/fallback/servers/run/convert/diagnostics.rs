//! Diagnostics of a server, published or requested.

use std::path::{Path, PathBuf};

use ide_protocol::Severity;
use lsp_types::Url;
use serde_json::Value;

use super::{RawRange, path, uri};

/// The diagnostics that a server published for a document.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Published {
    /// The version of the document, if the server sends it.
    pub(crate) version: Option<i32>,
    /// The diagnostics as the server sent them.
    pub(crate) items: Vec<Value>,
}

/// Reads `textDocument/publishDiagnostics`: the document and its diagnostics.
pub(crate) fn published(method: &str, params: &Value) -> Option<(PathBuf, Published)> {
    let uri =
        Url::parse(params["uri"].as_str().filter(|_| method == "textDocument/publishDiagnostics")?).ok()?;
    let version = params["version"].as_i64().and_then(|it| i32::try_from(it).ok());
    let items = params["diagnostics"].as_array()?.clone();
    Some((path(&uri)?, Published { version, items }))
}

/// A diagnostic in the server's unit.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct RawDiagnostic {
    pub(crate) at: RawRange,
    pub(crate) severity: Severity,
    pub(crate) message: String,
    pub(crate) code: Option<String>,
    pub(crate) source: Option<String>,
}

/// Returns the parameters of `textDocument/diagnostic`.
pub(crate) fn pull_params(path: &Path) -> Option<Value> {
    Some(serde_json::json!({ "textDocument": { "uri": uri(path)? } }))
}

/// Reads diagnostics leniently: invalid items are left out.
pub(crate) fn diagnostics(path: &Path, items: &[Value]) -> Vec<RawDiagnostic> {
    let diagnostic = |it: &Value| {
        let range = serde_json::from_value(it["range"].clone()).ok()?;
        let code = match &it["code"] {
            Value::String(code) => Some(code.clone()),
            Value::Number(code) => Some(code.to_string()),
            _ => None,
        };
        Some(RawDiagnostic {
            at: RawRange { path: path.to_owned(), range },
            severity: match it["severity"].as_u64() {
                Some(2) => Severity::Warning,
                Some(3) => Severity::Information,
                Some(4) => Severity::Hint,
                _ => Severity::Error,
            },
            message: without_info_lines(it["message"].as_str()?),
            code,
            source: it["source"].as_str().map(str::to_owned),
        })
    };
    items.iter().filter_map(diagnostic).collect()
}

/// Removes the `info:` lines that follow a message.
fn without_info_lines(message: &str) -> String {
    let lines = message.trim().lines().take_while(|it| !it.trim_start().starts_with("info: "));
    lines.collect::<Vec<_>>().join("\n").trim_end().to_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn messages_end_before_how_their_sender_came_to_them() {
        let message = "Cannot resolve imported module `urllib3`\n  info: Searched here\n  info:   1. /src\n";
        assert_eq!(without_info_lines(message), "Cannot resolve imported module `urllib3`");
        let message = "Type `a` is no `b`.\n  Property `x` is missing.";
        assert_eq!(without_info_lines(message), message);
    }
}
