//! Data that looks like a program, or like a call in JSON form.

use crate::ast::ExpressionKind;
use crate::name::fold;
use crate::{Limits, Registry};

/// The fields in which other protocols name a callee, and its arguments.
pub(crate) const CALLEES: &[&str] =
    &["function", "name", "tool", "call", "fn", "op", "operation", "method", "action", "command", "callee"];
pub(crate) const GIVEN: &[&str] = &["arguments", "args", "parameters", "params", "input", "inputs", "kwargs"];

/// Returns `true` if a text is a program that calls something of the registry.
pub(crate) fn is_quoted_program(registry: &Registry, text: &str) -> bool {
    if !text.contains(['(', '{']) {
        return false;
    }
    let (Some(expression), failures) = crate::parse::parse(text, &Limits::default()) else { return false };
    let callee = match &expression.kind {
        ExpressionKind::Call(call) => &call.name.text,
        ExpressionKind::Object(fields) if fields.len() == 1 => &fields[0].0.text,
        _ => return false,
    };
    failures.is_empty() && registry.callable(callee).is_some()
}

/// Returns `true` if data looks like a call, as part of a program in JSON form.
pub(crate) fn looks_like_call<'a>(registry: &Registry, keys: impl IntoIterator<Item = &'a String>) -> bool {
    let keys: Vec<String> = keys.into_iter().map(|key| fold(key)).collect();
    let callables = keys.iter().filter(|key| registry.callable(key).is_some()).count();
    let names = |names: &[&str]| keys.iter().any(|key| names.contains(&key.as_str()));
    let beside_arguments = |key: &String| {
        let Some(callable) = registry.callable(key) else { return false };
        let parameters = &callable.signature.parameters;
        keys.iter()
            .filter(|it| *it != key)
            .all(|it| parameters.iter().any(|parameter| fold(&parameter.name) == *it))
    };
    keys.len() == 1
        || callables > 1
        || keys.iter().any(beside_arguments)
        || names(CALLEES) && names(GIVEN)
        || names(&["if", "condition", "cond"]) && names(&["then"])
        || names(&["let"]) && names(&["in", "body", "do"])
}
