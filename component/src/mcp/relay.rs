//! The stdio relay: the agent starts this executable, which copies bytes to the component and back.

use std::io::{self, Read, Write};
use std::net::{Shutdown, SocketAddr, TcpStream as BlockingStream};
use std::process::ExitCode;
use std::sync::Arc;

use tokio::io::{AsyncBufReadExt, AsyncReadExt, BufReader};
use tokio::net::TcpStream;
use tokio::net::tcp::OwnedReadHalf;
use tokio_util::sync::CancellationToken;

use crate::mcp::McpServer;
use crate::mcp::port::{self, ConnectionGuard};
use crate::mcp::secret::is_same;
use crate::session::{Attachment, Attachments};
use crate::tool::Tool;

/// The subcommand for which an executable runs [`main`].
pub const COMMAND: &str = "relay";

/// The environment variable that holds `<address>/<server>/<secret>`. Not an argument, since every user of the
/// machine can read command lines.
pub(crate) const VARIABLE: &str = "DIALECT_RELAY";

const MAX_GREETING: u64 = 256;

/// Returns the value of [`VARIABLE`].
pub(crate) fn directions(address: SocketAddr, attachment: &Attachment) -> String {
    format!("{address}/{}/{}", attachment.server, attachment.secret)
}

/// Copies standard input to the component and its answers to standard output, until one of them ends.
pub fn main() -> ExitCode {
    match relay() {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("dialect {COMMAND}: {error}");
            ExitCode::FAILURE
        }
    }
}

fn relay() -> io::Result<()> {
    let directions = std::env::var(VARIABLE).map_err(|_| {
        io::Error::other(format!(
            "{VARIABLE} is not set: agents run this command, and Dialect sets the variable for them"
        ))
    })?;
    let (address, greeting) = directions
        .split_once('/')
        .ok_or_else(|| io::Error::other(format!("{VARIABLE} is not <address>/<server>/<secret>")))?;
    let mut stream = BlockingStream::connect(address)?;
    stream.set_nodelay(true)?;
    writeln!(stream, "{greeting}")?;
    let mut outgoing = stream.try_clone()?;
    std::thread::spawn(move || {
        let pumped = pump(io::stdin().lock(), &mut outgoing);
        pumped.and_then(|()| outgoing.shutdown(Shutdown::Write))
    });
    pump(stream, io::stdout().lock())
}

/// Copies bytes as they arrive, to the end. Not `io::copy`, which splices on Linux. A splice holds the pipe's lock
/// while it waits for the socket, so a reader may never get what the pipe already holds.
fn pump(mut from: impl Read, mut to: impl Write) -> io::Result<()> {
    let mut chunk = vec![0; 64 * 1024];
    loop {
        match from.read(&mut chunk) {
            Ok(0) => return Ok(()),
            Ok(length) => to.write_all(&chunk[..length]).and_then(|()| to.flush())?,
            Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
            Err(error) => return Err(error),
        }
    }
}

/// Listens for relays until `closed`.
///
/// # Errors
/// No port can be bound on loopback.
pub(crate) async fn listen(
    attachments: Arc<Attachments>,
    tool: Arc<Tool>,
    closed: CancellationToken,
) -> io::Result<SocketAddr> {
    let closing = closed.clone();
    let serve = move |stream, guard| {
        serve(stream, guard, Arc::clone(&attachments), Arc::clone(&tool), closing.child_token())
    };
    port::listen(closed, serve).await
}

async fn serve(
    stream: TcpStream,
    guard: ConnectionGuard,
    attachments: Arc<Attachments>,
    tool: Arc<Tool>,
    closed: CancellationToken,
) {
    let (reader, writer) = stream.into_split();
    let mut reader = BufReader::new(reader);
    let greeted = tokio::select! {
        greeted = greeting(&mut reader, &attachments) => greeted,
        () = guard.must_close() => None,
    };
    let Some(attachment) = greeted else {
        tracing::warn!("somebody without the secret connected to the relay's port");
        return;
    };
    guard.authenticated();
    let _busy = guard.begin(); // until the agent ends its relay
    let server = McpServer::new(tool, attachment);
    match rmcp::service::serve_server_with_ct(server, (reader, writer), closed).await {
        Ok(running) => drop(running.waiting().await),
        Err(error) => tracing::debug!(%error, "the agent ended its relay before MCP began"),
    }
}

async fn greeting(
    reader: &mut BufReader<OwnedReadHalf>,
    attachments: &Attachments,
) -> Option<Arc<Attachment>> {
    let mut line = String::new();
    reader.take(MAX_GREETING).read_line(&mut line).await.ok()?;
    let (server, secret) = line.strip_suffix('\n')?.split_once('/')?;
    attachments.find(server).filter(|it| is_same(secret, &it.secret))
}
