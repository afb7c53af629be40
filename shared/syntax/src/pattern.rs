//! Code with holes in it: finds the code that is written like that.

mod contexts;
mod error;
mod holes;
mod macros;
mod matching;
mod reading;
mod shape;
mod visit;

use source_text::Span;

pub use error::PatternError;

use crate::{Language, Parsed};
use shape::Shape;

/// Patterns beyond so many bytes are not read: they are code, and meant to be found by a part of it.
const SIZE_LIMIT: usize = 4096;

/// Code of a language with holes: `$NAME` stands for one thing, whatever it is, `$$$NAME` for any number of things in a
/// row, also none. A name that stands twice stands for the same text; `$_` and `$$$` have no name.
///
/// A piece of code can be several things, as `$A: $B` is a parameter, a field, and an entry of an object. All of them
/// are looked for. What a pattern says nothing of (comments, visibility, modifiers such as `async`, trailing commas) is
/// not asked; everything else has to be as written, whatever the space between.
#[derive(Debug)]
pub struct Pattern {
    language: Language,
    names: Vec<String>,
    shapes: Vec<Shape>,
    words: Vec<String>,
}

/// A place that is written like a pattern.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Match {
    /// All of it, in bytes of the text.
    pub span: Span,
    /// What each named hole stands for, in the order of the pattern; an empty span where it stands for nothing.
    pub bindings: Vec<Span>,
}

/// What a text has of a pattern.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Matches {
    /// In the order of their starts, the outer before the inner.
    pub found: Vec<Match>,
    /// Whether looking was given up because it took far too many steps.
    pub is_cut: bool,
    /// Whether some of the text is no code of its language, as far as the grammar tells, and has the pattern's words.
    pub is_doubtful: bool,
}

impl Pattern {
    /// Reads a pattern.
    ///
    /// # Errors
    /// It is no code of the language, says nothing, or is too large.
    pub fn new(language: Language, text: &str) -> Result<Self, PatternError> {
        if text.len() > SIZE_LIMIT {
            return Err(PatternError::TooLarge);
        }
        let source = holes::Source::new(text, language);
        if source.is_bare() {
            return Err(PatternError::SaysNothing);
        }
        let shapes = reading::shapes(language, &source)?;
        let words = shape::common_words(&shapes);
        Ok(Self { language, names: source.names(), shapes, words })
    }

    /// The language that it is code of.
    pub fn language(&self) -> Language {
        self.language
    }

    /// The names of its holes, in the order of their first places.
    pub fn names(&self) -> &[String] {
        &self.names
    }

    /// Texts that stand in everything that matches, so that most files need not be read.
    pub fn words(&self) -> &[String] {
        &self.words
    }

    /// Where a text is written like that.
    ///
    /// # Panics
    /// The text is of another language.
    pub fn matches(&self, parsed: &Parsed<'_>) -> Matches {
        assert_eq!(self.language, parsed.language, "a pattern is matched with texts of its language");
        visit::matches(self, parsed)
    }
}
