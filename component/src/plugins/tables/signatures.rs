//! The signatures of a plugin's functions in the words of programs.

use plugin_protocol::{Parameter, Signature, Takes};

/// The parameter of a method for its object.
pub(super) const SELF: &str = "self";

/// Returns the parameter of a setter.
pub(super) fn value_parameter() -> Parameter {
    Parameter { name: "value".to_owned(), ..Parameter::default() }
}

/// Spells a signature. Without one it is open.
pub(super) fn signature_text(
    name: &str,
    library: &str,
    of: Option<&str>,
    signature: Option<&Signature>,
    returns: Option<&str>,
    is_typed: bool,
) -> String {
    let kind = |words: Option<&String>| match words.filter(|_| is_typed) {
        Some(words) => type_of(words),
        None => "any".to_owned(),
    };
    let mut parts: Vec<String> = of.map(|it| format!("{SELF}: {it}")).into_iter().collect();
    let parameters = signature.map(|it| it.parameters.as_slice()).unwrap_or_default();
    let mut has_optional = false;
    for parameter in parameters.iter().filter(|it| matches!(it.takes, Takes::One | Takes::Keyword)) {
        has_optional |= parameter.optional;
        let mark = if has_optional { "?" } else { "" };
        parts.push(format!("{}{mark}: {}", parameter.name, kind(parameter.kind.as_ref())));
    }
    let takes_more = parameters.iter().any(|it| matches!(it.takes, Takes::Rest | Takes::Keywords));
    if signature.is_none() || takes_more {
        parts.push("...".to_owned());
    }
    let declared = signature.and_then(|it| it.returns.as_ref());
    let returns = returns.map_or_else(|| kind(declared), str::to_owned);
    format!("{library}.{name}({}) -> {returns}", parts.join(", "))
}

/// Returns a type in the words of programs: those of Python are known too.
fn type_of(words: &str) -> String {
    match words.trim() {
        "str" | "text" => "string",
        "integer" => "int",
        "float" => "number",
        "bool" => "boolean",
        "list" | "array" | "tuple" | "List" => "List<any>",
        "dict" | "map" => "object",
        "None" | "none" | "void" => "null",
        "callable" | "function" | "callback" | "Any" => "any",
        other => other,
    }
    .to_owned()
}
