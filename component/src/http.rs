//! Streamable HTTP on loopback: MCP's stateless revision and the older ones from one route.

use std::net::{Ipv4Addr, SocketAddr};
use std::sync::Arc;

use axum::body::{Body, Bytes, to_bytes};
use axum::extract::{Request, State};
use axum::http::{HeaderMap, HeaderValue, Method, StatusCode, header};
use axum::response::{IntoResponse, Response};
use axum::serve::ListenerExt;
use rmcp::transport::streamable_http_server::session::never::NeverSessionManager;
use rmcp::transport::streamable_http_server::{StreamableHttpServerConfig, StreamableHttpService};
use serde_json::Value;
use tokio::net::TcpListener;
use tokio_util::sync::CancellationToken;

use crate::mcp::McpServer;
use crate::secret::is_same;
use crate::session::{Attachment, Attachments};
use crate::tool::Tool;

/// The largest request that is read.
const MAX_BODY: usize = 4 * 1024 * 1024;

struct Served {
    attachments: Arc<Attachments>,
    tool: Arc<Tool>,
    closed: CancellationToken,
}

/// Begins to listen, until `closed`.
///
/// # Errors
/// When nothing can be bound on loopback.
pub(crate) async fn listen(
    attachments: Arc<Attachments>,
    tool: Arc<Tool>,
    closed: CancellationToken,
) -> std::io::Result<SocketAddr> {
    let listener = TcpListener::bind((Ipv4Addr::LOCALHOST, 0)).await?;
    let address = listener.local_addr()?;
    let served = Arc::new(Served { attachments, tool, closed: closed.clone() });
    let router = axum::Router::new().fallback(handle).with_state(served);
    // Answers are small and awaited: they do not wait to be sent together.
    let listener = listener.tap_io(|stream| {
        if let Err(error) = stream.set_nodelay(true) {
            tracing::debug!(%error, "TCP_NODELAY was refused");
        }
    });
    let server = axum::serve(listener, router).with_graceful_shutdown(closed.cancelled_owned());
    tokio::spawn(async move {
        if let Err(error) = server.await {
            tracing::error!(%error, "the MCP listener stopped");
        }
    });
    Ok(address)
}

/// The URL of a server. Some agents append or insist on `/mcp`, so that is where it ends.
pub(crate) fn url(address: SocketAddr, attachment: &Attachment) -> String {
    format!("http://{address}/{}/mcp", attachment.server)
}

async fn handle(State(served): State<Arc<Served>>, request: Request) -> Response {
    // Paths that name no server all look alike, with or without a secret.
    let Some(attachment) = server_of(request.uri().path()).and_then(|it| served.attachments.find(it)) else {
        return StatusCode::NOT_FOUND.into_response();
    };
    if !knows(request.headers(), &attachment.secret) {
        return (StatusCode::UNAUTHORIZED, [(header::WWW_AUTHENTICATE, "Bearer")]).into_response();
    }
    let (parts, body) = request.into_parts();
    let Ok(body) = to_bytes(body, MAX_BODY).await else {
        return StatusCode::PAYLOAD_TOO_LARGE.into_response();
    };
    if parts.method == Method::POST
        && let Some(request) = cancelled_request(&body)
    {
        attachment.cancel(&request);
    }
    let response = served.service(attachment).handle(Request::from_parts(parts, Body::from(body))).await;
    response.map(Body::new)
}

impl Served {
    fn service(&self, attachment: Arc<Attachment>) -> StreamableHttpService<McpServer, NeverSessionManager> {
        let config = StreamableHttpServerConfig::default()
            .with_legacy_session_mode(false) // its sessions close after five minutes, calls and all
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

fn server_of(path: &str) -> Option<&str> {
    path.strip_prefix('/')?.strip_suffix("/mcp")
}

fn knows(headers: &HeaderMap<HeaderValue>, secret: &str) -> bool {
    let given = headers.get(header::AUTHORIZATION).and_then(|it| it.to_str().ok());
    let token =
        given.and_then(|it| it.split_once(' ')).filter(|(scheme, _)| scheme.eq_ignore_ascii_case("bearer"));
    token.is_some_and(|(_, token)| is_same(token.trim(), secret))
}

/// The request that a `notifications/cancelled` is about. Without sessions nobody else connects the two.
fn cancelled_request(body: &Bytes) -> Option<Value> {
    const METHOD: &[u8] = b"notifications/cancelled";
    body.windows(METHOD.len()).any(|it| it == METHOD).then_some(())?;
    let message: Value = serde_json::from_slice(body).ok()?;
    (message["method"].as_str()?.as_bytes() == METHOD).then_some(())?;
    message["params"].get("requestId").cloned()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_a_real_cancellation_is_one() {
        let cancelled = |body: &str| cancelled_request(&Bytes::copy_from_slice(body.as_bytes()));
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
    fn paths_name_servers() {
        assert_eq!(server_of("/abc/mcp"), Some("abc"));
        assert_eq!(server_of("/mcp"), None);
        assert_eq!(server_of("/.well-known/oauth-protected-resource"), None);
    }
}
