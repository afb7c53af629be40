//! What runs when a program calls something.

use std::future::Future;
use std::sync::{Arc, Mutex, PoisonError};

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
pub struct Notes(Arc<Mutex<Vec<Note>>>);

impl Notes {
    /// Adds a note unless it is there already.
    pub fn add(&self, note: impl Into<String>) {
        let note = Note(note.into());
        let mut notes = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        if !notes.contains(&note) {
            notes.push(note);
        }
    }

    /// All notes so far.
    pub fn to_vec(&self) -> Vec<Note> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).clone()
    }
}
