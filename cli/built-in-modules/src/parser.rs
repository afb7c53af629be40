//! `parser`: documents of files and texts, at a level of detail.

use std::sync::Arc;

use ailang::{Detail, Document, Level, Severity};
use dialect::{Failure, Value};
use serde_json::{Value as Json, json};

use crate::call::{Call, level, result};
use crate::loader::error_value;
use crate::view;

/// The name of a text in messages.
const TEXT: &str = "the text";

/// Reads a document of the package.
pub(crate) fn parse_document(call: &Call) -> Result<Value, Failure> {
    let (path, level) = (call.text("filePath")?, of_level(call));
    let read = call.program.own()?.lock().read(path, level);
    Ok(result(match read {
        Ok(read) => {
            let document = Arc::clone(read.document());
            Ok(view::parsed(&call.program, document, Some(&read.path), &level.into()).into())
        }
        Err(error) => Err(error_value(&call.run, &error)),
    }))
}

/// Reads the text of a document.
pub(crate) fn parse_text(call: &Call) -> Result<Value, Failure> {
    let document = Document::parse(call.text("content")?);
    Ok(result(match mistake(&document, "") {
        None => Ok(view::parsed(&call.program, Arc::new(document), None, &of_level(call).into()).into()),
        Some(reason) => Err(call.run.error("ParseError", json!({"path": TEXT, "reason": reason}))),
    }))
}

pub(crate) fn metadata(call: &Call) -> Result<Value, Failure> {
    let document = content(call, "AL0")?;
    Ok(view::metadata(&document, None).into())
}

pub(crate) fn definitions(call: &Call) -> Result<Value, Failure> {
    let document = content(call, "")?;
    Ok(Json::from(view::definitions(&document, None, &of_level(call).into())).into())
}

pub(crate) fn examples(call: &Call) -> Result<Value, Failure> {
    let document = content(call, "")?;
    Ok(Json::from(view::examples(&document, &Level::Complete.into())).into())
}

pub(crate) fn prose(call: &Call) -> Result<Value, Failure> {
    let document = content(call, "AL00")?;
    Ok(document.prose(&Detail::from(of_level(call))).into())
}

fn of_level(call: &Call) -> Level {
    level(&call.invocation, "level").unwrap_or(Level::Standard)
}

/// Parses the argument, whose mistakes of certain codes are thrown.
fn content(call: &Call, codes: &str) -> Result<Document, Failure> {
    let document = Document::parse(call.text("content")?);
    match mistake(&document, codes) {
        Some(reason) => Err(call.failure("ParseError", json!({"path": TEXT, "reason": reason}))),
        None => Ok(document),
    }
}

/// Returns the first error of syntax whose code starts so, with its line.
fn mistake(document: &Document, codes: &str) -> Option<String> {
    let is_it =
        |it: &&ailang::Diagnostic| it.severity == Severity::Error && it.code.to_string().starts_with(codes);
    let first = document.diagnostics.iter().find(is_it)?;
    let line = document.source.get(..first.span.start).unwrap_or_default().matches('\n').count() + 1;
    Some(format!("line {line}: {}: {}", first.code, first.message))
}
