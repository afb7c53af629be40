//! The decision whether a program may run: what it needs, what is granted already, and the question to the user for
//! the rest.

use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex};
use std::time::Duration;

use ailang::GrantScope as Scope;
use dialect::{Need, Requirement};
use serde_json::{Value, json};
use tokio::sync::mpsc::UnboundedSender;
use tokio_util::sync::CancellationToken;

use super::asker::{Asked, AskerLink};
use super::caller::{Caller, Waiting};
use super::capability::{Catalogue, fingerprint};
use super::changes::Changes;
use super::confirmed_grants::ConfirmedGrants;
use super::demand::CapabilityDemand;
use super::denial::{Denial, Denied};
use super::events::{event, grant, loaded, ran, undeclared};
use super::ledger::Ledger;
use super::memory::Memory;
use super::question::{METHOD, Missing, Question, Reply};
use super::undeclared::UndeclaredError;
use crate::acp::upstream::{ClientLink, ProgressStep, RequestError};
use crate::audit::{Action, By, Event, Written};
use crate::mcp::secret::identifier;
use crate::state::State;
use unpoisoned::lock;

/// The interval of reminders to a caller that waits for the user.
const REMINDER: Duration = Duration::from_secs(10);

/// The permissions of one connection.
pub(crate) struct Gate {
    client: Arc<dyn ClientLink>,
    catalogue: Mutex<Catalogue>,
    read_only: bool,
    /// The capabilities that need no question.
    allowed: Mutex<BTreeSet<String>>,
    /// True when the user sees all scopes at once.
    asks_directly: bool,
    ledger: Option<Ledger>,
    version: AtomicU64,
    sessions: Mutex<HashMap<String, Arc<Session>>>,
}

/// The permissions of one session.
#[derive(Default)]
pub(super) struct Session {
    /// A lock that keeps questions from being asked at the same time.
    asking: tokio::sync::Mutex<()>,
    pub(super) memory: Mutex<Memory>,
    /// Cancelled when the user stops the turn.
    turn: Mutex<CancellationToken>,
}

impl Gate {
    /// Creates the gate of a connection. Without `state`, everything that needs a permission is denied.
    pub(crate) fn new(
        client: Arc<dyn ClientLink>,
        catalogue: Catalogue,
        state: Option<&State>,
        read_only: bool,
    ) -> Self {
        let (version, sessions) = (AtomicU64::new(1), Mutex::default());
        let (catalogue, allowed) = (Mutex::new(catalogue), Mutex::default());
        let ledger = state.map(Ledger::new);
        Self { client, catalogue, read_only, allowed, asks_directly: false, ledger, version, sessions }
    }

    /// Sets that questions have all scopes as options. Some editors choose by the kind of an option, and get two
    /// questions instead.
    pub(crate) fn asking_directly(self) -> Self {
        Self { asks_directly: true, ..self }
    }

    /// Adds the capabilities of a library that came later.
    pub(crate) fn learn(&self, catalogue: &Catalogue) {
        lock(&self.catalogue).learn(catalogue);
    }

    /// Replaces everything that is known of capabilities.
    pub(crate) fn know(&self, catalogue: Catalogue) {
        *lock(&self.catalogue) = catalogue;
    }

    /// Allows a capability without a question.
    pub(crate) fn allow(&self, capability: impl Into<String>) {
        lock(&self.allowed).insert(capability.into());
    }

    /// Returns whether a capability needs no question.
    pub(super) fn allows(&self, capability: &str) -> bool {
        lock(&self.allowed).contains(capability)
    }

    /// Sets the version of ACP that the connection settled on.
    pub(crate) fn speaks(&self, version: u64) {
        self.version.store(version, Ordering::Relaxed);
    }

    fn version(&self) -> u64 {
        self.version.load(Ordering::Relaxed)
    }

    /// Begins a turn with the user's prompt.
    pub(crate) fn turn_begins(&self, session: &str) {
        lock(&self.session(session).memory).turn_begins();
    }

    /// Ends a turn that the user stopped, and withdraws its open question.
    pub(crate) fn turn_ends(&self, session: &str) {
        if let Some(session) = lock(&self.sessions).get(session) {
            std::mem::take(&mut *lock(&session.turn)).cancel();
        }
    }

    /// Ends a session, and forgets its permissions.
    pub(crate) fn session_ends(&self, session: &str) {
        self.turn_ends(session);
        lock(&self.sessions).remove(session);
    }

    pub(super) fn session(&self, name: &str) -> Arc<Session> {
        Arc::clone(lock(&self.sessions).entry(name.to_owned()).or_default())
    }

    pub(super) fn ledger(&self) -> Result<&Ledger, Denial> {
        let why = "permissions cannot be saved and recorded, since the user has no home folder";
        self.ledger.as_ref().ok_or_else(|| Denial::Broken { why: why.to_owned() })
    }

    /// Returns whether the user would be asked before a program with these needs runs.
    pub(crate) async fn asks(&self, caller: &Caller, needs: &[Need]) -> bool {
        let (wanted, can_ask) = (self.wanted(needs), !matches!(caller.asked, Asked::Nobody));
        !self.read_only && can_ask && self.missing(caller, &wanted).await.is_ok_and(|it| !it.is_empty())
    }

    /// Asks the user for missing permissions. Returns what is granted for this call alone.
    ///
    /// # Errors
    /// A permission is denied.
    pub(super) async fn permit(
        self: &Arc<Self>,
        caller: &Arc<Caller>,
        needs: &[Need],
        waiting: Waiting,
    ) -> Result<Vec<CapabilityDemand>, Denied> {
        let wanted = self.wanted(needs);
        match self.read_only {
            true => Err(self.refuse_all(caller, wanted).await),
            false => self.wait(caller, wanted, waiting).await,
        }
    }

    /// Returns every needed permission once, with the functions that need it.
    fn wanted(&self, needs: &[Need]) -> Vec<Missing> {
        let mut by_callable: BTreeMap<&str, Vec<&Requirement>> = BTreeMap::new();
        for need in needs {
            by_callable.entry(&need.callable).or_default().push(&need.requirement);
        }
        let mut wanted: Vec<Missing> = Vec::new();
        let each = by_callable.into_iter();
        for one in each.flat_map(|(callable, requirements)| self.missing_of(callable, requirements)) {
            match wanted.iter_mut().find(|it| it.demand == one.demand) {
                Some(same) => same.callables.extend(one.callables),
                None => wanted.push(one),
            }
        }
        wanted.sort_by(|a, b| a.demand.cmp(&b.demand));
        wanted
    }

    async fn refuse_all(&self, caller: &Caller, wanted: Vec<Missing>) -> Denied {
        let denied = |it: &Missing| Event {
            reason: Some("read-only".to_owned()),
            ..event(caller, it, Action::Denied, By::Policy)
        };
        let recorded = match self.ledger() {
            Ok(ledger) => ledger.record(wanted.iter().map(denied).collect()).await,
            Err(denial) => Err(denial),
        };
        if let Err(denial) = recorded {
            tracing::warn!(?denial, "what was refused is not recorded");
        }
        Denial::ReadOnly.about(&wanted)
    }

    /// Records functions that failed with undeclared errors. A failed recording is only logged.
    pub(crate) async fn record_undeclared(&self, caller: &Caller, errors: Vec<UndeclaredError>) {
        if errors.is_empty() {
            return;
        }
        let events = errors.into_iter().map(|it| undeclared(caller, it)).collect();
        let recorded = async { self.ledger()?.record(events).await };
        if let Err(denial) = recorded.await {
            tracing::warn!(?denial, "what was not declared is not recorded");
        }
    }

    /// Shows the editor changes that were made.
    pub(crate) fn show_made(&self, caller: &Caller, changes: &Changes) {
        let call = format!("dialect-{}", identifier());
        let update = changes.made(self.version(), &call, caller.workspace.as_deref());
        let params = json!({"sessionId": caller.session, "update": update});
        self.client.notify("session/update".to_owned(), params);
    }

    /// Records a program that has run as a whole. A failed recording is only logged.
    pub(crate) async fn record_run(
        &self,
        caller: &Caller,
        tool: &str,
        numbers: serde_json::Value,
        outcome: String,
    ) {
        let events = vec![ran(caller, tool, numbers, outcome)];
        let recorded = async { self.ledger()?.record(events).await };
        if let Err(denial) = recorded.await {
            tracing::warn!(?denial, "what has run is not recorded");
        }
    }

    /// Records skills that have another level of detail, each with numbers and the reason. A failed recording is only
    /// logged.
    pub(crate) async fn record_loaded(
        &self,
        caller: &Caller,
        skills: Vec<(String, serde_json::Value, String)>,
    ) {
        if skills.is_empty() {
            return;
        }
        let event = |(skill, numbers, why): (String, _, _)| loaded(caller, &skill, numbers, why);
        let events = skills.into_iter().map(event).collect();
        let recorded = async { self.ledger()?.record(events).await };
        if let Err(denial) = recorded.await {
            tracing::warn!(?denial, "what was loaded is not recorded");
        }
    }

    /// Asks in a task of its own, so that an answer counts even when the call has ended.
    async fn wait(
        self: &Arc<Self>,
        caller: &Arc<Caller>,
        wanted: Vec<Missing>,
        waiting: Waiting,
    ) -> Result<Vec<CapabilityDemand>, Denied> {
        let gone = CancellationToken::new();
        let _here = gone.clone().drop_guard();
        let (all, caller) = (wanted.clone(), Arc::clone(caller));
        let by_client = matches!(caller.asked, Asked::Client(_));
        // The question of a client ends with its call.
        let still_open = if by_client { Denial::Unanswered } else { Denial::Open };
        let request = PermissionRequest { gate: Arc::clone(self), caller, wanted, gone };
        let answer = tokio::spawn(request.answer());
        let Waiting { steps, patience } = waiting;
        let answer = tokio::select! {
            biased;
            answer = answer => match answer {
                Ok(answer) => answer,
                Err(stopped) => Err(Denial::Broken { why: stopped.to_string() }.about(&all)),
            },
            () = tokio::time::sleep(patience) => Err(still_open.about(&all)),
            never = remind(steps, &all) => match never {},
        };
        answer.map_err(|denied| Denied { by_client, ..denied })
    }

    pub(super) async fn lasting(&self, caller: &Caller) -> Result<ConfirmedGrants, Denial> {
        self.ledger()?.grants(caller.workspace.as_deref()).await
    }

    /// Returns the permissions that one function needs.
    pub(super) fn missing_of<'a>(
        &self,
        callable: &str,
        requirements: impl IntoIterator<Item = &'a Requirement>,
    ) -> Vec<Missing> {
        let catalogue = lock(&self.catalogue);
        let each = catalogue.demand(requirements).into_each().map(|demand| {
            let capability = catalogue.find(&demand.capability);
            Missing { demand, capability, callables: BTreeSet::from([callable.to_owned()]), lost: None }
        });
        each.collect()
    }

    /// Returns those of `wanted` that are not granted for the session or for longer.
    async fn missing(&self, caller: &Caller, wanted: &[Missing]) -> Result<Vec<Missing>, Denial> {
        let lasting = self.lasting(caller).await?;
        let session = self.session(&caller.session);
        let memory = lock(&session.memory);
        let missing = wanted.iter().filter_map(|it| {
            let fingerprint = fingerprint(&it.capability);
            let is_granted = self.allows(&it.demand.capability)
                || memory.covers(&it.demand, &fingerprint)
                || lasting.grants.cover(&it.demand, &fingerprint);
            let lost = lasting.lost(&it.demand, &fingerprint).cloned();
            (!is_granted).then(|| Missing { lost, ..it.clone() })
        });
        Ok(missing.collect())
    }
}

async fn remind(steps: UnboundedSender<ProgressStep>, about: &[Missing]) -> std::convert::Infallible {
    let asked = about.iter().map(Missing::phrase).collect::<Vec<_>>().join("; ");
    let mut reminders = tokio::time::interval(REMINDER);
    reminders.tick().await; // the first tick is immediate
    loop {
        reminders.tick().await;
        let message = format!("waiting for the user to decide about {asked}");
        let _ = steps.send(ProgressStep { message, percentage: None }); // fails when the agent shows no progress
    }
}

/// One call that asks for permissions.
struct PermissionRequest {
    gate: Arc<Gate>,
    caller: Arc<Caller>,
    wanted: Vec<Missing>,
    /// Cancelled when the call is over, for any reason.
    gone: CancellationToken,
}

impl PermissionRequest {
    /// Asks until everything is granted or something is denied. Returns what is granted for this call alone.
    async fn answer(self) -> Result<Vec<CapabilityDemand>, Denied> {
        if self.missing().await?.is_empty() {
            return Ok(Vec::new()); // no need to wait for open questions
        }
        if matches!(self.caller.asked, Asked::Nobody) {
            return Err(self
                .deny(&self.wanted, By::Policy, "the client cannot ask", Denial::CannotAsk)
                .await);
        }
        let session = self.gate.session(&self.caller.session);
        // An editor shows one question at a time; the clients of MCP that share a session know nothing of each other.
        let _turn = match self.caller.asked {
            Asked::Client(_) => None,
            Asked::Editor | Asked::Nobody => Some(session.asking.lock().await),
        };
        if self.gone.is_cancelled() {
            return Err(Denial::Unanswered.about(&self.wanted)); // nobody receives it
        }
        let missing = self.missing().await?;
        let demands: Vec<CapabilityDemand> = missing.iter().map(|it| it.demand.clone()).collect();
        if missing.is_empty() {
            return Ok(Vec::new());
        }
        if let Some(once) = lock(&session.memory).take(&self.caller.program, &demands) {
            return Ok(once);
        }
        let refused = lock(&session.memory).refused(&demands);
        if let Some(for_session) = refused {
            let denial = if for_session { Denial::RefusedForSession } else { Denial::RefusedBefore };
            return Err(self.deny(&missing, By::Grant, "refused before", denial).await);
        }
        let once = self.ask(missing, &session).await?;
        if self.gone.is_cancelled() && !once.is_empty() {
            lock(&session.memory).keep(&self.caller.program, once.clone());
        }
        Ok(once)
    }

    async fn missing(&self) -> Result<Vec<Missing>, Denied> {
        self.gate.missing(&self.caller, &self.wanted).await.map_err(|denial| denial.about(&self.wanted))
    }

    /// Asks one question where one scope can answer it, or several.
    async fn ask(&self, missing: Vec<Missing>, session: &Session) -> Result<Vec<CapabilityDemand>, Denied> {
        let (questions, hopeless) = Question::group(missing, &self.scopes());
        if !hopeless.is_empty() {
            return Err(self.deny(&hopeless, By::Policy, "no scope can be granted", Denial::NoScope).await);
        }
        let mut once = Vec::new();
        for question in questions {
            let is_direct = self.gate.asks_directly || matches!(self.caller.asked, Asked::Client(_));
            let question = Question { is_direct, ..question };
            if self.put(&question, session).await? == Scope::Once {
                once.extend(question.demands());
            }
        }
        Ok(once)
    }

    /// Returns the scopes that can be granted. Without a folder, no permission can last.
    fn scopes(&self) -> BTreeSet<Scope> {
        let lasts = self.caller.workspace.is_some();
        Scope::ALL.into_iter().filter(|it| lasts || *it != Scope::Persistent).collect()
    }

    async fn put(&self, question: &Question, session: &Session) -> Result<Scope, Denied> {
        let missing = &question.missing;
        let asked = self.record(missing, Action::Requested, By::User, None, None).await;
        asked.map_err(|denial| denial.about(missing))?;
        let (reason, denial) = match self.ask_until_clear(question, session).await {
            Ok(Reply::Granted(scope)) => {
                let remembered = self.remember(question, scope, session).await;
                return remembered.map(|()| scope).map_err(|denial| denial.about(missing));
            }
            Ok(Reply::Cancelled | Reply::Lasting) => ("cancelled".to_owned(), Denial::Unanswered),
            Ok(Reply::Stopped) => ("the turn was stopped".to_owned(), Denial::Unanswered),
            Ok(Reply::Denied) => ("once".to_owned(), Denial::Refused),
            Ok(Reply::DeniedForSession) => ("for this session".to_owned(), Denial::RefusedForSession),
            Err(why) => (why.clone(), Denial::NobodyAsks { why }),
        };
        if matches!(denial, Denial::Refused | Denial::RefusedForSession) {
            lock(&session.memory).refuse(question.demands(), denial == Denial::RefusedForSession);
        }
        // Where the user gave no answer, the policy is to deny.
        let has_answered = matches!(denial, Denial::Refused | Denial::RefusedForSession);
        let by = if has_answered { By::User } else { By::Policy };
        Err(self.deny(missing, by, &reason, denial).await)
    }

    /// Asks, and then for how long, if the user allows more than one call. When the second question gets no answer,
    /// the shortest time counts.
    async fn ask_until_clear(&self, question: &Question, session: &Session) -> Result<Reply, String> {
        let reply = self.ask_upstream(question, session).await?;
        if reply != Reply::Lasting {
            return Ok(reply);
        }
        match self.ask_upstream(&question.about_time(), session).await {
            Ok(Reply::Cancelled) | Err(_) => Ok(Reply::Granted(question.shortest())),
            answered => answered,
        }
    }

    /// Records a denial, and returns it even if recording fails.
    async fn deny(&self, missing: &[Missing], by: By, reason: &str, denial: Denial) -> Denied {
        match self.record(missing, Action::Denied, by, None, Some(reason)).await {
            Ok(_) => denial.about(missing),
            Err(broken) => broken.about(missing),
        }
    }

    /// Records a grant before it counts: what is not recorded is not granted.
    async fn remember(&self, question: &Question, scope: Scope, session: &Session) -> Result<(), Denial> {
        let missing = &question.missing;
        let written = self.record(missing, Action::Granted, By::User, Some(scope), None).await?;
        let grants = missing.iter().zip(written).map(|(it, entry)| grant(it, entry)).collect();
        match (scope, &self.caller.workspace) {
            (Scope::Session, _) => lock(&session.memory).grant(grants),
            (Scope::Persistent, Some(workspace)) => {
                self.gate.ledger()?.remember(workspace.clone(), grants).await?;
            }
            (Scope::Once, _) | (Scope::Persistent, None) => {}
        }
        Ok(())
    }

    async fn record(
        &self,
        missing: &[Missing],
        action: Action,
        by: By,
        scope: Option<Scope>,
        reason: Option<&str>,
    ) -> Result<Vec<Written>, Denial> {
        let event = |it: &Missing| {
            let scope = scope.map(|it| it.name().to_owned());
            Event { scope, reason: reason.map(str::to_owned), ..event(&self.caller, it, action, by) }
        };
        self.gate.ledger()?.record(missing.iter().map(event).collect()).await
    }

    /// Asks the editor, or the client that made the call. Announces the call before the question, and marks it as completed or failed after. Returns
    /// the editor's error when it cannot ask.
    async fn ask_upstream(&self, question: &Question, session: &Session) -> Result<Reply, String> {
        let stopped = lock(&session.turn).clone();
        let version = self.gate.version();
        let call = format!("dialect-{}", identifier());
        let params = question.params(version, &call, &self.caller);
        self.update(Question::announcement(version, &params));
        let client = match &self.caller.asked {
            Asked::Client(asker) => Arc::new(AskerLink(Arc::clone(asker))),
            Asked::Editor | Asked::Nobody => Arc::clone(&self.gate.client),
        };
        let reply = tokio::select! {
            biased;
            () = stopped.cancelled() => Ok(Reply::Stopped),
            answer = client.request(METHOD.to_owned(), params) => match answer {
                Ok(answer) => Ok(question.read(&answer)),
                Err(RequestError::NoSuchMethod) => Err("it has no requests for permission".to_owned()),
                Err(RequestError::Failed { message, .. }) => Err(message),
            },
        };
        let is_allowed = matches!(reply, Ok(Reply::Granted(_) | Reply::Lasting));
        let status = if is_allowed { "completed" } else { "failed" };
        self.update(json!({"sessionUpdate": "tool_call_update", "toolCallId": call, "status": status}));
        reply
    }

    fn update(&self, update: Value) {
        let params = json!({"sessionId": self.caller.session, "update": update});
        self.gate.client.notify("session/update".to_owned(), params);
    }
}
