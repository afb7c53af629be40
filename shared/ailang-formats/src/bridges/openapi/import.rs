//! OpenAPI → documents: the whole document.

use ailang::plain;
use serde_json::{Map, Value};

use super::operation::OperationReader;
use crate::bridges::draft::{Draft, Header};
use crate::bridges::format::ImportError;
use crate::bridges::read::{SchemaReader, step};
use crate::bridges::words::quotation;

/// The methods of a path.
const METHODS: &[&str] = &["get", "put", "post", "delete", "options", "head", "patch", "trace"];

/// The maximum number of operations.
const MOST_OPERATIONS: usize = 5_000;

pub(crate) fn import(root: &Value) -> Result<Draft, ImportError> {
    let version = root.get("openapi").and_then(Value::as_str).unwrap_or_default();
    let is_old = version.starts_with("3.0");
    if !is_old && !version.starts_with("3.") {
        let found = if root.get("swagger").is_some() { "Swagger 2" } else { "no `openapi: 3.x`" };
        return Err(ImportError(format!("it has {found}; OpenAPI 3.1 and 3.0 are read")));
    }
    let mut schemas = SchemaReader::new(root);
    schemas.is_old = is_old;
    let mut reader = OperationReader::new(root, schemas);
    let named = root.pointer("/components/schemas").and_then(Value::as_object);
    for (key, schema) in named.into_iter().flatten() {
        if schema.get("x-ailang-error").is_none() {
            reader.schemas.name_of(&format!("/components/schemas/{}", step(key)));
        }
    }
    reader.declare_errors();
    reader.declare_permissions();
    for (path, method, at, item) in operations(root)? {
        reader.operation(path, method, item, &at);
    }
    reader.report_document();
    let info = &root["info"];
    let mut header = Header::described(info, &info["x-ailang"], None, "/info", &mut reader.schemas.remarks);
    let summary = plain(&header.summary, 400);
    let is_longer = summary.chars().count() > 300 || header.summary.trim().contains('\n');
    // Foreign words are quoted, so that they open no blocks.
    let prose = if is_longer { quotation(&header.summary) } else { String::new() };
    let first = header.summary.trim().lines().next().unwrap_or_default().to_owned();
    if is_longer {
        header.summary = first;
    }
    Ok(reader.into_draft(header, prose))
}

/// An operation: its path, its method, its JSON Pointer, and the item of its path.
type Operation<'v> = (&'v str, &'static str, String, &'v Map<String, Value>);

fn operations(root: &Value) -> Result<Vec<Operation<'_>>, ImportError> {
    let mut operations = Vec::new();
    for (path, item) in root.get("paths").and_then(Value::as_object).into_iter().flatten() {
        let Some(item) = item.as_object() else { continue };
        for method in METHODS {
            if item.contains_key(*method) {
                operations.push((path.as_str(), *method, format!("/paths/{}/{method}", step(path)), item));
            }
        }
    }
    if operations.len() > MOST_OPERATIONS {
        return Err(ImportError(format!(
            "it has {} operations; at most {MOST_OPERATIONS} are read",
            operations.len()
        )));
    }
    Ok(operations)
}
