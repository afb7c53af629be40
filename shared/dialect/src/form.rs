//! The two forms in which programs are written, text and JSON.

/// A form in which programs are written.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Form {
    /// ``search(`src`, pattern=`TODO`)``
    Text,
    /// `{"search": {"path": "src", "pattern": "TODO"}}`
    Json,
}

impl Form {
    /// Both.
    pub const ALL: [Self; 2] = [Self::Text, Self::Json];
}

/// Returns `true` for a word that is a literal, here or in Python, so that nothing can be bound to it.
pub(crate) fn is_literal(word: &str) -> bool {
    matches!(word, "null" | "true" | "false" | "True" | "False")
}

/// Keys that mean something of the language itself.
pub(crate) const RESERVED: &[&str] = &[
    "var", "lambda", "let", "if", "field", "field?", "index", "quote", "attempt", "object", "apply", "spread",
];
