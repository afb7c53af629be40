//! `ailang check-value`: checks a JSON value against a type.

use std::path::PathBuf;

use clap::Args;
use packages::Package;
use serde_json::{Value, json};

use super::documents::package;
use super::format::Format;
use super::outcome::{ExitResult, WRONG, say_tree};
use crate::output::{complain, say};
use crate::source::read;

#[derive(Debug, Args)]
pub(super) struct CheckValue {
    /// The document that declares the type
    file: PathBuf,
    /// The type: `Address`, `List<Address>`
    #[arg(long = "type", value_name = "TYPE")]
    ty: String,
    /// The value, as JSON
    #[arg(long, required_unless_present = "input", conflicts_with = "input")]
    value: Option<String>,
    /// A file with the value; `-` for standard input
    #[arg(long)]
    input: Option<PathBuf>,
    /// The output format
    #[arg(long, value_enum, default_value_t)]
    format: Format,
}

pub(super) fn run(arguments: &CheckValue) -> ExitResult {
    let Package { documents, path, .. } = package(&arguments.file)?;
    let text = match &arguments.input {
        Some(input) => read(input)?,
        None => arguments.value.clone().unwrap_or_default(),
    };
    let value: Value = match serde_json::from_str(&text) {
        Ok(value) => value,
        Err(error) => {
            complain(&format!("the value is no JSON: {error}"));
            return Ok(WRONG);
        }
    };
    let problems = match documents.check_value(&path, &arguments.ty, &value) {
        Ok(checked) => checked.err().unwrap_or_default(),
        Err(problem) => {
            complain(&problem);
            return Ok(WRONG);
        }
    };
    if arguments.format == Format::Pretty {
        for problem in &problems {
            say(&problem.to_string())?;
        }
    } else {
        let problem =
            |it: &ailang::Problem| json!({"pointer": it.pointer, "rule": it.rule, "message": it.message});
        say_tree(arguments.format, &problems.iter().map(problem).collect())?;
    }
    Ok(if problems.is_empty() { 0 } else { WRONG })
}
