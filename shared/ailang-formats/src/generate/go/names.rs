//! The identifiers of a generated file.

use crate::generate::hoisted::{constant, literals, variants};
use crate::generate::identifiers::{Identifiers, Names, pascal, snake};
use crate::generate::model::Model;

/// The exported names that generated code declares itself. All other names of Go start with a small letter.
const GLOBALS: &[&str] =
    &["AiLangRuntime", "Capability", "CapabilityRequest", "Check", "Problem", "ToolError"];

/// Returns a name that other packages see: it starts with a capital.
fn exported(name: &str) -> String {
    let name = pascal(name);
    if name.starts_with(char::is_uppercase) { name } else { format!("X{}", name.trim_start_matches('_')) }
}

/// Words that no package may be called.
pub(super) const KEYWORDS: &[&str] = &[
    "break",
    "case",
    "chan",
    "const",
    "continue",
    "default",
    "defer",
    "else",
    "fallthrough",
    "for",
    "func",
    "go",
    "goto",
    "if",
    "import",
    "interface",
    "main",
    "map",
    "package",
    "range",
    "return",
    "select",
    "struct",
    "switch",
    "type",
    "var",
];

/// Returns the name of the package for the document with that id.
pub(super) fn package(id: &str) -> String {
    let name = snake(id).replace('_', "");
    match name.chars().next() {
        None | Some('0'..='9') => format!("p{name}"),
        _ if KEYWORDS.contains(&name.as_str()) => format!("{name}pkg"),
        _ => name,
    }
}

/// Returns the identifiers of a document.
pub(super) fn named(model: &Model) -> Names {
    let mut scope = Identifiers::new(GLOBALS.iter().copied());
    let mut take = |name: String| scope.take(exported(&name));
    let types = model.types.iter().map(|it| (it.name.clone(), take(it.name.clone()))).collect();
    let errors = model.errors.iter().map(|it| (it.name.clone(), take(it.name.clone()))).collect();
    let tools = model
        .tools
        .iter()
        .map(|it| (it.name.clone(), (take(it.name.clone()), take(format!("{}Params", it.name)))));
    let tools = tools.collect();
    let variants = model.types.iter().map(|it| {
        let named = it.variants.iter().map(|(variant, _)| format!("{}{}", it.name, pascal(variant)));
        let names: Vec<String> = match (variants(&it.ty), literals(&it.ty)) {
            (Some(tags), _) => tags.iter().map(|(tag, _)| format!("{}{}", it.name, pascal(tag))).collect(),
            (None, Some(_)) if !it.variants.is_empty() => named.collect(),
            (None, literals) => {
                let all = literals.unwrap_or_default().into_iter().enumerate();
                all.map(|(at, literal)| format!("{}{}", it.name, pascal(&constant(literal, at)))).collect()
            }
        };
        (it.name.clone(), names.into_iter().map(&mut take).collect())
    });
    let variants = variants.collect();
    let name = |id: &str| format!("Capability{}", pascal(id.rsplit('/').next().unwrap_or_default()));
    let capabilities = model.capabilities.iter().map(|it| (it.id.clone(), take(name(&it.id)))).collect();
    Names { any: "any", types, errors, tools, capabilities, variants }
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
        "MarshalJSON",
        "UnmarshalJSON",
    ]);
    names.map(|it| scope.take(exported(it))).collect()
}
