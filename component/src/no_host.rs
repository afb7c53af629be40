//! A host that answers nothing, for tables that are read and not run.

use futures::FutureExt;
use ide_library::{Answer, Host};
use ide_protocol::Operation;
use serde_json::Value;

/// A host whose answers never arrive.
pub(crate) struct NoHost;

impl Host for NoHost {
    fn send(&self, _: Operation, _: Value) -> Answer<'_, Value> {
        std::future::pending().boxed()
    }
}
