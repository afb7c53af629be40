//! The spelling of generated TypeScript.

use ailang::{Code, Diagnostics};
use serde_json::{Map, Value};

use crate::generate::identifiers::is_part;
use crate::generate::literal::quoted;

/// Semicolons and quotes.
#[derive(Clone, Copy, Debug)]
pub(super) struct Style {
    /// The end of a statement: `;`, or nothing.
    pub(super) end: &'static str,
    quote: char,
}

impl Style {
    pub(super) const KEYS: &'static [&'static str] = &["semi", "quotes", "indent"];

    /// The style of declarations without options.
    pub(super) const PLAIN: Self = Self { end: ";", quote: '"' };

    /// Reads a style. Warns of values that mean nothing.
    pub(super) fn read(style: &Map<String, Value>, diagnostics: &mut Diagnostics) -> Self {
        let mut read = Self::PLAIN;
        let mut refuse = |key: &str, known: &str| {
            super::super::target::warn(diagnostics, Code::STYLE, format!("the style `{key}` is {known}"));
        };
        match style.get("semi") {
            Some(Value::Bool(false)) => read.end = "",
            None | Some(Value::Bool(true)) => {}
            Some(_) => refuse("semi", "true or false"),
        }
        match style.get("quotes").map(Value::as_str) {
            Some(Some("single")) => read.quote = '\'',
            None | Some(Some("double")) => {}
            Some(_) => refuse("quotes", "\"double\" or \"single\""),
        }
        read
    }

    /// Returns a text as a literal.
    pub(super) fn quoted(self, text: &str) -> String {
        let json = quoted(text);
        if self.quote == '"' {
            return json;
        }
        let inner = &json[1..json.len() - 1];
        format!("'{}'", inner.replace("\\\"", "\"").replace('\'', "\\'"))
    }

    /// Returns JSON as an expression.
    pub(super) fn json(self, value: &Value) -> String {
        match value {
            Value::String(text) => self.quoted(text),
            Value::Array(items) => {
                format!("[{}]", items.iter().map(|it| self.json(it)).collect::<Vec<_>>().join(", "))
            }
            Value::Object(fields) if fields.is_empty() => "{}".to_owned(),
            Value::Object(fields) => {
                let field =
                    |(key, value): (&String, &Value)| format!("{}: {}", self.property(key), self.json(value));
                format!("{{ {} }}", fields.iter().map(field).collect::<Vec<_>>().join(", "))
            }
            value => value.to_string(),
        }
    }

    /// Returns the key of a property of an object.
    pub(super) fn property(self, name: &str) -> String {
        // `__proto__` would set the prototype.
        if name == "__proto__" { format!("[{}]", self.quoted(name)) } else { self.key(name) }
    }

    /// Returns the key of a property of a type, quoted if it has to be.
    pub(super) fn key(self, name: &str) -> String {
        let is_plain = name.chars().all(|it| is_part(it) || it == '_' || it == '$')
            && !name.starts_with(|it: char| it.is_ascii_digit())
            && !name.is_empty();
        if is_plain { name.to_owned() } else { self.quoted(name) }
    }

    /// Returns code of a helper, which has semicolons and double quotes, in this style.
    pub(super) fn restyled(self, code: &str) -> String {
        let lines = code.lines().map(|line| match line.strip_suffix(';') {
            Some(line) => format!("{line}{}", self.end),
            None => line.to_owned(),
        });
        let code = lines.collect::<Vec<_>>().join("\n") + "\n";
        if self.quote == '"' { code } else { code.replace('"', "'") }
    }
}
