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

/// Keys that mean something of the language itself.
pub(crate) const RESERVED: &[&str] = &[
    "var", "lambda", "let", "if", "field", "field?", "index", "quote", "attempt", "object", "apply", "spread",
];
