//! The functions, one a file: each is a row and the code behind it.

use std::future::Future;
use std::sync::Arc;

use dialect::{Call, Failure, Function, Interrupt, Invocation, Value};
use serde::Serialize;

use crate::failure::invalid;
use crate::memory::Memory;

mod brief;
mod find_definitions;
mod find_references;
mod get_selection;
mod lines;
mod search;
mod source;

/// All functions, in the order in which they are shown.
pub(crate) fn rows(host: &Arc<Memory>) -> Vec<Function> {
    vec![
        find_definitions::row(host),
        find_references::row(host),
        search::row(host),
        source::row(host),
        brief::row(host),
        lines::row(host),
        get_selection::row(host),
    ]
}

/// Code that asks the host.
pub(crate) fn asking<F, Answering>(host: &Arc<Memory>, code: F) -> impl Call + use<F, Answering>
where
    F: Fn(Arc<Memory>, Invocation) -> Answering + Send + Sync + 'static,
    Answering: Future<Output = Result<Value, Interrupt>> + Send + 'static,
{
    let host = Arc::clone(host);
    move |invocation: Invocation| code(Arc::clone(&host), invocation)
}

/// Plain data; the evaluator makes records of it as the signature says.
pub(crate) fn plain(answer: &impl Serialize) -> Value {
    Value::from_serialize(answer).expect("answers are objects with texts for keys")
}

/// `skip` leaves nothing.
fn past_the_end(what: &str, total: usize) -> Failure {
    invalid(format!("`skip` leaves out all of the {total} {what}"), "Leave `skip` out to begin at the first.")
        .argument("skip")
}
