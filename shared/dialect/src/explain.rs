//! Words for the model: the only file with prose for it.

use crate::{Ambiguity, Failure, Outcome, Success};

/// What an agent is told.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Explanation {
    /// On success the value as compact JSON, alone, so that it can be parsed; else the words.
    pub text: String,
    /// What has to be said beside the value; absent when there is nothing.
    pub note: Option<String>,
    /// Whether the program failed. An ambiguity is no failure: it is a turn of the conversation.
    pub is_failure: bool,
}

/// The words for what `source` came to.
pub fn explain(outcome: &Outcome, source: &str) -> Explanation {
    match outcome {
        Outcome::Success(success) => explain_success(success),
        Outcome::Failure(failures) => Explanation {
            text: failures.iter().map(|it| explain_failure(it, source)).collect::<Vec<_>>().join("\n\n"),
            note: None,
            is_failure: true,
        },
        Outcome::Ambiguity(ambiguity) => {
            Explanation { text: explain_ambiguity(ambiguity), note: None, is_failure: false }
        }
    }
}

fn explain_success(success: &Success) -> Explanation {
    let notes: Vec<&str> = success.notes.iter().map(|note| note.0.as_str()).collect();
    Explanation {
        text: success.value.to_json().to_string(),
        note: (!notes.is_empty()).then(|| notes.join("\n")),
        is_failure: false,
    }
}

fn explain_ambiguity(ambiguity: &Ambiguity) -> String {
    let mut text = ambiguity.question().to_owned();
    for candidate in ambiguity.candidates() {
        text.push_str(&format!("\nIf you meant {}, use\n    {}", candidate.description, candidate.program));
    }
    text
}

fn explain_failure(failure: &Failure, _source: &str) -> String {
    format!("{:?}", failure.kind)
}
