//! One file, with what all its parts share.

use serde_json::Value;

use crate::generate::identifiers::Names;
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
    /// Returns the names of everything that has functions in it.
    pub(super) fn left_out(&self) -> impl Iterator<Item = &str> {
        let types =
            self.model.types.iter().filter(|it| self.model.has_function(&it.ty)).map(|it| it.name.as_str());
        let tools =
            self.model.tools.iter().filter(|it| self.model.takes_function(it)).map(|it| it.name.as_str());
        types.chain(tools)
    }

    /// Returns the names of all types.
    pub(super) fn all_types(&self) -> Vec<&str> {
        self.model.types.iter().map(|it| it.name.as_str()).collect()
    }

    /// Prints a comment of documentation, if there is any.
    pub(super) fn comment(&self, docs: &str, out: &mut Writer) {
        if self.options.documentation {
            docs.lines().for_each(|line| out.line(format!("/// {line}").trim_end()));
        }
    }
}

/// Returns JSON as an argument of `json!`, whose whole numbers would be of 32 bits.
pub(super) fn json(value: &Value) -> String {
    match value {
        Value::Number(number) if number.as_i64().is_some_and(|it| i32::try_from(it).is_err()) => {
            format!("{number}_i64")
        }
        Value::String(text) => quoted(text),
        Value::Array(items) => format!("[{}]", items.iter().map(json).collect::<Vec<_>>().join(", ")),
        Value::Object(fields) => {
            let each = fields.iter().map(|(key, value)| format!("{}: {}", quoted(key), json(value)));
            format!("{{{}}}", each.collect::<Vec<_>>().join(", "))
        }
        value => value.to_string(),
    }
}

/// Returns a text as a literal.
pub(super) fn quoted(text: &str) -> String {
    format!("{text:?}")
}
