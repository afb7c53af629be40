//! Promises that every outcome keeps, whatever its words are.

use dialect::{Ambiguity, Limits, Outcome, Registry, Value, print, run};
use futures::executor::block_on;

/// Returns the promise that the outcome of a program breaks.
pub(crate) fn hold(registry: &Registry, outcome: &Outcome) -> Result<(), String> {
    match outcome {
        Outcome::Success(success) => {
            evaluates_to_itself(registry, &success.value)?;
            can_be_pasted(registry, &success.value)
        }
        Outcome::Failure(_) => Ok(()),
        Outcome::Ambiguity(ambiguity) => candidates_run(registry, ambiguity),
    }
}

fn evaluates_to_itself(registry: &Registry, value: &Value) -> Result<(), String> {
    let printed = print(registry, value);
    match block_on(run(registry, &printed, &Limits::default())) {
        Outcome::Success(again) if again.value == *value => Ok(()),
        other => Err(format!("the value prints as\n{printed}\nwhich comes to\n{other:?}")),
    }
}

/// Checks that a value an agent reads is a valid argument.
fn can_be_pasted(registry: &Registry, value: &Value) -> Result<(), String> {
    let is_place =
        |it: &Value| it.fields().is_some_and(|it| it.contains_key("path") || it.contains_key("nameAt"));
    let is_places = |it: &[Value]| !it.is_empty() && it.iter().all(is_place);
    if !is_place(value) && !value.as_list().is_some_and(is_places) {
        return Ok(());
    }
    let text = value.to_json();
    let mut programs = vec![format!("source({text})"), format!("brief({text})")];
    let single = match value.as_list() {
        None => Some(value),
        Some([only]) => Some(only),
        Some(_) => None,
    };
    if let Some(single) = single {
        programs.push(format!("lines({text})"));
        if single.fields().is_some_and(|it| it.contains_key("nameAt")) {
            programs.push(format!("findDefinitions({text})"));
            programs.push(format!("findReferences({text})"));
        }
    }
    for program in programs {
        match block_on(run(registry, &program, &Limits::default())) {
            Outcome::Success(_) => {}
            other => return Err(format!("{program}\ncomes to\n{other:?}")),
        }
    }
    Ok(())
}

/// Checks that each candidate evaluates to a value.
fn candidates_run(registry: &Registry, ambiguity: &Ambiguity) -> Result<(), String> {
    for candidate in ambiguity.candidates() {
        match block_on(run(registry, &candidate.program, &Limits::default())) {
            Outcome::Success(_) => {}
            other => return Err(format!("the candidate\n{}\ncomes to\n{other:?}", candidate.program)),
        }
    }
    Ok(())
}
