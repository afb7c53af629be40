//! The imports and helpers of generated code, of which a file has those that it uses.

use crate::generate::helpers::{mentions, needed, without_texts};

/// Returns the imports and the helpers that code needs.
pub(super) fn head(code: &str) -> String {
    let mut helpers = needed(include_str!("helpers.txt"), code);
    if !helpers.contains("static IGNORES_UNKNOWN_FIELDS") {
        helpers = helpers
            .replace(" if !IGNORES_UNKNOWN_FIELDS.get()", "")
            .replace(" || IGNORES_UNKNOWN_FIELDS.get()", "");
    }
    let text = without_texts(&format!("{helpers}\n{code}"));
    let used = |names: &[&'static str]| -> Vec<&'static str> {
        let is_used = |it: &&str| match *it {
            "json" => mentions(&text, "json!("),
            "Map" => mentions(&text, "Map<"),
            name => mentions(&text, name),
        };
        names.iter().copied().filter(is_used).collect()
    };
    let mut imports = String::new();
    for (module, names) in [
        ("std::collections", &["BTreeMap"][..]),
        ("std", &["fmt"]),
        ("serde", &["Deserialize", "Deserializer", "Serialize", "Serializer"]),
        ("serde_json", &["Map", "Value", "json"]),
    ] {
        match &used(names)[..] {
            [] => {}
            [only] => imports.push_str(&format!("use {module}::{only};\n")),
            all => imports.push_str(&format!("use {module}::{{{}}};\n", all.join(", "))),
        }
    }
    [imports, helpers].into_iter().filter(|it| !it.is_empty()).collect::<Vec<_>>().join("\n")
}
