//! Requests that are cancelled in the server when their future is dropped.

use std::future::Future;
use std::pin::Pin;
use std::sync::{Arc, Mutex};
use std::task::{Context, Poll, ready};

use async_lsp::ServerSocket;
use futures::future::Either;
use lsp_types::notification::Cancel;
use lsp_types::request::Request;
use lsp_types::{CancelParams, NumberOrString};
use pin_project::{pin_project, pinned_drop};

use super::lent::LentServer;
use unpoisoned::lock;

/// A client that sends requests to one server: to a process of ours, or through the editor to one of the editor's.
#[derive(Clone, Debug)]
pub(crate) enum Requests {
    Process(ProcessRequests),
    Lent(LentServer),
}

/// A client of one server process.
///
/// async-lsp does not expose request ids, but counts them from 0 in the order of sending. So the same count
/// is kept here, and sending and counting happen under one lock. Every request must use this client: any
/// other would shift the count.
#[derive(Clone, Debug)]
pub(crate) struct ProcessRequests {
    socket: ServerSocket,
    next_id: Arc<Mutex<i32>>,
}

impl Requests {
    /// Wraps a socket that has sent no request yet.
    pub(crate) fn new(socket: ServerSocket) -> Self {
        Self::Process(ProcessRequests { socket, next_id: Arc::default() })
    }

    /// Returns `true` if the server is the editor's.
    pub(crate) fn is_lent(&self) -> bool {
        matches!(self, Self::Lent(_))
    }

    /// Returns `true` if the server can be asked that: the editor forwards some requests only.
    pub(crate) fn offers(&self, method: &str) -> bool {
        match self {
            Self::Process(_) => true,
            Self::Lent(server) => server.forwards(method),
        }
    }

    /// Returns the socket for notifications; `None` for a server of the editor, which notifies it.
    pub(crate) fn socket(&self) -> Option<&ServerSocket> {
        match self {
            Self::Process(it) => Some(&it.socket),
            Self::Lent(_) => None,
        }
    }

    /// Sends a request. Dropping the future cancels it in the server.
    pub(crate) fn ask<R: Request>(
        &self,
        params: R::Params,
    ) -> impl Future<Output = async_lsp::Result<R::Result>> + Send
    where
        R::Params: Send,
        R::Result: Send,
    {
        match self.clone() {
            Self::Process(requests) => Either::Left(requests.ask::<R>(params)),
            Self::Lent(server) => Either::Right(server.ask::<R>(params)),
        }
    }
}

impl ProcessRequests {
    fn ask<R: Request>(self, params: R::Params) -> impl Future<Output = async_lsp::Result<R::Result>> + Send
    where
        R::Params: Send,
        R::Result: Send,
    {
        let socket = self.socket.clone();
        let future = async move { socket.request::<R>(params).await };
        InFlight { future, requests: self, id: None, answered: false }
    }
}

/// The reason why a server did not answer a request.
#[derive(Clone, Debug, thiserror::Error)]
pub(crate) enum AskError {
    /// The server ended in the meantime.
    #[error("it ended while it was asked")]
    Died,
    /// There was no answer in time.
    #[error("it did not answer in time")]
    TimedOut,
    /// It answered with an error.
    #[error("it answered with error {code}: {message}")]
    Refused { code: i32, message: String },
    /// Its answer does not have the type of the request's result.
    #[error("its answer cannot be read: {0}")]
    Nonsense(String),
    /// The editor, whose server it is, does not offer that request.
    #[error("the editor does not offer `{0}`")]
    NotOffered(&'static str),
    /// The editor did not pass the request on to its server, or not the answer.
    #[error("the editor passed no answer on: {0}")]
    NotForwarded(String),
}

impl AskError {
    /// Returns `true` if the same request may succeed in a moment.
    pub(super) fn is_transient(&self) -> bool {
        // Content modified, server cancelled.
        matches!(self, Self::Refused { code: -32801 | -32802, .. })
    }
}

impl From<async_lsp::Error> for AskError {
    fn from(error: async_lsp::Error) -> Self {
        match error {
            async_lsp::Error::Response(error) => Self::Refused { code: error.code.0, message: error.message },
            async_lsp::Error::Deserialize(error) => Self::Nonsense(error.to_string()),
            async_lsp::Error::ServiceStopped | async_lsp::Error::Eof | async_lsp::Error::Io(_) => Self::Died,
            // No request of async-lsp's own ends with it.
            async_lsp::Error::Routing(reason) => Self::NotForwarded(reason),
            error => Self::Nonsense(error.to_string()),
        }
    }
}

#[pin_project(PinnedDrop)]
struct InFlight<F> {
    #[pin]
    future: F,
    requests: ProcessRequests,
    /// The request's id, known after the first poll, which sends it.
    id: Option<i32>,
    answered: bool,
}

impl<F: Future> Future for InFlight<F> {
    type Output = F::Output;

    fn poll(self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<Self::Output> {
        let this = self.project();
        let poll = if this.id.is_some() {
            this.future.poll(cx)
        } else {
            let mut next = lock(&this.requests.next_id);
            let poll = this.future.poll(cx);
            *this.id = Some(*next);
            *next += 1;
            poll
        };
        let answer = ready!(poll);
        *this.answered = true;
        Poll::Ready(answer)
    }
}

#[pinned_drop]
impl<F> PinnedDrop for InFlight<F> {
    fn drop(self: Pin<&mut Self>) {
        let this = self.project();
        if let (Some(id), false) = (*this.id, *this.answered) {
            // It fails only when the server is gone, and the request with it.
            let _ = this.requests.socket.notify::<Cancel>(CancelParams { id: NumberOrString::Number(id) });
        }
    }
}

#[cfg(test)]
mod tests {
    use async_lsp::MainLoop;
    use async_lsp::router::Router;
    use futures::FutureExt;
    use lsp_types::request::Shutdown;
    use tokio::io::{AsyncReadExt, AsyncWriteExt};
    use tokio_util::compat::TokioAsyncReadCompatExt;

    use super::*;

    #[tokio::test]
    async fn only_what_is_not_answered_is_cancelled() {
        let (main_loop, socket) = MainLoop::new_client(|_| Router::new(()));
        let (ours, mut theirs) = tokio::io::duplex(64 * 1024);
        let (mut their_answers, input) = tokio::io::duplex(64 * 1024);
        tokio::spawn(main_loop.run_buffered(input.compat(), ours.compat()));

        let requests = Requests::new(socket);
        // Never polled, so never sent.
        drop(requests.ask::<Shutdown>(()));
        let mut cancelled = Box::pin(requests.ask::<Shutdown>(()));
        assert!(cancelled.as_mut().now_or_never().is_none());
        let mut answered = Box::pin(requests.ask::<Shutdown>(()));
        assert!(answered.as_mut().now_or_never().is_none());
        let answer = b"Content-Length: 38\r\n\r\n{\"jsonrpc\":\"2.0\",\"id\":1,\"result\":null}";
        their_answers.write_all(answer).await.unwrap();
        answered.await.unwrap();
        drop(cancelled);

        let mut sent = vec![0; 4096];
        let mut text = String::new();
        while !text.contains("cancelRequest") {
            let count = theirs.read(&mut sent).await.unwrap();
            text += &String::from_utf8_lossy(&sent[..count]);
        }
        let messages: Vec<_> =
            text.split("Content-Length").filter_map(|it| it.split_once("\r\n\r\n")).collect();
        let bodies: Vec<_> = messages.into_iter().map(|(_, body)| body).collect();
        assert_eq!(
            bodies,
            [
                r#"{"jsonrpc":"2.0","id":0,"method":"shutdown"}"#,
                r#"{"jsonrpc":"2.0","id":1,"method":"shutdown"}"#,
                r#"{"jsonrpc":"2.0","method":"$/cancelRequest","params":{"id":0}}"#,
            ]
        );
    }
}
