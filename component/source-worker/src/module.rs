//! The source of a plugin: all of its entries in one module.

use plugin_protocol::schema::defined_methods;
use plugin_protocol::source::{Entry, Module};

/// The library in which sources find the functions of their plugin.
const LIBRARY: &str = "scriptling";

/// A text that the interpreter runs.
pub(crate) struct Part {
    /// The entry that it belongs to.
    pub(crate) entry: String,
    pub(crate) code: String,
    /// True for a text of the plugin; false for one of ours.
    pub(crate) is_theirs: bool,
}

/// Returns the source entry by entry, as the plugin has it, with calls of the plugin for what is none.
pub(crate) fn parts(module: &Module) -> Vec<Part> {
    let functions = module.functions.iter().filter(|it| is_name(&it.name)).map(|it| Part {
        entry: it.name.clone(),
        is_theirs: it.source.is_some(),
        code: match &it.source {
            Some(source) => without_imports(source),
            None => call_of_plugin(module, &it.name),
        },
    });
    let classes = module.classes.iter().filter(|it| is_name(&it.name)).flat_map(|it| {
        let code = match &it.source {
            Some(source) => without_imports(source),
            None => stand_in(module, it),
        };
        let part = |code, is_theirs| Part { entry: it.name.clone(), code, is_theirs };
        [part(code, it.source.is_some()), part(registration(it), false)]
    });
    functions.chain(classes).collect()
}

/// Returns a function that the plugin answers.
fn call_of_plugin(module: &Module, name: &str) -> String {
    let library = literal(&module.library);
    format!(
        "def {name}(*args, **kwargs):\n    return scriptling.plugin.call_function({library}, {name:?}, *args, \
         **kwargs)\n"
    )
}

/// Returns the statements by which the prelude knows a class.
fn registration(Entry { name, source, .. }: &Entry) -> String {
    let list = if source.is_some() { "_dialect_classes" } else { "_dialect_stand_ins" };
    let methods = defined_methods(source.as_deref().unwrap_or_default());
    format!("{list}[{name:?}] = {name}\n_dialect_methods[{name:?}] = {methods:?}\n")
}

/// Returns a class whose objects live in the plugin.
fn stand_in(module: &Module, Entry { name, members, .. }: &Entry) -> String {
    let mut text = format!(
        "class {name}:\n    def __init__(self, *args, **kwargs):\n        if len(args) == 1 and isinstance(args[0], \
         _DialectExisting):\n            self._plugin_remote = args[0].remote\n        else:\n            \
         self._plugin_remote = scriptling.plugin._new_object({}, {name:?}, *args, **kwargs)\n",
        literal(&module.library)
    );
    for member in members.iter().filter(|it| is_name(it)) {
        text.push_str(&format!(
            "    def {member}(self, *args, **kwargs):\n        return \
             scriptling.plugin.call_method(self._plugin_remote, {member:?}, *args, **kwargs)\n"
        ));
    }
    text
}

/// Returns a text as a literal.
fn literal(text: &str) -> String {
    serde_json::Value::from(text).to_string()
}

/// Returns whether a text is a name.
pub(crate) fn is_name(text: &str) -> bool {
    let is_part = |it: char| it.is_alphanumeric() || it == '_';
    text.starts_with(|it: char| it.is_alphabetic() || it == '_') && text.chars().all(is_part)
}

/// Returns a source without the imports of the library, which is there. Lines keep their numbers.
fn without_imports(source: &str) -> String {
    let lines = source.lines().map(|line| {
        let statement = line.trim();
        let indent = &line[..line.len() - line.trim_start().len()];
        let is_import = |name: &str| statement.strip_prefix("import ").is_some_and(|it| it.trim() == name);
        if is_import(LIBRARY) || is_import("scriptling.plugin") {
            return format!("{indent}pass");
        }
        match statement.strip_prefix("import scriptling.plugin as ") {
            Some(name) => format!("{indent}{} = scriptling.plugin", name.trim()),
            None => line.to_owned(),
        }
    });
    lines.collect::<Vec<_>>().join("\n") + "\n"
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_imports_of_the_library_are_left_out() {
        let source = "\nimport scriptling.plugin\ndef f():\n    import scriptling.plugin as p\n    return p, 'import json'\nimport json";
        let expected =
            "\npass\ndef f():\n    p = scriptling.plugin\n    return p, 'import json'\nimport json\n";
        assert_eq!(without_imports(source), expected);
    }
}
