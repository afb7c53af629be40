//! What passing messages say about files: pure, over JSON.

use std::collections::{HashMap, VecDeque};
use std::path::{Path, PathBuf};

use serde_json::Value;

/// How many of the files that a session touched last are remembered.
const TOUCHED: usize = 16;

/// What a request of the agent's does with a file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Access {
    Writes {
        path: PathBuf,
        text: String,
    },
    /// All of it, or some lines.
    Reads {
        path: PathBuf,
        is_whole: bool,
    },
}

/// Reads a request of the agent's. `None` when it is about no file.
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

/// The text in the editor's answer to a request to read.
pub(crate) fn text_of(result: &Value) -> Option<&str> {
    result.get("content")?.as_str()
}

/// Whether the editor shows what its files hold, saved or not, by the params of `initialize`.
pub(crate) fn shows_files(initialize: &Value) -> bool {
    initialize["clientCapabilities"]["fs"]["readTextFile"] == true
}

/// The files that an update of the session names as touched: those that a tool call works on.
pub(crate) fn touched(method: &str, params: &Value) -> Vec<PathBuf> {
    let update = &params["update"];
    let is_tool_call = matches!(update["sessionUpdate"].as_str(), Some("tool_call" | "tool_call_update"));
    if method != "session/update" || !is_tool_call {
        return Vec::new();
    }
    let named = ["locations", "content"].iter().flat_map(|it| update[it].as_array().into_iter().flatten());
    named.filter_map(|it| Some(PathBuf::from(it.get("path")?.as_str()?))).collect()
}

/// The files that the user attached to a prompt.
pub(crate) fn attached(method: &str, params: &Value) -> Vec<PathBuf> {
    let blocks = params["prompt"].as_array().filter(|_| method == "session/prompt");
    let uris = blocks.into_iter().flatten().filter_map(|it| match it["type"].as_str()? {
        "resource" => it["resource"]["uri"].as_str(),
        "resource_link" => it["uri"].as_str(),
        _ => None,
    });
    uris.filter_map(|it| url::Url::parse(it).ok()?.to_file_path().ok()).collect()
}

/// The path that a question is about, as it is written there.
pub(crate) fn asked_about(params: &Value) -> Option<&str> {
    let at = &params["target"]["at"]["path"];
    at.as_str().or_else(|| params["path"].as_str())
}

/// The files that each session touched last, the latest first: those that the editor may hold otherwise than the disk.
#[derive(Debug, Default)]
pub(crate) struct Touched(HashMap<String, VecDeque<PathBuf>>);

impl Touched {
    /// The session touched them.
    pub(crate) fn add(&mut self, session: &str, paths: impl IntoIterator<Item = PathBuf>) {
        let files = self.0.entry(session.to_owned()).or_default();
        for path in paths {
            files.retain(|it| *it != path);
            files.push_front(path);
        }
        files.truncate(TOUCHED);
    }

    /// Those of a session that lie in one of these folders.
    pub(crate) fn of(&self, session: &str, roots: &[PathBuf]) -> Vec<PathBuf> {
        let files = self.0.get(session).into_iter().flatten();
        files.filter(|it| lies_in(it, roots)).cloned().collect()
    }

    /// The session is over.
    pub(crate) fn forget(&mut self, session: &str) {
        self.0.remove(session);
    }
}

/// Whether a path lies in one of these folders, whatever links and `..` are in it.
fn lies_in(path: &Path, roots: &[PathBuf]) -> bool {
    let Ok(path) = path.canonicalize() else { return false };
    roots.iter().any(|it| it.canonicalize().is_ok_and(|root| path.starts_with(root)))
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

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
        let mut touched = Touched::default();
        touched.add("s", files.iter().cloned().chain(["/etc/passwd".into(), files[7].clone()]));
        let of_s = touched.of("s", &[dir.path().to_owned()]);
        assert_eq!((of_s.len(), &of_s[0]), (TOUCHED - 1, &files[7]));
        touched.forget("s");
        assert!(touched.of("s", &[dir.path().to_owned()]).is_empty());
    }
}
