//! Rows of the implementation: names, parameters and code.

use std::future::Future;

use ailang::Implementation;
use dialect::{Failure, Interrupt, Invocation, Value};

/// The name of a function, with its implementation.
pub(crate) type Code = (String, Implementation);

/// The result of a pure function.
pub(crate) type Computed = Result<Value, Failure>;

/// Wraps a pure function; `call` is the argument of [`Implementation::of`].
pub(crate) fn pure(
    call: &'static str,
    code: impl Fn(&Invocation) -> Computed + Send + Sync + 'static,
) -> Code {
    let code = move |invocation: Invocation| std::future::ready(code(&invocation).map_err(Interrupt::from));
    Implementation::of(call, code)
}

/// Wraps a function that calls given functions.
pub(crate) fn calling<F, Answer>(call: &'static str, code: F) -> Code
where
    F: Fn(Invocation) -> Answer + Send + Sync + 'static,
    Answer: Future<Output = Result<Value, Interrupt>> + Send + 'static,
{
    Implementation::of(call, code)
}
