//! The boundary to the outside: the host answers questions about the user's code.

use futures::future::BoxFuture;
use ide_protocol::{IdeError, Operation, Question, UnsavedText, read_result};
use serde_json::Value;

use crate::later_context::LaterContext;
use crate::order::ordered;

/// A pending answer. Dropping it cancels the question.
pub type Answer<'host, T> = BoxFuture<'host, Result<T, IdeError>>;

/// The side that answers questions about the code of one session.
pub trait Host: Send + Sync {
    /// Sends the [`Question`] of an operation as JSON and returns its result as JSON. The implementor adds the envelope:
    /// session, progress token and time limits. A question may have [`UnsavedText`]s. The library fills `target.at` of all operations but `definitions`.
    ///
    /// # Errors
    /// The answering side failed, or there is none for this operation.
    fn send(&self, operation: Operation, question: Value) -> Answer<'_, Value>;

    /// Returns the place for hits whose code around them is asked for later, where they are shown. Without one, each
    /// answer has it.
    fn later_context(&self) -> Option<&LaterContext> {
        None
    }
}

impl dyn Host {
    /// Sends a question and reads its result.
    ///
    /// # Errors
    /// As [`Host::send`], and `serverFailed` if the result does not have the operation's type.
    pub fn ask<Q: Question>(&self, operation: Operation, question: &Q) -> Answer<'_, Q::Result> {
        self.ask_about(operation, question, &[])
    }

    /// Sends a question about texts that are not on disk, and reads its result.
    ///
    /// # Errors
    /// As for `ask`, and `unavailable` if the answering side takes no such texts.
    pub fn ask_about<Q: Question>(
        &self,
        operation: Operation,
        question: &Q,
        texts: &[UnsavedText],
    ) -> Answer<'_, Q::Result> {
        let mut question = serde_json::to_value(question).expect("questions are plain data with text keys");
        UnsavedText::put(&mut question, texts);
        let answer = self.send(operation, question);
        Box::pin(async move { read_result(operation, ordered(operation, answer.await?)) })
    }
}
