//! A response body that keeps its connection from being idle until its last byte is written, and that ends when its
//! call is cancelled.

use std::pin::Pin;
use std::task::{Context, Poll};

use axum::body::HttpBody;
use futures::FutureExt;
use futures::future::BoxFuture;
use hyper::body::{Frame, SizeHint};

use crate::mcp::port::BusyGuard;
use crate::session::RunningCall;

/// A body, with the guard of the request that it answers.
pub(super) struct BusyBody<B> {
    body: Pin<Box<B>>,
    /// Ends the body, which would go on with the answer to a call that nobody waits for.
    cancelled: Option<BoxFuture<'static, ()>>,
    _busy: BusyGuard,
}

impl<B: HttpBody> BusyBody<B> {
    /// Wraps the body of an answer, to `call` if it is one to a call. A body of known length is complete already.
    pub(super) fn new(body: B, busy: BusyGuard, call: Option<RunningCall>) -> Self {
        let call = call.filter(|_| body.size_hint().exact().is_none());
        let cancelled = call.map(|call| async move { call.cancelled().await }.boxed());
        Self { body: Box::pin(body), cancelled, _busy: busy }
    }
}

impl<B: HttpBody> HttpBody for BusyBody<B> {
    type Data = B::Data;
    type Error = B::Error;

    fn poll_frame(
        mut self: Pin<&mut Self>,
        cx: &mut Context<'_>,
    ) -> Poll<Option<Result<Frame<Self::Data>, Self::Error>>> {
        if self.cancelled.as_mut().is_some_and(|it| it.poll_unpin(cx).is_ready()) {
            return Poll::Ready(None);
        }
        self.body.as_mut().poll_frame(cx)
    }

    fn is_end_stream(&self) -> bool {
        self.body.is_end_stream()
    }

    fn size_hint(&self) -> SizeHint {
        self.body.size_hint()
    }
}
