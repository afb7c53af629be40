//! Reads what passing messages say about files: pure, over JSON.

use std::collections::{HashMap, VecDeque};
use std::path::{Path, PathBuf};

use serde_json::Value;

/// The number of recently touched files that are kept for a session.
const TOUCHED: usize = 16;

/// A file request that the agent sends to the editor.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Access {
    Writes {
        path: PathBuf,
        text: String,
    },
    /// A read of the whole file, or of some lines.
    Reads {
        path: PathBuf,
        is_whole: bool,
    },
}

/// Parses a request of the agent; `None` if it is about no file.
pub(crate) fn access(method: &str, params: &Value) -> Option<Access> {
    let path = || Some(PathBuf::from(params.get("path")?.as_str()?)).filter(|it| it.is_absolute());
    match method {
        "fs/write_text_file" => {
            Some(Access::Writes { path: path()?, text: params.get("content")?.as_str()?.to_owned() })
        }
        "fs/read_text_file" => {
            let is_whole = ["line", "limit"].iter().all(|it| params.get(it).is_none_or(Value::is_null));
            Some(Access::Reads { path: path()?, is_whole })
        }
        _ => None,
    }
}

/// Returns the text in the editor's response to a read.
pub(crate) fn text_of(result: &Value) -> Option<&str> {
    result.get("content")?.as_str()
}

/// Returns whether the editor can return its buffers, by the params of `initialize`.
pub(crate) fn shows_files(initialize: &Value) -> bool {
    initialize["clientCapabilities"]["fs"]["readTextFile"] == true
}

/// The file methods that an editor has.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct FileCapabilities {
    pub(crate) reads: bool,
    pub(crate) writes: bool,
}

impl FileCapabilities {
    /// Reads the capabilities from the params of `initialize`.
    pub(crate) fn from_initialize(initialize: &Value) -> Self {
        let own = ["clientCapabilities", "capabilities"].map(|it| &initialize[it]["fs"]);
        let has = |name: &str| own.iter().any(|it| it[name] == true);
        Self { reads: has("readTextFile"), writes: has("writeTextFile") }
    }
}

/// Returns the files that a tool call names in a `session/update`.
pub(crate) fn touched(method: &str, params: &Value) -> Vec<PathBuf> {
    let update = &params["update"];
    let is_tool_call = matches!(update["sessionUpdate"].as_str(), Some("tool_call" | "tool_call_update"));
    if method != "session/update" || !is_tool_call {
        return Vec::new();
    }
    let named = ["locations", "content"].iter().flat_map(|it| update[it].as_array().into_iter().flatten());
    named.filter_map(|it| Some(PathBuf::from(it.get("path")?.as_str()?))).collect()
}

/// Returns the files that the user attached to a prompt.
pub(crate) fn attached(method: &str, params: &Value) -> Vec<PathBuf> {
    let blocks = params["prompt"].as_array().filter(|_| method == "session/prompt");
    let uris = blocks.into_iter().flatten().filter_map(|it| match it["type"].as_str()? {
        "resource" => it["resource"]["uri"].as_str(),
        "resource_link" => it["uri"].as_str(),
        _ => None,
    });
    uris.filter_map(|it| url::Url::parse(it).ok()?.to_file_path().ok()).collect()
}

/// Returns the path in a request's params, as the agent wrote it.
pub(crate) fn requested_path(params: &Value) -> Option<&str> {
    let at = &params["target"]["at"]["path"];
    at.as_str().or_else(|| params["path"].as_str())
}

/// The files that each session touched recently, the latest first. The editor may hold unsaved text of these.
#[derive(Debug, Default)]
pub(crate) struct RecentFiles(HashMap<String, VecDeque<PathBuf>>);

impl RecentFiles {
    /// Adds files that a session touched.
    pub(crate) fn add(&mut self, session: &str, paths: impl IntoIterator<Item = PathBuf>) {
        let files = self.0.entry(session.to_owned()).or_default();
        for path in paths {
            files.retain(|it| *it != path);
            files.push_front(path);
        }
        files.truncate(TOUCHED);
    }

    /// Returns the recent files of a session that lie in these folders.
    pub(crate) fn in_folders(&self, session: &str, roots: &[PathBuf]) -> Vec<PathBuf> {
        let files = self.0.get(session).into_iter().flatten();
        files.filter(|it| lies_in(it, roots)).cloned().collect()
    }

    /// Forgets a session that has ended.
    pub(crate) fn forget(&mut self, session: &str) {
        self.0.remove(session);
    }
}

/// Returns whether a path lies in one of these folders after links and `..` are resolved.
fn lies_in(path: &Path, roots: &[PathBuf]) -> bool {
    let Ok(path) = path.canonicalize() else { return false };
    roots.iter().any(|it| it.canonicalize().is_ok_and(|root| path.starts_with(root)))
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn requests_write_and_read() {
        let write = json!({"sessionId": "s", "path": "/w/a.rs", "content": "text"});
        let written = Access::Writes { path: "/w/a.rs".into(), text: "text".into() };
        assert_eq!(access("fs/write_text_file", &write), Some(written));
        for (line, is_whole) in [(Value::Null, true), (json!(3), false)] {
            let read = json!({"sessionId": "s", "path": "/w/a.rs", "line": line});
            let expected = Access::Reads { path: "/w/a.rs".into(), is_whole };
            assert_eq!(access("fs/read_text_file", &read), Some(expected));
        }
        assert_eq!(access("fs/write_text_file", &json!({"path": "a.rs", "content": ""})), None);
        assert_eq!(access("fs/write_text_file", &json!(null)), None);
        assert_eq!(access("terminal/create", &write), None);
    }

    #[test]
    fn what_an_editor_has_it_says() {
        let fs = json!({"readTextFile": true, "writeTextFile": false});
        let reads = FileCapabilities { reads: true, writes: false };
        assert_eq!(FileCapabilities::from_initialize(&json!({"clientCapabilities": {"fs": fs}})), reads);
        assert_eq!(FileCapabilities::from_initialize(&json!({"capabilities": {"fs": fs}})), reads);
        assert_eq!(
            FileCapabilities::from_initialize(&json!({"clientCapabilities": {}})),
            FileCapabilities::default()
        );
    }

    #[test]
    fn tool_calls_and_prompts_touch_files() {
        let update = json!({"update": {
            "sessionUpdate": "tool_call_update",
            "content": [{"type": "diff", "path": "/w/a.rs", "newText": ""}, {"type": "content"}],
            "locations": [{"path": "/w/b.rs", "line": 3}],
        }});
        assert_eq!(touched("session/update", &update), [Path::new("/w/b.rs"), Path::new("/w/a.rs")]);
        assert!(touched("session/update", &json!({"update": {"sessionUpdate": "plan"}})).is_empty());
        let prompt = json!({"prompt": [
            {"type": "resource", "resource": {"uri": "file:///w/a%20b.rs", "text": ""}},
            {"type": "resource_link", "uri": "https://example.org/"},
            {"type": "text", "text": "look"},
        ]});
        assert_eq!(attached("session/prompt", &prompt), [Path::new("/w/a b.rs")]);
    }

    #[test]
    fn the_latest_in_the_roots_are_remembered() {
        let dir = tempfile::tempdir().unwrap();
        let files: Vec<_> = (0..20).map(|it| dir.path().join(format!("{it}.rs"))).collect();
        files.iter().for_each(|it| std::fs::write(it, "").unwrap());
        let mut touched = RecentFiles::default();
        touched.add("s", files.iter().cloned().chain(["/etc/passwd".into(), files[7].clone()]));
        let of_s = touched.in_folders("s", &[dir.path().to_owned()]);
        assert_eq!((of_s.len(), &of_s[0]), (TOUCHED - 1, &files[7]));
        touched.forget("s");
        assert!(touched.in_folders("s", &[dir.path().to_owned()]).is_empty());
    }
}
