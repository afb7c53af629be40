//! The sessions of a connection and their roots, learned from the requests that set them up.

use std::collections::HashMap;
use std::path::PathBuf;
use std::time::Duration;

use serde_json::Value;
use tokio::sync::watch;

/// How long a question waits for its session: on its way through a chain it can overtake the answer that
/// says the session exists.
const KNOWN_WAIT: Duration = Duration::from_secs(2);

/// What a setup request says about its session.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Setup {
    /// The session's id, when the request knows it: when it loads or resumes.
    pub(crate) session: Option<String>,
    /// The working directory first, then the additional directories.
    pub(crate) roots: Vec<PathBuf>,
}

/// Reads a request of the client. `None` when it sets no session up.
pub(crate) fn setup(method: &str, params: &Value) -> Option<Setup> {
    let knows_session = match method {
        "session/new" | "session/fork" => false, // a fork's `sessionId` is the session that it leaves
        "session/load" | "session/resume" => true,
        _ => return None,
    };
    let session = session_of(params).filter(|_| knows_session);
    Some(Setup { session, roots: roots(params) })
}

/// The session whose end that request asks for.
pub(crate) fn ends(method: &str, params: &Value) -> Option<String> {
    matches!(method, "session/close" | "session/delete").then(|| session_of(params)).flatten()
}

/// The session that a message names.
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

/// Clients have to send absolute paths; one that sends `.` means the directory that all of us were started in.
fn absolute(path: &str) -> PathBuf {
    std::path::absolute(path).unwrap_or_else(|_| path.into())
}

/// The sessions that exist, with their roots.
#[derive(Debug, Default)]
pub(crate) struct Sessions(watch::Sender<HashMap<String, Vec<PathBuf>>>);

impl Sessions {
    /// It exists, with these roots.
    pub(crate) fn open(&self, session: &str, roots: Vec<PathBuf>) {
        self.0.send_modify(|all| drop(all.insert(session.to_owned(), roots)));
    }

    /// It is over. Gives its roots.
    pub(crate) fn close(&self, session: &str) -> Option<Vec<PathBuf>> {
        let mut closed = None;
        self.0.send_modify(|all| closed = all.remove(session));
        closed
    }

    /// Its roots, if it exists.
    pub(crate) fn roots(&self, session: &str) -> Option<Vec<PathBuf>> {
        self.0.borrow().get(session).cloned()
    }

    /// All of them.
    pub(crate) fn names(&self) -> Vec<String> {
        self.0.borrow().keys().cloned().collect()
    }

    /// Waits a while until the session exists.
    pub(crate) async fn known(&self, session: &str) {
        let mut all = self.0.subscribe();
        let known = all.wait_for(|all| all.contains_key(session));
        let _ = tokio::time::timeout(KNOWN_WAIT, known).await; // whoever answers says that it does not exist
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

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
        assert_eq!(ends("session/close", &params).as_deref(), Some("s"));
        assert_eq!(ends("session/delete", &params).as_deref(), Some("s"));
        assert_eq!(ends("session/cancel", &params), None);
    }

    #[tokio::test]
    async fn a_question_may_overtake_its_session() {
        let sessions = std::sync::Arc::new(Sessions::default());
        let waiting = tokio::spawn({
            let sessions = std::sync::Arc::clone(&sessions);
            async move { sessions.known("s").await }
        });
        sessions.open("s", vec!["/w".into()]);
        waiting.await.unwrap();
        assert_eq!(sessions.close("s"), Some(vec!["/w".into()]));
        assert_eq!(sessions.roots("s"), None);
    }
}
