//! Documentation comments.

use source_text::Span;

/// The comments directly above an item, and behind it on its line.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Documentation {
    /// The lines without comment marks, banners and tags.
    pub text: String,
    /// The tags: `@readOnly`, `@deprecated use send`.
    pub tags: Vec<DocTag>,
}

/// A tag of a comment.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct DocTag {
    /// The name, without `@`.
    pub name: String,
    /// The text behind it on its line.
    pub text: String,
    /// The place of the whole tag.
    pub span: Span,
}

impl Documentation {
    /// Returns `true` without text and tags.
    pub fn is_empty(&self) -> bool {
        self.text.is_empty() && self.tags.is_empty()
    }

    /// Returns the first tag of that name.
    pub fn tag(&self, name: &str) -> Option<&DocTag> {
        self.tags.iter().find(|tag| tag.name == name)
    }

    /// Returns `true` for the tags of a tool that may be called again after an error.
    pub fn may_repeat(&self) -> bool {
        let has = |name| self.tag(name).is_some();
        !has("destructive") && (has("readOnly") || has("idempotent") || has("pure"))
    }

    /// Returns the text up to the first full stop that ends a sentence, or the first empty line.
    pub fn first_sentence(&self) -> &str {
        let paragraph = self.text.split("\n\n").next().unwrap_or_default();
        let end = paragraph
            .match_indices(['.', '!', '?'])
            .map(|(at, _)| at + 1)
            .find(|end| paragraph[*end..].is_empty() || paragraph[*end..].starts_with(char::is_whitespace));
        paragraph[..end.unwrap_or(paragraph.len())].trim()
    }
}

/// Returns `true` for a decorative line of a comment, such as `------`. It is no part of the text.
pub fn is_banner(line: &str) -> bool {
    line.len() >= 4 && line.chars().all(|char| matches!(char, '=' | '-' | '*' | '#' | '~' | '_'))
}
