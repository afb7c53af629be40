//! Generated documents for undocumented callables.

use std::fmt::Write as _;

/// Generates a document for callables of which only names are known.
///
/// Each tool takes its parameters with any type; a `?` marks an optional one. It counts as writing, and
/// requires the capability to run this tool. `id` becomes the id of the document.
///
/// The result may be invalid: a malformed name is reported when the document is loaded.
pub fn synthesize<'name>(id: &str, callables: impl IntoIterator<Item = (&'name str, Vec<String>)>) -> String {
    let mut text = format!(
        "---\nid: {}\ntitle: {}\nsummary: {}\n---\n\n<define>\n```ailang\n",
        quoted(id),
        quoted(id),
        quoted("Nothing is known of these but their names.")
    );
    for (name, parameters) in callables {
        let _ = writeln!(text, "tool {name}({})\n  requires ToolExecution", parameters.join(", "));
    }
    text.push_str("```\n</define>\n");
    text
}

/// Quotes a text for YAML.
fn quoted(text: &str) -> String {
    serde_json::Value::from(text).to_string()
}
