//! Whether a program may run: what it needs, what is granted already, and else what the user says.

use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::path::PathBuf;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex};
use std::time::Duration;

use ailang::GrantScope as Scope;
use dialect::{Arguments, Failure, Need, Requirement, Value};
use serde_json::json;
use tokio::sync::mpsc::UnboundedSender;
use tokio_util::sync::CancellationToken;

use super::asking::Asking;
use super::capability::{Catalogue, fingerprint};
use super::changes::Changes;
use super::demand::Atom;
use super::denial::{Denial, Denied};
use super::grants::Grant;
use super::guard::Breach;
use super::ledger::Ledger;
use super::memory::Memory;
use super::question::Missing;
use super::vouched::Vouched;
use crate::Config;
use crate::audit::{Action, By, Event, Written, redacted};
use crate::lock;
use crate::upstream::{Ask, Step};

/// How often somebody who waits for the user hears that he still does.
const REMINDER: Duration = Duration::from_secs(10);

/// The permissions of one connection.
pub(crate) struct Gate {
    pub(super) ask: Arc<dyn Ask>,
    pub(super) catalogue: Catalogue,
    read_only: bool,
    ledger: Option<Ledger>,
    version: AtomicU64,
    sessions: Mutex<HashMap<String, Arc<Session>>>,
}

/// What is known of one session.
#[derive(Default)]
pub(super) struct Session {
    /// One question at a time.
    pub(super) asking: tokio::sync::Mutex<()>,
    pub(super) memory: Mutex<Memory>,
    /// Cancelled when the user stops the turn.
    pub(super) turn: Mutex<CancellationToken>,
}

/// One call of the tool, as the user is told of it.
#[derive(Clone, Debug)]
pub(crate) struct Caller {
    pub(crate) session: String,
    /// The session's folder, for which lasting permissions hold.
    pub(crate) workspace: Option<PathBuf>,
    pub(crate) program: String,
    /// What it would change, as far as that is known before it runs.
    pub(crate) changes: Option<Changes>,
}

/// How a call waits for the user.
pub(crate) struct Waiting {
    /// Who hears of it.
    pub(crate) steps: UnboundedSender<Step>,
    /// How long; the question stays open longer.
    pub(crate) patience: Duration,
}

impl Gate {
    /// Asks over that connection.
    pub(crate) fn new(ask: Arc<dyn Ask>, config: &Config) -> Self {
        let (catalogue, ledger) =
            (config.extensions.catalogue.clone(), config.state.as_ref().map(Ledger::new));
        let (version, sessions) = (AtomicU64::new(1), Mutex::default());
        Self { ask, catalogue, read_only: config.read_only, ledger, version, sessions }
    }

    /// The version of ACP that was settled on.
    pub(crate) fn speaks(&self, version: u64) {
        self.version.store(version, Ordering::Relaxed);
    }

    pub(super) fn version(&self) -> u64 {
        self.version.load(Ordering::Relaxed)
    }

    /// The user has spoken in that session.
    pub(crate) fn turn_begins(&self, session: &str) {
        lock(&self.session(session).memory).turn_begins();
    }

    /// He has stopped the turn: what he was asked for it is withdrawn.
    pub(crate) fn turn_ends(&self, session: &str) {
        if let Some(session) = lock(&self.sessions).get(session) {
            std::mem::take(&mut *lock(&session.turn)).cancel();
        }
    }

    /// The session is over.
    pub(crate) fn session_ends(&self, session: &str) {
        self.turn_ends(session);
        lock(&self.sessions).remove(session);
    }

    pub(super) fn session(&self, name: &str) -> Arc<Session> {
        Arc::clone(lock(&self.sessions).entry(name.to_owned()).or_default())
    }

    pub(super) fn ledger(&self) -> Result<&Ledger, Denial> {
        let why = "there is no folder to remember and record permissions in, since the user has no home";
        self.ledger.as_ref().ok_or_else(|| Denial::Broken { why: why.to_owned() })
    }

    /// Whether the user would be asked before a program runs that needs these.
    pub(crate) async fn asks(&self, caller: &Caller, needs: &[Need]) -> bool {
        let wanted = self.wanted(needs);
        !self.read_only && self.missing(caller, &wanted).await.is_ok_and(|it| !it.is_empty())
    }

    /// Lets a program run that needs these, asking the user for what is missing.
    ///
    /// # Errors
    /// When it may not: the failure of the program.
    pub(crate) async fn permit(
        self: &Arc<Self>,
        caller: &Arc<Caller>,
        needs: &[Need],
        waiting: Waiting,
    ) -> Result<Permit, Failure> {
        let wanted = self.wanted(needs);
        let once = match self.read_only {
            true => Err(self.refuse_all(caller, wanted).await),
            false => self.wait(caller, wanted, waiting).await,
        };
        let once = once.map_err(|denied| denied.failure(needs))?;
        Ok(Permit(Some(Arc::new(Granted { gate: Arc::clone(self), caller: Arc::clone(caller), once }))))
    }

    /// What is needed, each once, with those who need it.
    fn wanted(&self, needs: &[Need]) -> Vec<Missing> {
        let mut by_callable: BTreeMap<&str, Vec<&Requirement>> = BTreeMap::new();
        for need in needs {
            by_callable.entry(&need.callable).or_default().push(&need.requirement);
        }
        let mut wanted: Vec<Missing> = Vec::new();
        let each = by_callable.into_iter();
        for one in each.flat_map(|(callable, requirements)| self.missing_of(callable, requirements)) {
            match wanted.iter_mut().find(|it| it.atom == one.atom) {
                Some(same) => same.callables.extend(one.callables),
                None => wanted.push(one),
            }
        }
        wanted.sort_by(|a, b| a.atom.cmp(&b.atom));
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
        Denial::ReadOnly.of(&wanted)
    }

    /// Takes note of functions that failed otherwise than their documents say. Nothing depends on it.
    pub(crate) async fn record_breaches(&self, caller: &Caller, breaches: Vec<Breach>) {
        if breaches.is_empty() {
            return;
        }
        let events = breaches.into_iter().map(|it| breach(caller, it)).collect();
        let recorded = async { self.ledger()?.record(events).await };
        if let Err(denial) = recorded.await {
            tracing::warn!(?denial, "what was not declared is not recorded");
        }
    }

    /// Asks apart from the call, so that an answer counts that comes when the call is gone.
    async fn wait(
        self: &Arc<Self>,
        caller: &Arc<Caller>,
        wanted: Vec<Missing>,
        waiting: Waiting,
    ) -> Result<Vec<Atom>, Denied> {
        let gone = CancellationToken::new();
        let _here = gone.clone().drop_guard();
        let (all, caller) = (wanted.clone(), Arc::clone(caller));
        let asking = Asking { gate: Arc::clone(self), caller, wanted, gone };
        let answer = tokio::spawn(asking.answer());
        let Waiting { steps, patience } = waiting;
        tokio::select! {
            biased;
            answer = answer => match answer {
                Ok(answer) => answer,
                Err(stopped) => Err(Denial::Broken { why: stopped.to_string() }.of(&all)),
            },
            () = tokio::time::sleep(patience) => Err(Denial::Open.of(&all)),
            never = remind(steps, &all) => match never {},
        }
    }

    async fn lasting(&self, caller: &Caller) -> Result<Vouched, Denial> {
        self.ledger()?.grants(caller.workspace.as_deref()).await
    }

    /// What one callable has to have.
    fn missing_of<'a>(
        &'a self,
        callable: &'a str,
        requirements: impl IntoIterator<Item = &'a Requirement>,
    ) -> impl Iterator<Item = Missing> + 'a {
        self.catalogue.demand(requirements).into_atoms().map(move |atom| {
            let capability = self.catalogue.find(&atom.capability);
            Missing { atom, capability, callables: BTreeSet::from([callable.to_owned()]), lost: None }
        })
    }

    /// Of those, what is not granted for the session or for longer.
    pub(super) async fn missing(&self, caller: &Caller, wanted: &[Missing]) -> Result<Vec<Missing>, Denial> {
        let lasting = self.lasting(caller).await?;
        let session = self.session(&caller.session);
        let memory = lock(&session.memory);
        let missing = wanted.iter().filter_map(|it| {
            let fingerprint = fingerprint(&it.capability);
            let is_granted =
                memory.covers(&it.atom, &fingerprint) || lasting.grants.cover(&it.atom, &fingerprint);
            let lost = lasting.lost(&it.atom, &fingerprint).cloned();
            (!is_granted).then(|| Missing { lost, ..it.clone() })
        });
        Ok(missing.collect())
    }
}

async fn remind(steps: UnboundedSender<Step>, about: &[Missing]) -> std::convert::Infallible {
    let names = about.iter().map(Missing::name).collect::<Vec<_>>().join(", ");
    let mut reminders = tokio::time::interval(REMINDER);
    reminders.tick().await; // at once
    loop {
        reminders.tick().await;
        let message = format!("waiting for the user to decide about {names}");
        let _ = steps.send(Step { message, percentage: None }); // whoever asked for no progress has hung up
    }
}

/// What is recorded whatever happens.
pub(super) fn event(caller: &Caller, of: &Missing, action: Action, by: By) -> Event {
    let tool = of.callables.iter().cloned().collect::<Vec<_>>().join(", ");
    Event {
        session: Some(caller.session.clone()),
        workspace: caller.workspace.as_ref().map(|it| it.to_string_lossy().into_owned()),
        capability: of.atom.capability.clone(),
        params: json!(of.atom.bounds),
        action,
        tool: Some(tool),
        document: of.capability.origin.clone(),
        document_hash: Some(fingerprint(&of.capability)),
        scope: None,
        by,
        arguments: None,
        reason: None,
    }
}

fn breach(caller: &Caller, breach: Breach) -> Event {
    Event {
        session: Some(caller.session.clone()),
        workspace: caller.workspace.as_ref().map(|it| it.to_string_lossy().into_owned()),
        capability: breach.callable,
        params: json!({}),
        action: Action::Failed,
        tool: None,
        document: None,
        document_hash: None,
        scope: None,
        by: By::Policy,
        arguments: None,
        reason: Some(breach.reason),
    }
}

/// Returns the grant that an entry of the record is about.
pub(super) fn grant(of: &Missing, written: Written) -> Grant {
    let Missing { atom: Atom { capability, bounds }, .. } = of.clone();
    let Written { seal, ts } = written;
    let fingerprint = fingerprint(&of.capability);
    Grant { capability, bounds, fingerprint, granted_at: ts, entry: Some(seal) }
}

/// Leave for one program to do what it was asked for; by default for nothing.
#[derive(Clone, Default)]
pub(crate) struct Permit(Option<Arc<Granted>>);

struct Granted {
    gate: Arc<Gate>,
    caller: Arc<Caller>,
    /// What the user granted for this call alone.
    once: Vec<Atom>,
}

impl Permit {
    /// Whether the user granted something for this call alone.
    pub(crate) fn is_for_once(&self) -> bool {
        self.0.as_ref().is_some_and(|it| !it.once.is_empty())
    }

    /// Lets one function run, and records that it does.
    ///
    /// # Errors
    /// When something that it needs was not granted, or has been taken back since.
    pub(super) async fn use_for(
        &self,
        callable: &str,
        requirements: &[Requirement],
        arguments: &Arguments,
    ) -> Result<(), Failure> {
        let arguments = Value::Object(arguments.0.clone()).to_json();
        let Some(granted) = &self.0 else {
            let names = requirements.iter().map(|it| it.capability.as_str()).collect::<Vec<_>>().join(", ");
            return Err(Denied::unforeseen(callable, &names));
        };
        granted.use_for(callable, requirements, &arguments).await.map_err(|denied| denied.failure(&[]))
    }
}

impl Granted {
    async fn use_for(
        &self,
        callable: &str,
        requirements: &[Requirement],
        arguments: &serde_json::Value,
    ) -> Result<(), Denied> {
        let needed: Vec<Missing> = self.gate.missing_of(callable, requirements).collect();
        let lasting = self.gate.lasting(&self.caller).await.map_err(|denial| denial.of(&needed))?;
        let mut events = Vec::new();
        for one in &needed {
            let scope =
                self.scope(one, &lasting).ok_or_else(|| Denial::Revoked.of(std::slice::from_ref(one)))?;
            let (scope, arguments) = (Some(scope.name().to_owned()), Some(redacted(arguments)));
            events.push(Event { scope, arguments, ..event(&self.caller, one, Action::Used, By::Grant) });
        }
        let recorded = async { self.gate.ledger()?.record(events).await };
        recorded.await.map(drop).map_err(|denial| denial.of(&needed))
    }

    /// By what it is granted at this moment.
    fn scope(&self, needed: &Missing, lasting: &Vouched) -> Option<Scope> {
        let Missing { atom, capability, .. } = needed;
        let fingerprint = fingerprint(capability);
        let session = self.gate.session(&self.caller.session);
        match () {
            () if self.once.iter().any(|once| covers(once, atom)) => Some(Scope::Once),
            () if lock(&session.memory).covers(atom, &fingerprint) => Some(Scope::Session),
            () if lasting.grants.cover(atom, &fingerprint) => Some(Scope::Persistent),
            () => None,
        }
    }
}

fn covers(granted: &Atom, wanted: &Atom) -> bool {
    granted.capability == wanted.capability && granted.bounds.cover(&wanted.bounds)
}
