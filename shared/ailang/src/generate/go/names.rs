//! The identifiers of a generated file.

use std::collections::HashMap;

use crate::generate::identifiers::{Identifiers, pascal};
use crate::generate::model::Model;

/// The exported names that generated code declares itself. All other names of Go start with a small letter.
const GLOBALS: &[&str] =
    &["AiLangRuntime", "Capability", "CapabilityRequest", "Check", "Problem", "ToolError"];

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
        let mut scope = Identifiers::new(GLOBALS.iter().copied());
        let mut take = |name: String| scope.take(pascal(&name));
        let types = model.types.iter().map(|it| (it.name.clone(), take(it.name.clone()))).collect();
        let errors = model.errors.iter().map(|it| (it.name.clone(), take(it.name.clone()))).collect();
        let tools = model
            .tools
            .iter()
            .map(|it| (it.name.clone(), (take(it.name.clone()), take(format!("{}Params", it.name)))));
        let tools = tools.collect();
        let name = |id: &str| format!("Capability{}", pascal(id.rsplit('/').next().unwrap_or_default()));
        let capabilities = model.capabilities.iter().map(|it| (it.id.clone(), take(name(&it.id)))).collect();
        Self { types, errors, tools, capabilities }
    }

    /// Returns the identifier of a type.
    pub(super) fn ty(&self, name: &str) -> &str {
        self.types.get(name).map_or("any", |it| it)
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

    /// Returns the constant of a capability.
    pub(super) fn capability(&self, id: &str) -> &str {
        self.capabilities.get(id).map_or("", |it| it)
    }
}

/// Returns the identifiers of fields.
pub(super) fn fields<'n>(names: impl Iterator<Item = &'n str>) -> Vec<String> {
    // Methods of errors cannot be fields as well.
    let mut scope = Identifiers::new([
        "Error",
        "Message",
        "Recovery",
        "Name",
        "Retryable",
        "UserMessage",
        "RetryAfter",
        "MaxRetries",
        "UnmarshalJSON",
    ]);
    names.map(|it| scope.take(pascal(it))).collect()
}
