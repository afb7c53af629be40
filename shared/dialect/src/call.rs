//! What runs when a program calls something.

use std::future::Future;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use futures::future::BoxFuture;
use serde::de::DeserializeOwned;

use crate::{Closure, Failure, FailureKind, Interrupt, Limits, Note, Object, Value};

/// A row's code. What it needs (a host, a plugin) it captured when its table was made.
pub trait Call: Send + Sync {
    /// Runs once, with arguments already named, converted and checked against the signature.
    fn call(&self, invocation: Invocation) -> BoxFuture<'static, Result<Value, Interrupt>>;
}

impl<F, Fut> Call for F
where
    F: Fn(Invocation) -> Fut + Send + Sync,
    Fut: Future<Output = Result<Value, Interrupt>> + Send + 'static,
{
    fn call(&self, invocation: Invocation) -> BoxFuture<'static, Result<Value, Interrupt>> {
        Box::pin(self(invocation))
    }
}

/// One run of a callable.
#[derive(Clone, Debug)]
pub struct Invocation {
    /// What it was given.
    pub arguments: Arguments,
    /// Where it says what its answer leaves out.
    pub notes: Notes,
    /// How big what it makes may be. The evaluator looks at what comes back; code that could make something huge
    /// of little looks before it does.
    pub limits: Limits,
}

/// Arguments by parameter name; those left out are absent, and so are optional ones given as `null`.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Arguments(pub Object);

impl Arguments {
    /// The argument, or `None` when it was left out.
    pub fn get(&self, parameter: &str) -> Option<&Value> {
        self.0.get(parameter)
    }

    /// The argument of a required `string` parameter.
    ///
    /// # Errors
    /// When the signature does not promise that.
    pub fn text(&self, parameter: &str) -> Result<&str, Failure> {
        let value = self.get(parameter).and_then(Value::as_text);
        value.ok_or_else(|| unreadable(parameter, "it is no string"))
    }

    /// The elements of a required `List<…>` parameter.
    ///
    /// # Errors
    /// When the signature does not promise that.
    pub fn list(&self, parameter: &str) -> Result<&[Value], Failure> {
        let value = self.get(parameter).and_then(Value::as_list);
        value.ok_or_else(|| unreadable(parameter, "it is no list"))
    }

    /// The function given to a required parameter of a function's type.
    ///
    /// # Errors
    /// When the signature does not promise that.
    pub fn function(&self, parameter: &str) -> Result<&Closure, Failure> {
        let value = self.get(parameter).and_then(Value::as_function);
        value.ok_or_else(|| unreadable(parameter, "it is no function"))
    }

    /// The argument read into a Rust type: a number, a record, a list of them. Left out it is read as
    /// `null`, so that an `Option` is `None`.
    ///
    /// # Errors
    /// When the argument does not fit the Rust type, which may be narrower than the signature: a `u32`
    /// where the program has `-1`. The failure says so.
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

/// Collects the notes of one program; each is kept once, in order.
#[derive(Clone, Debug, Default)]
pub struct Notes {
    run: Arc<Collected>,
    /// Which call of the run adds.
    call: u64,
}

/// What one run collects. A call costs no allocation here until it leaves something out.
#[derive(Debug, Default)]
struct Collected {
    notes: Mutex<Vec<Note>>,
    calls: AtomicU64,
    has_rest: AtomicBool,
    rests: Mutex<Vec<(u64, Rest)>>,
}

/// What a call did not show, and how it is asked for.
#[derive(Clone, Debug)]
pub(crate) struct Rest {
    /// What stands before the program: `Cut after 3 of 9 places; the rest is `
    pub(crate) words: String,
    /// The argument with which the same call goes on.
    pub(crate) argument: (String, Value),
    /// What is said where no program can be written: inside a lambda.
    pub(crate) otherwise: String,
}

impl Notes {
    /// Adds a note unless it is there already.
    pub fn add(&self, note: impl Into<String>) {
        let note = Note(note.into());
        let mut notes = lock(&self.run.notes);
        if !notes.contains(&note) {
            notes.push(note);
        }
    }

    /// Adds the note that this call left something out: `words`, and then the program in which this call has the
    /// argument that shows the rest. Inside a lambda, where there is no such program, it is `otherwise` alone.
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

    /// All notes so far.
    pub fn to_vec(&self) -> Vec<Note> {
        lock(&self.run.notes).clone()
    }

    /// Whether these are the notes of the same run of a program.
    #[must_use]
    pub fn is_same_run(&self, other: &Self) -> bool {
        Arc::ptr_eq(&self.run, &other.run)
    }

    /// The same notes, for one more call.
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
