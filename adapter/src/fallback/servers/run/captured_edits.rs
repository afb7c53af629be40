//! Edits that a server asks to be made. Nobody makes them behind the user's back: while a command runs for a preview they
//! are what it comes to, and else they are refused.

use std::sync::{Arc, Mutex};

use crate::lock::lock;
use serde_json::{Value, json};
use tokio::sync::mpsc::{UnboundedReceiver, UnboundedSender, unbounded_channel};

/// What a server is told about each of its edits.
const REFUSAL: &str = "this client shows edits before they are made, and has not made this one";

/// The edits that one life of a server asks for.
#[derive(Clone, Debug, Default)]
pub(crate) struct CapturedEdits(Arc<Mutex<Option<UnboundedSender<Value>>>>);

impl CapturedEdits {
    /// Hears them from now on, in the place of whoever heard them before.
    pub(crate) fn hear(&self) -> UnboundedReceiver<Value> {
        let (tell, hear) = unbounded_channel();
        *lock(&self.0) = Some(tell);
        hear
    }

    /// Takes in the params of `workspace/applyEdit`, and gives its honest answer.
    pub(crate) fn take(&self, params: &Value) -> Value {
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
        assert_eq!(offered.take(&json!({"edit": 1}))["applied"], false);
        let mut heard = offered.hear();
        assert_eq!(offered.take(&json!({"edit": 2}))["applied"], false);
        assert_eq!(heard.try_recv(), Ok(json!(2)));
        assert!(heard.try_recv().is_err());
    }
}
