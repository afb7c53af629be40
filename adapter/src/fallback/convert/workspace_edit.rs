//! What a server would change, in either of LSP's shapes: `documentChanges`, or `changes`.

use lsp_types::{Range, Url};
use serde_json::Value;

use super::RawRange;

/// One stretch of a file, and the text that would stand there instead.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct RawChange {
    pub(crate) at: RawRange,
    pub(crate) text: String,
}

/// Why what a server would change cannot be shown and made exactly.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub(crate) enum Unfit {
    /// More than texts would change.
    #[error("it would {0} files, and only changes of text are made here")]
    Files(String),
    /// Something that is no file.
    #[error("it would change `{0}`, which is no file")]
    NoFile(String),
    /// It does not follow the protocol.
    #[error("its edit cannot be read: {0}")]
    Nonsense(String),
}

/// All changes of a `WorkspaceEdit`, in its order; none of `null`.
///
/// # Errors
/// It would do more than change texts, or cannot be read.
pub(crate) fn changes(edit: &Value) -> Result<Vec<RawChange>, Unfit> {
    if let Some(documents) = edit["documentChanges"].as_array() {
        let each = documents.iter().map(|it| match it["kind"].as_str() {
            Some(kind) => Err(Unfit::Files(kind.to_owned())),
            None => texts(it["textDocument"]["uri"].as_str().unwrap_or_default(), &it["edits"]),
        });
        return Ok(each.collect::<Result<Vec<_>, _>>()?.into_iter().flatten().collect());
    }
    let files = edit["changes"].as_object().into_iter().flatten();
    let each = files.map(|(uri, edits)| texts(uri, edits)).collect::<Result<Vec<_>, _>>()?;
    Ok(each.into_iter().flatten().collect())
}

/// The changes of a list of `TextEdit`s of one file.
///
/// # Errors
/// As [`changes`].
pub(crate) fn texts(uri: &str, edits: &Value) -> Result<Vec<RawChange>, Unfit> {
    let no_file = || Unfit::NoFile(uri.to_owned());
    let url = Url::parse(uri).map_err(|_| no_file())?;
    let change = |edit: &Value| {
        let range: Range = serde_json::from_value(edit["range"].clone())
            .map_err(|error| Unfit::Nonsense(error.to_string()))?;
        // One with holes to fill in has no `newText`.
        let text = edit["newText"].as_str().ok_or_else(|| Unfit::Nonsense("a change has no text".into()))?;
        let at = RawRange::new(&url, range).ok_or_else(no_file)?;
        Ok(RawChange { at, text: text.to_owned() })
    };
    edits.as_array().into_iter().flatten().map(change).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    fn text(line: u32, text: &str) -> Value {
        let at = |character| json!({"line": line, "character": character});
        json!({"range": {"start": at(0), "end": at(1)}, "newText": text})
    }

    fn told(edit: &Value) -> Result<Vec<String>, String> {
        let changes = changes(edit).map_err(|it| it.to_string())?;
        Ok(changes.into_iter().map(|it| format!("{} {}", it.at.path.display(), it.text)).collect())
    }

    #[test]
    fn both_shapes_are_read_and_the_newer_one_counts() {
        let changes = json!({"file:///w/none/a": [text(1, "a"), text(2, "b")]});
        assert_eq!(told(&json!({"changes": changes})).unwrap(), ["/w/none/a a", "/w/none/a b"]);
        let document =
            json!({"textDocument": {"uri": "file:///w/none/c", "version": null}, "edits": [text(1, "c")]});
        let both = json!({"changes": changes, "documentChanges": [document]});
        assert_eq!(told(&both).unwrap(), ["/w/none/c c"]);
        assert_eq!(told(&Value::Null).unwrap(), [""; 0]);
    }

    #[test]
    fn what_cannot_be_made_exactly_is_refused() {
        let rename = json!({"kind": "rename", "oldUri": "file:///a", "newUri": "file:///b"});
        let snippet = json!({"range": text(1, "")["range"], "snippet": {"value": "$0"}});
        for (edit, problem) in [
            (json!({"documentChanges": [rename]}), "it would rename files"),
            (json!({"changes": {"untitled:1": [text(1, "a")]}}), "`untitled:1`, which is no file"),
            (json!({"changes": {"file:///a": [snippet]}}), "a change has no text"),
            (json!({"changes": {"file:///a": [{"newText": "x"}]}}), "cannot be read"),
        ] {
            let error = told(&edit).unwrap_err();
            assert!(error.contains(problem), "{error}");
        }
    }
}
