//! Reads what passing messages say about files: pure, over JSON.

use std::collections::{HashMap, VecDeque};
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use serde_json::Value;

use super::git_patch;
use crate::fallback::ReportedEdit;

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

/// The file methods that an editor has.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct FileCapabilities {
    pub(crate) reads: bool,
    pub(crate) writes: bool,
}

impl FileCapabilities {
    /// Reads the capabilities from the params of `initialize`. Version 2 of ACP has no requests for files.
    pub(crate) fn from_initialize(initialize: &Value) -> Self {
        let own = &initialize["clientCapabilities"]["fs"];
        Self { reads: own["readTextFile"] == true, writes: own["writeTextFile"] == true }
    }
}

/// Returns the update of a `session/update` about a tool call; `None` for other messages.
fn tool_call<'a>(method: &str, params: &'a Value) -> Option<&'a Value> {
    let update = &params["update"];
    let kind = update["sessionUpdate"].as_str();
    let is_one = matches!(kind, Some("tool_call" | "tool_call_update" | "tool_call_content_chunk"));
    (method == "session/update" && is_one).then_some(update)
}

/// Returns the blocks of content in an update of a tool call. A chunk has one.
fn blocks(update: &Value) -> &[Value] {
    match &update["content"] {
        Value::Array(blocks) => blocks,
        block @ Value::Object(_) => std::slice::from_ref(block),
        _ => &[],
    }
}

fn list(value: &Value) -> impl Iterator<Item = &Value> {
    value.as_array().into_iter().flatten()
}

/// Returns the files that a tool call names in a `session/update`.
pub(crate) fn touched(method: &str, params: &Value) -> Vec<PathBuf> {
    let Some(update) = tool_call(method, params) else { return Vec::new() };
    // In version 2 of ACP, a diff lists its files.
    let changes = blocks(update).iter().flat_map(|it| list(&it["changes"]));
    let changed = changes.flat_map(|it| [&it["oldPath"], &it["path"]]);
    let named = list(&update["locations"]).chain(blocks(update)).map(|it| &it["path"]).chain(changed);
    named.filter_map(|it| Some(PathBuf::from(it.as_str()?))).collect()
}

/// Returns the edits that a tool call reports in a `session/update`, with the id of the call.
pub(crate) fn reported(method: &str, params: &Value) -> Option<(String, Vec<ReportedEdit>)> {
    let update = tool_call(method, params)?;
    let edit = |it: &Value| {
        let path = PathBuf::from(it["path"].as_str()?);
        let (before, after) = (it["oldText"].as_str().map(str::to_owned), it["newText"].as_str()?.to_owned());
        Some(ReportedEdit { path, before, after })
    };
    // In version 2 of ACP, the texts are in a patch.
    let patched = |it: &Value| {
        let text = it["patch"]["text"].as_str().filter(|_| it["patch"]["format"] == "git_patch");
        text.map(git_patch::replaced).unwrap_or_default()
    };
    let diffs = blocks(update).iter().filter(|it| it["type"] == "diff");
    let edits: Vec<_> = diffs.flat_map(|it| edit(it).into_iter().chain(patched(it))).collect();
    (!edits.is_empty()).then_some((update["toolCallId"].as_str()?.to_owned(), edits))
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
pub(crate) struct RecentFiles(HashMap<String, VecDeque<RecentFile>>); // the latest first

#[derive(Debug)]
struct RecentFile {
    path: PathBuf,
    touched: Option<Instant>,
    /// The time of its last reading, if nobody touched it since.
    read: Option<Instant>,
    /// `true` if only questions named it. It is looked at once more, and then left to the next question about it.
    is_only_asked: bool,
    /// `true` if a question has named it since its last reading.
    is_asked: bool,
    /// `true` while it is looked at once more.
    is_leaving: bool,
}

impl RecentFiles {
    /// Adds files that a session touched.
    pub(crate) fn add(&mut self, session: &str, paths: impl IntoIterator<Item = PathBuf>) {
        for path in paths {
            let file = self.latest(session, path);
            (file.touched, file.read, file.is_only_asked) = (Some(Instant::now()), None, false);
        }
    }

    /// Adds the file that a question names.
    pub(crate) fn request(&mut self, session: &str, path: PathBuf) {
        self.latest(session, path).is_asked = true;
    }

    /// Returns the entry of a file, which becomes the latest.
    fn latest(&mut self, session: &str, path: PathBuf) -> &mut RecentFile {
        let files = self.0.entry(session.to_owned()).or_default();
        let known = files.iter().position(|it| it.path == path).and_then(|at| files.remove(at));
        let new = || RecentFile {
            path,
            touched: None,
            read: None,
            is_only_asked: true,
            is_asked: false,
            is_leaving: false,
        };
        files.push_front(known.unwrap_or_else(new));
        files.truncate(TOUCHED);
        &mut files[0]
    }

    /// Returns the recent files of sessions in these folders whose texts in the editor may differ from what is
    /// known: those that nobody has read for `age`, or since they were touched.
    pub(crate) fn due(
        &mut self,
        sessions: &[String],
        roots: &[PathBuf],
        (now, age): (Instant, Duration),
    ) -> Vec<PathBuf> {
        let mut paths = Vec::new();
        for session in sessions {
            let files = self.0.get_mut(session).into_iter().flatten();
            let due = files.filter(|it| it.read.is_none_or(|at| now.saturating_duration_since(at) >= age));
            for file in due {
                let is_due_already = paths.contains(&file.path);
                if !is_due_already && !lies_in(&file.path, roots) {
                    continue;
                }
                file.is_leaving = file.is_only_asked && !file.is_asked;
                // Who asks before the editor has answered reads it too.
                (file.read, file.is_asked) = (None, false);
                if !is_due_already {
                    paths.push(file.path.clone());
                }
            }
        }
        paths
    }

    /// Records that a file was asked for at that time, and whether the editor has unsaved text of it.
    pub(crate) fn found(&mut self, sessions: &[String], path: &Path, is_unsaved: bool, now: Instant) {
        for session in sessions {
            let Some(files) = self.0.get_mut(session) else { continue };
            let Some(at) = files.iter().position(|it| it.path == path) else { continue };
            let file = &mut files[at];
            if file.is_leaving && !is_unsaved {
                files.remove(at);
            } else if file.touched.is_none_or(|it| it <= now) {
                file.read = Some(now);
            }
        }
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

    /// One session.
    fn s() -> [String; 1] {
        ["s".to_owned()]
    }

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
        for none in [json!({"clientCapabilities": {}}), json!({"capabilities": {"fs": fs}})] {
            assert_eq!(FileCapabilities::from_initialize(&none), FileCapabilities::default(), "{none}");
        }
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
        let diff = json!({"type": "diff", "changes": [
            {"operation": "modify", "path": "/w/a.rs"},
            {"operation": "move", "oldPath": "/w/b.rs", "path": "/w/c.rs"},
        ]});
        for (name, content) in [("tool_call_update", json!([diff])), ("tool_call_content_chunk", diff)] {
            let update = json!({"update": {"sessionUpdate": name, "content": content}});
            let all = ["/w/a.rs", "/w/b.rs", "/w/c.rs"].map(Path::new);
            assert_eq!(touched("session/update", &update), all, "version 2");
        }
        let prompt = json!({"prompt": [
            {"type": "resource", "resource": {"uri": "file:///w/a%20b.rs", "text": ""}},
            {"type": "resource_link", "uri": "https://example.org/"},
            {"type": "text", "text": "look"},
        ]});
        assert_eq!(attached("session/prompt", &prompt), [Path::new("/w/a b.rs")]);
    }

    #[test]
    fn diffs_of_tool_calls_are_edits() {
        let update = |content: Value| json!({"update": {"sessionUpdate": "tool_call", "toolCallId": "1", "content": content}});
        let diff = json!({"type": "diff", "path": "/w/a.rs", "oldText": "a", "newText": "b"});
        let new = json!({"type": "diff", "path": "/w/b.rs", "oldText": null, "newText": "c"});
        let edit = |path: &str, before: Option<&str>, after: &str| ReportedEdit {
            path: path.into(),
            before: before.map(str::to_owned),
            after: after.to_owned(),
        };
        assert_eq!(
            reported("session/update", &update(json!([diff, {"type": "content"}, new]))),
            Some(("1".to_owned(), vec![edit("/w/a.rs", Some("a"), "b"), edit("/w/b.rs", None, "c")]))
        );
        let text = "--- /w/a.rs\n+++ /w/a.rs\n@@ -1 +1 @@\n-a\n+b\n";
        let patch = json!({"type": "diff", "changes": [], "patch": {"format": "git_patch", "text": text}});
        let patched = Some(("1".to_owned(), vec![edit("/w/a.rs", Some("a\n"), "b\n")]));
        assert_eq!(reported("session/update", &update(json!([patch]))), patched, "version 2");
        assert_eq!(reported("session/update", &update(json!([{"type": "content"}]))), None);
        assert_eq!(reported("session/update", &json!(null)), None);
    }

    #[test]
    fn the_latest_in_the_roots_are_remembered() {
        let dir = tempfile::tempdir().unwrap();
        let files: Vec<_> = (0..20).map(|it| dir.path().join(format!("{it}.rs"))).collect();
        files.iter().for_each(|it| std::fs::write(it, "").unwrap());
        let mut touched = RecentFiles::default();
        touched.add("s", files.iter().cloned().chain(["/etc/passwd".into(), files[7].clone()]));
        let (roots, now) = ([dir.path().to_owned()], (Instant::now(), Duration::ZERO));
        let of_s = touched.due(&s(), &roots, now);
        assert_eq!((of_s.len(), &of_s[0]), (TOUCHED - 1, &files[7]));
        touched.forget("s");
        assert!(touched.due(&s(), &roots, now).is_empty());
    }

    #[test]
    fn files_of_several_sessions_are_read_once() {
        let dir = tempfile::tempdir().unwrap();
        let [own, both, around] = ["own.rs", "both.rs", "around.rs"].map(|it| dir.path().join(it));
        [&own, &both, &around].iter().for_each(|it| std::fs::write(it, "").unwrap());
        const AGE: Duration = Duration::from_secs(1);
        let (roots, mut recent) = ([dir.path().to_owned()], RecentFiles::default());
        let sessions = ["child", "parent"].map(str::to_owned);
        recent.add("child", [both.clone(), own.clone()]);
        recent.add("parent", [around.clone(), both.clone(), "/etc/passwd".into()]);
        let now = Instant::now();
        let due = recent.due(&sessions, &roots, (now, AGE));
        assert_eq!(due, [own, both.clone(), around.clone()]);
        due.iter().for_each(|it| recent.found(&sessions, it, true, now));
        assert!(recent.due(&sessions[1..], &roots, (now, AGE)).is_empty(), "they were read for both");
        recent.forget("child");
        assert_eq!(recent.due(&sessions, &roots, (now + AGE, AGE)), [both, around]);
    }

    #[test]
    fn a_file_is_read_when_it_may_have_changed() {
        let dir = tempfile::tempdir().unwrap();
        let [a, b] = ["a.rs", "b.rs"].map(|it| dir.path().join(it));
        [&a, &b].iter().for_each(|it| std::fs::write(it, "").unwrap());
        const AGE: Duration = Duration::from_secs(1);
        let (roots, mut recent) = ([dir.path().to_owned()], RecentFiles::default());
        recent.add("s", [a.clone(), b.clone()]);
        let now = Instant::now();
        assert_eq!(recent.due(&s(), &roots, (now, AGE)).len(), 2);
        assert_eq!(recent.due(&s(), &roots, (now, AGE)).len(), 2, "the editor has not answered yet");
        [&a, &b].iter().for_each(|it| recent.found(&s(), it, false, now));
        recent.request("s", a.clone());
        assert!(recent.due(&s(), &roots, (now, AGE)).is_empty(), "both were just read");
        recent.add("s", [b.clone()]);
        assert_eq!(recent.due(&s(), &roots, (now, AGE)), std::slice::from_ref(&b), "it was touched");
        recent.found(&s(), &b, false, now);
        assert_eq!(recent.due(&s(), &roots, (now, AGE)), [b], "it was touched while it was read");
        assert_eq!(recent.due(&s(), &roots, (now + AGE, AGE)).len(), 2, "that is long ago");
    }

    #[test]
    fn what_only_questions_named_is_looked_at_once_more() {
        let dir = tempfile::tempdir().unwrap();
        let [asked, typed, touched] = ["asked.rs", "typed.rs", "touched.rs"].map(|it| dir.path().join(it));
        [&asked, &typed, &touched].iter().for_each(|it| std::fs::write(it, "").unwrap());
        let (roots, mut recent, now) = ([dir.path().to_owned()], RecentFiles::default(), Instant::now());
        let look = |recent: &mut RecentFiles, is_typed: bool| {
            let due = recent.due(&s(), &roots, (now, Duration::ZERO));
            due.iter().for_each(|it| recent.found(&s(), it, is_typed && *it == typed, now));
            due.len()
        };
        recent.add("s", [touched]);
        recent.request("s", asked);
        recent.request("s", typed.clone());
        assert_eq!(look(&mut recent, false), 3, "they are new");
        assert_eq!(look(&mut recent, true), 3, "once more");
        assert_eq!(look(&mut recent, true), 2, "one has unsaved text, one was touched");
        assert_eq!(look(&mut recent, false), 2, "it may have been saved");
        assert_eq!(look(&mut recent, false), 1);
    }
}
