//! Promises that hold for every outcome, whatever its text is.

use dialect::{Failures, Limits, Outcome, Registry, print, run};
use futures::executor::block_on;

/// Checks an outcome; returns the broken promise.
pub(crate) fn hold(registry: &Registry, outcome: &Outcome) -> Result<(), String> {
    match outcome {
        Outcome::Success(success) => {
            let printed = print(registry, &success.value);
            match outcome_of(registry, &printed) {
                Outcome::Success(again) if again.value == success.value => Ok(()),
                other => Err(format!("the value prints as\n{printed}\nwhich comes to\n{other:?}")),
            }
        }
        Outcome::Failure(failures) => corrected_runs(registry, failures),
        Outcome::Ambiguity(ambiguity) => {
            ambiguity.candidates().iter().try_for_each(|it| comes_to_a_value(registry, &it.program))
        }
    }
}

fn corrected_runs(registry: &Registry, failures: &Failures) -> Result<(), String> {
    failures.corrected.iter().try_for_each(|it| comes_to_a_value(registry, it))
}

pub(crate) fn comes_to_a_value(registry: &Registry, program: &str) -> Result<(), String> {
    match outcome_of(registry, program) {
        Outcome::Success(_) => Ok(()),
        other => Err(format!("offered is\n{program}\nwhich comes to\n{other:?}")),
    }
}

fn outcome_of(registry: &Registry, program: &str) -> Outcome {
    block_on(run(registry, program, &Limits::default()))
}
