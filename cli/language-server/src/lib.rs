//! The language server of interface documents and of Dialect programs.
//!
//! `server` has the state and the messages, `handlers` the requests about one file, `convert` translates, and
//! `workspace`, `package` and `text` keep what is open. The answers come from `document` and `program`, which know
//! nothing about the protocol.

mod answers;
mod bounded;
mod capabilities;
mod convert;
mod document;
mod handlers;
mod options;
mod package;
mod program;
mod run_example;
mod server;
mod text;
mod tolerant;
mod workspace;

use std::io;
use std::net::{Ipv4Addr, SocketAddr};
use std::num::NonZeroUsize;
use std::sync::Arc;

use async_lsp::MainLoop;
use async_lsp::client_monitor::ClientProcessMonitorLayer;
use async_lsp::concurrency::ConcurrencyLayer;
use async_lsp::panic::CatchUnwindLayer;
use async_lsp::server::LifecycleLayer;
use blocking::Unblock;
use bounded::Bounded;
use futures::{AsyncRead, AsyncWrite};
pub use options::Options;
use tokio::net::TcpListener;
use tokio_util::compat::{TokioAsyncReadCompatExt, TokioAsyncWriteCompatExt};
use tolerant::TolerantLayer;
use tower::ServiceBuilder;

/// The maximum number of requests at once; more wait, and messages behind them too.
const CONCURRENCY: NonZeroUsize = NonZeroUsize::new(16).expect("it is not zero");

/// Serves one client until it leaves or tells the server to exit.
///
/// # Errors
/// The connection broke, or a message was malformed.
pub async fn serve(
    input: impl AsyncRead,
    output: impl AsyncWrite,
    options: Arc<Options>,
) -> async_lsp::Result<()> {
    let (main_loop, _) = MainLoop::new_server(|client| {
        ServiceBuilder::new()
            .layer(LifecycleLayer::default())
            .layer(CatchUnwindLayer::default())
            .layer(ConcurrencyLayer::new(CONCURRENCY))
            .layer(ClientProcessMonitorLayer::new(client.clone()))
            .layer(TolerantLayer)
            .service(server::router(client, options))
    });
    match main_loop.run_buffered(Bounded::new(input), output).await {
        Err(async_lsp::Error::Eof) => Ok(()),
        result => result,
    }
}

/// Serves one client over standard input and output.
///
/// # Errors
/// As [`serve`].
pub async fn serve_stdio(options: Arc<Options>) -> async_lsp::Result<()> {
    serve(Unblock::new(io::stdin()), Unblock::new(io::stdout()), options).await
}

/// Serves clients over TCP on this machine alone, one after the other or at once. `listening` receives the address.
///
/// # Errors
/// The port cannot be used.
pub async fn serve_port(
    port: u16,
    options: Arc<Options>,
    listening: impl FnOnce(SocketAddr),
) -> io::Result<()> {
    let listener = TcpListener::bind((Ipv4Addr::LOCALHOST, port)).await?;
    listening(listener.local_addr()?);
    loop {
        let (stream, _) = listener.accept().await?;
        let options = Arc::clone(&options);
        tokio::spawn(async move {
            let (input, output) = stream.into_split();
            if let Err(error) = serve(input.compat(), output.compat_write(), options).await {
                tracing::warn!(%error, "a client left");
            }
        });
    }
}
