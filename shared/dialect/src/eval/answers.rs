//! The answers to questions about the world, kept so that a second run of a program asks nothing again.

use std::collections::HashMap;
use std::sync::{Arc, Mutex};

use super::run::Run;
use crate::invocation::Rest;
use crate::{Gap, Note, Notes, Object, Signature, Value, show};
use unpoisoned::lock;

/// The most bytes of a question that is kept.
const QUESTION: usize = 4_096;

/// The most bytes of all answers that are kept.
const ANSWERS: usize = 64 << 20;

/// The answers of one run. A clone has the same ones.
#[derive(Clone, Debug, Default)]
pub(super) struct Answers(Arc<Mutex<Kept>>);

#[derive(Debug, Default)]
struct Kept {
    answers: HashMap<String, Answer>,
    bytes: usize,
}

/// The answer to a question, with the notes about it and what it lacks.
#[derive(Clone, Debug)]
struct Answer {
    value: Value,
    notes: Vec<Note>,
    gap: Option<Gap>,
    rest: Option<Rest>,
}

impl Answers {
    /// Returns a call as a question, unless it is long.
    pub(super) fn question(signature: &Signature, arguments: &Object) -> Option<String> {
        let arguments = Value::Object(arguments.clone());
        let is_short = arguments.bytes() <= QUESTION && !arguments.holds_function();
        is_short.then(|| format!("{}{}", signature.name, show(&arguments)))
    }

    /// Keeps an answer, if there is room.
    pub(super) fn keep(&self, question: Option<String>, value: &Value, notes: &Notes) {
        let Some(question) = question else { return };
        let mut kept = lock(&self.0);
        let bytes = kept.bytes.saturating_add(value.bytes());
        if bytes > ANSWERS {
            return;
        }
        kept.bytes = bytes;
        let answer =
            Answer { value: value.clone(), notes: notes.of_call(), gap: notes.gap(), rest: notes.rest() };
        kept.answers.insert(question, answer);
    }

    fn find(&self, question: &str) -> Option<Answer> {
        lock(&self.0).answers.get(question).cloned()
    }
}

impl Run {
    /// Returns the answer that the run before got to a question, and notes what it noted.
    pub(super) fn answered(&self, question: Option<&str>, notes: &Notes) -> Option<Value> {
        let Answer { value, notes: noted, gap, rest } = self.earlier.as_ref()?.find(question?)?;
        // Another call may have noted it for this one, and be left out now.
        if let (Some(gap), true) = (&gap, noted.is_empty()) {
            notes.add(format!("Not complete: {}.", gap.reason));
        }
        noted.into_iter().for_each(|it| notes.add(it));
        gap.into_iter().for_each(|it| notes.pass_gap(it));
        rest.into_iter().for_each(|it| notes.put_rest(it));
        Some(value)
    }
}
