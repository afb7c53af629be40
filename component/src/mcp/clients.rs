//! MCP clients without a session of ACP: the sessions of their workspaces, and their calls that wait for an answer of the
//! user.

use std::collections::HashMap;
use std::sync::{Arc, Mutex};
use std::time::Duration;

use futures::future::BoxFuture;
use serde_json::Value;
use tokio::sync::mpsc::UnboundedReceiver;
use tokio::time::Instant;
use unpoisoned::lock;

use crate::acp::upstream::ProgressStep;
use crate::mcp::call::{Call, Question, Request};
use crate::mcp::secret::secret;
use crate::permission::Gate;
use crate::session::{Attachment, Attachments};

/// The key in a request's `_meta` for the folder that it is about.
pub(super) const WORKSPACE: &str = "dialect/workspace";

/// The time that a call waits for its client to send it again with the user's answer.
const PARKED: Duration = Duration::from_secs(600);

/// The folders that MCP clients may ask about.
pub trait Workspaces: Send + Sync {
    /// Returns the session of ACP in a folder, and opens it at the first call. Without a folder, in that of the server.
    ///
    /// # Errors
    /// There is no such folder, or it is not served.
    fn session(&self, folder: Option<String>) -> BoxFuture<'static, Result<String, String>>;
}

/// The clients of a standalone server.
pub(super) struct Clients {
    workspaces: Arc<dyn Workspaces>,
    attachments: Arc<Attachments>,
    gate: Arc<Gate>,
    parked: Mutex<HashMap<String, Parked>>,
    /// True when programs write without asking.
    pub(super) allows_writing: bool,
}

/// A call that waits for its client to send it again with the user's answer.
pub(super) struct Parked {
    pub(super) call: Call,
    pub(super) steps: UnboundedReceiver<ProgressStep>,
    pub(super) question: Question,
    until: Instant,
}

impl Clients {
    pub(super) fn new(
        workspaces: Arc<dyn Workspaces>,
        attachments: Arc<Attachments>,
        gate: Arc<Gate>,
        allows_writing: bool,
    ) -> Self {
        Self { workspaces, attachments, gate, parked: Mutex::default(), allows_writing }
    }

    /// Returns the session of a request's folder.
    ///
    /// # Errors
    /// The folder is not served.
    pub(super) async fn attachment(&self, folder: Option<&Value>) -> Result<Arc<Attachment>, String> {
        let folder = match folder {
            None => None,
            Some(Value::String(folder)) => Some(folder.clone()),
            Some(other) => return Err(format!("`{WORKSPACE}` must be the path of a folder, got {other}")),
        };
        let session = self.workspaces.session(folder).await?;
        self.attachments.of(&session).ok_or_else(|| "the session has ended".to_owned())
    }

    /// Begins a turn: the client asks for something new.
    pub(super) fn turn_begins(&self, attachment: &Attachment) {
        if let Some(session) = attachment.known_session() {
            self.gate.turn_begins(&session);
        }
    }

    /// Keeps a call that waits for the user's answer. Returns the state by which it is found, which nobody can guess.
    pub(super) fn park(
        &self,
        call: Call,
        steps: UnboundedReceiver<ProgressStep>,
        question: Question,
    ) -> String {
        let (state, now) = (secret(), Instant::now());
        let mut parked = lock(&self.parked);
        parked.retain(|_, it| it.until > now);
        parked.insert(state.clone(), Parked { call, steps, question, until: now + PARKED });
        state
    }

    /// Takes the call that waits under a state, if it is the one that is sent again.
    pub(super) fn resume(&self, state: &str, request: &Request) -> Option<Parked> {
        let mut parked = lock(&self.parked);
        let is_same = parked.get(state).is_some_and(|it| it.call.request == *request);
        parked.remove(state).filter(|_| is_same)
    }
}
