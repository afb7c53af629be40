//! The entries of the audit log, and the grants that rest on them.

use serde_json::json;

use super::caller::Caller;
use super::capability::fingerprint;
use super::demand::CapabilityDemand;
use super::grants::Grant;
use super::question::Missing;
use super::undeclared::UndeclaredError;
use crate::audit::{Action, By, Event, Written};

/// Returns an event with the fields that all events have.
pub(super) fn event(caller: &Caller, of: &Missing, action: Action, by: By) -> Event {
    let tool = of.callables.iter().cloned().collect::<Vec<_>>().join(", ");
    Event {
        session: Some(caller.session.clone()),
        workspace: caller.workspace.as_ref().map(|it| it.to_string_lossy().into_owned()),
        capability: of.demand.capability.clone(),
        params: json!(of.demand.bounds),
        action,
        tool: Some(tool),
        document: of.capability.origin.clone(),
        document_hash: Some(fingerprint(&of.capability)),
        scope: None,
        by,
        arguments: None,
        reason: None,
        measured: None,
    }
}

pub(super) fn undeclared(caller: &Caller, breach: UndeclaredError) -> Event {
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
        measured: None,
    }
}

/// Returns the event of a program that has run as a whole, with numbers about it and its outcome.
pub(super) fn ran(caller: &Caller, tool: &str, numbers: serde_json::Value, outcome: String) -> Event {
    Event {
        session: Some(caller.session.clone()),
        workspace: caller.workspace.as_ref().map(|it| it.to_string_lossy().into_owned()),
        capability: tool.to_owned(),
        params: json!({}),
        action: Action::Ran,
        tool: None,
        document: None,
        document_hash: None,
        scope: None,
        by: By::Policy,
        arguments: Some(numbers),
        reason: Some(outcome),
        measured: None,
    }
}

/// Returns the event of a skill that has another level of detail, with numbers about it and the reason.
pub(super) fn loaded(caller: &Caller, skill: &str, numbers: serde_json::Value, why: String) -> Event {
    Event { action: Action::Loaded, ..ran(caller, skill, numbers, why) }
}

/// Returns the grant that an entry of the audit log records.
pub(super) fn grant(of: &Missing, written: Written) -> Grant {
    let Missing { demand: CapabilityDemand { capability, bounds }, .. } = of.clone();
    let Written { seal, ts } = written;
    let fingerprint = fingerprint(&of.capability);
    Grant { capability, bounds, fingerprint, granted_at: ts, entry: Some(seal) }
}
