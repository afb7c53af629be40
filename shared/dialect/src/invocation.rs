//! Calls of library code: its arguments, its notes, and the trait that runs it.

use std::collections::HashMap;
use std::future::Future;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::{Arc, Mutex};

use futures::future::BoxFuture;
use serde::de::DeserializeOwned;
use source_text::visible_line;

use crate::{
    Closure, Failure, FailureKind, Gap, GapCause, Interrupt, Limits, Note, Object, Signature, Value, Work,
};
use unpoisoned::lock;

/// The code of a row. It captures what it needs (a host, a plugin) when its table is made.
pub trait Handler: Send + Sync {
    /// Runs the code once, with arguments already named, converted and checked against the signature.
    fn call(&self, invocation: Invocation) -> BoxFuture<'static, Result<Value, Interrupt>>;
}

impl<F, Fut> Handler for F
where
    F: Fn(Invocation) -> Fut + Send + Sync,
    Fut: Future<Output = Result<Value, Interrupt>> + Send + 'static,
{
    fn call(&self, invocation: Invocation) -> BoxFuture<'static, Result<Value, Interrupt>> {
        Box::pin(self(invocation))
    }
}

/// One call of a callable.
#[derive(Clone, Debug)]
pub struct Invocation {
    /// The arguments by the parameters' names, converted and checked; defaults are filled in.
    pub arguments: Arguments,
    /// The notes about the result, such as parts that it leaves out.
    pub notes: Notes,
    /// The limits on the size of the result. The evaluator checks the result; code that could make a huge
    /// value out of little checks beforehand.
    pub limits: Limits,
    /// The signature of the function that the result of a conversion is an argument of. A conversion may prepare what
    /// that function asks next.
    pub consumer: Option<Arc<Signature>>,
    /// The counter of its work. Code whose work is more than a part of what it returns counts it there.
    pub work: Work,
}

/// An argument of a call.
#[derive(Clone, Debug, PartialEq)]
pub struct GivenArgument {
    /// The name of its parameter; positional without.
    pub name: Option<String>,
    /// The value, before it is converted to the type of its parameter.
    pub value: Value,
}

/// Arguments by parameter name. Omitted ones are absent, and so are optional ones given as `null`.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Arguments(pub Object);

impl Arguments {
    /// Returns the argument, or `None` if it was omitted.
    pub fn get(&self, parameter: &str) -> Option<&Value> {
        self.0.get(parameter)
    }

    /// Returns the argument of a required `string` parameter.
    ///
    /// # Errors
    /// If the signature does not promise that.
    pub fn text(&self, parameter: &str) -> Result<&str, Failure> {
        let value = self.get(parameter).and_then(Value::as_text);
        value.ok_or_else(|| unreadable(parameter, "it is no string"))
    }

    /// Returns the elements of a required `List<…>` parameter.
    ///
    /// # Errors
    /// If the signature does not promise that.
    pub fn list(&self, parameter: &str) -> Result<&[Value], Failure> {
        let value = self.get(parameter).and_then(Value::as_list);
        value.ok_or_else(|| unreadable(parameter, "it is no list"))
    }

    /// Returns the function given to a required parameter of a function type.
    ///
    /// # Errors
    /// If the signature does not promise that.
    pub fn function(&self, parameter: &str) -> Result<&Closure, Failure> {
        let value = self.get(parameter).and_then(Value::as_function);
        value.ok_or_else(|| unreadable(parameter, "it is no function"))
    }

    /// Reads the argument into a Rust type: a number, a record, a list of them. An omitted one reads as
    /// `null`, so that an `Option` is `None`.
    ///
    /// # Errors
    /// If the argument does not fit the Rust type, which may be narrower than the signature: a `u32` where
    /// the program has `-1`. The failure says so.
    pub fn read<T: DeserializeOwned>(&self, parameter: &str) -> Result<T, Failure> {
        let value = self.get(parameter).unwrap_or(&Value::Null);
        value.read().map_err(|error| unreadable(parameter, error))
    }
}

fn unreadable(parameter: &str, reason: impl ToString) -> Failure {
    let kind =
        FailureKind::UnreadableArgument { parameter: parameter.to_owned(), reason: reason.to_string() };
    Failure::from(kind).argument(parameter)
}

/// The most notes of one run, beyond which they are left out.
const NOTES: usize = 100;

const LEFT_OUT: &str = "There are more notes, which are left out.";
const GAPS_LEFT_OUT: &str =
    "There are more notes, which are left out, also on answers that are not complete.";

/// The notes of one program, each kept once, in order.
#[derive(Clone, Debug, Default)]
pub struct Notes {
    run: Arc<Collected>,
    /// The call of the run that adds notes.
    call: u64,
}

/// The notes of one run. A call costs no allocation here until it leaves something out.
#[derive(Debug, Default)]
struct Collected {
    notes: Mutex<Vec<Note>>,
    /// The notes of each call, also those that others have.
    by_call: Mutex<HashMap<u64, Vec<Note>>>,
    calls: AtomicU64,
    has_rest: AtomicBool,
    rests: Mutex<Vec<(u64, Rest)>>,
    has_gap: AtomicBool,
    /// The gravest gap of each call that has any, until it is taken.
    gaps: Mutex<Vec<(u64, Gap)>>,
    /// The notes on decisions about gaps. There are few, and no limit leaves one out.
    decisions: Mutex<Vec<Note>>,
}

/// A part of a result that is not shown, and the way to ask for it.
#[derive(Clone, Debug)]
pub(crate) struct Rest {
    /// The text before the program: `Cut after 3 of 9 places; the rest is `
    pub(crate) words: String,
    /// The argument with which the same call continues.
    pub(crate) argument: (String, Value),
    /// The note where no program can be written: inside a lambda.
    pub(crate) otherwise: String,
}

impl Notes {
    /// Adds a note of one line, unless it is there already. What hides or breaks the line is escaped: names of files
    /// and words of others can stand in it.
    pub fn add(&self, note: impl Into<Note>) {
        let note = note.into();
        self.push(Note { text: visible_line(&note.text, usize::MAX), ..note });
    }

    /// Adds a note with a list of lines below it, escaped as that of [`Self::add`].
    pub fn add_lines<S: AsRef<str>>(&self, head: impl AsRef<str>, lines: impl IntoIterator<Item = S>) {
        let mut note = visible_line(head.as_ref(), usize::MAX);
        for line in lines {
            note.push_str("\n  ");
            note.push_str(&visible_line(line.as_ref(), usize::MAX));
        }
        self.push(note.into());
    }

    /// Adds a note that ends in a program, which may have several lines.
    pub(crate) fn add_program(&self, words: &str, program: &str) {
        self.push((visible_line(words, usize::MAX) + program).into());
    }

    fn push(&self, note: Note) {
        lock(&self.run.by_call).entry(self.call).or_default().push(note.clone());
        let mut notes = lock(&self.run.notes);
        if notes.len() < NOTES && !notes.iter().any(|it| it.text == note.text) {
            notes.push(note);
            if notes.len() == NOTES {
                notes.push(LEFT_OUT.into());
            }
        }
    }

    /// Adds the note that the result of this call lacks something, and what. A program that decides on such a result
    /// fails, or says so: see [`Flow`](crate::Flow).
    pub fn add_gap(&self, note: impl Into<Note>, gap: Gap) {
        let note = note.into();
        self.add(note.clone());
        let mut notes = lock(&self.run.notes);
        // The limit leaves out no hint that something is missing.
        if notes.len() > NOTES && !notes.iter().any(|it| it.text == note.text) {
            GAPS_LEFT_OUT.clone_into(&mut notes[NOTES].text);
        }
        drop(notes);
        self.pass_gap(gap);
    }

    /// Adds a gap to this call, where a note says already what is missing.
    pub fn pass_gap(&self, gap: Gap) {
        let mut gaps = lock(&self.run.gaps);
        match gaps.iter_mut().find(|(call, _)| *call == self.call) {
            Some((_, known)) if known.cause < gap.cause => *known = gap,
            Some(_) => {}
            None => gaps.push((self.call, gap)),
        }
        self.run.has_gap.store(true, Ordering::Release);
    }

    /// Adds the note that a decision was made on what a call lacks.
    pub(crate) fn add_decision(&self, note: String) {
        let mut decisions = lock(&self.run.decisions);
        if !decisions.iter().any(|it| it.text == note) {
            decisions.push(note.into());
        }
    }

    /// Adds the note that this call left something out: `words`, and then the program in which this call has
    /// the argument that shows the rest. Inside a lambda there is no such program, and the note is
    /// `otherwise`.
    pub fn add_rest(
        &self,
        words: impl Into<String>,
        parameter: impl Into<String>,
        argument: impl Into<Value>,
        otherwise: impl Into<String>,
    ) {
        let otherwise = otherwise.into();
        self.pass_gap(Gap::new(GapCause::Limit, otherwise.trim_end_matches('.').to_owned()));
        let argument = (parameter.into(), argument.into());
        self.put_rest(Rest { words: words.into(), argument, otherwise });
    }

    /// Adds what this call left out, without its gap.
    pub(crate) fn put_rest(&self, rest: Rest) {
        lock(&self.run.rests).push((self.call, rest));
        self.run.has_rest.store(true, Ordering::Release);
    }

    /// Returns what this call left out.
    pub(crate) fn rest(&self) -> Option<Rest> {
        if !self.run.has_rest.load(Ordering::Acquire) {
            return None;
        }
        lock(&self.run.rests).iter().find(|(call, _)| *call == self.call).map(|(_, rest)| rest.clone())
    }

    /// Returns all notes so far.
    pub fn to_vec(&self) -> Vec<Note> {
        let mut all = lock(&self.run.notes).clone();
        all.extend(lock(&self.run.decisions).iter().cloned());
        all
    }

    /// Returns `true` if these are the notes of the same run of a program.
    #[must_use]
    pub fn is_same_run(&self, other: &Self) -> bool {
        Arc::ptr_eq(&self.run, &other.run)
    }

    /// Returns the same notes, for one more call.
    pub(crate) fn for_call(&self) -> Self {
        let call = self.run.calls.fetch_add(1, Ordering::Relaxed) + 1;
        Self { run: Arc::clone(&self.run), call }
    }

    /// Returns the notes of this call.
    pub(crate) fn of_call(&self) -> Vec<Note> {
        lock(&self.run.by_call).get(&self.call).cloned().unwrap_or_default()
    }

    /// Returns the gravest gap of this call.
    pub(crate) fn gap(&self) -> Option<Gap> {
        if !self.run.has_gap.load(Ordering::Acquire) {
            return None;
        }
        lock(&self.run.gaps).iter().find(|(call, _)| *call == self.call).map(|(_, gap)| gap.clone())
    }

    /// Takes the gravest gap of this call.
    pub(crate) fn take_gap(&self) -> Option<Gap> {
        if !self.run.has_gap.load(Ordering::Acquire) {
            return None;
        }
        let mut gaps = lock(&self.run.gaps);
        let at = gaps.iter().position(|(call, _)| *call == self.call)?;
        Some(gaps.swap_remove(at).1)
    }

    pub(crate) fn take_rest(&self) -> Option<Rest> {
        if !self.run.has_rest.load(Ordering::Acquire) {
            return None;
        }
        let mut rests = lock(&self.run.rests);
        let at = rests.iter().position(|(call, _)| *call == self.call)?;
        Some(rests.swap_remove(at).1)
    }
}
