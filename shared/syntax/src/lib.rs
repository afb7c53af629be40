//! Syntactic analysis of source text: its definitions, its imports, the code around a place, the role of a name there,
//! and code that matches a pattern.
//!
//! Every language is a folder of queries in `languages`, over a tree-sitter grammar; its `README.md` describes the
//! captures. Broken code is read as far as possible: [`outline`] and [`Parsed::role`] answer for any text, in bounded
//! time. Offsets are bytes from 0; [`source_text::LineIndex`] converts them to lines and columns.

#![warn(missing_docs)]

mod classify;
mod collect;
mod enclosing;
mod imports;
mod kind;
mod language;
mod macros;
mod misread;
mod outline;
mod parsed;
mod pattern;
mod queries;
mod role;
mod signature;
mod test_path;
mod visibility;

pub use collect::written;
pub use imports::{ExportList, Import, ImportedName};
pub use kind::Kind;
pub use language::Language;
pub use outline::{Definition, Outline};
pub use parsed::{Kept, Parsed};
pub use pattern::{Match, Matches, Pattern, PatternError};
pub use role::Role;
pub use visibility::Visibility;

/// Returns the definitions in a text. A text that exceeds the limits of [`Parsed::new`] has a partial outline without any.
pub fn outline(language: Language, text: &str) -> Outline {
    Parsed::new(language, text).map_or_else(Outline::of_unparsed, |it| it.outline())
}

/// Returns the definitions with a name, see [`Parsed::named`]. A text without the name is not parsed.
pub fn named(language: Language, text: &str, name: &str) -> Outline {
    if !text.contains(written(name)) {
        return Outline::default();
    }
    Parsed::new(language, text).map_or_else(Outline::of_unparsed, |it| it.named(name))
}
