//! Syntax patterns: finds code that matches code with holes.

mod contexts;
mod error;
mod holes;
mod literal;
mod matching;
mod optional;
mod parsing;
mod shape;
mod visit;

pub use error::PatternError;
use shape::Shape;
use source_text::Span;

use crate::Language;

/// The maximum size of a pattern, in bytes.
const SIZE_LIMIT: usize = 4096;

/// A pattern: code of a language with holes. `$NAME` stands for one thing, `$$$NAME` for any number of things in a
/// row, also none. A name that occurs twice stands for the same text; `$_` and `$$$` have no name.
///
/// A piece of code can be several things: `$A: $B` is a parameter, a field, and an entry of an object. All of them
/// are searched for. Comments, modifiers such as `pub` or `async`, heritage, result types and other optional parts of
/// a declaration do not decide unless the pattern has them. String literals are compared by their text, whatever their
/// quotes. The rest has to be as written, apart from whitespace.
#[derive(Debug)]
pub struct Pattern {
    language: Language,
    names: Vec<String>,
    shapes: Vec<Shape>,
    words: Vec<String>,
}

/// A place that matches a pattern.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Match {
    /// The whole match, in bytes of the text.
    pub span: Span,
    /// The span of each named hole, in the order of the pattern; an empty span if it stands for nothing.
    pub bindings: Vec<Span>,
}

/// The matches of a pattern in a text.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Matches {
    /// The matches in the order of their starts, the outer before the inner.
    pub found: Vec<Match>,
    /// True if the search was given up after too many steps.
    pub is_cut: bool,
    /// True if a part of the text that could be of a match does not parse.
    pub is_doubtful: bool,
}

impl Pattern {
    /// Parses a pattern.
    ///
    /// # Errors
    /// If it is no code of the language, consists of holes only, or is too large.
    pub fn new(language: Language, text: &str) -> Result<Self, PatternError> {
        if text.len() > SIZE_LIMIT {
            return Err(PatternError::TooLarge);
        }
        let source = holes::Source::new(text, language);
        if source.is_bare() {
            return Err(PatternError::SaysNothing);
        }
        let shapes = parsing::shapes(language, &source)?;
        let words = shape::common_words(&shapes);
        Ok(Self { language, names: source.names(), shapes, words })
    }

    /// Returns the language of the pattern.
    pub fn language(&self) -> Language {
        self.language
    }

    /// Returns the names of its holes, in the order of their first occurrence.
    pub fn names(&self) -> &[String] {
        &self.names
    }

    /// Returns texts that occur in every match. Files without them need not be read.
    pub fn words(&self) -> &[String] {
        &self.words
    }
}
