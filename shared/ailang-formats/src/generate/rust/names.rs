//! The identifiers of a generated file.

use std::collections::HashMap;

use crate::generate::identifiers::{Identifiers, Names, pascal, snake};
use crate::generate::model::Model;

/// Words that nothing may be called.
const KEYWORDS: &[&str] = &[
    "Self", "_", "abstract", "as", "async", "await", "become", "box", "break", "const", "continue", "crate",
    "do", "dyn", "else", "enum", "extern", "false", "final", "fn", "for", "gen", "if", "impl", "in", "let",
    "loop", "macro", "match", "mod", "move", "mut", "override", "priv", "pub", "ref", "return", "self",
    "static", "struct", "super", "trait", "true", "try", "type", "typeof", "union", "unsafe", "unsized",
    "use", "virtual", "where", "while", "yield",
];

/// The global names that generated code uses.
const GLOBALS: &[&str] = &[
    "AiLangRuntime",
    "BTreeMap",
    "Box",
    "Capability",
    "CapabilityRequest",
    "Clone",
    "Copy",
    "Debug",
    "Deserialize",
    "Deserializer",
    "Err",
    "Fields",
    "From",
    "Fn",
    "FromJson",
    "GrantScope",
    "Into",
    "Map",
    "None",
    "Ok",
    "Option",
    "PartialEq",
    "Problem",
    "Result",
    "Serialize",
    "Serializer",
    "Sized",
    "Some",
    "String",
    "ToolError",
    "TryFrom",
    "Value",
    "Vec",
    "all_differ",
    "any",
    "bool",
    "boolean",
    "canonical",
    "check",
    "computed",
    "decimal",
    "demand",
    "deserialize",
    "f64",
    "fill",
    "find",
    "found",
    "i64",
    "integer",
    "is_multiple",
    "json",
    "list",
    "map",
    "null",
    "now",
    "nullable",
    "number",
    "object",
    "read_result",
    "same",
    "serde",
    "std",
    "str",
    "text",
    "u64",
    "variant",
];

/// Returns the identifiers of a document.
pub(super) fn named(model: &Model) -> Names {
    let mut scope = Identifiers::new(KEYWORDS.iter().chain(GLOBALS).copied());
    let mut take = |name: String| scope.take(name);
    let types = model.types.iter().map(|it| (it.name.clone(), take(it.name.clone()))).collect();
    let errors = model.errors.iter().map(|it| (it.name.clone(), take(it.name.clone()))).collect();
    let tools = model
        .tools
        .iter()
        .map(|it| (it.name.clone(), (take(snake(&it.name)), take(format!("{}Params", pascal(&it.name))))))
        .collect();
    let ids: Vec<&str> =
        model.capabilities.iter().map(|it| it.id.rsplit('/').next().unwrap_or_default()).collect();
    let members = variants(ids.into_iter());
    let capabilities = model.capabilities.iter().map(|it| it.id.clone()).zip(members).collect();
    Names { any: "Value", types, errors, tools, capabilities, variants: HashMap::new() }
}

/// Returns the identifiers of fields.
pub(super) fn fields<'n>(names: impl Iterator<Item = &'n str>) -> Vec<String> {
    let mut scope = Identifiers::new(KEYWORDS.iter().copied());
    names.map(|it| scope.take(snake(it))).collect()
}

/// Returns the identifiers of variants.
pub(super) fn variants<'n>(names: impl Iterator<Item = &'n str>) -> Vec<String> {
    let mut scope = Identifiers::new(KEYWORDS.iter().copied());
    names.map(|it| scope.take(pascal(it))).collect()
}
