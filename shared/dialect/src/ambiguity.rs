//! A question with several answers, each of them a whole program.

/// Several meanings of one place in the program.
///
/// Invariant: at least two candidates; with one there is nothing to ask.
#[derive(Clone, Debug, PartialEq)]
pub struct Ambiguity {
    question: String,
    candidates: Vec<Candidate>,
    done: Vec<String>,
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
        Ok(Self { question: question.into(), candidates, done: Vec::new() })
    }

    /// Returns the question, for the reader.
    pub fn question(&self) -> &str {
        &self.question
    }

    /// Returns the same ambiguity with the calls that changed the world before it.
    pub(crate) fn after(self, done: Vec<String>) -> Self {
        Self { done, ..self }
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
