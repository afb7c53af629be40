//! The state of one connection: the editor's capabilities, its sessions, and recently touched files.

use std::path::PathBuf;
use std::sync::atomic::AtomicU64;
use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};

use agent_client_protocol::v1::schema::PROXY_METHOD_NAMES;
use agent_client_protocol::{Client, Conductor, ConnectionTo, Error, UntypedMessage};
use futures::future::join_all;
use ide_protocol::Support;
use serde_json::{Value, json};

use super::file_messages;
use super::file_messages::{Access, FileCapabilities, RecentFiles};
use crate::fallback::{Fallback, PendingEdit, ReportedEdit};
use crate::loading::Loading;
use crate::sessions::{Sessions, SubSessions, session_of, sub_session};
use unpoisoned::lock;

/// The method of the envelope for messages to and from the next proxy of the chain.
pub(super) const SUCCESSOR: &str = PROXY_METHOD_NAMES.proxy_successor;

/// The timeout for the editor to return one file, which it holds in memory.
const EDITOR_WAIT: Duration = Duration::from_secs(2);

/// The connection to the conductor, which carries messages both ways.
pub(super) type Cx = ConnectionTo<Conductor>;

/// A callback for the response to a forwarded request.
pub(super) type OnResponse = Box<dyn FnOnce(Result<&Value, &Error>) + Send>;

/// The state of one connection.
pub(super) struct Connection {
    pub(super) editor: Mutex<Support>,
    /// The negotiated version of ACP.
    pub(super) version: AtomicU64,
    pub(super) touched: Mutex<RecentFiles>,
    pub(super) files: Mutex<FileCapabilities>,
    /// The entries in the editor that show what requests wait for.
    pub(super) loading: Arc<Loading>,
    pub(super) sessions: Sessions,
    pub(super) sub_sessions: Mutex<SubSessions>,
    pub(super) fallback: Arc<Fallback>,
}

pub(super) fn update_editor(cx: &Cx, update: Value) -> Result<(), Error> {
    cx.send_notification_to(Client, UntypedMessage { method: "session/update".to_owned(), params: update })
}

impl Connection {
    pub(super) fn new(fallback: Arc<Fallback>) -> Self {
        Self {
            editor: Mutex::default(),
            version: AtomicU64::new(1),
            files: Mutex::default(),
            touched: Mutex::default(),
            loading: Loading::new(fallback.patience()),
            sessions: Sessions::default(),
            sub_sessions: Mutex::default(),
            fallback,
        }
    }

    pub(super) fn open(&self, session: &str, roots: &[PathBuf]) {
        self.fallback.open_session(session, roots.to_vec());
        self.sessions.open(session, roots.to_vec());
    }

    /// Records the files that a notification names, and invalidates what is known of them.
    pub(super) fn observe(&self, notification: &UntypedMessage) {
        let (method, params) = match notification.method.as_str() {
            SUCCESSOR => (notification.params["method"].as_str(), &notification.params["params"]),
            method => (Some(method), &notification.params),
        };
        let Some(method) = method else { return };
        if let Some(update) = sub_session(method, params) {
            let session = update.session.clone();
            if lock(&self.sub_sessions).update(update) {
                self.close_one(&session); // it is opened in its new folder when something is asked
            }
        }
        let Some(session) = session_of(params) else { return };
        if let Some((call, edits)) = file_messages::reported(method, params) {
            self.edits_reported(&session, &call, &edits);
        }
        let touched = file_messages::touched(method, params);
        if !touched.is_empty() {
            self.touch(&session, touched);
            self.fallback.files_touched();
        }
    }

    /// Records the edits that a tool call reports, in its session and in those that started it.
    fn edits_reported(&self, session: &str, call: &str, edits: &[ReportedEdit]) {
        for one in self.with_parents(session) {
            // Ids of calls are those of their session alone.
            let call = if one == session { call.to_owned() } else { format!("{session}/{call}") };
            self.fallback.edits_reported(&one, &call, edits.to_vec());
        }
    }

    /// Records files that a session touches. What a sub-agent touches counts for the sessions around it too.
    pub(super) fn touch(&self, session: &str, paths: impl IntoIterator<Item = PathBuf>) {
        let paths: Vec<_> = paths.into_iter().collect();
        let sessions = self.with_parents(session);
        let mut touched = lock(&self.touched);
        sessions.iter().for_each(|it| touched.add(it, paths.iter().cloned()));
    }

    /// Returns a session and those that started it, if it is a sub-agent's.
    fn with_parents(&self, session: &str) -> Vec<String> {
        lock(&self.sub_sessions).with_parents(session).into_iter().map(str::to_owned).collect()
    }

    /// Records that the agent reads or writes a file in the editor. Returns the callback for the editor's
    /// response.
    pub(super) fn begin_access(self: &Arc<Self>, session: Option<&str>, access: Access) -> OnResponse {
        let connection = Arc::clone(self);
        match access {
            Access::Writes { path, text } => {
                let sessions = session.map(|it| self.with_parents(it)).unwrap_or_default();
                let edits: Vec<_> =
                    sessions.iter().filter_map(|it| self.fallback.edit_begins(it, &path)).collect();
                let write = self.fallback.write_begins(&path, text);
                Box::new(move |result| {
                    connection.fallback.write_ends(&write, result.is_ok());
                    if result.is_ok() {
                        edits.into_iter().for_each(PendingEdit::is_made);
                    }
                })
            }
            Access::Reads { path, is_whole: true } => Box::new(move |result| {
                if let Some(text) = result.ok().and_then(file_messages::text_of) {
                    connection.fallback.shown_in_editor(&path, Some(text.to_owned()));
                }
            }),
            Access::Reads { is_whole: false, .. } => Box::new(|_| ()),
        }
    }

    /// Reads the files from the editor whose texts may have changed there, if it can return them: the requested one, and
    /// recently touched ones. Returns `true` if one differs from what is known.
    pub(super) async fn read_editor_buffers(&self, session: &str, params: &Value, cx: &Cx) -> bool {
        if !lock(&self.files).reads {
            return false;
        }
        let Some(roots) = self.sessions.roots(session) else { return false };
        let now = Instant::now();
        if let (Some(path), Some(root)) = (file_messages::requested_path(params), roots.first()) {
            let path = Some(root.join(path)).filter(|it| it.is_file());
            path.into_iter().for_each(|it| lock(&self.touched).request(session, it));
        }
        // What the sessions around it touched may have unsaved text as well.
        let sessions = self.with_parents(session);
        let paths = lock(&self.touched).due(&sessions, &roots, (now, self.fallback.text_age()));
        let reading = paths.iter().map(async |path| {
            let params = json!({"sessionId": session, "path": path});
            let request = UntypedMessage { method: "fs/read_text_file".to_owned(), params };
            let asked = cx.prepare_request_to(Client, request).block_task();
            let shown = tokio::time::timeout(EDITOR_WAIT, asked).await.ok().and_then(Result::ok);
            let shown = shown.as_ref().and_then(file_messages::text_of).map(str::to_owned);
            let change = self.fallback.shown_in_editor(path, shown);
            lock(&self.touched).found(&sessions, path, change.is_unsaved, now);
            change.is_news
        });
        join_all(reading).await.contains(&true)
    }

    /// Opens the session of a sub-agent, if it is one and is not open in its folders.
    pub(super) fn open_sub_session(&self, session: &str) {
        let roots = lock(&self.sub_sessions).roots(session, &self.sessions);
        if let Some(roots) = roots.filter(|it| self.sessions.roots(session).as_ref() != Some(it)) {
            self.open(session, &roots);
        }
    }

    /// Closes a session, and those of its sub-agents.
    pub(super) fn close(&self, session: &str) {
        let below = lock(&self.sub_sessions).end(session);
        below.iter().map(String::as_str).chain([session]).for_each(|it| self.close_one(it));
    }

    fn close_one(&self, session: &str) {
        self.sessions.close(session);
        lock(&self.touched).forget(session);
        self.fallback.close_session(session);
    }
}

impl Drop for Connection {
    fn drop(&mut self) {
        self.sessions.names().iter().for_each(|it| self.fallback.close_session(it));
    }
}
