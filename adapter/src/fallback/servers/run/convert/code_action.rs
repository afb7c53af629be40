//! What a server offers to do, in either of LSP's shapes: an action, or a bare command.

use std::path::Path;

use serde_json::{Value, json};

use super::{RawDiagnostic, diagnostics, uri};

/// Something that a server offers to do.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct RawAction {
    pub(crate) title: String,
    pub(crate) kind: Option<String>,
    pub(crate) is_preferred: bool,
    /// Why the server says that it cannot be done.
    pub(crate) disabled: Option<String>,
    /// What it fixes.
    pub(crate) fixes: Vec<RawDiagnostic>,
    /// What it would change, if that is said already.
    pub(crate) edit: Option<Value>,
    /// What it would run, after its edit if it has one.
    pub(crate) command: Option<RawCommand>,
    /// All of it, to be sent back as it came; of a bare command nothing.
    pub(crate) value: Option<Value>,
}

/// A command of a server's.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct RawCommand {
    pub(crate) name: String,
    arguments: Value,
}

impl RawCommand {
    fn of(value: &Value) -> Option<Self> {
        Some(Self { name: value["command"].as_str()?.to_owned(), arguments: value["arguments"].clone() })
    }

    /// Has it run.
    pub(crate) fn params(&self) -> Value {
        json!({ "command": self.name, "arguments": self.arguments.as_array().cloned().unwrap_or_default() })
    }
}

/// What is offered for a file, read leniently: what has no title is nothing that one could choose.
pub(crate) fn actions(path: &Path, response: &Value) -> Vec<RawAction> {
    response.as_array().into_iter().flatten().filter_map(|it| action(path, it)).collect()
}

/// One of them, as the server says it more fully.
pub(crate) fn action(path: &Path, value: &Value) -> Option<RawAction> {
    let text = |value: &Value| value.as_str().map(str::to_owned);
    let title = text(&value["title"])?;
    let is_bare = value["command"].is_string();
    let command = RawCommand::of(if is_bare { value } else { &value["command"] });
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

/// Asks what may be done about a stretch of a file (as [`super::range`] gives it), of which this is wrong.
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

/// How a text is indented.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Indentation {
    pub(crate) width: usize,
    pub(crate) by_tabs: bool,
}

/// Asks what laying out a file, or a stretch of it, would change.
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
