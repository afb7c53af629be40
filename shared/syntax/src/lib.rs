//! What source text says by its syntax alone: what it defines, what encloses a place, what part a name
//! plays there, and where it is written like some other code.
//!
//! Every language is a folder of queries in `languages`, over a grammar of tree-sitter; its `README.md` says what the
//! queries capture. Broken code is read as far as it goes: [`outline`] and [`Parsed::role`] answer for any text, and
//! in bounded time. Offsets are bytes from 0; [`source_text::LineIndex`] makes lines and columns of them.

#![warn(missing_docs)]

mod collect;
mod enclosing;
mod kind;
mod language;
mod outline;
mod parsed;
mod pattern;
mod queries;
mod role;
mod signature;
mod test_path;
mod visibility;

pub use collect::written;
pub use kind::Kind;
pub use language::Language;
pub use outline::{Definition, Outline};
pub use parsed::{Kept, Parsed};
pub use pattern::{Match, Matches, Pattern, PatternError};
pub use role::Role;
pub use visibility::Visibility;

/// What a text defines; nothing when it is beyond what is read, see [`Parsed::new`].
pub fn outline(language: Language, text: &str) -> Outline {
    Parsed::new(language, text).map(|it| it.outline()).unwrap_or_default()
}

/// What a text defines by a name, see [`Parsed::named`]; a text without the name is not even parsed.
pub fn named(language: Language, text: &str, name: &str) -> Outline {
    let parsed = text.contains(written(name)).then(|| Parsed::new(language, text)).flatten();
    parsed.map(|it| it.named(name)).unwrap_or_default()
}
