//! Reads what passing messages say about files: pure, over JSON.

use std::collections::{HashMap, VecDeque};
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

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

/// The files that each session touched recently. The editor may hold unsaved text of these.
#[derive(Debug, Default)]
pub(crate) struct RecentFiles(HashMap<String, SessionFiles>);

#[derive(Debug, Default)]
struct SessionFiles {
    /// The latest first.
    files: VecDeque<RecentFile>,
    /// The time of the last look at all of them.
    looked: Option<Instant>,
}

#[derive(Debug)]
struct RecentFile {
    path: PathBuf,
    /// `true` if it was touched since the last look.
    is_touched: bool,
    /// `true` if the editor had unsaved text of it at the last look.
    is_unsaved: bool,
}

impl RecentFiles {
    /// Adds files that a session touched.
    pub(crate) fn add(&mut self, session: &str, paths: impl IntoIterator<Item = PathBuf>) {
        let files = &mut self.0.entry(session.to_owned()).or_default().files;
        for path in paths {
            let known = files.iter().position(|it| it.path == path).and_then(|at| files.remove(at));
            let is_unsaved = known.is_some_and(|it| it.is_unsaved);
            files.push_front(RecentFile { path, is_touched: true, is_unsaved });
        }
        files.truncate(TOUCHED);
    }

    /// Returns the recent files of a session in these folders whose texts in the editor may differ from what is known:
    /// those that were touched or had unsaved text, and all when the last look is older than `age`.
    pub(crate) fn due(
        &mut self,
        session: &str,
        roots: &[PathBuf],
        (now, age): (Instant, Duration),
    ) -> Vec<PathBuf> {
        let Some(SessionFiles { files, looked }) = self.0.get_mut(session) else { return Vec::new() };
        let are_all = looked.is_none_or(|it| now.saturating_duration_since(it) >= age);
        if are_all {
            *looked = Some(now);
        }
        let due = files.iter_mut().filter(|it| are_all || it.is_touched || it.is_unsaved);
        let due = due.map(|it| {
            it.is_touched = false;
            it.path.clone()
        });
        due.filter(|it| lies_in(it, roots)).collect()
    }

    /// Records whether the editor has unsaved text of a file.
    pub(crate) fn found(&mut self, session: &str, path: &Path, is_unsaved: bool) {
        let files = self.0.get_mut(session).into_iter().flat_map(|it| &mut it.files);
        files.filter(|it| it.path == path).for_each(|it| it.is_unsaved = is_unsaved);
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
        let (roots, now) = ([dir.path().to_owned()], (Instant::now(), Duration::ZERO));
        let of_s = touched.due("s", &roots, now);
        assert_eq!((of_s.len(), &of_s[0]), (TOUCHED - 1, &files[7]));
        touched.forget("s");
        assert!(touched.due("s", &roots, now).is_empty());
    }

    #[test]
    fn a_file_is_looked_at_when_it_may_have_changed() {
        let dir = tempfile::tempdir().unwrap();
        let [a, b, c] = ["a.rs", "b.rs", "c.rs"].map(|it| dir.path().join(it));
        [&a, &b, &c].iter().for_each(|it| std::fs::write(it, "").unwrap());
        const AGE: Duration = Duration::from_secs(1);
        let (roots, mut recent) = ([dir.path().to_owned()], RecentFiles::default());
        let now = (Instant::now(), AGE);
        recent.add("s", [a.clone(), b.clone(), c.clone()]);
        assert_eq!(recent.due("s", &roots, now).len(), 3);
        assert!(recent.due("s", &roots, now).is_empty());
        recent.add("s", [b.clone()]);
        recent.found("s", &a, true);
        assert_eq!(recent.due("s", &roots, now), [b.clone(), a.clone()]);
        assert_eq!(recent.due("s", &roots, now), std::slice::from_ref(&a));
        recent.found("s", &a, false);
        assert!(recent.due("s", &roots, now).is_empty());
        assert_eq!(recent.due("s", &roots, (now.0 + AGE, AGE)).len(), 3);
    }
}
