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
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash)]
pub struct Note {
    /// The words, one or more sentences.
    pub text: String,
    /// The reasons in the words that their source names by a code; other notes have none.
    pub reasons: Vec<NoteReason>,
}

impl<T: Into<String>> From<T> for Note {
    fn from(text: T) -> Self {
        Self { text: text.into(), reasons: Vec::new() }
    }
}

/// A reason that a note tells, as its source knows it.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct NoteReason {
    /// The stable code of its kind: `timeUp`.
    pub code: String,
    /// `true` if a result is incomplete for this reason, `false` for a remark.
    pub is_gap: bool,
    /// The words, by which it is recognized when it is told again.
    pub text: String,
    /// The part of the words that other reasons have too, so that it is said once.
    pub shared: Option<String>,
}
