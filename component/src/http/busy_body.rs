//! A response body that keeps its connection from being idle until its last byte is written.

use std::pin::Pin;
use std::task::{Context, Poll};

use axum::body::HttpBody;
use hyper::body::{Frame, SizeHint};

use crate::port::BusyGuard;

/// A body, with the guard of the request that it answers.
#[derive(Debug)]
pub(super) struct BusyBody<B> {
    body: Pin<Box<B>>,
    _busy: BusyGuard,
}

impl<B> BusyBody<B> {
    pub(super) fn new(body: B, busy: BusyGuard) -> Self {
        Self { body: Box::pin(body), _busy: busy }
    }
}

impl<B: HttpBody> HttpBody for BusyBody<B> {
    type Data = B::Data;
    type Error = B::Error;

    fn poll_frame(
        mut self: Pin<&mut Self>,
        cx: &mut Context<'_>,
    ) -> Poll<Option<Result<Frame<Self::Data>, Self::Error>>> {
        self.body.as_mut().poll_frame(cx)
    }

    fn is_end_stream(&self) -> bool {
        self.body.is_end_stream()
    }

    fn size_hint(&self) -> SizeHint {
        self.body.size_hint()
    }
}
