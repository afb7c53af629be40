//! Calls over answers that lack something: the call fails, or a note says what was decided on it.

use source_text::Span;

use super::run::Run;
use crate::decisions::Decision;
use crate::explain::decided_on_part;
use crate::{Failure, FailureKind, Gap, GapCause, Interrupt, Notes, Signature, Value};

impl Run {
    /// Returns the result of the call at a place. Fails if the result lacks something that is known to be missing, and
    /// the program decides on it.
    pub(super) fn judged(
        &self,
        result: Result<Value, Interrupt>,
        notes: &Notes,
        signature: &Signature,
        call: Span,
    ) -> Result<Value, Interrupt> {
        let value = result?;
        let Some(gap) = notes.take_gap() else { return Ok(value) };
        let Some(decision) = self.decision_on(call) else { return Ok(value) };
        let Decision { by, is_of_start } = decision;
        match gap.cause {
            GapCause::Limit if is_of_start => {}
            GapCause::Unknown => notes.add_decision(decided_on_part(by.as_deref(), &signature.name)),
            GapCause::Limit | GapCause::Failed | GapCause::Time => {
                return Err(incomplete(signature, by, gap));
            }
        }
        Ok(value)
    }

    /// Returns the result of a call from outside of a program. A result that lacks parts since a source
    /// failed or the time was up becomes a failure: code would decide on it. Other gaps are passed on to the
    /// call around it.
    pub(super) fn judged_outside(
        &self,
        result: Result<Value, Interrupt>,
        notes: &Notes,
        signature: &Signature,
    ) -> Result<Value, Interrupt> {
        let value = result?;
        match notes.take_gap() {
            Some(gap) if gap.cause >= GapCause::Failed => Err(incomplete(signature, None, gap)),
            gap => {
                gap.into_iter().for_each(|it| self.notes.pass_gap(it));
                Ok(value)
            }
        }
    }

    /// Notes failures for incomplete answers that the program goes on with.
    pub(super) fn note_caught(&self, failures: &[Failure]) {
        for failure in failures {
            if let FailureKind::IncompleteAnswer { function, by, .. } = &*failure.kind {
                self.notes.add_decision(decided_on_part(by.as_deref(), function));
            }
        }
    }

    /// Returns the result of a conversion, which finds what is meant. What it did not look at for lack of time may be
    /// meant, too.
    pub(super) fn judged_conversion(
        &self,
        value: Value,
        notes: &Notes,
        signature: &Signature,
    ) -> Result<Value, Interrupt> {
        match notes.take_gap() {
            Some(gap) if gap.cause == GapCause::Time => Err(incomplete(signature, None, gap)),
            _ => Ok(value),
        }
    }
}

fn incomplete(signature: &Signature, by: Option<String>, gap: Gap) -> Interrupt {
    let kind = FailureKind::IncompleteAnswer { function: signature.name.clone(), by, gap };
    Failure::from(kind).into()
}
