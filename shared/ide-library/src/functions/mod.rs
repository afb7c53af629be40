//! The functions, one a file: the code behind what the document declares.

use std::future::Future;
use std::sync::Arc;

use ailang::Implementation;
use dialect::{Failure, Handler, Interrupt, Invocation, Value};
use serde::Serialize;

use crate::failure::invalid;
use crate::memory::Memory;

mod apply_edits;
mod brief;
pub(crate) mod calls;
pub(crate) mod code_actions;
mod describe;
pub(crate) mod diagnostics;
mod files;
mod find_code;
mod find_definitions;
mod find_references;
mod find_symbols;
mod get_selection;
mod layout;
mod lines;
mod navigate;
mod outline;
mod rename;
mod search;
mod source;
mod stretch;
mod types;

/// The name of a function or a conversion, and what runs.
pub(crate) type Code = (String, Implementation);

/// What runs, for each function.
pub(crate) fn code(host: &Arc<Memory>) -> Vec<Code> {
    let each = [
        find_definitions::code(host),
        find_references::code(host),
        describe::code(host),
        outline::code(host),
        find_symbols::code(host),
        files::code(host),
        diagnostics::code(host),
        search::code(host),
        find_code::code(host),
        source::code(host),
        brief::code(host),
        lines::code(host),
        get_selection::code(host),
        rename::code(host),
        apply_edits::code(host),
    ];
    each.into_iter()
        .chain(navigate::codes(host))
        .chain(calls::codes(host))
        .chain(types::codes(host))
        .chain(code_actions::codes(host))
        .chain(layout::codes(host))
        .collect()
}

/// Code that asks the host.
pub(crate) fn asking<F, Answering>(host: &Arc<Memory>, code: F) -> impl Handler + use<F, Answering>
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
