//! The outcomes of a program.

use crate::{Ambiguity, Failures, Partial, Value};

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
    /// The result of the program's last expression.
    pub value: Value,
    /// The notes that limit its meaning; empty if there are none.
    pub notes: Vec<Note>,
    /// The value as a program, if its JSON does not tell all of it, as of an object that lives in a plugin.
    pub program: Option<String>,
}

/// A remark that the reader of an answer needs: it is incomplete, or comes from a fallback.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Note(pub String);
