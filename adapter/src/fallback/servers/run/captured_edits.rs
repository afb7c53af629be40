//! Captures `workspace/applyEdit` requests while a command runs for a preview. No edit is applied; all are
//! refused.

use std::sync::{Arc, Mutex};

use serde_json::{Value, json};
use tokio::sync::mpsc::{UnboundedReceiver, UnboundedSender, unbounded_channel};

use unpoisoned::lock;

/// The reason for refusing an edit, for the server.
const REFUSAL: &str = "this client shows edits before they are made, and has not made this one";

/// The edits that one server process requests.
#[derive(Clone, Debug, Default)]
pub(crate) struct CapturedEdits(Arc<Mutex<Option<UnboundedSender<Value>>>>);

impl CapturedEdits {
    /// Captures the edits from now on, instead of any earlier receiver.
    pub(crate) fn capture(&self) -> UnboundedReceiver<Value> {
        let (tell, hear) = unbounded_channel();
        *lock(&self.0) = Some(tell);
        hear
    }

    /// Handles the parameters of `workspace/applyEdit`, and returns the refusal.
    pub(crate) fn on_apply_edit(&self, params: &Value) -> Value {
        let tell = lock(&self.0);
        let heard = tell.as_ref().is_some_and(|it| it.send(params["edit"].clone()).is_ok());
        tracing::debug!(heard, "a server asks for an edit");
        json!({ "applied": false, "failureReason": REFUSAL })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_edit_is_heard_and_never_made() {
        let offered = CapturedEdits::default();
        assert_eq!(offered.on_apply_edit(&json!({"edit": 1}))["applied"], false);
        let mut heard = offered.capture();
        assert_eq!(offered.on_apply_edit(&json!({"edit": 2}))["applied"], false);
        assert_eq!(heard.try_recv(), Ok(json!(2)));
        assert!(heard.try_recv().is_err());
    }
}
