//! What a program asks of the code becomes an extension request toward the client, and its answer a value.

use std::collections::HashMap;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, OnceLock};
use std::time::Duration;

use futures::future::BoxFuture;
use ide_protocol::{ErrorCode, IdeError, Operation, Progress, SelectionResult, Support, read_result};
use serde::Serialize;
use serde::de::DeserializeOwned;
use serde_json::{Value, json};
use tokio::sync::mpsc::UnboundedSender;
use tokio::sync::watch;
use tokio::time::Instant;

use crate::lock;
use crate::rehearsal::Shown;

/// What upstream is told to leave for the way back and for us.
const MARGIN: Duration = Duration::from_secs(2);

/// The connection toward the client. Dropping the future cancels the request.
pub(crate) trait Ask: Send + Sync {
    /// Sends an extension request.
    fn ask(&self, method: String, params: Value) -> BoxFuture<'static, Result<Value, AskError>>;

    /// Sends a notification.
    fn tell(&self, method: String, params: Value);
}

/// Why a request brought no result.
#[derive(Debug)]
pub(crate) enum AskError {
    /// Whoever got it has no such method.
    NoSuchMethod,
    /// Any other error of JSON-RPC.
    Failed { message: String, data: Option<Value> },
}

/// A step of progress, as a caller hears it.
#[derive(Clone, Debug)]
pub(crate) struct Step {
    /// `rust-analyzer: indexing 12/48`
    pub(crate) message: String,
    /// Percent done, where known.
    pub(crate) percentage: Option<u32>,
}

/// The way upstream of one connection, shared by its calls.
pub(crate) struct Upstream {
    ask: Arc<dyn Ask>,
    support: Mutex<Support>,
    listeners: Mutex<HashMap<String, Arc<Listener>>>,
    tokens: AtomicU64,
}

/// Who hears the progress of one call.
struct Listener {
    steps: UnboundedSender<Step>,
    last: Mutex<Option<String>>,
}

impl Upstream {
    pub(crate) fn new(ask: Arc<dyn Ask>) -> Self {
        let (support, listeners) = (Mutex::new(Support::none()), Mutex::default());
        Self { ask, support, listeners, tokens: AtomicU64::default() }
    }

    /// `initialize` passed by: this is what is offered from now on.
    pub(crate) fn offers(&self, support: Support) {
        *lock(&self.support) = support;
    }

    /// Hands progress to the call that it belongs to, if it still runs.
    pub(crate) fn progress(&self, progress: Progress) {
        let listener = lock(&self.listeners).get(&progress.progress_token).cloned();
        if let Some(listener) = listener {
            *lock(&listener.last) = Some(progress.message.clone());
            let step = Step { message: progress.message, percentage: progress.percentage };
            let _ = listener.steps.send(step); // a caller that asked for no progress has hung up
        }
    }

    /// A call begins in that session; its questions are answered by the deadline, or not at all. `attached` is what
    /// the user attached to the prompt.
    pub(crate) fn asker(
        self: &Arc<Self>,
        session: String,
        attached: Arc<SelectionResult>,
        times: Times,
        steps: UnboundedSender<Step>,
    ) -> Asker {
        let Times { deadline, wait } = times;
        let token = format!("dialect-{}", self.tokens.fetch_add(1, Ordering::Relaxed));
        let listener = Arc::new(Listener { steps, last: Mutex::default() });
        lock(&self.listeners).insert(token.clone(), Arc::clone(&listener));
        let (open, deadline) = (Mutex::default(), watch::Sender::new(deadline));
        let (upstream, shown) = (Arc::clone(self), OnceLock::new());
        Asker { upstream, session, attached, deadline, wait, token, listener, open, shown }
    }
}

/// The time that a call has.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Times {
    /// Its questions are answered by then, or not at all.
    pub(crate) deadline: Instant,
    /// How long those who answer may wait for what is still loading; as long as there is time when it does not say.
    pub(crate) wait: Option<Duration>,
}

/// Asks on behalf of one call.
pub(crate) struct Asker {
    upstream: Arc<Upstream>,
    session: String,
    attached: Arc<SelectionResult>,
    deadline: watch::Sender<Instant>,
    wait: Option<Duration>,
    token: String,
    listener: Arc<Listener>,
    open: Mutex<Vec<Operation>>,
    /// What the user was shown and allowed this once.
    shown: OnceLock<Shown>,
}

impl Asker {
    /// From now on it changes what the user was shown, and nothing else.
    pub(crate) fn bind(&self, shown: Shown) {
        let _first_counts = self.shown.set(shown);
    }

    pub(crate) fn bound(&self) -> Option<&Shown> {
        self.shown.get()
    }

    /// Sends the request, which needs no session, progress token or times: they are added here.
    pub(crate) async fn ask<Q: Serialize, A: DeserializeOwned>(
        &self,
        operation: Operation,
        request: &Q,
    ) -> Result<A, IdeError> {
        self.ask_if_there_is(operation, request).await.unwrap_or_else(|| Err(unavailable(operation)))
    }

    /// The same; `None` when nobody upstream has the operation.
    async fn ask_if_there_is<Q: Serialize, A: DeserializeOwned>(
        &self,
        operation: Operation,
        request: &Q,
    ) -> Option<Result<A, IdeError>> {
        if !lock(&self.upstream.support).has(operation) {
            return None;
        }
        let _open = Open::new(self, operation);
        let answer = self.upstream.ask.ask(operation.method(), self.params(request)).await;
        Some(match answer {
            Ok(value) => read_result(operation, value),
            Err(AskError::NoSuchMethod) => return None,
            Err(AskError::Failed { message, data }) => Err(IdeError::from_rpc(&message, data.as_ref())),
        })
    }

    /// What the user has selected, as the editor knows it; where it does not know, or nothing is selected, what the
    /// user attached to the prompt.
    pub(crate) async fn selected<Q: Serialize>(&self, request: &Q) -> Result<SelectionResult, IdeError> {
        let asked = self.ask_if_there_is(Operation::Selection, request).await;
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
        params
    }

    /// The call has until then: it has waited for the user, and that does not count.
    pub(crate) fn postpone(&self, deadline: Instant) {
        self.deadline.send_replace(deadline);
    }

    /// Ends at the deadline, wherever it is moved meanwhile.
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

    /// What the call is waiting for, for the one who stops it.
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

impl Drop for Asker {
    fn drop(&mut self) {
        lock(&self.upstream.listeners).remove(&self.token);
    }
}

/// A question that is not answered yet.
struct Open<'a> {
    asker: &'a Asker,
    operation: Operation,
}

impl<'a> Open<'a> {
    fn new(asker: &'a Asker, operation: Operation) -> Self {
        lock(&asker.open).push(operation);
        Self { asker, operation }
    }
}

impl Drop for Open<'_> {
    fn drop(&mut self) {
        let mut open = lock(&self.asker.open);
        if let Some(index) = open.iter().position(|it| *it == self.operation) {
            open.remove(index);
        }
    }
}

fn milliseconds(time: Duration) -> u64 {
    u64::try_from(time.as_millis()).unwrap_or(u64::MAX)
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
