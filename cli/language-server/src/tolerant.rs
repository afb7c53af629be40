//! Notifications whose parameters are not understood are ignored. Without this layer, one would end the connection.

use std::ops::ControlFlow;
use std::task::{Context, Poll};

use async_lsp::{AnyEvent, AnyNotification, AnyRequest, Error, LspService};
use tower::{Layer, Service};

/// Adds [`Tolerant`] to a service.
pub(crate) struct TolerantLayer;

impl<S> Layer<S> for TolerantLayer {
    type Service = Tolerant<S>;

    fn layer(&self, inner: S) -> Tolerant<S> {
        Tolerant { inner }
    }
}

/// A service that survives notifications that it does not understand.
pub(crate) struct Tolerant<S> {
    inner: S,
}

impl<S: LspService> Service<AnyRequest> for Tolerant<S> {
    type Response = S::Response;
    type Error = S::Error;
    type Future = S::Future;

    fn poll_ready(&mut self, context: &mut Context<'_>) -> Poll<Result<(), Self::Error>> {
        self.inner.poll_ready(context)
    }

    fn call(&mut self, request: AnyRequest) -> Self::Future {
        self.inner.call(request)
    }
}

impl<S: LspService> LspService for Tolerant<S> {
    fn notify(&mut self, notification: AnyNotification) -> ControlFlow<async_lsp::Result<()>> {
        let method = notification.method.clone();
        match self.inner.notify(notification) {
            ControlFlow::Break(Err(Error::Deserialize(error))) => {
                tracing::warn!(%error, method, "a notification is ignored");
                ControlFlow::Continue(())
            }
            flow => flow,
        }
    }

    fn emit(&mut self, event: AnyEvent) -> ControlFlow<async_lsp::Result<()>> {
        self.inner.emit(event)
    }
}
