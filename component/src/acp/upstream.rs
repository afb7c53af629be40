//! The questions of programs about code, as extension requests toward the client.

use std::collections::{HashMap, HashSet};
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, OnceLock};
use std::time::Duration;

use futures::future::BoxFuture;
use ide_library::LaterContext;
use ide_protocol::{
    ErrorCode, IdeError, Operation, Progress, SelectionResult, Support, UNSAVED_TEXTS, UnsavedText,
    read_result,
};
use serde::Serialize;
use serde::de::DeserializeOwned;
use serde_json::{Value, json};
use source_text::visible_line;
use tokio::sync::mpsc::UnboundedSender;
use tokio::sync::watch;
use tokio::time::Instant;

use crate::permission::shown_edits::ShownEdits;
use unpoisoned::lock;

/// The part of a deadline that is kept for the way back and for us.
const MARGIN: Duration = Duration::from_secs(2);

/// The connection toward the client. Dropping the future cancels the request.
pub(crate) trait ClientLink: Send + Sync {
    /// Sends an extension request.
    fn request(&self, method: String, params: Value) -> BoxFuture<'static, Result<Value, RequestError>>;

    /// Sends a notification.
    fn notify(&self, method: String, params: Value);
}

/// The reason why an extension request has no result.
#[derive(Debug)]
pub(crate) enum RequestError {
    /// The receiver does not have the method.
    NoSuchMethod,
    /// Any other error of JSON-RPC.
    Failed { message: String, data: Option<Value> },
}

/// A progress message about a running call, for the agent's user.
#[derive(Clone, Debug)]
pub(crate) struct ProgressStep {
    /// The message: `rust-analyzer: indexing 12/48`.
    pub(crate) message: String,
    /// The percentage done, where known.
    pub(crate) percentage: Option<u32>,
}

/// The path to the client, shared by all calls of a connection.
pub(crate) struct Upstream {
    link: Arc<dyn ClientLink>,
    support: Mutex<Support>,
    listeners: Mutex<HashMap<String, Arc<Listener>>>,
    tokens: AtomicU64,
    /// The edits of agents, by session.
    edits: Mutex<HashMap<String, SessionEdits>>,
}

/// The edits that the agent of a session makes.
#[derive(Debug, Default)]
struct SessionEdits {
    /// The number of edits so far.
    count: u64,
    /// The number of edits that the last complete look has seen.
    seen: u64,
    /// The tool calls that have reported edits and may still make them.
    open_calls: HashSet<String>,
}

/// The receiver of one call's progress.
struct Listener {
    steps: UnboundedSender<ProgressStep>,
    last: Mutex<Option<String>>,
}

impl Upstream {
    pub(crate) fn new(link: Arc<dyn ClientLink>) -> Self {
        let (support, listeners) = (Mutex::new(Support::none()), Mutex::default());
        Self { link, support, listeners, tokens: AtomicU64::default(), edits: Mutex::default() }
    }

    /// Records that a session's agent makes an edit, or has made one.
    pub(crate) fn edits(&self, session: &str) {
        lock(&self.edits).entry(session.to_owned()).or_default().count += 1;
    }

    /// Records that a tool call reports edits, which it may make later.
    pub(crate) fn edits_reported(&self, session: &str, call: &str) {
        let mut edits = lock(&self.edits);
        let edits = edits.entry(session.to_owned()).or_default();
        edits.count += 1;
        edits.open_calls.insert(call.to_owned());
    }

    /// Records that a tool call has ended. The edits that it has reported are made now, or never.
    pub(crate) fn call_ends(&self, session: &str, call: &str) {
        if let Some(edits) = lock(&self.edits).get_mut(session)
            && edits.open_calls.remove(call)
        {
            edits.count += 1;
        }
    }

    /// Returns the number of a session's edits, if there are some that no look has seen.
    pub(crate) fn unseen_edits(&self, session: &str) -> Option<u64> {
        let edits = lock(&self.edits);
        let edits = edits.get(session)?;
        (edits.count > edits.seen).then_some(edits.count)
    }

    /// Records that a look has seen the first `count` edits of a session. Later ones need another look.
    pub(crate) fn edits_seen(&self, session: &str, count: u64) {
        if let Some(edits) = lock(&self.edits).get_mut(session) {
            edits.seen = edits.seen.max(count);
        }
    }

    /// Forgets the edits of a session that has ended.
    pub(crate) fn forget_edits(&self, session: &str) {
        lock(&self.edits).remove(session);
    }

    /// Returns true if the client can compare diagnostics before and after edits.
    pub(crate) fn may_compare(&self) -> bool {
        let support = lock(&self.support);
        support.takes_unsaved_texts() && support.has(Operation::RecentChanges)
    }

    /// Sets what the client offers, from its `initialize`.
    pub(crate) fn offers(&self, support: Support) {
        *lock(&self.support) = support;
    }

    /// Passes progress to the call that it belongs to, if that still runs.
    pub(crate) fn progress(&self, progress: Progress) {
        let listener = lock(&self.listeners).get(&progress.progress_token).cloned();
        if let Some(listener) = listener {
            let message = visible_line(&progress.message, usize::MAX);
            *lock(&listener.last) = Some(message.clone());
            let step = ProgressStep { message, percentage: progress.percentage };
            let _ = listener.steps.send(step); // fails when the agent shows no progress
        }
    }

    /// Begins a call in a session. Its requests are answered by the deadline, or fail. `attached` holds the
    /// attachments of the prompt.
    pub(crate) fn call_client(
        self: &Arc<Self>,
        session: String,
        attached: Arc<SelectionResult>,
        limits: TimeLimits,
        steps: UnboundedSender<ProgressStep>,
    ) -> CallClient {
        let TimeLimits { deadline, wait } = limits;
        let token = format!("dialect-{}", self.tokens.fetch_add(1, Ordering::Relaxed));
        let listener = Arc::new(Listener { steps, last: Mutex::default() });
        lock(&self.listeners).insert(token.clone(), Arc::clone(&listener));
        let (open, deadline) = (Mutex::default(), watch::Sender::new(deadline));
        let (upstream, shown, stopped) = (Arc::clone(self), OnceLock::new(), OnceLock::new());
        let (unsaved, later) = (Vec::new(), LaterContext::default());
        CallClient {
            upstream,
            session,
            attached,
            deadline,
            wait,
            token,
            listener,
            open,
            shown,
            stopped,
            unsaved,
            later,
        }
    }
}

/// The time limits of a call.
#[derive(Clone, Copy, Debug)]
pub(crate) struct TimeLimits {
    /// The time by which its requests are answered or fail.
    pub(crate) deadline: Instant,
    /// The time that servers may wait for what is still loading. `None` means as long as the deadline allows.
    pub(crate) wait: Option<Duration>,
}

/// The client of one call's requests.
pub(crate) struct CallClient {
    upstream: Arc<Upstream>,
    session: String,
    attached: Arc<SelectionResult>,
    deadline: watch::Sender<Instant>,
    wait: Option<Duration>,
    token: String,
    listener: Arc<Listener>,
    open: Mutex<Vec<Operation>>,
    /// The edits that the user was shown and allowed once.
    shown: OnceLock<ShownEdits>,
    /// The operations that were waited for when the time was up.
    stopped: OnceLock<String>,
    /// The texts that its questions are about, in place of those on disk.
    unsaved: Vec<UnsavedText>,
    /// The hits whose code around them is asked for where they are shown.
    later: LaterContext,
}

impl CallClient {
    /// Returns the place for hits whose code around them is asked for later.
    pub(crate) fn later(&self) -> &LaterContext {
        &self.later
    }

    /// Makes its questions be about texts that are not on disk, if the client takes such.
    #[must_use]
    pub(crate) fn about(mut self, unsaved: Vec<UnsavedText>) -> Self {
        if lock(&self.upstream.support).takes_unsaved_texts() {
            self.unsaved = unsaved;
        }
        self
    }

    /// Returns whether its questions are about texts that are not on disk.
    pub(crate) fn is_about_unsaved(&self) -> bool {
        !self.unsaved.is_empty()
    }

    /// Restricts the call to the edits that the user was shown.
    pub(crate) fn bind(&self, shown: ShownEdits) {
        let _first_counts = self.shown.set(shown);
    }

    pub(crate) fn bound(&self) -> Option<&ShownEdits> {
        self.shown.get()
    }

    /// Returns true if the client takes the short forms of paths that it named.
    pub(crate) fn takes_short_paths(&self) -> bool {
        lock(&self.upstream.support).takes_short_paths()
    }

    /// Sends a request. Adds the session, the progress token and the time limits.
    pub(crate) async fn ask<Q: Serialize, A: DeserializeOwned>(
        &self,
        operation: Operation,
        request: &Q,
    ) -> Result<A, IdeError> {
        self.ask_if_supported(operation, request).await.unwrap_or_else(|| Err(unavailable(operation)))
    }

    /// Sends a request; `None` when the client does not have the operation.
    async fn ask_if_supported<Q: Serialize, A: DeserializeOwned>(
        &self,
        operation: Operation,
        request: &Q,
    ) -> Option<Result<A, IdeError>> {
        if !lock(&self.upstream.support).has(operation) {
            return None;
        }
        if self.is_expired() {
            return Some(Err(self.too_late()));
        }
        let params = self.params(request);
        if params.get(UNSAVED_TEXTS).is_some() && !lock(&self.upstream.support).takes_unsaved_texts() {
            return Some(Err(takes_no_texts(operation)));
        }
        let _open = Open::new(self, operation);
        let answer = tokio::select! {
            biased;
            answer = self.upstream.link.request(operation.method(), params) => answer,
            () = self.expired() => return Some(Err(self.too_late())),
        };
        if operation == Operation::Apply && answer.is_ok() {
            self.upstream.edits(&self.session);
        }
        Some(match answer {
            Ok(value) => read_result(operation, value),
            Err(RequestError::NoSuchMethod) => return None,
            Err(RequestError::Failed { message, data }) => Err(IdeError::from_rpc(&message, data.as_ref())),
        })
    }

    /// Returns the user's selection from the editor. Falls back to the attachments of the prompt when there is
    /// none.
    pub(crate) async fn selected<Q: Serialize>(&self, request: &Q) -> Result<SelectionResult, IdeError> {
        let asked = self.ask_if_supported(Operation::Selection, request).await;
        let selected: Option<SelectionResult> = asked.transpose()?;
        let selected = selected.filter(|it| !it.selections.is_empty());
        Ok(selected.unwrap_or_else(|| SelectionResult::clone(&self.attached)))
    }

    fn params<Q: Serialize>(&self, request: &Q) -> Value {
        let mut params = serde_json::to_value(request).expect("requests are plain data with text keys");
        let left = self.deadline.borrow().saturating_duration_since(Instant::now()).saturating_sub(MARGIN);
        params["sessionId"] = json!(self.session);
        params["progressToken"] = json!(self.token);
        params["deadlineMs"] = json!(milliseconds(left));
        if let Some(wait) = self.wait {
            params["waitMs"] = json!(milliseconds(wait));
        }
        if !self.unsaved.is_empty() {
            let asked = UnsavedText::take(&mut params).expect("the library wrote them");
            UnsavedText::put(&mut params, &self.unsaved);
            UnsavedText::put(&mut params, &asked);
        }
        params
    }

    /// Moves the deadline, since time spent waiting for the user does not count.
    pub(crate) fn postpone(&self, deadline: Instant) {
        self.deadline.send_replace(deadline);
    }

    fn is_expired(&self) -> bool {
        *self.deadline.borrow() <= Instant::now()
    }

    /// Returns the error of all questions that are open when the time is up, or come later.
    fn too_late(&self) -> IdeError {
        let message = self.stopped.get_or_init(|| match self.waiting_for() {
            Some(questions) => format!("the time was up while waiting for an answer to {questions}"),
            None => "the time was up".to_owned(),
        });
        IdeError::new(ErrorCode::NotReady, message)
            .recovery("A narrower program (a folder, one name) may succeed now.")
    }

    /// Waits until the deadline, wherever it is moved meanwhile.
    pub(crate) async fn expired(&self) {
        let mut deadline = self.deadline.subscribe();
        loop {
            let until = *deadline.borrow_and_update();
            tokio::select! {
                () = tokio::time::sleep_until(until) => return,
                moved = deadline.changed() => moved.expect("the sender is ours"),
            }
        }
    }

    /// Waits for some time more than the deadline.
    pub(crate) async fn expired_for(&self, time: Duration) {
        loop {
            self.expired().await;
            tokio::time::sleep(time).await;
            if self.is_expired() {
                return;
            }
        }
    }

    /// Describes the requests that the call is waiting for, for the message of a timeout.
    pub(crate) fn waiting_for(&self) -> Option<String> {
        let open = lock(&self.open);
        let names: Vec<_> = open.iter().map(|it| format!("`{it}`")).collect();
        let last = lock(&self.listener.last);
        match (names.is_empty(), last.as_deref()) {
            (true, _) => None,
            (false, None) => Some(names.join(", ")),
            (false, Some(last)) => Some(format!("{} (last heard: {last})", names.join(", "))),
        }
    }
}

impl Drop for CallClient {
    fn drop(&mut self) {
        lock(&self.upstream.listeners).remove(&self.token);
    }
}

/// A request that is not answered yet.
struct Open<'a> {
    client: &'a CallClient,
    operation: Operation,
}

impl<'a> Open<'a> {
    fn new(client: &'a CallClient, operation: Operation) -> Self {
        lock(&client.open).push(operation);
        Self { client, operation }
    }
}

impl Drop for Open<'_> {
    fn drop(&mut self) {
        let mut open = lock(&self.client.open);
        if let Some(index) = open.iter().position(|it| *it == self.operation) {
            open.remove(index);
        }
    }
}

fn milliseconds(time: Duration) -> u64 {
    u64::try_from(time.as_millis()).unwrap_or(u64::MAX)
}

fn takes_no_texts(operation: Operation) -> IdeError {
    let message = format!("the side that answers `{operation}` takes no texts that are not on disk");
    IdeError::new(ErrorCode::Unavailable, message)
}

fn unavailable(operation: Operation) -> IdeError {
    IdeError::new(
        ErrorCode::Unavailable,
        format!("Nobody in this chain answers `{operation}`: neither the editor nor an adapter offers `ide_operations`."),
    )
    .recovery(
        "Start the agent as `dialect agent -- <agent command>`, or put `dialect adapter` before `dialect component` \
         in the chain. Until then, use your other tools.",
    )
}
