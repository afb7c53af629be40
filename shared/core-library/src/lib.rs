//! Dialect's core library: lists, texts, objects, numbers.
//!
//! Functions are pure. A function that has no exact result fails, and names the element at fault. A call of
//! another language fails with its replacement ([`dialect::ForeignIdiom`]). The chapters in `spec/` are the manual.

#![warn(missing_docs)]

mod arguments;
mod elements;
mod equality;
mod failure;
mod flows;
mod foreign_idioms;
mod generics;
mod groups;
mod interface;
mod lists;
mod numbers;
mod objects;
mod order;
mod pattern;
mod row;
mod sorting;
mod texts;

use std::sync::LazyLock;

use dialect::Library;

pub use interface::DOCUMENT;

/// The name of the library.
pub const NAME: &str = "core";

/// Returns the core library. `interface/core.md` declares its functions, and this crate implements them.
pub fn library() -> Library {
    LIBRARY.clone()
}

/// The library, created once per process.
static LIBRARY: LazyLock<Library> = LazyLock::new(|| {
    let library = interface::INTERFACE.library(NAME, code());
    let library = library.expect("the document and the code are the same, as tests show");
    let functions = library.functions.into_iter().map(generics::with_generic).map(flows::with_flow).collect();
    Library { functions, foreign_idioms: foreign_idioms::rows(), ..library }
});

fn code() -> Vec<row::Code> {
    let themes = [
        elements::code(),
        lists::code(),
        sorting::code(),
        groups::code(),
        objects::code(),
        numbers::code(),
        texts::code(),
        pattern::code(),
    ];
    themes.into_iter().flatten().collect()
}
