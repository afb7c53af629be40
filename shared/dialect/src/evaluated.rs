//! A result that may be ready at once. If nothing has to be waited for, it costs no allocation.

use std::future::{Future, Ready, ready};
use std::pin::Pin;
use std::task::{Context, Poll};

use futures::FutureExt;
use futures::future::BoxFuture;

/// A result, now or later. Nothing is written to the world before the first poll.
pub(crate) enum Evaluated<'a, T, E> {
    Now(Ready<Result<T, E>>),
    Later(BoxFuture<'a, Result<T, E>>),
}

impl<'a, T: Send + 'a, E: Send + 'a> Evaluated<'a, T, E> {
    pub(crate) fn now(result: Result<T, E>) -> Self {
        Self::Now(ready(result))
    }

    pub(crate) fn later(result: impl Future<Output = Result<T, E>> + Send + 'a) -> Self {
        Self::Later(result.boxed())
    }

    /// Returns the value, if it is ready.
    pub(crate) fn at_once(self) -> Result<T, Self> {
        match self {
            Self::Now(result) => result.into_inner().map_err(|error| Self::now(Err(error))),
            later @ Self::Later(_) => Err(later),
        }
    }

    /// Applies `next` to the value.
    pub(crate) fn and_then<U: Send + 'a>(
        self,
        next: impl FnOnce(T) -> Result<U, E> + Send + 'a,
    ) -> Evaluated<'a, U, E> {
        self.map(|result| result.and_then(next))
    }

    /// Applies `next` to the value, or to the error.
    pub(crate) fn map<U: Send + 'a>(
        self,
        next: impl FnOnce(Result<T, E>) -> Result<U, E> + Send + 'a,
    ) -> Evaluated<'a, U, E> {
        match self {
            Self::Now(result) => Evaluated::now(next(result.into_inner())),
            Self::Later(result) => Evaluated::later(async move { next(result.await) }),
        }
    }

    /// Applies `next` to the value and `env`, which is cloned only if the value is not ready.
    pub(crate) fn then<U: Send + 'a, Env: Clone + Send + Sync + 'a>(
        self,
        env: &Env,
        next: impl FnOnce(T, &Env) -> Evaluated<'a, U, E> + Send + 'a,
    ) -> Evaluated<'a, U, E> {
        match self {
            Self::Now(result) => match result.into_inner() {
                Ok(value) => next(value, env),
                Err(error) => Evaluated::now(Err(error)),
            },
            Self::Later(result) => {
                let env = env.clone();
                Evaluated::later(async move { next(result.await?, &env).await })
            }
        }
    }
}

impl<T, E> Future for Evaluated<'_, T, E> {
    type Output = Result<T, E>;

    fn poll(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<Self::Output> {
        match &mut *self {
            Self::Now(result) => Pin::new(result).poll(context),
            Self::Later(result) => result.as_mut().poll(context),
        }
    }
}
