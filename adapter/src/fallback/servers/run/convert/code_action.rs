//! Code actions in both of LSP's shapes: an action, or a bare command.

use std::path::Path;

use serde_json::{Value, json};

use super::diagnostics::{RawDiagnostic, diagnostics};
use super::uri;

/// A code action of a server.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct RawAction {
    pub(crate) title: String,
    pub(crate) kind: Option<String>,
    pub(crate) is_preferred: bool,
    /// The server's reason why it cannot be applied.
    pub(crate) disabled: Option<String>,
    /// The diagnostics that it fixes.
    pub(crate) fixes: Vec<RawDiagnostic>,
    /// The edit, if it is included already.
    pub(crate) edit: Option<Value>,
    /// The command, which runs after the edit if there is one.
    pub(crate) command: Option<RawCommand>,
    /// The whole action, to be sent back unchanged; `None` for a bare command.
    pub(crate) value: Option<Value>,
}

/// A command of a server.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct RawCommand {
    pub(crate) name: String,
    arguments: Value,
}

impl RawCommand {
    fn of(value: &Value) -> Option<Self> {
        Some(Self { name: value["command"].as_str()?.to_owned(), arguments: value["arguments"].clone() })
    }

    /// Returns the parameters of `workspace/executeCommand`.
    pub(crate) fn params(&self) -> Value {
        json!({ "command": self.name, "arguments": self.arguments.as_array().cloned().unwrap_or_default() })
    }
}

/// Reads the actions for a file, leniently: without a title an action cannot be chosen.
pub(crate) fn actions(path: &Path, response: &Value) -> Vec<RawAction> {
    response.as_array().into_iter().flatten().filter_map(|it| action(path, it)).collect()
}

/// Reads one action, also from `codeAction/resolve`.
pub(crate) fn action(path: &Path, value: &Value) -> Option<RawAction> {
    let text = |value: &Value| value.as_str().map(str::to_owned);
    let title = text(&value["title"])?;
    let is_bare = value["command"].is_string();
    let command = RawCommand::of(if is_bare { value } else { &value["command"] });
    // Optional: an action need not fix anything.
    let fixes = value["diagnostics"].as_array().map(Vec::as_slice).unwrap_or_default();
    Some(RawAction {
        title,
        kind: text(&value["kind"]),
        is_preferred: value["isPreferred"] == true,
        disabled: text(&value["disabled"]["reason"]),
        fixes: diagnostics(path, fixes),
        edit: Some(value["edit"].clone()).filter(|it| !it.is_null()),
        command,
        value: (!is_bare).then(|| value.clone()),
    })
}

/// Returns the parameters of `textDocument/codeAction` for a range (as [`super::range`] gives it) and its
/// diagnostics.
pub(crate) fn actions_params(
    path: &Path,
    range: &Value,
    wrong: &[Value],
    kind: Option<&str>,
) -> Option<Value> {
    let mut context = json!({ "diagnostics": wrong, "triggerKind": 1 });
    if let Some(kind) = kind {
        context["only"] = json!([kind]);
    }
    Some(json!({ "textDocument": { "uri": uri(path)? }, "range": range, "context": context }))
}

/// The indentation of a text.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Indentation {
    pub(crate) width: usize,
    pub(crate) by_tabs: bool,
}

/// Returns the parameters of a formatting request for a file, or a range of it.
pub(crate) fn formatting_params(
    path: &Path,
    range: Option<&Value>,
    indentation: Indentation,
) -> Option<Value> {
    let Indentation { width, by_tabs } = indentation;
    let options = json!({ "tabSize": width, "insertSpaces": !by_tabs });
    let mut params = json!({ "textDocument": { "uri": uri(path)? }, "options": options });
    if let Some(range) = range {
        params["range"] = range.clone();
    }
    Some(params)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(value: Value) -> Vec<RawAction> {
        actions(Path::new("/a"), &json!([value]))
    }

    #[test]
    fn both_shapes_are_read() {
        let bare = read(json!({"title": "Run", "command": "x.run", "arguments": [1]}));
        assert_eq!(bare[0].command.as_ref().unwrap().params(), json!({"command": "x.run", "arguments": [1]}));
        assert_eq!((&bare[0].value, &bare[0].edit), (&None, &None));
        let action = json!({
            "title": "Fix", "kind": "quickfix", "isPreferred": true, "disabled": {"reason": "not here"},
            "edit": {"changes": {}}, "command": {"title": "then", "command": "x.then"},
        });
        let read = &read(action.clone())[0];
        assert_eq!((read.kind.as_deref(), read.disabled.as_deref()), (Some("quickfix"), Some("not here")));
        assert!(read.is_preferred && read.edit.is_some() && read.value.as_ref() == Some(&action));
        assert_eq!(read.command.as_ref().unwrap().params(), json!({"command": "x.then", "arguments": []}));
    }

    #[test]
    fn what_is_no_action_is_none() {
        for value in [json!(null), json!([]), json!({"kind": "quickfix"}), json!("title")] {
            assert_eq!(read(value), []);
        }
        assert_eq!(actions(Path::new("/a"), &json!(null)), []);
    }
}
