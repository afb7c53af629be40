//! Futures that grow the stack: programs nest deeper than a thread's stack allows.

use std::future::Future;
use std::pin::Pin;
use std::task::{Context, Poll};

use futures::future::BoxFuture;

/// The bytes of stack that a level of evaluation may take until the next level checks again.
const RED_ZONE: usize = 1 << 20;

/// The bytes of stack that are added at a time.
const SEGMENT: usize = 2 << 20;

/// A future whose polls have enough stack.
struct Growing<'a, T>(BoxFuture<'a, T>);

/// Boxes a future that is part of a recursion.
pub(super) fn growing<'a, T: 'a>(future: impl Future<Output = T> + Send + 'a) -> BoxFuture<'a, T> {
    Box::pin(Growing(Box::pin(future)))
}

impl<T> Future for Growing<'_, T> {
    type Output = T;

    fn poll(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<T> {
        stacker::maybe_grow(RED_ZONE, SEGMENT, || self.0.as_mut().poll(context))
    }
}
