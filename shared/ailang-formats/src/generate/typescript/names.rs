//! The identifiers of a generated file.

use std::collections::HashMap;

use crate::generate::identifiers::{Identifiers, pascal};
use crate::generate::model::Model;

/// Words that no type, function or variable may be called.
const KEYWORDS: &[&str] = &[
    "any",
    "arguments",
    "await",
    "boolean",
    "break",
    "case",
    "catch",
    "class",
    "const",
    "continue",
    "debugger",
    "default",
    "delete",
    "do",
    "else",
    "enum",
    "eval",
    "export",
    "extends",
    "false",
    "finally",
    "for",
    "function",
    "if",
    "implements",
    "import",
    "in",
    "instanceof",
    "interface",
    "let",
    "never",
    "new",
    "null",
    "number",
    "object",
    "package",
    "private",
    "protected",
    "public",
    "return",
    "static",
    "string",
    "super",
    "switch",
    "symbol",
    "this",
    "throw",
    "true",
    "try",
    "type",
    "typeof",
    "undefined",
    "unknown",
    "var",
    "void",
    "while",
    "with",
    "yield",
];

/// The global names that generated code uses.
const GLOBALS: &[&str] = &[
    "Array",
    "Error",
    "JSON",
    "Math",
    "Number",
    "Object",
    "Promise",
    "Readonly",
    "Record",
    "Set",
    "String",
    "z",
    "anyValue",
    "anyObject",
    "isObject",
    "struct",
    "dictionary",
    "withProto",
    "result",
    "passed",
    "ignoresUnknownFields",
    "isMultiple",
    "decimal",
    "BigInt",
    "allDiffer",
    "canonical",
    "fill",
    "find",
    "time",
    "computed",
    "Date",
    "ToolError",
    "ErrorAdvice",
    "errorClasses",
    "AiLangRuntime",
    "Capability",
    "CapabilityRequest",
    "capabilityRequests",
    "GrantScope",
    "schemas",
    "ToolRules",
    "toolRules",
];

/// Returns `true` for a word that no variable may be called.
pub(super) fn is_keyword(name: &str) -> bool {
    KEYWORDS.contains(&name)
}

/// The identifiers, by the names in the document.
#[derive(Debug)]
pub(super) struct Names {
    types: HashMap<String, String>,
    schemas: HashMap<String, String>,
    errors: HashMap<String, String>,
    tools: HashMap<String, ToolNames>,
    capabilities: HashMap<String, String>,
}

/// The identifiers of a tool.
#[derive(Clone, Debug)]
pub(super) struct ToolNames {
    pub(super) function: String,
    pub(super) params: String,
    pub(super) schema: String,
    /// The schema of the result.
    pub(super) result: String,
}

impl Names {
    pub(super) fn new(model: &Model) -> Self {
        let mut scope = Identifiers::new(KEYWORDS.iter().chain(GLOBALS).copied());
        let mut take = |name: String| scope.take(name);
        let types: HashMap<String, String> =
            model.types.iter().map(|it| (it.name.clone(), take(it.name.clone()))).collect();
        let errors = model.errors.iter().map(|it| (it.name.clone(), take(it.name.clone()))).collect();
        let schemas =
            model.types.iter().map(|it| (it.name.clone(), take(format!("{}Schema", it.name)))).collect();
        let tools = model.tools.iter().map(|it| {
            let name = pascal(&it.name);
            let names = ToolNames {
                function: take(it.name.clone()),
                params: take(format!("{name}Params")),
                schema: take(format!("{name}ParamsSchema")),
                result: take(format!("{name}ResultSchema")),
            };
            (it.name.clone(), names)
        });
        let tools = tools.collect();
        let mut members = Identifiers::new([]);
        let capabilities = model.capabilities.iter().map(|it| {
            let name = it.id.rsplit('/').next().unwrap_or_default();
            (it.id.clone(), members.take(name))
        });
        Self { capabilities: capabilities.collect(), types, schemas, errors, tools }
    }

    /// Returns the identifier of a type.
    pub(super) fn ty(&self, name: &str) -> &str {
        self.types.get(name).map_or("unknown", |it| it)
    }

    /// Returns the identifier of a type's schema.
    pub(super) fn schema(&self, name: &str) -> &str {
        self.schemas.get(name).map_or("anyValue", |it| it)
    }

    /// Returns the identifier of an error's class.
    pub(super) fn error(&self, name: &str) -> &str {
        self.errors.get(name).map_or("ToolError", |it| it)
    }

    /// Returns the identifiers of a tool.
    pub(super) fn tool(&self, name: &str) -> &ToolNames {
        self.tools.get(name).expect("every tool of the model was named")
    }

    /// Returns the name of a capability in the object of all.
    pub(super) fn capability(&self, id: &str) -> &str {
        self.capabilities.get(id).map_or("", |it| it)
    }
}
