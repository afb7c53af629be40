//! Dialect's own functions: lists, texts, objects, numbers.
//!
//! They compute from their arguments alone. What they cannot do exactly they refuse, and the refusal names the
//! element that is to blame; a call that another language would have is refused with what to write here
//! ([`dialect::ForeignIdiom`]). The chapters in `spec/` are the manual.

#![warn(missing_docs)]

mod elements;
mod equality;
mod failure;
mod given;
mod groups;
mod habits;
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

/// What the library is called.
pub const NAME: &str = "core";

/// The core library. What its functions are called, take and say is in `interface/core.md`; here is what runs.
pub fn library() -> Library {
    LIBRARY.clone()
}

/// Made once in a process: it captures nothing.
static LIBRARY: LazyLock<Library> = LazyLock::new(|| {
    let library = interface::INTERFACE.library(NAME, code());
    let library = library.expect("the document and the code are the same, as tests show");
    Library { foreign_idioms: habits::rows(), ..library }
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
