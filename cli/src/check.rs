//! `dialect eval --check`: reports the errors or the effect of a program without running it.

use std::process::ExitCode;

use component::vocabulary;
use dialect::{Effect, Limits, Outcome, Program, explain};
use serde_json::json;

use crate::failure::Failure;
use crate::output::{complain, say};

pub(crate) fn run(program: &str, as_json: bool) -> Result<ExitCode, Failure> {
    match Program::parse(&vocabulary(), program, &Limits::default()) {
        Ok(checked) => {
            let (name, words) = describe(checked.effect());
            say(&if as_json {
                json!({"outcome": "success", "effect": name}).to_string()
            } else {
                words.to_owned()
            })?;
            Ok(ExitCode::SUCCESS)
        }
        Err(failures) => {
            let message = explain(&Outcome::Failure(failures), program).text;
            if as_json {
                say(&json!({"outcome": "failure", "message": message}).to_string())?;
            } else {
                complain(&message);
            }
            Ok(ExitCode::FAILURE)
        }
    }
}

fn describe(effect: Effect) -> (&'static str, &'static str) {
    match effect {
        Effect::Pure => ("pure", "computes from its own text alone"),
        Effect::Reads => ("reads", "reads, and changes nothing"),
        Effect::Writes => ("writes", "writes"),
    }
}
