//! How the code behind the documents is listed: by what is called, with the names of what it takes.

use std::future::Future;

use ailang::Implementation;
use dialect::{Failure, Interrupt, Invocation, Value};

/// The name of a function, and what runs.
pub(crate) type Code = (String, Implementation);

/// What runs one function.
pub(crate) type Computed = Result<Value, Failure>;

/// What computes from its arguments; `call` is what [`Implementation::of`] takes.
pub(crate) fn pure(call: &str, code: impl Fn(&Invocation) -> Computed + Send + Sync + 'static) -> Code {
    let code = move |invocation: Invocation| std::future::ready(code(&invocation).map_err(Interrupt::from));
    Implementation::of(call, code)
}

/// What calls functions that it is given.
pub(crate) fn calling<F, Answer>(call: &str, code: F) -> Code
where
    F: Fn(Invocation) -> Answer + Send + Sync + 'static,
    Answer: Future<Output = Result<Value, Interrupt>> + Send + 'static,
{
    Implementation::of(call, code)
}
