//! Streamable HTTP on loopback. One route serves MCP's stateless revision and the older ones.

mod busy_body;
pub(super) mod standalone;

use std::convert::Infallible;
use std::net::SocketAddr;
use std::pin::pin;
use std::sync::{Arc, OnceLock};
use std::time::Duration;

use axum::body::{Body, Bytes, to_bytes};
use axum::extract::Request;
use axum::http::request::Parts;
use axum::http::{HeaderMap, HeaderValue, Method, StatusCode, header};
use axum::response::{IntoResponse, Response};
use hyper::body::Incoming;
use hyper::server::conn::http1;
use hyper::service::service_fn;
use hyper_util::rt::TokioIo;
use rmcp::transport::streamable_http_server::session::never::NeverSessionManager;
use rmcp::transport::streamable_http_server::{StreamableHttpServerConfig, StreamableHttpService};
use serde::Deserialize;
use serde_json::Value;
use tokio::net::TcpStream;
use tokio_util::sync::CancellationToken;

use self::busy_body::BusyBody;
use crate::mcp::McpServer;
use crate::mcp::port::{self, ConnectionGuard};
use crate::mcp::secret::is_same;
use crate::session::{Attachment, Attachments, RunningCall};
use crate::tool::Tool;

/// The maximum size of a request, in bytes.
const MAX_BODY: usize = 4 * 1024 * 1024;

/// The time that the body of a request may take to arrive.
const BODY_WAIT: Duration = Duration::from_secs(30);

/// The time that an unfinished answer may take when the connection is to close.
const LAST_ANSWER: Duration = Duration::from_secs(1);

struct Served {
    attachments: Arc<Attachments>,
    tool: Arc<Tool>,
    closed: CancellationToken,
    /// The port, once it is known.
    port: OnceLock<u16>,
}

/// Listens on a loopback port until `closed`.
///
/// # Errors
/// No port can be bound on loopback.
pub(crate) async fn listen(
    attachments: Arc<Attachments>,
    tool: Arc<Tool>,
    closed: CancellationToken,
) -> std::io::Result<SocketAddr> {
    let served = Arc::new(Served { attachments, tool, closed: closed.clone(), port: OnceLock::new() });
    let serving = Arc::clone(&served);
    let serve = move |stream, guard: ConnectionGuard| {
        let served = Arc::clone(&serving);
        async move {
            let (guard, served) = (&guard, &served);
            let answer = |request| async move { Ok::<_, Infallible>(handle(served, guard, request).await) };
            converse(stream, guard, &served.closed, answer).await;
        }
    };
    let address = port::listen(closed, serve).await?;
    served.port.get_or_init(|| address.port());
    Ok(address)
}

/// Answers the requests of one connection.
async fn converse<Answering>(
    stream: TcpStream,
    guard: &ConnectionGuard,
    closed: &CancellationToken,
    answer: impl Fn(Request<Incoming>) -> Answering,
) where
    Answering: Future<Output = Result<Response, Infallible>>,
{
    let mut connection =
        pin!(http1::Builder::new().serve_connection(TokioIo::new(stream), service_fn(answer)));
    let ended = tokio::select! {
        ended = connection.as_mut() => ended,
        () = async {
            tokio::select! {
                () = guard.must_close() => {}
                () = closed.cancelled() => {}
            }
        } => {
            connection.as_mut().graceful_shutdown();
            tokio::time::timeout(LAST_ANSWER, connection).await.unwrap_or(Ok(()))
        }
    };
    if let Err(error) = ended {
        tracing::debug!(%error, "a connection broke");
    }
}

/// Waits for the whole body of a request.
///
/// # Errors
/// It is too large, or takes too long.
async fn received(request: Request<Incoming>) -> Result<(Parts, Bytes), StatusCode> {
    let (parts, body) = request.into_parts();
    match tokio::time::timeout(BODY_WAIT, to_bytes(Body::new(body), MAX_BODY)).await {
        Ok(Ok(body)) => Ok((parts, body)),
        Ok(Err(_)) => Err(StatusCode::PAYLOAD_TOO_LARGE),
        Err(_) => Err(StatusCode::REQUEST_TIMEOUT),
    }
}

/// Returns the URL of a server. It ends in `/mcp`, since some agents append or require that.
pub(crate) fn url(address: SocketAddr, attachment: &Attachment) -> String {
    format!("http://{address}/{}/mcp", attachment.server)
}

async fn handle(served: &Served, guard: &ConnectionGuard, request: Request<Incoming>) -> Response {
    // Unknown servers get the same answer with and without a secret.
    let Some(attachment) = server_of(request.uri().path()).and_then(|it| served.attachments.find(it)) else {
        return StatusCode::NOT_FOUND.into_response();
    };
    if !knows(request.headers(), &attachment.secret) {
        return (StatusCode::UNAUTHORIZED, [(header::WWW_AUTHENTICATE, "Bearer")]).into_response();
    }
    guard.authenticated();
    let busy = guard.begin();
    if !served.is_ours(request.headers()) {
        return (StatusCode::FORBIDDEN, "pages of other origins may not call this server").into_response();
    }
    let (parts, body) = match received(request).await {
        Ok(received) => received,
        Err(status) => return status.into_response(),
    };
    let message = if parts.method == Method::POST { message(&body) } else { Message::default() };
    if let Some(request) = message.cancelled_request() {
        attachment.cancel(request);
    }
    let call = message.called().map(|id| attachment.begin(id.clone()));
    let service = served.service(attachment);
    let answering = service.handle(Request::from_parts(parts, Body::from(body)));
    // A cancelled call gets no answer, as MCP asks. Clients take a late one for an error, and one agent then drops the
    // tool for the rest of the session.
    let response = tokio::select! {
        biased;
        () = cancelled(call.as_ref()) => return StatusCode::ACCEPTED.into_response(),
        response = answering => response,
    };
    response.map(|body| Body::new(BusyBody::new(body, busy, call)))
}

async fn cancelled(call: Option<&RunningCall>) {
    match call {
        Some(call) => call.cancelled().await,
        None => std::future::pending().await,
    }
}

impl Served {
    /// Returns whether a request has no `Origin`, or that of this server: pages of other origins may not call it.
    fn is_ours(&self, headers: &HeaderMap<HeaderValue>) -> bool {
        self.port.get().is_some_and(|port| has_own_origin(headers, *port))
    }

    fn service(&self, attachment: Arc<Attachment>) -> StreamableHttpService<McpServer, NeverSessionManager> {
        let config = StreamableHttpServerConfig::default()
            .with_legacy_session_mode(false) // its sessions close after five minutes, with running calls
            .with_json_response(true)
            .with_max_request_body_bytes(MAX_BODY)
            .with_cancellation_token(self.closed.child_token());
        let server = McpServer::new(Arc::clone(&self.tool), attachment);
        StreamableHttpService::new(
            move || Ok(server.clone()),
            Arc::new(NeverSessionManager::default()),
            config,
        )
    }
}

/// Returns whether a request has no `Origin`, or that of a page of this port.
fn has_own_origin(headers: &HeaderMap<HeaderValue>, port: u16) -> bool {
    headers.get_all(header::ORIGIN).iter().all(|origin| is_own_origin(origin.as_bytes(), port))
}

fn is_own_origin(origin: &[u8], port: u16) -> bool {
    let hosts = ["127.0.0.1", "localhost", "[::1]"];
    hosts.iter().any(|host| origin.eq_ignore_ascii_case(format!("http://{host}:{port}").as_bytes()))
}

fn server_of(path: &str) -> Option<&str> {
    path.strip_prefix('/')?.strip_suffix("/mcp")
}

fn knows(headers: &HeaderMap<HeaderValue>, secret: &str) -> bool {
    let given = headers.get(header::AUTHORIZATION).and_then(|it| it.to_str().ok());
    let token =
        given.and_then(|it| it.split_once(' ')).filter(|(scheme, _)| scheme.eq_ignore_ascii_case("bearer"));
    token.is_some_and(|(_, token)| is_same(token.trim(), secret))
}

/// The fields of a message by which a cancellation and its call find each other. Without sessions nothing else
/// connects the two.
#[derive(Debug, Default, Deserialize)]
#[serde(default)]
struct Message {
    method: String,
    id: Option<Value>,
    params: Value,
}

/// Parses a message. What is none has no method.
fn message(body: &[u8]) -> Message {
    serde_json::from_slice(body).unwrap_or_default()
}

impl Message {
    /// Returns the id of the request that a `notifications/cancelled` names.
    fn cancelled_request(&self) -> Option<&Value> {
        self.params.get("requestId").filter(|_| self.method == "notifications/cancelled")
    }

    /// Returns the id of a call of the tool.
    fn called(&self) -> Option<&Value> {
        self.id.as_ref().filter(|_| self.method == "tools/call")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_a_real_cancellation_is_one() {
        let cancelled = |body: &str| message(body.as_bytes()).cancelled_request().cloned();
        let body = r#"{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":7}}"#;
        assert_eq!(cancelled(body), Some(Value::from(7)));
        let quoted =
            r#"{"method":"tools/call","params":{"program":"notifications/cancelled","requestId":7}}"#;
        assert_eq!(cancelled(quoted), None);
        assert_eq!(cancelled("notifications/cancelled"), None);
    }

    #[test]
    fn the_secret_is_a_bearer_token() {
        let with = |value: &'static str| {
            let mut headers = HeaderMap::new();
            headers.insert(header::AUTHORIZATION, HeaderValue::from_static(value));
            knows(&headers, "k3y")
        };
        assert!(with("Bearer k3y") && with("bearer k3y"));
        assert!(!with("Bearer k3") && !with("k3y") && !with("Basic k3y"));
        assert!(!knows(&HeaderMap::new(), "k3y"));
    }

    #[test]
    fn only_our_own_origin_is_ours() {
        let is_own = |origin: &str| is_own_origin(origin.as_bytes(), 4100);
        assert!(is_own("http://127.0.0.1:4100") && is_own("http://LocalHost:4100"));
        for foreign in [
            "null",
            "",
            "https://127.0.0.1:4100",
            "http://localhost:41000",
            "http://localhost",
            "http://evil.example",
        ] {
            assert!(!is_own(foreign), "{foreign}");
        }
    }

    #[test]
    fn paths_name_servers() {
        assert_eq!(server_of("/abc/mcp"), Some("abc"));
        assert_eq!(server_of("/mcp"), None);
        assert_eq!(server_of("/.well-known/oauth-protected-resource"), None);
    }
}
