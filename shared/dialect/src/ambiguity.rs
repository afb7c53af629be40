//! A question with several answers, each of them a whole program.

use crate::Partial;

/// Several meanings of one place in the program.
///
/// Invariant: at least two candidates; with one there is nothing to ask.
#[derive(Clone, Debug, PartialEq)]
pub struct Ambiguity {
    question: String,
    candidates: Vec<Candidate>,
    done: Vec<String>,
    partial: Option<Box<Partial>>,
}

/// A possible answer, and the whole program that chooses it.
#[derive(Clone, Debug, PartialEq)]
pub struct Candidate {
    /// The description, for the reader: ``the function `validateToken` at auth.ts:42``.
    pub description: String,
    /// The program to send instead. It does not raise this ambiguity again.
    pub program: String,
}

impl Ambiguity {
    /// Returns the only candidate (or none) as the error if there is no choice.
    ///
    /// # Errors
    /// If there are fewer than two candidates.
    pub fn new(
        question: impl Into<String>,
        mut candidates: Vec<Candidate>,
    ) -> Result<Self, Option<Candidate>> {
        if candidates.len() < 2 {
            return Err(candidates.pop());
        }
        Ok(Self { question: question.into(), candidates, done: Vec::new(), partial: None })
    }

    /// Returns the question, for the reader.
    pub fn question(&self) -> &str {
        &self.question
    }

    /// Returns the same ambiguity with the calls that changed the world before it.
    pub(crate) fn after(self, done: Vec<String>) -> Self {
        Self { done, ..self }
    }

    /// Returns the same ambiguity with the value of the program without the elements of lists for which it asks.
    pub(crate) fn without_elements(self, partial: Option<Partial>) -> Self {
        Self { partial: partial.map(Box::new), ..self }
    }

    /// Returns the value of the program without the elements of lists for which it asks, if it has one.
    pub fn partial(&self) -> Option<&Partial> {
        self.partial.as_deref()
    }

    pub(crate) fn take_partial(&mut self) -> Option<Partial> {
        self.partial.take().map(|it| *it)
    }

    /// Returns the calls that changed the world before the question, in the form in which a reader sees them.
    /// Each candidate makes them again.
    pub fn done(&self) -> &[String] {
        &self.done
    }

    /// Returns the candidates, two or more.
    pub fn candidates(&self) -> &[Candidate] {
        &self.candidates
    }
}
