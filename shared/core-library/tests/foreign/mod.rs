//! Programs of other languages, with the values that they have there: a program that is offered has the same.

mod expressions;
mod oracle;

use core_library::library;
use dialect::{Limits, Outcome, Registry, run, show};
use futures::executor::block_on;
use libtest_mimic::Trial;
use serde_json::Value;

pub(crate) fn trials() -> Vec<Trial> {
    [literate::trials![every_offer_has_the_value_of_the_foreign_program], expressions::trials()]
        .into_iter()
        .flatten()
        .collect()
}

fn registry() -> Registry {
    Registry::new([library()]).expect("the tables fit")
}

fn outcome(registry: &Registry, program: &str) -> Outcome {
    block_on(run(registry, program, &Limits::default()))
}

/// Returns the value of a program, or that of the program that is offered for it, with that program.
fn value_offered(registry: &Registry, foreign: &str) -> Option<(Value, String)> {
    let (outcome, program) = match outcome(registry, foreign) {
        Outcome::Failure(failures) => {
            let program = failures.corrected?;
            (outcome(registry, &program), program)
        }
        outcome => (outcome, foreign.to_owned()),
    };
    match outcome {
        Outcome::Success(success) => {
            let value = serde_json::from_str(&show(&success.value)).expect("values are shown as JSON");
            Some((value, program))
        }
        // What fails teaches nothing wrong.
        _ => None,
    }
}

/// Returns `true` for equal values; languages spell one number in several ways.
fn equal(one: &Value, other: &Value) -> bool {
    match (one, other) {
        (Value::Number(one), Value::Number(other)) => one.as_f64() == other.as_f64(),
        (Value::Array(one), Value::Array(other)) => {
            one.len() == other.len() && one.iter().zip(other).all(|(one, other)| equal(one, other))
        }
        (Value::Object(one), Value::Object(other)) => {
            one.len() == other.len()
                && one.iter().all(|(key, value)| other.get(key).is_some_and(|it| equal(value, it)))
        }
        _ => one == other,
    }
}

fn every_offer_has_the_value_of_the_foreign_program() {
    let text = include_str!("programs.md");
    let registry = registry();
    let cases = literate::cases(text);
    assert!(cases.len() >= 250, "only {} cases are read", cases.len());
    let mut wrong = String::new();
    for case in cases {
        let program = case.input("foreign").expect("a case has a program");
        let known = case.expected.text.trim();
        let known = (known != "no offer").then(|| serde_json::from_str(known).expect("values are JSON"));
        let offered = value_offered(&registry, program);
        let agree = match (&known, &offered) {
            (Some(known), Some((value, _))) => equal(known, value),
            (known, offered) => known.is_none() && offered.is_none(),
        };
        if !agree {
            wrong += &format!("{program}\nis {known:?}, but the offer has {offered:?}\n\n");
        }
    }
    assert!(wrong.is_empty(), "{wrong}");
}
