//! The identifiers of a generated file.

use std::collections::HashMap;

use crate::generate::identifiers::{Identifiers, pascal, snake};
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
    "nullable",
    "number",
    "object",
    "same",
    "serde",
    "std",
    "str",
    "text",
    "u64",
    "variant",
];

/// The identifiers, by the names in the document.
#[derive(Debug)]
pub(super) struct Names {
    types: HashMap<String, String>,
    errors: HashMap<String, String>,
    tools: HashMap<String, (String, String)>,
    capabilities: HashMap<String, String>,
}

impl Names {
    pub(super) fn new(model: &Model) -> Self {
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
        Self { types, errors, tools, capabilities }
    }

    /// Returns the identifier of a type.
    pub(super) fn ty(&self, name: &str) -> &str {
        self.types.get(name).map_or("Value", |it| it)
    }

    /// Returns the identifier of an error.
    pub(super) fn error(&self, name: &str) -> &str {
        self.errors.get(name).map_or("ToolError", |it| it)
    }

    /// Returns the identifiers of a tool's function and of the struct of its parameters.
    pub(super) fn tool(&self, name: &str) -> (&str, &str) {
        self.tools
            .get(name)
            .map(|(function, params)| (function.as_str(), params.as_str()))
            .expect("every tool was named")
    }

    /// Returns the variant of a capability.
    pub(super) fn capability(&self, id: &str) -> &str {
        self.capabilities.get(id).map_or("", |it| it)
    }
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
