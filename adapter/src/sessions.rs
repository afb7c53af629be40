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

/// Returns the session that a request closes or deletes.
pub(crate) fn ended_session(method: &str, params: &Value) -> Option<String> {
    matches!(method, "session/close" | "session/delete").then(|| session_of(params)).flatten()
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
    fn two_requests_end_a_session() {
        let params = json!({"sessionId": "s"});
        assert_eq!(ended_session("session/close", &params).as_deref(), Some("s"));
        assert_eq!(ended_session("session/delete", &params).as_deref(), Some("s"));
        assert_eq!(ended_session("session/cancel", &params), None);
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
