//! Requests between the two proxies as calls, for a chain that is one process.

use std::fmt;
use std::sync::Mutex;
use std::sync::atomic::{AtomicU64, Ordering};

use agent_client_protocol::{Error, UntypedMessage};
use futures::future::BoxFuture;
use serde_json::Value;
use unpoisoned::lock;

/// The result of a request that is called. Dropping it cancels the request.
type Called = BoxFuture<'static, Result<Value, Error>>;

/// A handler of requests. It returns those that have to go by the chain.
type Answer = Box<dyn Fn(UntypedMessage) -> Result<Called, UntypedMessage> + Send + Sync>;

/// The way of requests from the component to the adapter past the conductor, in one process.
///
/// A call overtakes the messages of the chain. So there is a call only while none is on its way that says what
/// happens to files; otherwise the request takes the way of the messages, behind them.
#[derive(Default)]
pub struct DirectRequests {
    /// The number of messages about files that the component has sent.
    sent: AtomicU64,
    /// The number of those that the adapter has handled.
    handled: AtomicU64,
    /// `None` while the adapter is not connected.
    answer: Mutex<Option<Answer>>,
}

impl DirectRequests {
    /// Counts a message that the component is about to send toward the client.
    pub fn sends(&self, method: &str) {
        if is_about_files(method) {
            self.sent.fetch_add(1, Ordering::Release);
        }
    }

    /// Counts a message of the component that the adapter has handled, and forwarded if it goes on.
    pub fn has_handled(&self, method: &str) {
        if is_about_files(method) {
            self.handled.fetch_add(1, Ordering::Release);
        }
    }

    /// Answers requests with `answer` from now on; `None` makes them messages again.
    pub fn answer_with(&self, answer: Option<Answer>) {
        *lock(&self.answer) = answer;
    }

    /// Calls the adapter.
    ///
    /// # Errors
    /// Returns the request where it has to go by the chain.
    pub fn call(&self, request: UntypedMessage) -> Result<Called, UntypedMessage> {
        let sent = self.sent.load(Ordering::Acquire);
        if self.handled.load(Ordering::Acquire) < sent {
            return Err(request);
        }
        match &*lock(&self.answer) {
            Some(answer) => answer(request),
            None => Err(request),
        }
    }
}

impl fmt::Debug for DirectRequests {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { sent, handled, .. } = self;
        f.debug_struct("DirectRequests").field("sent", sent).field("handled", handled).finish_non_exhaustive()
    }
}

/// Returns true for messages of ACP that say what the agent or the user does to files.
fn is_about_files(method: &str) -> bool {
    method == "session/update" || method.starts_with("fs/")
}

#[cfg(test)]
mod tests {
    use std::future::ready;

    use futures::FutureExt;

    use super::*;

    fn answering() -> DirectRequests {
        let direct = DirectRequests::default();
        direct.answer_with(Some(Box::new(|it| Ok(ready(Ok(it.params)).boxed()))));
        direct
    }

    /// Calls, and returns whether the request was answered.
    fn is_answered(direct: &DirectRequests) -> bool {
        let request = UntypedMessage { method: "ide/one".to_owned(), params: Value::from(1) };
        match direct.call(request) {
            Ok(answer) => answer.now_or_never() == Some(Ok(Value::from(1))),
            Err(back) => {
                assert_eq!((back.method.as_str(), back.params), ("ide/one", Value::from(1)));
                false
            }
        }
    }

    #[test]
    fn a_request_waits_for_messages_about_files_alone() {
        let direct = answering();
        assert!(is_answered(&direct));
        for method in ["session/request_permission", "terminal/create", "_vendor/thing"] {
            direct.sends(method);
            assert!(is_answered(&direct), "{method}");
        }
        for method in ["session/update", "fs/write_text_file", "fs/read_text_file"] {
            direct.sends(method);
            direct.sends(method);
            direct.has_handled(method);
            assert!(!is_answered(&direct), "one {method} is on its way");
            direct.has_handled("_vendor/thing");
            assert!(!is_answered(&direct), "one {method} is on its way");
            direct.has_handled(method);
            assert!(is_answered(&direct), "no {method} is on its way");
        }
    }

    #[test]
    fn nobody_is_called_who_is_not_connected() {
        assert!(!is_answered(&DirectRequests::default()));
        let direct = answering();
        direct.answer_with(None);
        assert!(!is_answered(&direct));
    }
}
