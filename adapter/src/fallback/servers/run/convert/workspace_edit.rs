//! Workspace edits of a server in both of LSP's shapes: `documentChanges`, or `changes`.

use std::path::PathBuf;

use lsp_types::{Range, Url};
use serde_json::Value;

use super::RawRange;

/// A range of a file, and the text that replaces it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct RawChange {
    pub(crate) at: RawRange,
    pub(crate) text: String,
    /// The version of the document that it is for, if the server sends it.
    pub(crate) version: Option<i32>,
}

/// One step of an edit.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum RawStep {
    Change(RawChange),
    /// Creates an empty file.
    Create {
        path: PathBuf,
        existing: Existing,
    },
    /// Moves a file or a folder.
    Move {
        from: PathBuf,
        to: PathBuf,
        existing: Existing,
    },
    /// Deletes a file.
    Delete {
        path: PathBuf,
        /// `true` if a missing file is no error.
        may_lack: bool,
    },
}

/// The treatment of a file that exists already.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Existing {
    Refuse,
    /// Keep it, and do nothing.
    Keep,
    /// Overwrite it.
    Overwrite,
}

/// The reason why an edit cannot be previewed and applied exactly.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub(crate) enum UnsupportedEdit {
    /// It changes something that is no file.
    #[error("it would change `{0}`, which is no file")]
    NoFile(String),
    /// It violates the protocol.
    #[error("its edit cannot be read: {0}")]
    Nonsense(String),
}

impl From<RawChange> for RawStep {
    fn from(change: RawChange) -> Self {
        Self::Change(change)
    }
}

/// Reads all steps of a `WorkspaceEdit`, in its order; none of `null`.
///
/// # Errors
/// It cannot be read, or changes something that is no file.
pub(crate) fn steps(edit: &Value) -> Result<Vec<RawStep>, UnsupportedEdit> {
    if let Some(documents) = edit["documentChanges"].as_array() {
        let each = documents.iter().map(|it| match it["kind"].as_str() {
            Some(kind) => Ok(vec![file_step(kind, it)?]),
            None => {
                let document = &it["textDocument"];
                let version = document["version"].as_i64().and_then(|it| i32::try_from(it).ok());
                // Without a URI it is refused: the empty one names no file.
                let changes = texts(document["uri"].as_str().unwrap_or_default(), &it["edits"])?;
                Ok(changes.into_iter().map(|it| RawStep::Change(RawChange { version, ..it })).collect())
            }
        });
        return Ok(each.collect::<Result<Vec<_>, _>>()?.into_iter().flatten().collect());
    }
    let files = edit["changes"].as_object().into_iter().flatten();
    let each = files.map(|(uri, edits)| of_texts(uri, edits)).collect::<Result<Vec<_>, _>>()?;
    Ok(each.into_iter().flatten().collect())
}

fn file_step(kind: &str, step: &Value) -> Result<RawStep, UnsupportedEdit> {
    // A missing URI is refused: the empty one names no file.
    let path = |field: &str| file(step[field].as_str().unwrap_or_default());
    let says = |option: &str| step["options"][option] == Value::Bool(true);
    let existing = match () {
        // Overwriting wins over ignoring.
        () if says("overwrite") => Existing::Overwrite,
        () if says("ignoreIfExists") => Existing::Keep,
        () => Existing::Refuse,
    };
    match kind {
        "create" => Ok(RawStep::Create { path: path("uri")?, existing }),
        "rename" => Ok(RawStep::Move { from: path("oldUri")?, to: path("newUri")?, existing }),
        "delete" => Ok(RawStep::Delete { path: path("uri")?, may_lack: says("ignoreIfNotExists") }),
        kind => Err(UnsupportedEdit::Nonsense(format!("there is no way to `{kind}` files"))),
    }
}

fn file(uri: &str) -> Result<PathBuf, UnsupportedEdit> {
    let path = Url::parse(uri).ok().and_then(|it| super::path(&it));
    path.ok_or_else(|| UnsupportedEdit::NoFile(uri.to_owned()))
}

fn of_texts(uri: &str, edits: &Value) -> Result<Vec<RawStep>, UnsupportedEdit> {
    Ok(texts(uri, edits)?.into_iter().map(RawStep::Change).collect())
}

/// Reads a list of `TextEdit`s of one file.
///
/// # Errors
/// As [`steps`].
pub(crate) fn texts(uri: &str, edits: &Value) -> Result<Vec<RawChange>, UnsupportedEdit> {
    let no_file = || UnsupportedEdit::NoFile(uri.to_owned());
    let url = Url::parse(uri).map_err(|_| no_file())?;
    let change = |edit: &Value| {
        let range: Range = serde_json::from_value(edit["range"].clone())
            .map_err(|error| UnsupportedEdit::Nonsense(error.to_string()))?;
        // One with holes to fill in has no `newText`.
        let text = edit["newText"]
            .as_str()
            .ok_or_else(|| UnsupportedEdit::Nonsense("a change has no text".into()))?;
        let at = RawRange::new(&url, range).ok_or_else(no_file)?;
        Ok(RawChange { at, text: text.to_owned(), version: None })
    };
    edits.as_array().into_iter().flatten().map(change).collect()
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn text(line: u32, text: &str) -> Value {
        let at = |character| json!({"line": line, "character": character});
        json!({"range": {"start": at(0), "end": at(1)}, "newText": text})
    }

    fn shown(edit: &Value) -> Result<Vec<String>, String> {
        let steps = steps(edit).map_err(|it| it.to_string())?;
        let shown = |it: RawStep| match it {
            RawStep::Change(it) => format!("{} {}", it.at.path.display(), it.text),
            RawStep::Create { path, existing } => format!("create {} {existing:?}", path.display()),
            RawStep::Move { from, to, existing } => {
                format!("move {} {} {existing:?}", from.display(), to.display())
            }
            RawStep::Delete { path, may_lack } => format!("delete {} {may_lack}", path.display()),
        };
        Ok(steps.into_iter().map(shown).collect())
    }

    #[test]
    fn both_shapes_are_read_and_the_newer_one_counts() {
        let changes = json!({"file:///w/none/a": [text(1, "a"), text(2, "b")]});
        assert_eq!(shown(&json!({"changes": changes})).unwrap(), ["/w/none/a a", "/w/none/a b"]);
        let document =
            json!({"textDocument": {"uri": "file:///w/none/c", "version": null}, "edits": [text(1, "c")]});
        let both = json!({"changes": changes, "documentChanges": [document]});
        assert_eq!(shown(&both).unwrap(), ["/w/none/c c"]);
        assert_eq!(shown(&Value::Null).unwrap(), [""; 0]);
    }

    #[test]
    fn steps_about_files_are_read_in_order() {
        let (a, b) = ("file:///w/none/a", "file:///w/none/b");
        let both = json!({"overwrite": true, "ignoreIfExists": true});
        let steps = json!([
            {"kind": "create", "uri": a, "options": {"ignoreIfExists": true}},
            {"textDocument": {"uri": a}, "edits": [text(0, "x")]},
            {"kind": "rename", "oldUri": a, "newUri": b, "options": both},
            {"kind": "delete", "uri": b},
        ]);
        assert_eq!(
            shown(&json!({ "documentChanges": steps })).unwrap(),
            [
                "create /w/none/a Keep",
                "/w/none/a x",
                "move /w/none/a /w/none/b Overwrite",
                "delete /w/none/b false"
            ]
        );
    }

    #[test]
    fn what_cannot_be_made_exactly_is_refused() {
        let rename = json!({"kind": "rename", "oldUri": "file:///a", "newUri": "https://b"});
        let snippet = json!({"range": text(1, "")["range"], "snippet": {"value": "$0"}});
        for (edit, problem) in [
            (json!({"documentChanges": [rename]}), "`https://b`, which is no file"),
            (json!({"documentChanges": [{"kind": "link", "uri": "file:///a"}]}), "no way to `link`"),
            (json!({"changes": {"untitled:1": [text(1, "a")]}}), "`untitled:1`, which is no file"),
            (json!({"changes": {"file:///a": [snippet]}}), "a change has no text"),
            (json!({"changes": {"file:///a": [{"newText": "x"}]}}), "cannot be read"),
        ] {
            let error = shown(&edit).unwrap_err();
            assert!(error.contains(problem), "{error}");
        }
    }
}
