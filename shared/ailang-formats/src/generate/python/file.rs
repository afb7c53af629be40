//! One file, with what all its parts share.

use crate::generate::identifiers::Names;
pub(super) use crate::generate::literal::quoted;
use crate::generate::model::Model;
use crate::generate::options::GenerateOptions;
use crate::generate::writer::Writer;

/// A file that is being printed.
pub(super) struct File<'a> {
    pub(super) model: &'a Model,
    pub(super) options: &'a GenerateOptions,
    pub(super) names: &'a Names,
}

impl File<'_> {
    /// Returns `true` if values are checked.
    pub(super) fn validates(&self) -> bool {
        self.options.types && self.options.validators
    }

    /// Prints a docstring, if there is any.
    pub(super) fn docstring(&self, docs: &str, out: &mut Writer) {
        if self.options.documentation && !docs.is_empty() {
            let docs = docs.replace('\\', "\\\\").replace("\"\"\"", "\\\"\\\"\\\"");
            let end = if docs.ends_with('"') { " " } else { "" };
            out.line(format!("\"\"\"{docs}{end}\"\"\""));
        }
    }

    /// Prints a comment, if there is any.
    pub(super) fn comment(&self, docs: &str, out: &mut Writer) {
        if self.options.documentation {
            docs.lines().for_each(|line| out.line(format!("# {line}").trim_end()));
        }
    }
}

/// Returns JSON as an expression.
pub(super) fn json(value: &serde_json::Value) -> String {
    use serde_json::Value;
    match value {
        Value::Null => "None".to_owned(),
        Value::Bool(true) => "True".to_owned(),
        Value::Bool(false) => "False".to_owned(),
        Value::Array(items) => format!("[{}]", items.iter().map(json).collect::<Vec<_>>().join(", ")),
        Value::Object(fields) => {
            let each = fields.iter().map(|(key, value)| format!("{}: {}", quoted(key), json(value)));
            format!("{{{}}}", each.collect::<Vec<_>>().join(", "))
        }
        value => value.to_string(),
    }
}
