//! A body that keeps its connection from being idle until the last of it is written.

use std::pin::Pin;
use std::task::{Context, Poll};

use axum::body::HttpBody;
use hyper::body::{Frame, SizeHint};

use crate::port::Busy;

/// A body, and the request that it answers.
#[derive(Debug)]
pub(super) struct Kept<B> {
    body: Pin<Box<B>>,
    _busy: Busy,
}

impl<B> Kept<B> {
    pub(super) fn new(body: B, busy: Busy) -> Self {
        Self { body: Box::pin(body), _busy: busy }
    }
}

impl<B: HttpBody> HttpBody for Kept<B> {
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
