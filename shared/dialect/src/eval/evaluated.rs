//! What an expression comes to: at once where nothing has to be waited for, which costs no allocation, and
//! otherwise later.

use std::future::{Future, Ready, poll_fn, ready};
use std::iter;
use std::pin::Pin;
use std::task::{Context, Poll};

use futures::future::BoxFuture;
use futures::stream::FuturesOrdered;
use futures::{FutureExt, StreamExt};

use super::Env;
use super::stop::Stop;
use crate::Value;

/// What an expression comes to. What writes to the world has not begun before the first poll.
pub(crate) enum Evaluated<'a, T = Value> {
    Now(Ready<Result<T, Stop>>),
    Later(BoxFuture<'a, Result<T, Stop>>),
}

impl<'a, T: Send + 'a> Evaluated<'a, T> {
    pub(crate) fn now(result: Result<T, Stop>) -> Self {
        Self::Now(ready(result))
    }

    pub(crate) fn later(result: impl Future<Output = Result<T, Stop>> + Send + 'a) -> Self {
        Self::Later(result.boxed())
    }

    /// The value, if it is there.
    pub(crate) fn at_once(self) -> Result<T, Self> {
        match self {
            Self::Now(result) => result.into_inner().map_err(|stop| Self::now(Err(stop))),
            later @ Self::Later(_) => Err(later),
        }
    }

    /// What `next` makes of the value.
    pub(crate) fn and_then<U: Send + 'a>(
        self,
        next: impl FnOnce(T) -> Result<U, Stop> + Send + 'a,
    ) -> Evaluated<'a, U> {
        self.map(|result| result.and_then(next))
    }

    /// What `next` makes of the value, or of what stopped it.
    pub(crate) fn map<U: Send + 'a>(
        self,
        next: impl FnOnce(Result<T, Stop>) -> Result<U, Stop> + Send + 'a,
    ) -> Evaluated<'a, U> {
        match self {
            Self::Now(result) => Evaluated::now(next(result.into_inner())),
            Self::Later(result) => Evaluated::later(async move { next(result.await) }),
        }
    }

    /// What `next`, given the value, comes to; `env` is kept for it only where it has to wait.
    pub(crate) fn then<U: Send + 'a>(
        self,
        env: &Env,
        next: impl FnOnce(T, &Env) -> Evaluated<'a, U> + Send + 'a,
    ) -> Evaluated<'a, U> {
        match self {
            Self::Now(result) => match result.into_inner() {
                Ok(value) => next(value, env),
                Err(stop) => Evaluated::now(Err(stop)),
            },
            Self::Later(result) => {
                let env = env.clone();
                Evaluated::later(async move { next(result.await?, &env).await })
            }
        }
    }
}

impl<T> Future for Evaluated<'_, T> {
    type Output = Result<T, Stop>;

    fn poll(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<Self::Output> {
        match &mut *self {
            Self::Now(result) => Pin::new(result).poll(context),
            Self::Later(result) => result.as_mut().poll(context),
        }
    }
}

/// The values in order, or everything that stopped them; so many are waited for at a time.
pub(crate) fn together<'a>(
    at_a_time: usize,
    mut each: impl Iterator<Item = Evaluated<'a>> + Send + 'a,
) -> Evaluated<'a, Vec<Value>> {
    let mut gathered =
        Gathered { at_a_time, values: Vec::with_capacity(each.size_hint().0), ..Gathered::default() };
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
struct Gathered {
    at_a_time: usize,
    values: Vec<Value>,
    stop: Stop,
}

impl Gathered {
    fn add(&mut self, result: Result<Value, Stop>) {
        match result {
            Ok(value) => self.values.push(value),
            Err(stop) => self.stop.join(stop),
        }
    }

    /// Failures of a thousand elements are told as well by the first few; after one nothing more is written.
    fn is_over(&self) -> bool {
        self.stop.is_enough() || self.at_a_time == 1 && !self.stop.is_empty()
    }

    /// What is there when it is asked for needs no queue.
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
            if queue.len() < self.at_a_time
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
