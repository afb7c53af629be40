//! Concurrent evaluation of several expressions.

use std::future::poll_fn;
use std::iter;
use std::pin::Pin;
use std::task::Poll;

use futures::StreamExt;
use futures::stream::FuturesOrdered;

use super::run::Evaluated;
use crate::{Stop, Value};

/// Evaluates up to `concurrency` expressions at a time. Returns the values in order, or everything that
/// stopped them.
pub(crate) fn gather<'a>(
    concurrency: usize,
    mut each: impl Iterator<Item = Evaluated<'a>> + Send + 'a,
) -> Evaluated<'a, Vec<Value>> {
    let mut gathered =
        Gathering { concurrency, values: Vec::with_capacity(each.size_hint().0), ..Gathering::default() };
    while !gathered.is_over() {
        match each.next() {
            None => break,
            Some(Evaluated::Now(result)) => gathered.add(result.into_inner()),
            Some(later) => return Evaluated::later(gathered.go_on(iter::once(later).chain(each))),
        }
    }
    Evaluated::now(gathered.finish())
}

#[derive(Default)]
struct Gathering {
    concurrency: usize,
    values: Vec<Value>,
    stop: Stop,
}

impl Gathering {
    fn add(&mut self, result: Result<Value, Stop>) {
        match result {
            Ok(value) => self.values.push(value),
            Err(stop) => self.stop.join(stop),
        }
    }

    /// Returns `true` if no more expressions are evaluated: after enough failures, or after the first if the
    /// program writes.
    fn is_over(&self) -> bool {
        self.stop.is_enough() || self.concurrency == 1 && !self.stop.is_empty()
    }

    /// Evaluates the rest. Values that are ready at once need no queue.
    async fn go_on<'a>(
        mut self,
        mut each: impl Iterator<Item = Evaluated<'a>> + Send + 'a,
    ) -> Result<Vec<Value>, Stop> {
        let pending = loop {
            let Some(mut next) = each.next() else { return self.finish() };
            match poll_fn(|context| Poll::Ready(Pin::new(&mut next).poll(context))).await {
                Poll::Ready(result) => self.add(result),
                Poll::Pending => break next,
            }
            if self.is_over() {
                return self.finish();
            }
        };
        let mut queue = FuturesOrdered::from_iter([pending]);
        while !self.is_over() {
            if queue.len() < self.concurrency
                && let Some(next) = each.next()
            {
                queue.push_back(next);
            } else if let Some(result) = queue.next().await {
                self.add(result);
            } else {
                break;
            }
        }
        self.finish()
    }

    fn finish(self) -> Result<Vec<Value>, Stop> {
        if self.stop.is_empty() { Ok(self.values) } else { Err(self.stop) }
    }
}
