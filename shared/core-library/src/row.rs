//! How rows of this library are made.

use std::future::Future;

use dialect::{Effect, Failure, Function, Interrupt, Invocation, Value};

/// What runs one function.
pub(crate) type Computed = Result<Value, Failure>;

/// A function that computes from its arguments.
pub(crate) fn pure(signature: &str, summary: &str, code: fn(&Invocation) -> Computed) -> Function {
    let code = move |invocation: Invocation| std::future::ready(code(&invocation).map_err(Interrupt::from));
    Function::new(signature, summary, code).effect(Effect::Pure)
}

/// A function that calls others; what they do to the world is known from the program that gives them.
pub(crate) fn calling<F, Answer>(signature: &str, summary: &str, code: F) -> Function
where
    F: Fn(Invocation) -> Answer + Send + Sync + 'static,
    Answer: Future<Output = Result<Value, Interrupt>> + Send + 'static,
{
    Function::new(signature, summary, code).effect(Effect::Pure)
}
