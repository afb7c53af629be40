//! Streamable HTTP for clients without a session of ACP. The stateless revision of MCP has no sessions of its own here
//! either; older ones do, so that their clients can be asked.

use std::convert::Infallible;
use std::net::SocketAddr;
use std::sync::Arc;
use std::time::Duration;

use axum::body::Body;
use axum::extract::Request;
use axum::http::{Method, StatusCode, header};
use axum::response::{IntoResponse, Response};
use hyper::body::Incoming;
use rmcp::transport::streamable_http_server::session::local::LocalSessionManager;
use rmcp::transport::streamable_http_server::{StreamableHttpServerConfig, StreamableHttpService};
use tokio_util::sync::CancellationToken;

use super::busy_body::BusyBody;
use super::{MAX_BODY, converse, has_own_origin, knows, received};
use crate::mcp::McpServer;
use crate::mcp::port::{self, ConnectionGuard};

/// The path of the server.
const PATH: &str = "/mcp";

/// The time after which a client of an older revision has to begin again if it sends nothing. Longer than any call.
const SESSION: Duration = Duration::from_secs(60 * 60);

struct Served {
    service: StreamableHttpService<McpServer, LocalSessionManager>,
    token: Option<String>,
    port: u16,
}

/// Listens on an address until `closed`.
///
/// # Errors
/// The address cannot be bound.
pub(crate) async fn listen(
    address: SocketAddr,
    token: Option<String>,
    server: McpServer,
    closed: CancellationToken,
) -> std::io::Result<SocketAddr> {
    let listener = port::bind(address).await?;
    let bound = listener.local_addr()?;
    let service = service(server, token.is_some(), closed.child_token());
    let served = Arc::new(Served { service, token, port: bound.port() });
    let ending = closed.clone();
    let serve = move |stream, guard: ConnectionGuard| {
        let (served, ending) = (Arc::clone(&served), ending.clone());
        async move {
            let guard = &guard;
            let answer = |request| {
                let served = Arc::clone(&served);
                async move { Ok::<_, Infallible>(handle(&served, guard, request).await) }
            };
            converse(stream, guard, &ending, answer).await;
        }
    };
    port::accept_from(listener, closed, serve);
    Ok(bound)
}

/// Returns the service of rmcp. A client that shows a token may name the machine as it likes; others only as loopback,
/// so that no page can reach the server by a name that leads here.
fn service(
    server: McpServer,
    has_token: bool,
    closed: CancellationToken,
) -> StreamableHttpService<McpServer, LocalSessionManager> {
    let config = StreamableHttpServerConfig::default()
        .with_json_response(true)
        .with_max_request_body_bytes(MAX_BODY)
        .with_cancellation_token(closed);
    let config = if has_token { config.disable_allowed_hosts() } else { config };
    let mut sessions = LocalSessionManager::default();
    sessions.session_config.keep_alive = Some(SESSION);
    StreamableHttpService::new(move || Ok(server.clone()), Arc::new(sessions), config)
}

async fn handle(served: &Served, guard: &ConnectionGuard, request: Request<Incoming>) -> Response {
    if request.uri().path() != PATH {
        return StatusCode::NOT_FOUND.into_response();
    }
    if served.token.as_ref().is_some_and(|token| !knows(request.headers(), token)) {
        return (StatusCode::UNAUTHORIZED, [(header::WWW_AUTHENTICATE, "Bearer")]).into_response();
    }
    guard.authenticated();
    let busy = guard.begin();
    if !has_own_origin(request.headers(), served.port) {
        return (StatusCode::FORBIDDEN, "pages of other origins may not call this server").into_response();
    }
    let (parts, body) = match received(request).await {
        Ok(received) => received,
        Err(status) => return status.into_response(),
    };
    let ends_session = parts.method == Method::DELETE;
    let mut response = served.service.handle(Request::from_parts(parts, Body::from(body))).await;
    if ends_session && response.status() == StatusCode::ACCEPTED {
        *response.status_mut() = StatusCode::NO_CONTENT; // Python's SDK takes 202 for a failure
    }
    response.map(|body| Body::new(BusyBody::new(body, busy, None)))
}
