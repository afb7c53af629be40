//! Calls of library code: its arguments, its notes, and the trait that runs it.

use std::future::Future;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use futures::future::BoxFuture;
use serde::de::DeserializeOwned;
use source_text::visible_line;

use crate::{Closure, Failure, FailureKind, Interrupt, Limits, Note, Object, Value, Work};

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
    /// The arguments.
    pub arguments: Arguments,
    /// The notes about the result, such as parts that it leaves out.
    pub notes: Notes,
    /// The limits on the size of the result. The evaluator checks the result; code that could make a huge
    /// value out of little checks beforehand.
    pub limits: Limits,
    /// The counter of its work. Code whose work is more than a part of what it returns counts it there.
    pub work: Work,
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
    calls: AtomicU64,
    has_rest: AtomicBool,
    rests: Mutex<Vec<(u64, Rest)>>,
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
    pub fn add(&self, note: impl AsRef<str>) {
        self.push(visible_line(note.as_ref(), usize::MAX));
    }

    /// Adds a note with a list of lines below it, escaped as that of [`Self::add`].
    pub fn add_lines<S: AsRef<str>>(&self, head: impl AsRef<str>, lines: impl IntoIterator<Item = S>) {
        let mut note = visible_line(head.as_ref(), usize::MAX);
        for line in lines {
            note.push_str("\n  ");
            note.push_str(&visible_line(line.as_ref(), usize::MAX));
        }
        self.push(note);
    }

    /// Adds a note that ends in a program, which may have several lines.
    pub(crate) fn add_program(&self, words: &str, program: &str) {
        self.push(visible_line(words, usize::MAX) + program);
    }

    fn push(&self, note: String) {
        let note = Note(note);
        let mut notes = lock(&self.run.notes);
        if notes.len() < NOTES && !notes.contains(&note) {
            notes.push(note);
            if notes.len() == NOTES {
                notes.push(Note("There are more notes, which are left out.".to_owned()));
            }
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
        let argument = (parameter.into(), argument.into());
        let rest = Rest { words: words.into(), argument, otherwise: otherwise.into() };
        lock(&self.run.rests).push((self.call, rest));
        self.run.has_rest.store(true, Ordering::Release);
    }

    /// Returns all notes so far.
    pub fn to_vec(&self) -> Vec<Note> {
        lock(&self.run.notes).clone()
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

    pub(crate) fn take_rest(&self) -> Option<Rest> {
        if !self.run.has_rest.load(Ordering::Acquire) {
            return None;
        }
        let mut rests = lock(&self.run.rests);
        let at = rests.iter().position(|(call, _)| *call == self.call)?;
        Some(rests.swap_remove(at).1)
    }
}

fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}
