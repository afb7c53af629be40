//! The outcomes of a program.

use crate::{Ambiguity, Failures, Value};

/// The outcome of a program, as its author sees it.
#[derive(Clone, Debug, PartialEq)]
pub enum Outcome {
    /// A value: ``findReferences(`User`)`` with one `User`
    Success(Success),
    /// The program, or the world, has to change first. Holds all independent failures, at least one.
    Failure(Failures),
    /// Several meanings: ``findReferences(`validateToken`)`` with two definitions
    Ambiguity(Ambiguity),
}

impl Outcome {
    /// Takes the value that a program without a value has without some elements of its lists.
    pub fn take_partial(&mut self) -> Option<Partial> {
        match self {
            Self::Success(_) => None,
            Self::Failure(failures) => failures.partial.take().map(|it| *it),
            Self::Ambiguity(ambiguity) => ambiguity.take_partial(),
        }
    }
}

/// A value, with notes about it.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Success {
    /// The value.
    pub value: Value,
    /// The notes that limit its meaning; empty if there are none.
    pub notes: Vec<Note>,
    /// The value as a program, if its JSON is no program that makes it: it would be read as a call.
    pub program: Option<String>,
}

/// The value that a program has without the elements of lists for which functions failed or asked: in
/// ``[`a`, `b`].map(x => findReferences(x))``, the references of `a` if there are two `b`.
#[derive(Clone, Debug, PartialEq)]
pub struct Partial {
    /// The value without these elements.
    pub success: Success,
    /// The elements, as parts of a program; `…` for huge ones.
    pub left_out: Vec<String>,
}

impl Partial {
    /// Returns the words before the value.
    pub fn heading(&self) -> String {
        /// The most elements that are named.
        const NAMED: usize = 5;
        let named = self.left_out.iter().take(NAMED).cloned().collect::<Vec<_>>().join(", ");
        match self.left_out.len().saturating_sub(NAMED) {
            0 => format!("Without {named}, the value is"),
            more => format!("Without {named} and {more} more, the value is"),
        }
    }
}

/// A remark that the reader of an answer needs: it is incomplete, or comes from a fallback.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Note(pub String);
