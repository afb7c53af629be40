//! `dialect eval`: runs one program through the same chain that agents use, between two stubs.

use std::io::IsTerminal;
use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::time::{Duration, Instant};

use serde_json::{Value, json};

use crate::arguments::{Eval, Source, Trust};
use crate::environment::{executable, workspace};
use crate::failure::Failure;
use crate::output::{complain, say};
use crate::source::read;
use crate::stub::{OnProgress, converse};
use crate::{Chain, check, os};

/// The time after which progress is printed when standard error is not a terminal.
const PATIENCE: Duration = Duration::from_secs(1);

const USAGE: u8 = 2;
const AMBIGUOUS: u8 = 3;

pub(crate) async fn run(arguments: Eval) -> Result<ExitCode, Failure> {
    let (program, workspace) = match question(&arguments) {
        Ok(question) => question,
        Err(error) => {
            complain(&format!("dialect eval: {error}"));
            return Ok(ExitCode::from(USAGE));
        }
    };
    if arguments.check {
        return check::run(&program, arguments.json);
    }
    let chain = chain_for(arguments.trust, arguments.timeout, arguments.wait)?;
    let asking = converse(chain, &workspace, progress(), async |session| session.ask(&program).await);
    let result = tokio::select! {
        result = asking => result?,
        () = os::asked_to_end()? => return Ok(ExitCode::FAILURE),
    };
    print(&result, arguments.json)
}

/// Returns the settings of the chain for programs of a person.
pub(crate) fn chain_for(trust: Trust, timeout: u64, wait: Option<Duration>) -> Result<Chain, Failure> {
    let mut chain = Chain::new(executable()?);
    trust.set_up(&mut chain.fallback)?;
    chain.fallback.user_settings = adapter::fallback::user_settings();
    chain.fallback.trust_store = adapter::fallback::TrustStore::of_user();
    chain.fallback.keep_index();
    chain.component.deadline = Duration::from_secs(timeout);
    chain.component.wait = wait;
    chain.component.form = component::Form::Json;
    Ok(chain)
}

fn question(arguments: &Eval) -> Result<(String, PathBuf), Failure> {
    Ok((program(&arguments.source)?, workspace(arguments.workspace.as_deref())?))
}

fn program(arguments: &Source) -> Result<String, String> {
    match (&arguments.file, arguments.program.as_deref()) {
        (Some(file), _) => read(file),
        (None, Some("-")) => read(Path::new("-")),
        (None, Some(program)) => Ok(program.to_owned()),
        (None, None) => unreachable!("clap requires one of them"),
    }
}

/// Returns a callback that prints progress to standard error.
pub(crate) fn progress() -> OnProgress {
    let (began, is_terminal) = (Instant::now(), std::io::stderr().is_terminal());
    Box::new(move |message| {
        if is_terminal || began.elapsed() >= PATIENCE {
            eprintln!("{message}");
        }
    })
}

/// Prints the value to standard output, and notes or an error to standard error. Returns the exit code of the
/// outcome.
pub(crate) fn print(result: &Value, as_json: bool) -> Result<ExitCode, Failure> {
    let outcome = result["_meta"]["dialect/outcome"].as_str().unwrap_or("failure");
    let blocks: Vec<_> =
        result["content"].as_array().into_iter().flatten().filter_map(|it| it["text"].as_str()).collect();
    let (answer, notes) = blocks.split_first().map_or(("", &[][..]), |(first, rest)| (*first, rest));
    if as_json {
        say(&machine_readable(outcome, answer, notes).to_string())?;
    } else if outcome == "success" {
        say(&readable(answer, std::io::stdout().is_terminal()))?;
        notes.iter().for_each(|note| complain(note));
    } else {
        complain(answer);
    }
    Ok(match outcome {
        "success" => ExitCode::SUCCESS,
        "ambiguity" => ExitCode::from(AMBIGUOUS),
        _ => ExitCode::FAILURE,
    })
}

/// Returns an answer for people. A text stands as it is; other values are formatted on a terminal.
fn readable(answer: &str, is_terminal: bool) -> String {
    match serde_json::from_str(answer) {
        Ok(Value::String(text)) => text,
        Ok(_) if is_terminal => laid_out(answer),
        _ => answer.to_owned(),
    }
}

/// Returns JSON formatted as a program, since JSON is one.
fn laid_out(answer: &str) -> String {
    match dialect::format(answer) {
        Ok(text) => text.trim_end().to_owned(),
        Err(_) => answer.to_owned(), // deeper or longer than a program may be
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
        assert_eq!(readable(r#""a.rs:1: x\nb.rs:2: y""#, false), "a.rs:1: x\nb.rs:2: y");
        assert_eq!(readable(r#"[{"a":1}]"#, false), r#"[{"a":1}]"#);
        assert_eq!(readable(r#"[{"a":1}]"#, true), r#"[{"a": 1}]"#);
        let wide = format!("[{}]", ["\"some text of a list\""; 6].join(","));
        assert_eq!(readable(&wide, true).lines().count(), 8);
    }

    #[test]
    fn machines_read_the_value() {
        let value = machine_readable("success", r#"[1]"#, &["cut"]);
        assert_eq!(value, json!({"outcome": "success", "value": [1], "notes": ["cut"]}));
        let failed = machine_readable("failure", "no such thing", &[]);
        assert_eq!(failed, json!({"outcome": "failure", "message": "no such thing"}));
    }
}
