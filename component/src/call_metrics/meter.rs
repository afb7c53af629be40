//! The meter of one program, which the guards of its functions share.

use std::sync::{Arc, Mutex};
use std::time::Instant;

use dialect::{Failure, FailureKind, Interrupt, Outcome, Value};

use super::functions::Functions;
use crate::audit::Ending;
use crate::permission::denied_name::is_denied;
use crate::tool::answer::Kind;
use unpoisoned::lock;

/// The measurements of one program. A clone is the same meter; the default one measures nothing.
#[derive(Clone, Debug, Default)]
pub(crate) struct Meter(Option<Arc<Mutex<Readings>>>);

#[derive(Debug, Default)]
pub(super) struct Readings {
    pub(super) functions: Functions,
    /// The outcome of the program, once it is known.
    pub(super) ending: Option<(Ending, Option<String>)>,
    /// True when the program is over: a call that goes on in the background is none of it.
    is_over: bool,
}

/// Words that went into a call or came out of it. They are shared with it, not copied, unless they are texts.
#[derive(Clone, Debug)]
pub(crate) enum Said {
    Nothing,
    Value(Value),
    Text(String),
    Failure(Failure),
}

/// A call that has begun. Dropped before it ends, it was cancelled.
pub(crate) struct OpenCall {
    meter: Meter,
    function: String,
    given: Said,
    begun: Instant,
}

impl Meter {
    /// Returns a meter that measures.
    pub(super) fn new() -> Self {
        Self(Some(Arc::default()))
    }

    /// Begins a call; `None` if nothing is measured. `given` is what goes into it.
    pub(crate) fn begin(&self, function: &str, given: impl FnOnce() -> Said) -> Option<OpenCall> {
        self.0.as_ref()?;
        let (meter, function, given) = (self.clone(), function.to_owned(), given());
        Some(OpenCall { meter, function, given, begun: Instant::now() })
    }

    /// Sets the outcome of the program. The first one counts.
    pub(crate) fn ended(&self, ending: Ending, error: Option<String>) {
        if let Some(readings) = &self.0 {
            lock(readings).ending.get_or_insert((ending, error));
        }
    }

    /// Sets the outcome of the program to that of its evaluation.
    pub(crate) fn ended_as(&self, outcome: &Outcome) {
        let (ending, error) = match outcome {
            Outcome::Success(_) => (Ending::Success, None),
            Outcome::Ambiguity(_) => (Ending::Ambiguity, None),
            Outcome::Failure(failures) => match failures.all.first() {
                Some(failure) => of_failure(failure),
                None => (Ending::Failure, None),
            },
        };
        self.ended(ending, error);
    }

    /// Takes the readings; there are no more after this.
    pub(super) fn take(&self) -> Readings {
        let Some(readings) = &self.0 else { return Readings::default() };
        std::mem::replace(&mut *lock(readings), Readings { is_over: true, ..Readings::default() })
    }
}

impl OpenCall {
    /// Ends the call of a function of the registry.
    pub(crate) fn end(self, result: &Result<Value, Interrupt>) {
        let (ending, returned) = match result {
            Ok(value) => ((Ending::Success, None), Said::Value(value.clone())),
            Err(interrupt) => ending(interrupt),
        };
        self.end_as(ending, returned);
    }

    /// Ends the call with an outcome and the name of an error.
    pub(crate) fn end_as(mut self, ending: (Ending, Option<String>), returned: Said) {
        self.note(ending, returned);
    }

    fn note(&mut self, ending: (Ending, Option<String>), returned: Said) {
        let Some(readings) = self.meter.0.take() else { return };
        let milliseconds = self.begun.elapsed().as_secs_f64() * 1_000.0;
        let mut readings = lock(&readings);
        if !readings.is_over {
            let given = std::mem::replace(&mut self.given, Said::Nothing);
            readings.functions.add(&self.function, milliseconds, ending, [given, returned]);
        }
    }
}

impl Drop for OpenCall {
    fn drop(&mut self) {
        self.note((Ending::Cancelled, None), Said::Nothing);
    }
}

impl Said {
    /// Returns about how many bytes it takes.
    pub(super) fn bytes(&self) -> usize {
        match self {
            Self::Nothing => 0,
            Self::Value(value) => value.bytes(),
            Self::Text(text) => text.len(),
            Self::Failure(_) => 0, // failures are small, and few are different
        }
    }
}

impl From<Kind> for Ending {
    fn from(kind: Kind) -> Self {
        match kind {
            Kind::Success => Self::Success,
            Kind::Failure => Self::Failure,
            Kind::Ambiguity => Self::Ambiguity,
        }
    }
}

/// Returns the outcome of a function that did not return, with its words.
fn ending(interrupt: &Interrupt) -> ((Ending, Option<String>), Said) {
    match interrupt {
        Interrupt::Failure(failure) => (of_failure(failure), Said::Failure(failure.clone())),
        Interrupt::Ambiguous(question) => ((Ending::Ambiguity, None), Said::Text(question.question.clone())),
        // The function that was called back has the words.
        Interrupt::Inside(_) => match interrupt.clone().into_failure() {
            Ok(failure) => (of_failure(&failure), Said::Nothing),
            Err(_) => ((Ending::Ambiguity, None), Said::Nothing),
        },
    }
}

fn of_failure(failure: &Failure) -> (Ending, Option<String>) {
    match &*failure.kind {
        _ if is_denied(failure) => (Ending::Denied, None),
        FailureKind::Raised { name, .. } | FailureKind::Undeclared { name, .. } => {
            (Ending::Failure, Some(name.clone()))
        }
        kind => (Ending::Failure, Some(kind.name().to_owned())),
    }
}
