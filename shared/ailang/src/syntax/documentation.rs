//! Comments that document what stands below them.

use source_text::Span;

/// The comments directly above something, and behind it on its line.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Documentation {
    /// The lines without comment marks, banners and tags.
    pub text: String,
    /// `@readOnly`, `@deprecated use send`
    pub tags: Vec<DocTag>,
}

/// A tag of a comment.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct DocTag {
    /// Without the `@`.
    pub name: String,
    /// What follows it on its line.
    pub text: String,
    /// Where all of it stands.
    pub span: Span,
}

impl Documentation {
    /// Whether nothing is documented.
    pub fn is_empty(&self) -> bool {
        self.text.is_empty() && self.tags.is_empty()
    }

    /// The first tag of that name.
    pub fn tag(&self, name: &str) -> Option<&DocTag> {
        self.tags.iter().find(|tag| tag.name == name)
    }

    /// The text up to its first full stop that ends a sentence, or its first empty line.
    pub fn first_sentence(&self) -> &str {
        let paragraph = self.text.split("\n\n").next().unwrap_or_default();
        let end = paragraph
            .match_indices(['.', '!', '?'])
            .map(|(at, _)| at + 1)
            .find(|end| paragraph[*end..].is_empty() || paragraph[*end..].starts_with(char::is_whitespace));
        paragraph[..end.unwrap_or(paragraph.len())].trim()
    }
}
