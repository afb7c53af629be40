//! Asking the user on behalf of one call, which may be gone when he answers.

use std::collections::BTreeSet;
use std::sync::Arc;

use ailang::GrantScope as Scope;
use serde_json::{Value, json};
use tokio_util::sync::CancellationToken;

use super::demand::Atom;
use super::denial::{Denial, Denied};
use super::gate::{Caller, Gate, Session, event, grant};
use super::question::{METHOD, Missing, Question, Reply};
use crate::audit::{Action, By, Event, Written};
use crate::lock;
use crate::secret::identifier;
use crate::upstream::AskError;

/// One call that needs something.
pub(super) struct Asking {
    pub(super) gate: Arc<Gate>,
    pub(super) caller: Arc<Caller>,
    pub(super) wanted: Vec<Missing>,
    /// Cancelled when the call is over, whatever it came to.
    pub(super) gone: CancellationToken,
}

impl Asking {
    /// Sees that everything is granted, and gives what is so for this call alone.
    pub(super) async fn answer(self) -> Result<Vec<Atom>, Denied> {
        if self.missing().await?.is_empty() {
            return Ok(Vec::new()); // whatever others are asking just now
        }
        let session = self.gate.session(&self.caller.session);
        let _turn = session.asking.lock().await;
        if self.gone.is_cancelled() {
            return Err(Denial::Unanswered.of(&self.wanted)); // to nobody
        }
        let missing = self.missing().await?;
        let atoms: Vec<Atom> = missing.iter().map(|it| it.atom.clone()).collect();
        if missing.is_empty() {
            return Ok(Vec::new());
        }
        if let Some(once) = lock(&session.memory).take(&self.caller.program, &atoms) {
            return Ok(once);
        }
        let refused = lock(&session.memory).refused(&atoms);
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
        self.gate.missing(&self.caller, &self.wanted).await.map_err(|denial| denial.of(&self.wanted))
    }

    /// Everything in one question, where one scope can answer it.
    async fn ask(&self, missing: Vec<Missing>, session: &Session) -> Result<Vec<Atom>, Denied> {
        let (questions, hopeless) = Question::group(missing, &self.scopes());
        if !hopeless.is_empty() {
            return Err(self.deny(&hopeless, By::Policy, "no scope can be granted", Denial::NoScope).await);
        }
        let mut once = Vec::new();
        for question in questions {
            if self.put(&question, session).await? == Scope::Once {
                once.extend(question.atoms());
            }
        }
        Ok(once)
    }

    /// Without a folder, there is nothing that a lasting permission could hold for.
    fn scopes(&self) -> BTreeSet<Scope> {
        let lasts = self.caller.workspace.is_some();
        Scope::ALL.into_iter().filter(|it| lasts || *it != Scope::Persistent).collect()
    }

    async fn put(&self, question: &Question, session: &Session) -> Result<Scope, Denied> {
        let missing = &question.missing;
        let asked = self.record(missing, Action::Requested, By::User, None, None).await;
        asked.map_err(|denial| denial.of(missing))?;
        let (reason, denial) = match self.ask_upstream(question, session).await {
            Ok(Reply::Granted(scope)) => {
                let remembered = self.remember(question, scope, session).await;
                return remembered.map(|()| scope).map_err(|denial| denial.of(missing));
            }
            Ok(Reply::Cancelled) => ("cancelled".to_owned(), Denial::Unanswered),
            Ok(Reply::Denied) => ("once".to_owned(), Denial::Refused),
            Ok(Reply::DeniedForSession) => ("for this session".to_owned(), Denial::RefusedForSession),
            Err(why) => (why.clone(), Denial::NobodyAsks { why }),
        };
        if matches!(denial, Denial::Refused | Denial::RefusedForSession) {
            lock(&session.memory).refuse(question.atoms(), denial == Denial::RefusedForSession);
        }
        Err(self.deny(missing, By::User, &reason, denial).await)
    }

    /// Denied it is, recorded or not.
    async fn deny(&self, missing: &[Missing], by: By, reason: &str, denial: Denial) -> Denied {
        match self.record(missing, Action::Denied, by, None, Some(reason)).await {
            Ok(_) => denial.of(missing),
            Err(broken) => broken.of(missing),
        }
    }

    /// Recorded first: what is not recorded is not granted.
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

    /// The question, with the call announced before it and told to be over behind it. An editor that cannot ask
    /// says why.
    async fn ask_upstream(&self, question: &Question, session: &Session) -> Result<Reply, String> {
        let stopped = lock(&session.turn).clone();
        let version = self.gate.version();
        let call = format!("dialect-{}", identifier());
        let params = question.params(version, &call, &self.caller);
        self.update(Question::announcement(version, &params));
        let answer = tokio::select! {
            answer = self.gate.ask.ask(METHOD.to_owned(), params) => answer,
            () = stopped.cancelled() => Ok(json!({"outcome": {"outcome": "cancelled"}})),
        };
        let reply = match answer {
            Ok(answer) => Ok(question.read(&answer)),
            Err(AskError::NoSuchMethod) => Err("it has no requests for permission".to_owned()),
            Err(AskError::Failed { message, .. }) => Err(message),
        };
        let status = if matches!(reply, Ok(Reply::Granted(_))) { "completed" } else { "failed" };
        self.update(json!({"sessionUpdate": "tool_call_update", "toolCallId": call, "status": status}));
        reply
    }

    fn update(&self, update: Value) {
        let params = json!({"sessionId": self.caller.session, "update": update});
        self.gate.ask.tell("session/update".to_owned(), params);
    }
}
