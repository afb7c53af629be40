//! `dialect fmt`: formats programs, and converts them between the JSON form and the text form.

use std::path::{Path, PathBuf};
use std::process::ExitCode;

use component::vocabulary;
use dialect::ast::ExpressionKind;
use dialect::{
    Failures, Form, Limits, Outcome, Program, explain, format, has_comments, read as read_program,
};

use crate::arguments::{Fmt, Notation};
use crate::failure::Failure;
use crate::output::{complain, say, write_out};
use crate::source::read;

const WOULD_CHANGE: u8 = 1;
const WRONG: u8 = 2;

pub(crate) fn run(arguments: &Fmt) -> Result<ExitCode, Failure> {
    let standard_input = [PathBuf::from("-")];
    let files = if arguments.files.is_empty() { &standard_input[..] } else { &arguments.files };
    let mut worst = 0;
    for file in files {
        worst = worst.max(one(file, arguments.check, arguments.to)?);
    }
    Ok(ExitCode::from(worst))
}

/// Formats one file, and returns the exit code.
fn one(file: &Path, check: bool, to: Option<Notation>) -> Result<u8, Failure> {
    let (source, formatted) = match laid_out(file, to) {
        Ok(texts) => texts,
        Err(problem) => {
            complain(&problem);
            return Ok(WRONG);
        }
    };
    let is_stdin = file == Path::new("-");
    match (check, is_stdin) {
        (true, _) if formatted == source => {}
        (true, _) => {
            say(&file.display().to_string())?;
            return Ok(WOULD_CHANGE);
        }
        (false, true) => write_out(&formatted)?,
        (false, false) if formatted != source => std::fs::write(file, &formatted)
            .map_err(|error| format!("{} cannot be written: {error}", file.display()))?,
        (false, false) => {}
    }
    Ok(0)
}

/// Returns the text of a file, and the text formatted.
fn laid_out(file: &Path, to: Option<Notation>) -> Result<(String, String), String> {
    let source = read(file)?;
    let formatted = match to {
        None => format(&source).map_err(|it| explained(it, &source)),
        Some(Notation::Json) => converted(&source, Form::Json),
        Some(Notation::Text) => converted(&source, Form::Text),
    };
    match formatted {
        Ok(formatted) => Ok((source, formatted)),
        Err(message) => Err(format!("{}: {message}", file.display())),
    }
}

/// Returns a program in a form, formatted. One that has that form is only formatted.
fn converted(source: &str, form: Form) -> Result<String, String> {
    let (registry, limits) = (vocabulary(), Limits::default());
    let program = Program::parse(&registry, source, &limits).map_err(|it| explained(it, source))?;
    let formatted = format(source).map_err(|it| explained(it, source))?;
    // A program in JSON form may have comments and bare keys, and a number is JSON although it has no form.
    let is_already = if form == Form::Json { is_json(source) } else { program.form() == form };
    if is_already {
        return Ok(formatted);
    }
    if has_comments(source) {
        return Err("it has comments, which would be lost in the other form: remove them first".to_owned());
    }
    let written = match (form, program.write(&registry, form)) {
        (Form::Json, written) if !is_json(&written) => json_text(&written),
        (_, written) => Some(written),
    };
    let read = written.filter(|it| Program::parse(&registry, it, &limits).is_ok());
    let written = read.ok_or("it has no equivalent in the other form")?;
    format(&written).map_err(|it| explained(it, &written))
}

fn is_json(text: &str) -> bool {
    serde_json::from_str::<serde_json::Value>(text).is_ok()
}

/// Returns a program that is a text as a JSON string; `None` for any other program.
fn json_text(program: &str) -> Option<String> {
    match read_program(program).ok()?.kind {
        ExpressionKind::Text(text) => Some(serde_json::Value::from(text).to_string()),
        _ => None,
    }
}

fn explained(failures: Failures, source: &str) -> String {
    explain(&Outcome::Failure(failures), source).text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn files_are_rewritten_checked_and_refused() {
        let folder = tempfile::tempdir().unwrap();
        let file = |name: &str, text: &str| {
            let path = folder.path().join(name);
            std::fs::write(&path, text).unwrap();
            path
        };
        let loose = file("loose.dialect", "count( [1,2] ) // two");
        assert_eq!(one(&loose, true, None).unwrap(), WOULD_CHANGE);
        assert_eq!(one(&loose, false, None).unwrap(), 0);
        assert_eq!(std::fs::read_to_string(&loose).unwrap(), "count([1, 2]) // two\n");
        assert_eq!(one(&loose, true, None).unwrap(), 0);
        let broken = file("broken.dialect", "count(");
        assert_eq!(one(&broken, false, None).unwrap(), WRONG);
        assert!(
            laid_out(&broken, None)
                .unwrap_err()
                .contains("broken.dialect: line 1, column 6: this `(` is never closed")
        );
        assert_eq!(one(&folder.path().join("absent"), false, None).unwrap(), WRONG);
    }

    #[test]
    fn a_program_has_both_forms() {
        for (text, json) in [
            (
                "findReferences(findDefinition(`User`))",
                r#"{"findReferences": [{"findDefinitions": ["User"]}]}"#,
            ),
            ("x = [1, 2];\ncount(x)", r#"{"let": [["x", [1, 2]], {"count": [{"var": "x"}]}]}"#),
            (
                "[1, ...[2]].map(it => it + 1)",
                r#"{"map": [[1, {"spread": [2]}], {"lambda": {"params": ["it"], "body": {"+": [{"var": "it"}, 1]}}}]}"#,
            ),
        ] {
            let to_json = converted(text, Form::Json).unwrap();
            let parse = |it: &str| serde_json::from_str::<serde_json::Value>(it).unwrap();
            assert_eq!(parse(&to_json), parse(json), "{to_json}");
            let back = converted(&to_json, Form::Text).unwrap();
            assert_eq!(converted(&back, Form::Json).unwrap(), to_json);
            assert_eq!(converted(&back, Form::Text).unwrap(), back);
        }
        for (text, json) in [
            ("`a`", "\"a\"\n"),
            ("\"a\"", "\"a\"\n"),
            ("1", "1\n"),
            ("{a: 1, b: 2}", "{\"a\": 1, \"b\": 2}\n"),
        ] {
            assert_eq!(converted(text, Form::Json).unwrap(), json);
        }
        assert_eq!(
            converted("quote(`count(1)`)", Form::Json).unwrap_err(),
            "it has no equivalent in the other form"
        );
    }

    #[test]
    fn a_conversion_loses_no_comment_and_hides_no_mistake() {
        let lost = converted("count([1]) // one", Form::Json).unwrap_err();
        assert!(lost.contains("comments") && lost.contains("remove them"), "{lost}");
        assert_eq!(converted("count( [1]) // one", Form::Text).unwrap(), "count([1]) // one\n");
        let unknown = converted("nosuch(1)", Form::Json).unwrap_err();
        assert!(unknown.starts_with("line 1, column 1"), "{unknown}");
    }
}
