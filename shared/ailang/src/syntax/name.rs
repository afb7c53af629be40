//! Names and qualified names.

use source_text::Span;

/// A name.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Name {
    /// The text; empty if the name is missing, which the parser has reported.
    pub text: String,
    /// The place.
    pub span: Span,
}

/// A name with optional qualifiers: `auth.Token`.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Path {
    /// The last name.
    pub name: Name,
    /// The names before it.
    pub qualifiers: Vec<Name>,
}

impl Path {
    /// Returns the place of all names.
    pub fn span(&self) -> Span {
        self.qualifiers.first().map_or(self.name.span, |first| first.span.join(self.name.span))
    }

    /// Returns the path without blanks.
    pub fn text(&self) -> String {
        let names = self.qualifiers.iter().chain([&self.name]).map(|name| name.text.as_str());
        names.collect::<Vec<_>>().join(".")
    }
}
