//! The server for MCP clients that come without a session of ACP: over standard streams or a port, in the sessions that
//! are opened for their workspaces.

use std::fmt;
use std::io;
use std::net::SocketAddr;
use std::sync::Arc;

use serde_json::Value;
use tokio::sync::watch;
use tokio_util::sync::CancellationToken;

use crate::mcp::clients::{Clients, Workspaces};
use crate::mcp::{McpServer, http};
use crate::permission::Gate;
use crate::permission::asker::{PermissionQuestion, outcome};
use crate::session::Attachments;
use crate::tool::Tool;

/// A component's server for MCP clients that come without a session of ACP.
#[derive(Clone)]
pub struct Standalone {
    component: Arc<watch::Sender<Option<Parts>>>,
    allows_writing: bool,
}

/// The parts that the component's own sessions run on.
#[derive(Clone)]
struct Parts {
    tool: Arc<Tool>,
    attachments: Arc<Attachments>,
    gate: Arc<Gate>,
}

impl fmt::Debug for Standalone {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Standalone").field("allows_writing", &self.allows_writing).finish_non_exhaustive()
    }
}

impl Standalone {
    /// Creates a server, which begins once a chain runs with it. `allows_writing` says that programs write without asking:
    /// the component's settings have to allow it too.
    pub fn new(allows_writing: bool) -> Self {
        Self { component: Arc::new(watch::Sender::new(None)), allows_writing }
    }

    /// Takes what a component's sessions run on.
    pub(crate) fn begin(&self, tool: Arc<Tool>, attachments: Arc<Attachments>, gate: Arc<Gate>) {
        self.component.send_replace(Some(Parts { tool, attachments, gate }));
    }

    /// Answers one client over standard input and output, until it ends its input.
    ///
    /// # Errors
    /// The client does not speak MCP.
    pub async fn serve_stdio(&self, workspaces: Arc<dyn Workspaces>) -> io::Result<()> {
        let server = self.server(workspaces).await;
        let running = rmcp::service::serve_server(server, rmcp::transport::stdio());
        let running = running.await.map_err(io::Error::other)?;
        running.waiting().await.map(drop).map_err(io::Error::other)
    }

    /// Answers clients over streamable HTTP at `/mcp` of an address, until `closed`. With a token, they have to show it.
    ///
    /// # Errors
    /// The address cannot be bound.
    pub async fn listen(
        &self,
        address: SocketAddr,
        token: Option<String>,
        workspaces: Arc<dyn Workspaces>,
        closed: CancellationToken,
    ) -> io::Result<SocketAddr> {
        let server = self.server(workspaces).await;
        http::standalone::listen(address, token, server, closed).await
    }

    /// Asks the user of a client with a running call, with the params of `session/request_permission`. `None` if no client
    /// of the session can ask.
    pub async fn ask(&self, params: &Value) -> Option<Value> {
        let parts = self.component.borrow().clone()?;
        let asker = parts.attachments.of(params["sessionId"].as_str()?)?.asker()?;
        asker.ask(PermissionQuestion::read(params)).await.ok().map(outcome)
    }

    async fn server(&self, workspaces: Arc<dyn Workspaces>) -> McpServer {
        let mut component = self.component.subscribe();
        let parts = component.wait_for(Option::is_some).await.expect("this holds the sender").clone();
        let Parts { tool, attachments, gate } = parts.expect("it was waited for");
        McpServer::standalone(tool, Clients::new(workspaces, attachments, gate, self.allows_writing))
    }
}
