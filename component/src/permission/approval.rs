//! The approval of one call, and its use by functions.

use std::sync::Arc;

use ailang::GrantScope as Scope;
use dialect::{Arguments, Failure, Need, Requirement, Value};

use super::caller::{Caller, Waiting};
use super::capability::fingerprint;
use super::confirmed_grants::ConfirmedGrants;
use super::demand::CapabilityDemand;
use super::denial::{Denial, Denied};
use super::events::event;
use super::gate::Gate;
use super::question::Missing;
use crate::audit::{Action, By, Event, redacted};
use unpoisoned::lock;

/// The approval for one program to use what it needs; by default of nothing.
#[derive(Clone, Default)]
pub(crate) struct Approval(Option<Arc<Approved>>);

struct Approved {
    gate: Arc<Gate>,
    caller: Arc<Caller>,
    /// The demands that the user granted for this call alone.
    once: Vec<CapabilityDemand>,
}

impl Approval {
    /// Asks the gate for everything that a program needs, and waits for the answer.
    ///
    /// # Errors
    /// The failure of the program when a permission is denied.
    pub(crate) async fn request(
        gate: &Arc<Gate>,
        caller: &Arc<Caller>,
        needs: &[Need],
        waiting: Waiting,
    ) -> Result<Self, Failure> {
        Self::requested(gate, caller, needs, waiting).await.map_err(|denied| denied.failure(needs))
    }

    /// Asks the gate as [`Self::request`], for one call of a program that runs already.
    ///
    /// # Errors
    /// The failure of the call when a permission is denied.
    pub(super) async fn request_within(
        gate: &Arc<Gate>,
        caller: &Arc<Caller>,
        needs: &[Need],
        waiting: Waiting,
    ) -> Result<Self, Failure> {
        Self::requested(gate, caller, needs, waiting).await.map_err(|denied| denied.failure_within())
    }

    async fn requested(
        gate: &Arc<Gate>,
        caller: &Arc<Caller>,
        needs: &[Need],
        waiting: Waiting,
    ) -> Result<Self, Denied> {
        let once = gate.permit(caller, needs, waiting).await?;
        Ok(Self(Some(Arc::new(Approved { gate: Arc::clone(gate), caller: Arc::clone(caller), once }))))
    }

    /// Returns whether the user granted something for this call alone.
    pub(crate) fn is_for_once(&self) -> bool {
        self.0.as_ref().is_some_and(|it| !it.once.is_empty())
    }

    /// Permits one function to run, and records its use.
    ///
    /// # Errors
    /// A permission that it needs was not granted, or has been revoked.
    pub(crate) async fn use_for(
        &self,
        callable: &str,
        requirements: &[Requirement],
        arguments: &Arguments,
    ) -> Result<(), Failure> {
        let arguments = Value::Object(arguments.0.clone()).to_json();
        let Some(approved) = &self.0 else {
            return Err(Denied::unforeseen(callable));
        };
        approved.use_for(callable, requirements, &arguments).await.map_err(|denied| denied.failure(&[]))
    }
}

impl Approved {
    async fn use_for(
        &self,
        callable: &str,
        requirements: &[Requirement],
        arguments: &serde_json::Value,
    ) -> Result<(), Denied> {
        let needed: Vec<Missing> = self.gate.missing_of(callable, requirements);
        let lasting = self.gate.lasting(&self.caller).await.map_err(|denial| denial.about(&needed))?;
        let mut events = Vec::new();
        for one in &needed {
            let scope =
                self.scope(one, &lasting).ok_or_else(|| Denial::Revoked.about(std::slice::from_ref(one)))?;
            let (scope, arguments) = (Some(scope.name().to_owned()), Some(redacted(arguments)));
            events.push(Event { scope, arguments, ..event(&self.caller, one, Action::Used, By::Grant) });
        }
        let recorded = async { self.gate.ledger()?.record(events).await };
        recorded.await.map(drop).map_err(|denial| denial.about(&needed))
    }

    /// Returns the scope of the grant that covers a need now.
    fn scope(&self, needed: &Missing, lasting: &ConfirmedGrants) -> Option<Scope> {
        let Missing { demand, capability, .. } = needed;
        let fingerprint = fingerprint(capability);
        let session = self.gate.session(&self.caller.session);
        match () {
            () if self.once.iter().any(|once| covers(once, demand)) => Some(Scope::Once),
            () if lock(&session.memory).covers(demand, &fingerprint) => Some(Scope::Session),
            () if self.gate.allows(&demand.capability) => Some(Scope::Session),
            () if lasting.grants.cover(demand, &fingerprint) => Some(Scope::Persistent),
            () => None,
        }
    }
}

fn covers(granted: &CapabilityDemand, wanted: &CapabilityDemand) -> bool {
    granted.capability == wanted.capability && granted.bounds.cover(&wanted.bounds)
}
