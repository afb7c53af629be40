//! The MCP servers of ACP sessions, with their running calls and the user's attachments.

pub(crate) mod bindings;
pub(crate) mod plugins;
pub(crate) mod routing;
mod worktrees;

use std::collections::{BTreeMap, HashMap};
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex};
use std::time::Duration;

use ide_protocol::SelectionResult;
use serde_json::Value;
use tokio::sync::watch;
use tokio_util::sync::CancellationToken;

use crate::acp::prompt::{PromptWords, selections};
use crate::mcp::secret::{identifier, secret};
use crate::permission::asker::{Asked, Asker};
use unpoisoned::lock;

/// The time that a call waits for the id of its session. An agent may call before its answer to `session/new` has
/// passed us.
const SESSION_WAIT: Duration = Duration::from_secs(10);

/// Our MCP server as one setup request declares it.
#[derive(Debug)]
pub(crate) struct Attachment {
    /// The id of the server toward the agent.
    pub(crate) server: String,
    /// The name under which the agent knows it.
    pub(crate) name: String,
    /// The secret that a caller has to show.
    pub(crate) secret: String,
    session: watch::Sender<Option<String>>,
    /// True when the agent has ever connected to it.
    reached: watch::Sender<bool>,
    /// The folders of the session, as the setup request names them.
    roots: Vec<PathBuf>,
    /// The attachments of the latest prompt.
    selected: Mutex<Arc<SelectionResult>>,
    /// The words of the latest prompt.
    words: Mutex<PromptWords>,
    calls: Mutex<Calls>,
    /// The server of the session that started this sub-agent, over which its calls come.
    parent: Option<Arc<Self>>,
}

#[derive(Debug, Default)]
struct Calls {
    started: u64,
    /// The calls in the order in which they began, which is that of their cancellation.
    running: BTreeMap<u64, Call>,
}

#[derive(Debug)]
struct Call {
    request: Value,
    token: CancellationToken,
    asked: Asked,
    /// True when another session made it: the end of this one's turn does not end it.
    is_of_another: bool,
}

/// A running call, which ends when this is dropped.
#[derive(Debug)]
pub(crate) struct RunningCall {
    attachment: Arc<Attachment>,
    request: Value,
    number: u64,
    token: CancellationToken,
    asked: Asked,
}

impl Attachment {
    fn new(name: String, roots: Vec<PathBuf>) -> Self {
        let (session, reached) = (watch::Sender::new(None), watch::Sender::new(false));
        let selected = Mutex::new(Arc::new(selections(&Value::Null, &roots)));
        let (server, secret, calls) = (identifier(), secret(), Mutex::default());
        let words = Mutex::default();
        Self { server, name, secret, session, reached, roots, selected, words, calls, parent: None }
    }

    /// Returns the server of the session that started this sub-agent.
    pub(crate) fn parent(&self) -> Option<&Arc<Self>> {
        self.parent.as_ref()
    }

    /// Notes that the agent has connected to this server.
    pub(crate) fn reached(&self) {
        self.reached.send_if_modified(|it| !std::mem::replace(it, true));
    }

    pub(crate) fn is_reached(&self) -> bool {
        *self.reached.borrow()
    }

    /// Waits until the agent has connected to this server.
    pub(crate) async fn until_reached(&self) {
        let mut reached = self.reached.subscribe();
        reached.wait_for(|it| *it).await.expect("this holds the sender");
    }

    /// Returns whether both are of sessions in the same folders.
    pub(crate) fn shares_folders(&self, other: &Self) -> bool {
        self.roots == other.roots
    }

    /// Returns the session's folder as the setup request names it.
    pub(crate) fn folder(&self) -> &Path {
        self.roots.first().map_or(Path::new(""), PathBuf::as_path)
    }

    /// Returns the folders of the session, as the setup request names them.
    pub(crate) fn roots(&self) -> &[PathBuf] {
        &self.roots
    }

    /// Returns the id of the session, if it is known already.
    pub(crate) fn known_session(&self) -> Option<String> {
        self.session.borrow().clone()
    }

    /// Returns the canonical path of the session's folder.
    pub(crate) fn workspace(&self) -> Option<PathBuf> {
        let root = self.roots.first()?;
        Some(root.canonicalize().unwrap_or_else(|_| root.clone()))
    }

    /// Returns the attachments of the session's latest prompt.
    pub(crate) fn selected(&self) -> Arc<SelectionResult> {
        Arc::clone(&lock(&self.selected))
    }

    /// Returns the words of the session's latest prompt.
    pub(crate) fn words(&self) -> PromptWords {
        lock(&self.words).clone()
    }

    /// Sets the session that the server belongs to.
    pub(crate) fn belongs_to(&self, session: &str) {
        self.session.send_replace(Some(session.to_owned()));
    }

    /// Returns the id of the session, after waiting for it at most [`SESSION_WAIT`].
    pub(crate) async fn session(&self) -> Option<String> {
        let mut known = self.session.subscribe();
        let session = tokio::time::timeout(SESSION_WAIT, known.wait_for(Option::is_some)).await;
        session.ok()?.ok()?.clone()
    }

    fn is_of(&self, session: &str) -> bool {
        self.session.borrow().as_deref() == Some(session)
    }

    /// Begins a call. `request` is the id by which the agent may cancel it.
    pub(crate) fn begin(self: &Arc<Self>, request: Value) -> RunningCall {
        self.begin_asking(request, Asked::Editor)
    }

    /// Begins a call whose questions go to `asked`.
    pub(crate) fn begin_asking(self: &Arc<Self>, request: Value, asked: Asked) -> RunningCall {
        let token = CancellationToken::new();
        let mut calls = lock(&self.calls);
        calls.started += 1;
        let number = calls.started;
        let call = Call {
            request: request.clone(),
            token: token.clone(),
            asked: asked.clone(),
            is_of_another: false,
        };
        calls.running.insert(number, call);
        RunningCall { attachment: Arc::clone(self), request, number, token, asked }
    }

    /// Returns the way to ask the user of the client that made the latest running call, if it can ask.
    pub(crate) fn asker(&self) -> Option<Arc<dyn Asker>> {
        lock(&self.calls).running.values().rev().find_map(|it| match &it.asked {
            Asked::Client(asker) => Some(Arc::clone(asker)),
            Asked::Editor | Asked::Nobody => None,
        })
    }

    /// Cancels the running calls with that request id.
    pub(crate) fn cancel(&self, request: &Value) {
        lock(&self.calls)
            .running
            .values()
            .filter(|it| it.request == *request)
            .for_each(|it| it.token.cancel());
    }

    fn cancel_all(&self) {
        lock(&self.calls).running.values().for_each(|it| it.token.cancel());
    }

    fn cancel_own(&self) {
        lock(&self.calls).running.values().filter(|it| !it.is_of_another).for_each(|it| it.token.cancel());
    }
}

impl RunningCall {
    /// Cancels all that runs for the same request.
    pub(crate) fn cancel(&self) {
        self.attachment.cancel(&self.request);
    }

    /// Notes that another session than that of its server made the call.
    pub(crate) fn is_of_another(&self) {
        let mut calls = lock(&self.attachment.calls);
        let same = calls.running.values_mut().filter(|it| it.request == self.request);
        same.for_each(|it| it.is_of_another = true);
    }

    /// Returns the one who is asked about the call.
    pub(crate) fn asked(&self) -> Asked {
        self.asked.clone()
    }

    /// Waits until the call is cancelled.
    pub(crate) async fn cancelled(&self) {
        self.token.cancelled().await;
    }
}

impl Drop for RunningCall {
    fn drop(&mut self) {
        lock(&self.attachment.calls).running.remove(&self.number);
    }
}

/// All servers that this connection has declared and that may still be called.
#[derive(Debug, Default)]
pub(crate) struct Attachments(Mutex<HashMap<String, Arc<Attachment>>>);

impl Attachments {
    /// Adds a server for a session with these folders, whose id is not known yet.
    pub(crate) fn open(&self, name: String, roots: Vec<PathBuf>) -> Arc<Attachment> {
        let attachment = Arc::new(Attachment::new(name, roots));
        lock(&self.0).insert(attachment.server.clone(), Arc::clone(&attachment));
        attachment
    }

    /// Adds a server for a sub-agent, whose calls come over that of the session that started it.
    pub(crate) fn open_below(
        &self,
        parent: &Arc<Attachment>,
        session: &str,
        roots: Vec<PathBuf>,
    ) -> Arc<Attachment> {
        let mut attachment = Attachment::new(parent.name.clone(), roots);
        attachment.parent = Some(Arc::clone(parent));
        attachment.belongs_to(session);
        if attachment.shares_folders(parent) {
            attachment.selected = Mutex::new(parent.selected());
            attachment.words = Mutex::new(parent.words());
        }
        let attachment = Arc::new(attachment);
        lock(&self.0).insert(attachment.server.clone(), Arc::clone(&attachment));
        attachment
    }

    /// Returns the server with that id.
    pub(crate) fn find(&self, server: &str) -> Option<Arc<Attachment>> {
        lock(&self.0).get(server).cloned()
    }

    /// Returns a server of that session, preferably one that the agent has connected to.
    pub(crate) fn of(&self, session: &str) -> Option<Arc<Attachment>> {
        lock(&self.0).values().filter(|it| it.is_of(session)).max_by_key(|it| it.is_reached()).cloned()
    }

    /// Removes the server of a setup request that failed.
    pub(crate) fn close(&self, attachment: &Attachment) {
        lock(&self.0).remove(&attachment.server);
        attachment.cancel_all();
    }

    /// Replaces the attachments of a session by those of its new prompt.
    pub(crate) fn prompted(&self, params: &Value) {
        let Some(session) = params["sessionId"].as_str() else { return };
        for attachment in lock(&self.0).values().filter(|it| it.is_of(session)) {
            *lock(&attachment.selected) = Arc::new(selections(params, &attachment.roots));
            *lock(&attachment.words) = PromptWords::of(params, &attachment.roots);
        }
    }

    /// Ends a session, with its running calls.
    pub(crate) fn end_session(&self, session: &str) {
        lock(&self.0).values().filter(|it| it.is_of(session)).for_each(|it| it.cancel_all());
        lock(&self.0).retain(|_, it| !it.is_of(session));
    }

    /// Cancels the running calls that a session made, when the user stops its turn. Those that its sub-agents made go on.
    pub(crate) fn cancel_session(&self, session: &str) {
        lock(&self.0).values().filter(|it| it.is_of(session)).for_each(|it| it.cancel_own());
    }

    /// Removes all servers, when the connection is over.
    pub(crate) fn end(&self) {
        lock(&self.0).drain().for_each(|(_, it)| it.cancel_all());
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[tokio::test]
    async fn a_call_waits_for_its_session() {
        let attachments = Attachments::default();
        let attachment = attachments.open("dialect".into(), Vec::new());
        let waiting = tokio::spawn({
            let attachment = Arc::clone(&attachment);
            async move { attachment.session().await }
        });
        attachment.belongs_to("s");
        assert_eq!(waiting.await.unwrap().as_deref(), Some("s"));
    }

    #[tokio::test(start_paused = true)]
    async fn the_wait_is_bounded() {
        assert_eq!(Attachments::default().open("dialect".into(), Vec::new()).session().await, None);
    }

    #[test]
    fn sessions_are_cancelled_apart() {
        let attachments = Attachments::default();
        let (one, two) =
            (attachments.open("dialect".into(), Vec::new()), attachments.open("dialect".into(), Vec::new()));
        one.belongs_to("one");
        two.belongs_to("two");
        let (call_one, call_two) = (one.begin(json!(1)), two.begin(json!(1)));
        attachments.cancel_session("one");
        assert!(call_one.token.is_cancelled());
        assert!(!call_two.token.is_cancelled());
        attachments.end_session("two");
        assert!(call_two.token.is_cancelled());
        assert!(attachments.find(&two.server).is_none());
        assert!(attachments.find(&one.server).is_some());
    }

    #[test]
    fn a_call_of_a_sub_agent_ends_with_its_own_session() {
        let attachments = Attachments::default();
        let parent = attachments.open("dialect".into(), vec!["/w".into()]);
        parent.belongs_to("one");
        let child = attachments.open_below(&parent, "child", vec!["/tree".into()]);
        let (own, of_child) = (parent.begin(json!(1)), parent.begin(json!(2)));
        of_child.is_of_another();
        let running = child.begin(Value::Null);
        attachments.cancel_session("one");
        assert!(own.token.is_cancelled());
        assert!(!of_child.token.is_cancelled() && !running.token.is_cancelled());
        attachments.cancel_session("child");
        assert!(running.token.is_cancelled() && !of_child.token.is_cancelled());
        attachments.end_session("one");
        assert!(of_child.token.is_cancelled());
    }

    #[test]
    fn the_next_prompt_takes_the_place_of_the_one_before() {
        let attachments = Attachments::default();
        let (one, two) = (
            attachments.open("dialect".into(), vec!["/w".into()]),
            attachments.open("dialect".into(), vec!["/w/two".into()]),
        );
        one.belongs_to("one");
        two.belongs_to("two");
        let prompt = |session: &str, uris: &[&str]| {
            let link = |uri: &&str| json!({"type": "resource_link", "uri": uri, "name": "it"});
            let blocks: Vec<Value> = uris.iter().map(link).collect();
            attachments.prompted(&json!({"sessionId": session, "prompt": blocks}));
        };
        let selected = |it: &Attachment| -> Vec<String> {
            it.selected().selections.iter().map(|it| format!("{}:{}", it.path, it.start.line)).collect()
        };
        prompt("one", &["file:///w/two/a.rs#L1"]);
        prompt("two", &["file:///w/two/a.rs#L1", "file:///w/two/a.rs#L2"]);
        assert_eq!(
            (selected(&one), selected(&two)),
            (vec!["two/a.rs:1".into()], vec!["a.rs:1".into(), "a.rs:2".into()])
        );
        prompt("two", &[]);
        assert_eq!((selected(&one).len(), selected(&two).len()), (1, 0));
        attachments.prompted(&json!(["nonsense"]));
    }

    #[test]
    fn one_request_is_cancelled_and_a_late_cancel_hits_nothing() {
        let attachment = Attachments::default().open("dialect".into(), Vec::new());
        let (first, second) = (attachment.begin(json!(1)), attachment.begin(json!("1")));
        attachment.cancel(&json!("1"));
        assert!(second.token.is_cancelled());
        assert!(!first.token.is_cancelled());
        drop(first);
        attachment.cancel(&json!(1));
        let third = attachment.begin(json!(1));
        assert!(!third.token.is_cancelled());
    }
}
