//! Requests that were cancelled, as the TypeScript SDK treats them: their POST stays open, and an answer to it is an
//! error for which some agents drop the server.

use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex};

use anyhow::{Result, bail};
use serde_json::{Value, json};
use tokio::task::JoinHandle;

use super::http::{HttpServer, Response};
use unpoisoned::lock;

/// The cancelled requests of one server.
#[derive(Default)]
pub(super) struct Late {
    /// The open POSTs of cancelled requests. Each ends with whether it was answered.
    open: Mutex<Vec<JoinHandle<bool>>>,
    is_dropped: AtomicBool,
}

impl Late {
    /// Sends a request. When the future is dropped, the server is told, and the POST stays open. An accepted request
    /// without an answer is never over.
    pub(super) async fn exchange(
        self: &Arc<Self>,
        server: HttpServer,
        version: &str,
        message: &Value,
    ) -> Result<Response> {
        self.settle().await?;
        let (server, version, message) = (Arc::new(server), version.to_owned(), message.clone());
        let (answer, answered) = tokio::sync::oneshot::channel();
        let mut cancel = Cancel {
            late: Arc::clone(self),
            server: Arc::clone(&server),
            version: version.clone(),
            id: message["id"].clone(),
            post: None,
        };
        cancel.post = Some(tokio::spawn(async move {
            let response = server.post(&version, &message).await;
            match answer.send(response) {
                Ok(()) => false,
                Err(late) => late.is_ok_and(|it| it.answer(&message["id"]).is_some()),
            }
        }));
        let response = answered.await?;
        cancel.post = None;
        if response.as_ref().is_ok_and(|it| it.status < 300 && it.answer(&cancel.id).is_none()) {
            std::future::pending::<()>().await; // as the SDK goes on waiting for the answer
        }
        response
    }

    /// Waits for the POSTs of cancelled requests.
    async fn settle(&self) -> Result<()> {
        let open = std::mem::take(&mut *lock(&self.open));
        for post in open {
            if post.await? {
                self.is_dropped.store(true, Ordering::Relaxed);
            }
        }
        if self.is_dropped.load(Ordering::Relaxed) {
            bail!("the server answered a cancelled request, so its tools were dropped");
        }
        Ok(())
    }
}

/// Cancels a request when it is dropped with its POST.
struct Cancel {
    late: Arc<Late>,
    server: Arc<HttpServer>,
    version: String,
    id: Value,
    post: Option<JoinHandle<bool>>,
}

impl Drop for Cancel {
    fn drop(&mut self) {
        let Some(post) = self.post.take() else { return };
        lock(&self.late.open).push(post);
        let (server, version, id) = (self.server.apart(), self.version.clone(), self.id.clone());
        tokio::spawn(async move {
            let params = json!({"requestId": id});
            let message = json!({"jsonrpc": "2.0", "method": "notifications/cancelled", "params": params});
            let _nobody_waits = server.post(&version, &message).await;
        });
    }
}
