//! `dialect eval`: runs one program through the same chain that agents use, between two stubs.

use std::io::{IsTerminal, Read};
use std::path::PathBuf;
use std::process::ExitCode;
use std::time::{Duration, Instant};

use serde_json::{Value, json};

use crate::arguments::{Eval, Source, executable, workspace};
use crate::output::say;
use crate::stub::{self, Question};
use crate::{Chain, Failure, os};

/// Progress is shown on a terminal at once, and elsewhere when the answer keeps one waiting.
const PATIENCE: Duration = Duration::from_secs(1);

const USAGE: u8 = 2;
const AMBIGUOUS: u8 = 3;

pub(crate) async fn run(arguments: Eval) -> Result<ExitCode, Failure> {
    let (program, workspace) = match question(&arguments) {
        Ok(question) => question,
        Err(error) => {
            eprintln!("dialect eval: {error}");
            return Ok(ExitCode::from(USAGE));
        }
    };
    let mut config = Chain::new(executable()?);
    config.fallback.trust = arguments.trust.trust;
    config.component.deadline = Duration::from_secs(arguments.timeout);
    let question = Question { program, workspace, on_progress: progress() };
    let result = tokio::select! {
        result = stub::ask(config, question) => result?,
        () = os::asked_to_end()? => return Ok(ExitCode::FAILURE),
    };
    print(&result, arguments.json)
}

fn question(arguments: &Eval) -> Result<(String, PathBuf), Failure> {
    Ok((program(&arguments.source)?, workspace(arguments.workspace.as_deref())?))
}

fn program(arguments: &Source) -> Result<String, Failure> {
    let mut text = String::new();
    match (&arguments.file, arguments.program.as_deref()) {
        (Some(file), _) => std::fs::File::open(file)
            .and_then(|mut it| it.read_to_string(&mut text))
            .map_err(|error| format!("{} cannot be read: {error}", file.display()))?,
        (None, Some("-")) => std::io::stdin()
            .read_to_string(&mut text)
            .map_err(|error| format!("the program on standard input cannot be read: {error}"))?,
        (None, Some(program)) => return Ok(program.to_owned()),
        (None, None) => unreachable!("clap requires one of them"),
    };
    Ok(text)
}

fn progress() -> Box<dyn Fn(&str) + Send + Sync> {
    let (began, is_terminal) = (Instant::now(), std::io::stderr().is_terminal());
    Box::new(move |message| {
        if is_terminal || began.elapsed() >= PATIENCE {
            eprintln!("{message}");
        }
    })
}

/// The value goes to standard output; what has to be said about it, or why there is none, to standard error.
fn print(result: &Value, as_json: bool) -> Result<ExitCode, Failure> {
    let outcome = result["_meta"]["dialect/outcome"].as_str().unwrap_or("failure");
    let blocks: Vec<_> =
        result["content"].as_array().into_iter().flatten().filter_map(|it| it["text"].as_str()).collect();
    let (answer, notes) = blocks.split_first().map_or(("", &[][..]), |(first, rest)| (*first, rest));
    if as_json {
        say(&machine_readable(outcome, answer, notes).to_string())?;
    } else {
        say(&readable(outcome, answer))?;
        notes.iter().for_each(|note| eprintln!("{note}"));
    }
    Ok(match outcome {
        "success" => ExitCode::SUCCESS,
        "ambiguity" => ExitCode::from(AMBIGUOUS),
        _ => ExitCode::FAILURE,
    })
}

/// A text stands as it is, where people read it.
fn readable(outcome: &str, answer: &str) -> String {
    match serde_json::from_str(answer) {
        Ok(Value::String(text)) if outcome == "success" => text,
        _ => answer.to_owned(),
    }
}

fn machine_readable(outcome: &str, answer: &str, notes: &[&str]) -> Value {
    match outcome {
        "success" => {
            let value: Value = serde_json::from_str(answer).unwrap_or_else(|_| json!(answer));
            json!({"outcome": outcome, "value": value, "notes": notes})
        }
        _ => json!({"outcome": outcome, "message": answer}),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_outcome_is_the_exit_code() {
        let code = |outcome: &str| {
            let result =
                json!({"content": [{"type": "text", "text": "1"}], "_meta": {"dialect/outcome": outcome}});
            format!("{:?}", print(&result, true).unwrap())
        };
        assert_eq!(code("success"), format!("{:?}", ExitCode::SUCCESS));
        assert_eq!(code("failure"), format!("{:?}", ExitCode::FAILURE));
        assert_eq!(code("ambiguity"), format!("{:?}", ExitCode::from(3)));
    }

    #[test]
    fn people_read_a_text_as_it_is() {
        assert_eq!(readable("success", r#""a.rs:1: x\nb.rs:2: y""#), "a.rs:1: x\nb.rs:2: y");
        assert_eq!(readable("success", r#"[{"a":1}]"#), r#"[{"a":1}]"#);
        assert_eq!(readable("failure", r#""quoted""#), r#""quoted""#);
    }

    #[test]
    fn machines_read_the_value() {
        let value = machine_readable("success", r#"[1]"#, &["cut"]);
        assert_eq!(value, json!({"outcome": "success", "value": [1], "notes": ["cut"]}));
        let failed = machine_readable("failure", "no such thing", &[]);
        assert_eq!(failed, json!({"outcome": "failure", "message": "no such thing"}));
    }
}
