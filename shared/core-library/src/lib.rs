//! Dialect's own functions: lists, texts, objects, numbers.
//!
//! They compute from their arguments alone. What they cannot do exactly they refuse, and the refusal names the
//! element that is to blame; a call that another language would have is refused with what to write here
//! ([`dialect::Habit`]). The chapters in `spec/` are the manual.

#![warn(missing_docs)]

mod elements;
mod equality;
mod failure;
mod given;
mod groups;
mod habits;
mod lists;
mod numbers;
mod objects;
mod order;
mod pattern;
mod row;
mod sorting;
mod texts;

use dialect::Library;

/// The core library.
pub fn library() -> Library {
    let themes = [
        elements::rows(),
        lists::rows(),
        sorting::rows(),
        groups::rows(),
        objects::rows(),
        numbers::rows(),
        texts::rows(),
        pattern::rows(),
    ];
    Library {
        name: "core".to_owned(),
        functions: themes.into_iter().flatten().collect(),
        habits: habits::rows(),
        ..Library::default()
    }
}
