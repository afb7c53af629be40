//! The identifiers of a generated file.

use crate::generate::identifiers::{Identifiers, Names, pascal};
use crate::generate::model::Model;

/// The exported names that generated code declares itself. All other names of Go start with a small letter.
const GLOBALS: &[&str] =
    &["AiLangRuntime", "Capability", "CapabilityRequest", "Check", "Problem", "ToolError"];

/// Returns the identifiers of a document.
pub(super) fn named(model: &Model) -> Names {
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
    Names { any: "any", types, errors, tools, capabilities }
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
