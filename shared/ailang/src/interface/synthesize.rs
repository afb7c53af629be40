//! Documents for callables that come without one.

use std::fmt::Write as _;

/// A document that declares callables of which only the names are known: each takes its parameters, a `?` behind
/// those that may be left out, of whatever type, counts as writing, and requires the user's leave to run this tool.
///
/// `id` is what the document is called; programs and permissions name what it declares by it.
///
/// The text may not be a valid document: a name that is none is reported when it is loaded, like any other.
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

/// In quotes, for YAML.
fn quoted(text: &str) -> String {
    serde_json::Value::from(text).to_string()
}
