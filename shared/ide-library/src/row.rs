//! Implementations of functions and conversions, keyed by name: the rows that the interface document is linked with.

use std::future::Future;
use std::sync::Arc;

use ailang::Implementation;
use dialect::{Failure, Handler, Interrupt, Invocation, Value};
use ide_protocol::Edit;
use serde::Serialize;

use crate::cached_host::CachedHost;
use crate::failure::invalid;

/// The name of a function or a conversion, and its implementation.
pub(crate) type Code = (String, Implementation);

/// Binds an async function to the host.
pub(crate) fn with_host<F, Answering>(host: &Arc<CachedHost>, code: F) -> impl Handler + use<F, Answering>
where
    F: Fn(Arc<CachedHost>, Invocation) -> Answering + Send + Sync + 'static,
    Answering: Future<Output = Result<Value, Interrupt>> + Send + 'static,
{
    let host = Arc::clone(host);
    move |invocation: Invocation| code(Arc::clone(&host), invocation)
}

/// Converts to plain data. The evaluator makes records of it by the signature.
pub(crate) fn plain(answer: &impl Serialize) -> Value {
    Value::from_serialize(answer).expect("answers are objects with texts for keys")
}

/// Returns an edit as a value. The last line of a cut diff says so.
pub(crate) fn plain_edit(mut edit: Edit) -> Value {
    edit.files.iter_mut().for_each(|it| it.cut = 0);
    plain(&edit)
}

/// Returns the failure for a `skip` that leaves nothing of the `total`.
pub(crate) fn past_the_end(what: &str, total: usize) -> Failure {
    invalid(format!("`skip` leaves out all of the {total} {what}"), "Leave `skip` out to begin at the first.")
        .argument("skip")
}
