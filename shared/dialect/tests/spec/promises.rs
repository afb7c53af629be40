//! Promises that every outcome keeps.

use dialect::{Ambiguity, FailureKind, Failures, Limits, Outcome, Program, Registry, explain, print, run};
use futures::executor::block_on;

/// Returns the promise that the outcome of `program` breaks.
pub(crate) fn hold(
    registry: &Registry,
    outcome: &Outcome,
    program: &str,
    limits: &Limits,
) -> Result<(), String> {
    match outcome {
        Outcome::Success(success) => {
            let printed = print(registry, &success.value);
            match block_on(run(registry, &printed, &Limits::default())) {
                Outcome::Success(again) if again.value == success.value => Ok(()),
                other => Err(format!("the value prints as\n{printed}\nwhich comes to\n{other:?}")),
            }
        }
        Outcome::Failure(failures) => {
            offered_programs_differ(registry, failures, limits)?;
            corrected_program_reads(registry, &explain(outcome, program).text, limits)
        }
        Outcome::Ambiguity(ambiguity) => candidates_run(registry, ambiguity, limits),
    }
}

/// Checks that the program behind the last `Write:` has no mistake that is found before it runs.
fn corrected_program_reads(registry: &Registry, words: &str, limits: &Limits) -> Result<(), String> {
    let Some((_, corrected)) = words.rsplit_once("\nWrite:\n") else { return Ok(()) };
    match Program::parse(registry, corrected, limits) {
        Ok(_) => Ok(()),
        Err(failures) => Err(format!("{words}\nbut that fails with\n{failures:?}")),
    }
}

/// Checks that a program offered for a mistake does not have that mistake. It may have others of the
/// original.
fn offered_programs_differ(registry: &Registry, failures: &Failures, limits: &Limits) -> Result<(), String> {
    for failure in failures {
        let offered = match &*failure.kind {
            FailureKind::LeadingOperator { joined, separate, .. } => vec![Some(joined), separate.as_ref()],
            FailureKind::SeveralResults { program } | FailureKind::QuotedProgram { program } => {
                vec![Some(program)]
            }
            FailureKind::ObjectCall { call, data } => vec![Some(call), Some(data)],
            FailureKind::AmbiguousElement { program, .. } => vec![program.as_ref()],
            _ => Vec::new(),
        };
        for program in offered.into_iter().flatten() {
            let Err(again) = Program::parse(registry, program, limits) else { continue };
            if again.all.iter().any(|it| it.kind.name() == failure.kind.name()) {
                return Err(format!("{program}\nis offered for itself: {again:?}"));
            }
        }
    }
    Ok(())
}

/// Checks that each candidate runs: it may fail, or ask something else, but does not ask the same again.
fn candidates_run(registry: &Registry, ambiguity: &Ambiguity, limits: &Limits) -> Result<(), String> {
    for candidate in ambiguity.candidates() {
        let fails = match block_on(run(registry, &candidate.program, limits)) {
            Outcome::Success(_) => None,
            Outcome::Failure(failures) => Some(format!("{failures:?}")),
            Outcome::Ambiguity(again) => {
                (programs(&again) == programs(ambiguity)).then(|| format!("{again:?}"))
            }
        };
        if let Some(fails) = fails {
            return Err(format!("the candidate\n{}\ncomes to\n{fails}", candidate.program));
        }
    }
    Ok(())
}

/// Returns the candidates' programs, which are the same if the question is.
fn programs(ambiguity: &Ambiguity) -> Vec<&str> {
    ambiguity.candidates().iter().map(|it| it.program.as_str()).collect()
}
