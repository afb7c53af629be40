//! What a program comes to, and how a function signals each of the three.
//!
//! `?` carries failure and ambiguity ([`Interrupt`]); success is `Ok`.

use crate::{Failure, Failures, Stop, Value};

/// What a program comes to, as its author sees it.
#[derive(Clone, Debug, PartialEq)]
pub enum Outcome {
    /// A value: ``findReferences(`User`)`` with one `User`
    Success(Success),
    /// The program, or the world, has to change first. All independent problems of the program, at least one.
    Failure(Failures),
    /// Several meanings: ``findReferences(`validateToken`)`` with two definitions
    Ambiguity(Ambiguity),
}

/// A value, and what has to be said about it.
#[derive(Clone, Debug, PartialEq)]
pub struct Success {
    /// The value.
    pub value: Value,
    /// What keeps it from being the whole truth; empty when there is nothing to say.
    pub notes: Vec<Note>,
}

/// Something that the reader of an answer must know: it is not complete, it comes from a lower tier.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Note(pub String);

/// Several meanings of one place in the program.
///
/// Invariant: at least two candidates; with one there is nothing to ask.
#[derive(Clone, Debug, PartialEq)]
pub struct Ambiguity {
    question: String,
    candidates: Vec<Candidate>,
    done: Vec<String>,
}

/// One meaning, and the whole program that has it.
#[derive(Clone, Debug, PartialEq)]
pub struct Candidate {
    /// What it is: ``the function `validateToken` at auth.ts:42``.
    pub description: String,
    /// What to send instead; it does not raise this ambiguity again.
    pub program: String,
}

/// What stops an evaluation.
#[derive(Clone, Debug, PartialEq)]
pub enum Interrupt {
    /// Nothing to choose from.
    Failure(Failure),
    /// A function, conversion or coercion found several meanings of what it was given.
    Ambiguous(Question),
    /// A function that was called back was stopped.
    Inside(Stop),
}

/// A function's own question: which of these values did you mean? The evaluator makes an [`Ambiguity`] of
/// it by writing each value in the place of the expression that is ambiguous.
#[derive(Clone, Debug, PartialEq)]
pub struct Question {
    /// ``The name `User` is defined in 2 places.``
    pub question: String,
    /// Which expression the values replace: the named argument of the call that asked, or the whole call
    /// (a conversion's whole call is the expression that it converts).
    pub argument: Option<String>,
    /// At least two.
    pub choices: Vec<Choice>,
}

/// One value that decides a [`Question`].
#[derive(Clone, Debug, PartialEq)]
pub struct Choice {
    /// What it is, for the reader.
    pub description: String,
    /// What stands in the program instead.
    pub value: Value,
}

impl Ambiguity {
    /// Gives the sole candidate (or none) back when there is no choice.
    ///
    /// # Errors
    /// With fewer than two candidates.
    pub fn new(
        question: impl Into<String>,
        mut candidates: Vec<Candidate>,
    ) -> Result<Self, Option<Candidate>> {
        if candidates.len() < 2 {
            return Err(candidates.pop());
        }
        Ok(Self { question: question.into(), candidates, done: Vec::new() })
    }

    /// What is asked.
    pub fn question(&self) -> &str {
        &self.question
    }

    /// The same, asked after calls that changed the world.
    pub(crate) fn after(self, done: Vec<String>) -> Self {
        Self { done, ..self }
    }

    /// Calls that had changed the world before, as one reads them: each candidate does them again.
    pub fn done(&self) -> &[String] {
        &self.done
    }

    /// Two or more.
    pub fn candidates(&self) -> &[Candidate] {
        &self.candidates
    }
}

impl From<Failure> for Interrupt {
    fn from(failure: Failure) -> Self {
        Self::Failure(failure)
    }
}
