//! The ACP messages that pass the component. No other file of this crate names the ACP SDK.

pub(crate) mod connection;
pub(crate) mod known_agents;
pub(crate) mod mcp_servers;
pub(crate) mod prompt;
pub(crate) mod resource_uri;
pub(crate) mod sub_agents;
pub(crate) mod system_prompt;
pub(crate) mod upstream;

use std::sync::Arc;

use agent_client_protocol::v1::schema::PROXY_METHOD_NAMES;
use agent_client_protocol::{
    Agent, Builder, Client, Conductor, ConnectTo, ConnectionTo, Dispatch, Error, ErrorCode,
    HandleDispatchFrom, Handled, Proxy, Responder, UntypedMessage,
};
use futures::FutureExt;
use futures::future::BoxFuture;
use ide_protocol::{Operation, PROGRESS_METHOD, read_capability};
use serde_json::{Value, json};
use tokio_util::sync::DropGuard;
use transport::DirectRequests;

use crate::acp::connection::Connection;
use crate::acp::mcp_servers::{is_replayed, sets_up_session};
use crate::acp::upstream::{ClientLink, RequestError};
use crate::config::Config;
use crate::mcp::native::{self, Message};
use crate::mcp::standalone::Standalone;
use crate::session::Attachment;

const INITIALIZE: &str = PROXY_METHOD_NAMES.proxy_initialize;
const SUCCESSOR: &str = PROXY_METHOD_NAMES.proxy_successor;
const NATIVE: &str = "mcp/message";
const WRITE: &str = "fs/write_text_file";
/// The error code for `mcp/message` to a server that no longer exists.
const SERVER_UNAVAILABLE: i32 = -33001;

/// The component as a member of a chain.
#[derive(Clone, Debug)]
pub struct Component {
    config: Config,
    standalone: Option<Standalone>,
    direct: Arc<DirectRequests>,
}

impl Component {
    /// Creates a component; it starts nothing before it is connected.
    pub fn new(config: Config) -> Self {
        Self { config, standalone: None, direct: Arc::default() }
    }

    /// Has a server answer MCP clients without a session of ACP with what this component's sessions run on.
    #[must_use]
    pub fn serving(self, standalone: Option<Standalone>) -> Self {
        Self { standalone, ..self }
    }

    /// Calls an adapter in the same process where that overtakes nothing.
    #[must_use]
    pub fn calling(self, direct: Arc<DirectRequests>) -> Self {
        Self { direct, ..self }
    }
}

impl ConnectTo<Conductor> for Component {
    async fn connect_to(self, conductor: impl ConnectTo<Proxy>) -> Result<(), Error> {
        let Self { config, standalone, direct } = self;
        let handler = Handler { config, standalone, direct, live: None };
        Builder::new(Proxy).name("ide-component").with_handler(handler).connect_to(conductor).await
    }
}

/// Runs the component over `transport` until the other side closes it.
///
/// # Errors
/// When the transport fails, or the other side does not speak the protocol.
pub async fn run(config: Config, transport: impl ConnectTo<Proxy>) -> Result<(), Error> {
    Component::new(config).connect_to(transport).await
}

/// Runs the component over standard input and output.
///
/// # Errors
/// As [`run`].
pub async fn run_on_stdio(config: Config) -> Result<(), Error> {
    run(config, transport::stdio()).await
}

type Cx = ConnectionTo<Conductor>;

struct Handler {
    config: Config,
    standalone: Option<Standalone>,
    direct: Arc<DirectRequests>,
    live: Option<Live>,
}

/// The state of a connection that has begun.
struct Live {
    connection: Arc<Connection>,
    _closed: DropGuard,
}

impl HandleDispatchFrom<Conductor> for Handler {
    async fn handle_dispatch_from(&mut self, message: Dispatch, cx: Cx) -> Result<Handled<Dispatch>, Error> {
        let connection = self.connection(&cx);
        if let Dispatch::Request(it, _) | Dispatch::Notification(it) = &message
            && let Some(method) = inner_method(&it.params).filter(|_| it.method == SUCCESSOR)
        {
            self.direct.sends(method);
        }
        match message {
            Dispatch::Request(request, responder) if request.method == SUCCESSOR => {
                request_from_agent(&connection, request, responder, &cx)
            }
            Dispatch::Request(request, responder) => {
                request_from_client(&connection, request, responder, &cx)
            }
            Dispatch::Notification(notification) => Ok(notification_passes(&connection, notification)),
            response @ Dispatch::Response(..) => Ok(pass(response)),
        }
    }

    fn describe_chain(&self) -> impl std::fmt::Debug {
        "ide-component"
    }
}

impl Handler {
    fn connection(&mut self, cx: &Cx) -> Arc<Connection> {
        let live = self.live.get_or_insert_with(|| {
            let toward_client = TowardClient { cx: cx.clone(), direct: Arc::clone(&self.direct) };
            let connection = Arc::new(Connection::new(&self.config, Arc::new(toward_client)));
            if let Some(standalone) = &self.standalone {
                connection.serve(standalone);
            }
            let closed = connection.closed().drop_guard();
            Live { connection, _closed: closed }
        });
        Arc::clone(&live.connection)
    }
}

/// Leaves a message to the SDK, which forwards it as it is.
fn pass(message: Dispatch) -> Handled<Dispatch> {
    Handled::No { message, retry: false }
}

fn request_from_client(
    connection: &Arc<Connection>,
    mut request: UntypedMessage,
    responder: Responder,
    cx: &Cx,
) -> Result<Handled<Dispatch>, Error> {
    match request.method.as_str() {
        INITIALIZE => initialize(connection, request, responder, cx)?,
        method if sets_up_session(method) => {
            let attached = connection.attach(method, &mut request.params);
            set_up(connection, request, attached, responder, cx)?;
        }
        // Archiving closes an active session.
        "session/close" | "session/archive" => {
            session_of(&request.params).iter().for_each(|it| connection.close_begins(it));
            end(connection, request, responder, cx)?;
        }
        "session/delete" => end(connection, request, responder, cx)?,
        "session/prompt" => prompt(connection, request, responder, cx)?,
        method => {
            if method == "session/cancel" {
                cancel(connection, &request.params);
            }
            return Ok(pass(Dispatch::Request(request, responder)));
        }
    }
    Ok(Handled::Yes)
}

/// Forwards `initialize` unchanged. Reads the client's capability on the way down and the agent's transports on the
/// way up.
fn initialize(
    connection: &Arc<Connection>,
    mut request: UntypedMessage,
    responder: Responder,
    cx: &Cx,
) -> Result<(), Error> {
    connection.offers(read_capability(&request.params));
    request.method = "initialize".to_owned();
    let connection = Arc::clone(connection);
    forward(request, responder, cx, async move |result, responder| {
        if let Ok(initialized) = &result {
            connection.initialized(initialized).await; // before the client can set a session up
        }
        responder.respond_with_result(result)
    })
}

fn set_up(
    connection: &Arc<Connection>,
    request: UntypedMessage,
    attached: Option<Arc<Attachment>>,
    responder: Responder,
    cx: &Cx,
) -> Result<(), Error> {
    let connection = Arc::clone(connection);
    let is_replayed = is_replayed(&request.method, &request.params);
    forward(request, responder, cx, async move |result, responder| {
        if let Some(attachment) = attached {
            connection.set_up(&attachment, is_replayed, result.as_ref().ok());
        }
        responder.respond_with_result(result)
    })
}

fn prompt(
    connection: &Arc<Connection>,
    request: UntypedMessage,
    responder: Responder,
    cx: &Cx,
) -> Result<(), Error> {
    connection.prompted(&request.params);
    let connection = Arc::clone(connection);
    let session = session_of(&request.params);
    forward(request, responder, cx, async move |result, responder| {
        if let Some(session) = session {
            connection.prompt_answered(&session, result.is_ok());
        }
        responder.respond_with_result(result)
    })
}

fn end(
    connection: &Arc<Connection>,
    request: UntypedMessage,
    responder: Responder,
    cx: &Cx,
) -> Result<(), Error> {
    let connection = Arc::clone(connection);
    let session = session_of(&request.params);
    forward(request, responder, cx, async move |result, responder| {
        if let (Ok(_), Some(session)) = (&result, session) {
            connection.end_session(&session);
        }
        responder.respond_with_result(result)
    })
}

/// Sends a request on toward the agent. `answered` runs before any later message of the agent is handled.
fn forward<F>(
    request: UntypedMessage,
    responder: Responder,
    cx: &Cx,
    answered: impl FnOnce(Result<Value, Error>, Responder) -> F + Send + 'static,
) -> Result<(), Error>
where
    F: Future<Output = Result<(), Error>> + Send + 'static,
{
    cx.prepare_request_to(Agent, request)
        .forward_cancellation_from(responder.cancellation())
        .on_receiving_result(move |result| answered(result, responder))
}

fn cancel(connection: &Connection, params: &Value) {
    if let Some(session) = session_of(params) {
        connection.cancel_session(&session);
    }
}

fn session_of(params: &Value) -> Option<String> {
    Some(params.get("sessionId")?.as_str()?.to_owned())
}

/// Handles requests from the agent. Two kinds are ours, and writes are noted; all others pass unchanged.
fn request_from_agent(
    connection: &Arc<Connection>,
    mut request: UntypedMessage,
    responder: Responder,
    cx: &Cx,
) -> Result<Handled<Dispatch>, Error> {
    match inner_method(&request.params) {
        Some(method) if method.starts_with(Operation::PREFIX) => {
            // Only our tool may send these; agents cannot bypass it.
            responder.respond_with_error(Error::method_not_found().data(method))?;
        }
        Some(NATIVE) => {
            let Some(attachment) = addressee(connection, &request.params["params"]) else {
                return Ok(pass(Dispatch::Request(request, responder)));
            };
            native_call(connection, attachment, request.params["params"].take(), responder, cx)?;
        }
        Some(WRITE) => write(connection, request.params["params"].take(), responder, cx)?,
        _ => return Ok(pass(Dispatch::Request(request, responder))),
    }
    Ok(Handled::Yes)
}

/// Forwards the agent's request to write a file. The edit counts once it is made, so that no look for what it
/// broke comes before it.
fn write(connection: &Arc<Connection>, params: Value, responder: Responder, cx: &Cx) -> Result<(), Error> {
    let (connection, session) = (Arc::clone(connection), session_of(&params));
    cx.prepare_request_to(Client, UntypedMessage { method: WRITE.to_owned(), params })
        .forward_cancellation_from(responder.cancellation())
        .on_receiving_result(async move |result| {
            session.filter(|_| result.is_ok()).iter().for_each(|it| connection.has_written(it));
            responder.respond_with_result(result)
        })
}

fn inner_method(envelope: &Value) -> Option<&str> {
    envelope.get("method")?.as_str()
}

fn addressee(connection: &Connection, message: &Value) -> Option<Arc<Attachment>> {
    connection.attachments().find(message.get("serverId")?.as_str()?)
}

fn native_call(
    connection: &Connection,
    attachment: Arc<Attachment>,
    params: Value,
    responder: Responder,
    cx: &Cx,
) -> Result<(), Error> {
    let message: Message = match serde_json::from_value(params) {
        Ok(message) => message,
        Err(error) => return responder.respond_with_error(Error::invalid_params().data(error.to_string())),
    };
    let (server_id, request_id) = (message.server_id.clone(), message.request_id.clone());
    let toward_agent = cx.clone();
    let notify = move |method: String, params: Value| {
        let params =
            json!({"serverId": server_id, "requestId": request_id, "method": method, "params": params});
        let notification = UntypedMessage { method: NATIVE.to_owned(), params };
        if let Err(error) = toward_agent.send_notification_to(Agent, notification) {
            tracing::debug!(?error, "the agent is gone");
        }
    };
    let closed = connection.closed();
    let served = native::serve(connection.server(attachment), message, notify);
    tokio::spawn(async move {
        let cancellation = responder.cancellation();
        let answer = tokio::select! {
            answer = served => Ok(answer),
            () = cancellation.cancelled() => Err(Error::request_cancelled()),
            () = closed.cancelled() => Err(Error::new(SERVER_UNAVAILABLE, "MCP server unavailable")),
        };
        if let Err(error) = responder.respond_with_result(answer) {
            tracing::debug!(?error, "the agent is gone");
        }
    });
    Ok(())
}

fn notification_passes(connection: &Connection, notification: UntypedMessage) -> Handled<Dispatch> {
    match notification.method.as_str() {
        SUCCESSOR => {
            let method = inner_method(&notification.params);
            if method.is_some_and(|it| it.starts_with(Operation::PREFIX)) {
                return Handled::Yes; // refused like the requests
            }
            if method == Some("session/update") {
                connection.updated(&notification.params["params"]);
            }
        }
        PROGRESS_METHOD => {
            match serde_json::from_value(notification.params) {
                Ok(progress) => connection.progress(progress),
                Err(error) => tracing::warn!(%error, "progress that cannot be read"),
            }
            return Handled::Yes;
        }
        "session/cancel" => cancel(connection, &notification.params),
        _ => {}
    }
    pass(Dispatch::Notification(notification))
}

/// The connection toward the client, for requests of programs.
struct TowardClient {
    cx: Cx,
    direct: Arc<DirectRequests>,
}

impl ClientLink for TowardClient {
    fn request(&self, method: String, params: Value) -> BoxFuture<'static, Result<Value, RequestError>> {
        let is_ours = Operation::from_method(&method).is_some();
        let request = UntypedMessage { method, params };
        let called = if is_ours { self.direct.call(request) } else { Err(request) };
        let send = |it| self.cx.prepare_request_to(Client, it).block_task().boxed();
        called.unwrap_or_else(send).map(|answer| answer.map_err(request_error)).boxed()
    }

    fn notify(&self, method: String, params: Value) {
        self.direct.sends(&method);
        if let Err(error) = self.cx.send_notification_to(Client, UntypedMessage { method, params }) {
            tracing::debug!(?error, "the client is gone");
        }
    }
}

fn request_error(error: Error) -> RequestError {
    if error.code == ErrorCode::METHOD_NOT_FOUND {
        return RequestError::NoSuchMethod;
    }
    RequestError::Failed { message: error.message, data: error.data }
}
