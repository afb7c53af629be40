//! `rangeLines`, `definitionLines` and `callLines`: lists of places from the lines that they are printed as.

use ailang::Implementation;
use dialect::{Failure, Handler, Interrupt, Invocation, Value};
use serde::Deserialize;

use crate::compact::{self, BadLine};
use crate::failure::invalid;
use crate::row::{Code, plain};

pub(crate) fn codes() -> [Code; 3] {
    [
        Implementation::of("rangeLines(lines)", reader(compact::ranges)),
        Implementation::of("definitionLines(lines)", reader(compact::definitions)),
        Implementation::of("callLines(lines)", reader(compact::calls)),
    ]
}

/// Lines as one text, or one by one.
#[derive(Deserialize)]
#[serde(untagged)]
enum Lines {
    Together(String),
    Each(Vec<String>),
}

fn reader(read: fn(&str) -> Result<Vec<serde_json::Value>, BadLine>) -> impl Handler {
    move |invocation: Invocation| async move {
        let lines = match invocation.arguments.read("lines")? {
            Lines::Together(text) => text,
            Lines::Each(lines) => lines.join("\n"),
        };
        let places = read(&lines).map_err(|BadLine(number)| bad(&lines, number))?;
        Ok::<Value, Interrupt>(plain(&places))
    }
}

fn bad(lines: &str, number: usize) -> Failure {
    let line = lines.lines().nth(number - 1).unwrap_or_default();
    let problem = format!("line {number} of `lines` is no place as answers print it: `{line}`");
    invalid(problem, "Pass lines as they were printed, or a place as `path:line:column`.").argument("lines")
}
