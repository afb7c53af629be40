//! The sessions of a connection and their roots, read from the requests that set them up.

use std::collections::HashMap;
use std::path::PathBuf;
use std::time::Duration;

use serde_json::Value;
use tokio::sync::watch;

/// The timeout for a session to become known. A request can overtake the response that announces its session.
const KNOWN_WAIT: Duration = Duration::from_secs(2);

/// The session that a setup request describes.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Setup {
    /// The session's id, in requests that load or resume one.
    pub(crate) session: Option<String>,
    /// The working directory first, then the additional directories.
    pub(crate) roots: Vec<PathBuf>,
}

/// Parses a request of the client; `None` if it sets up no session.
pub(crate) fn setup(method: &str, params: &Value) -> Option<Setup> {
    let knows_session = match method {
        "session/new" | "session/fork" => false, // a fork's `sessionId` is the session that it leaves
        "session/load" | "session/resume" => true,
        _ => return None,
    };
    let session = session_of(params).filter(|_| knows_session);
    Some(Setup { session, roots: roots(params) })
}

/// Returns the session that a request closes, deletes or archives, which closes it too.
pub(crate) fn ended_session(method: &str, params: &Value) -> Option<String> {
    matches!(method, "session/close" | "session/delete" | "session/archive")
        .then(|| session_of(params))
        .flatten()
}

/// Returns the session that a message names.
pub(crate) fn session_of(params: &Value) -> Option<String> {
    Some(params.get("sessionId")?.as_str()?.to_owned())
}

fn roots(params: &Value) -> Vec<PathBuf> {
    let more = params.get("additionalDirectories").and_then(Value::as_array);
    let all = params.get("cwd").into_iter().chain(more.into_iter().flatten());
    let mut roots = Vec::new();
    for root in all.filter_map(Value::as_str).map(absolute) {
        if !roots.contains(&root) {
            roots.push(root);
        }
    }
    roots
}

/// Makes a path absolute. Clients must send absolute paths; `.` means the directory where the processes
/// started.
fn absolute(path: &str) -> PathBuf {
    std::path::absolute(path).unwrap_or_else(|_| path.into())
}

/// The news about a sub-agent's session in an update.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct SubSession {
    pub(crate) session: String,
    pub(crate) parent: String,
    /// The folder: none if the update does not tell it, `Some(None)` if it is its parent's.
    pub(crate) folder: Option<Option<PathBuf>>,
    /// The folders beside it, in the same way.
    pub(crate) more_folders: Option<Option<Vec<PathBuf>>>,
}

/// Parses an update that reports a sub-agent with a session of its own.
pub(crate) fn sub_session(method: &str, params: &Value) -> Option<SubSession> {
    let update = params.get("update").filter(|_| method == "session/update")?;
    let session = match update["sessionUpdate"].as_str()? {
        "subagent_update" => session_of(update)?,
        // The draft before it, which editors of JetBrains read. It tells no folders.
        "subagent_spawned" => update["subagentSessionId"].as_str()?.to_owned(),
        _ => return None,
    };
    let parent = session_of(params).filter(|it| *it != session)?;
    let folder = patched(update, "cwd", |it| it.as_str().map(absolute));
    let more_folders = patched(update, "additionalDirectories", |it| {
        Some(it.as_array()?.iter().filter_map(Value::as_str).map(absolute).collect())
    });
    Some(SubSession { session, parent, folder, more_folders })
}

/// Reads a field of an update that leaves out what has not changed: `Some(None)` if it takes the value away.
fn patched<T>(update: &Value, field: &str, read: impl Fn(&Value) -> Option<T>) -> Option<Option<T>> {
    match update.get(field)? {
        Value::Null => Some(None),
        value => read(value).map(Some),
    }
}

/// The sub-agents' sessions, which are opened when something is asked in them.
#[derive(Debug, Default)]
pub(crate) struct SubSessions(HashMap<String, Known>);

#[derive(Debug)]
struct Known {
    parent: String,
    /// The folder, if it is another one than its parent's.
    folder: Option<PathBuf>,
    /// The folders beside it, if they are others than its parent's.
    more_folders: Option<Vec<PathBuf>>,
}

impl SubSessions {
    /// Takes an update. Returns true if the session's folders are others than before.
    pub(crate) fn update(&mut self, update: SubSession) -> bool {
        let SubSession { session, parent, folder, more_folders } = update;
        let known = self.0.entry(session).or_insert(Known { parent, folder: None, more_folders: None });
        let is_other = folder.is_some_and(|it| std::mem::replace(&mut known.folder, it.clone()) != it);
        is_other | more_folders.is_some_and(|it| std::mem::replace(&mut known.more_folders, it.clone()) != it)
    }

    /// Returns a session and its parents, which may be sub-agents' too.
    pub(crate) fn with_parents<'a>(&'a self, session: &'a str) -> Vec<&'a str> {
        let above = |it: &&'a str| self.0.get(*it).map(|it| it.parent.as_str());
        // Nobody is above itself, whatever an agent reports.
        std::iter::successors(Some(session), above).take(self.0.len() + 1).collect()
    }

    /// Returns the roots of a sub-agent's session: its folders, or those of the session around it.
    pub(crate) fn roots(&self, session: &str, open: &Sessions) -> Option<Vec<PathBuf>> {
        self.0.get(session)?;
        let line = self.with_parents(session);
        let known = || line.iter().filter_map(|it| self.0.get(*it));
        let of_top = line.last().and_then(|it| open.roots(it)).unwrap_or_default();
        let folder = known().find_map(|it| it.folder.as_ref()).or(of_top.first())?;
        let more = known().find_map(|it| it.more_folders.as_deref()).or(of_top.get(1..));
        let mut roots = vec![folder.clone()];
        for root in more.into_iter().flatten() {
            if !roots.contains(root) {
                roots.push(root.clone());
            }
        }
        Some(roots)
    }

    /// Forgets a session, and returns the sub-agents' sessions below it.
    pub(crate) fn end(&mut self, session: &str) -> Vec<String> {
        let mut ended = vec![session.to_owned()];
        let mut at = 0;
        while let Some(above) = ended.get(at) {
            let below = self.0.iter().filter(|it| it.1.parent == *above && !ended.contains(it.0));
            let below: Vec<_> = below.map(|it| it.0.clone()).collect();
            ended.extend(below);
            at += 1;
        }
        ended.iter().for_each(|it| drop(self.0.remove(it)));
        ended.split_off(1)
    }
}

/// The open sessions with their roots.
#[derive(Debug, Default)]
pub(crate) struct Sessions(watch::Sender<HashMap<String, Vec<PathBuf>>>);

impl Sessions {
    /// Adds a session with its roots.
    pub(crate) fn open(&self, session: &str, roots: Vec<PathBuf>) {
        self.0.send_modify(|all| drop(all.insert(session.to_owned(), roots)));
    }

    /// Removes a session and returns its roots.
    pub(crate) fn close(&self, session: &str) -> Option<Vec<PathBuf>> {
        let mut closed = None;
        self.0.send_modify(|all| closed = all.remove(session));
        closed
    }

    /// Returns the roots of an open session.
    pub(crate) fn roots(&self, session: &str) -> Option<Vec<PathBuf>> {
        self.0.borrow().get(session).cloned()
    }

    /// Returns the ids of the open sessions.
    pub(crate) fn names(&self) -> Vec<String> {
        self.0.borrow().keys().cloned().collect()
    }

    /// Waits until the session is open, or a timeout passes.
    pub(crate) async fn wait_until_open(&self, session: &str) {
        let mut all = self.0.subscribe();
        let known = all.wait_for(|all| all.contains_key(session));
        let _ = tokio::time::timeout(KNOWN_WAIT, known).await; // whoever answers says that it does not exist
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn setup_requests_name_roots_and_some_their_session() {
        let params =
            json!({"sessionId": "s", "cwd": "/w", "additionalDirectories": ["/x", "/w", 3], "_meta": {}});
        for (method, session) in [
            ("session/new", None),
            ("session/fork", None),
            ("session/load", Some("s".to_owned())),
            ("session/resume", Some("s".to_owned())),
        ] {
            let roots = vec!["/w".into(), "/x".into()];
            assert_eq!(setup(method, &params), Some(Setup { session, roots }), "{method}");
        }
        assert_eq!(setup("session/prompt", &params), None);
        assert_eq!(setup("session/new", &json!(null)).unwrap().roots, Vec::<PathBuf>::new());
    }

    #[test]
    fn three_requests_end_a_session() {
        let params = json!({"sessionId": "s"});
        for method in ["session/close", "session/delete", "session/archive"] {
            assert_eq!(ended_session(method, &params).as_deref(), Some("s"));
        }
        assert_eq!(ended_session("session/cancel", &params), None);
    }

    /// Takes an update about a session below another, with these folders.
    fn update(all: &mut SubSessions, (session, parent): (&str, &str), folders: &Value) -> bool {
        let mut update = json!({"sessionUpdate": "subagent_update", "sessionId": session});
        folders.as_object().into_iter().flatten().for_each(|(key, value)| update[key] = value.clone());
        all.update(sub_session("session/update", &json!({"sessionId": parent, "update": update})).unwrap())
    }

    #[test]
    fn a_session_of_a_sub_agent_has_its_folders_or_the_roots_around_it() {
        let (sessions, mut below) = (Sessions::default(), SubSessions::default());
        let roots = |all: &[&str]| Some(all.iter().map(PathBuf::from).collect::<Vec<_>>());
        sessions.open("p", vec!["/w".into(), "/x".into()]);
        assert!(!update(&mut below, ("c", "p"), &json!({})));
        assert_eq!(below.roots("c", &sessions), roots(&["/w", "/x"]));
        assert!(update(&mut below, ("c", "p"), &json!({"cwd": "/tree"})));
        assert!(!update(&mut below, ("d", "c"), &json!({"cwd": 3, "additionalDirectories": "/y"})));
        assert!(!update(&mut below, ("c", "p"), &json!({"cwd": "/tree"})));
        assert_eq!(below.roots("d", &sessions), roots(&["/tree", "/x"]), "each is inherited apart");
        assert!(update(&mut below, ("d", "c"), &json!({"additionalDirectories": ["/y", "/tree"]})));
        assert_eq!(below.roots("d", &sessions), roots(&["/tree", "/y"]));
        assert!(update(&mut below, ("c", "p"), &json!({"cwd": null, "additionalDirectories": []})));
        assert_eq!(
            (below.roots("c", &sessions), below.roots("d", &sessions)),
            (roots(&["/w"]), roots(&["/w", "/y", "/tree"]))
        );
        assert_eq!((below.roots("p", &sessions), below.roots("z", &sessions)), (None, None));
        assert_eq!((below.with_parents("d"), below.with_parents("p")), (vec!["d", "c", "p"], vec!["p"]));
        let mut ended = below.end("p");
        ended.sort();
        assert_eq!((ended, below.roots("c", &sessions)), (vec!["c".to_owned(), "d".to_owned()], None));
    }

    #[test]
    fn a_session_of_the_draft_has_the_roots_around_it() {
        let spawned = json!({"sessionUpdate": "subagent_spawned", "subagentSessionId": "c", "name": "look"});
        let params = json!({"sessionId": "p", "update": spawned});
        let expected =
            SubSession { session: "c".into(), parent: "p".into(), folder: None, more_folders: None };
        assert_eq!(sub_session("session/update", &params), Some(expected));
        assert_eq!(sub_session("session/prompt", &params), None);
        let (sessions, mut below) = (Sessions::default(), SubSessions::default());
        below.update(sub_session("session/update", &params).unwrap());
        assert_eq!(below.roots("c", &sessions), None, "the session around it is not open");
    }

    #[tokio::test]
    async fn a_question_may_overtake_its_session() {
        let sessions = std::sync::Arc::new(Sessions::default());
        let waiting = tokio::spawn({
            let sessions = std::sync::Arc::clone(&sessions);
            async move { sessions.wait_until_open("s").await }
        });
        sessions.open("s", vec!["/w".into()]);
        waiting.await.unwrap();
        assert_eq!(sessions.close("s"), Some(vec!["/w".into()]));
        assert_eq!(sessions.roots("s"), None);
    }
}
