//! Routes every message that passes the adapter. Only this file and those below it name the ACP SDK.

mod connection;
mod editor;
mod file_messages;
mod git_patch;
mod progress;

use std::future::ready;
use std::pin::pin;
use std::sync::Arc;
use std::sync::atomic::Ordering;

use agent_client_protocol::v1::schema::PROXY_METHOD_NAMES;
use agent_client_protocol::{
    Agent, Builder, Client, Conductor, ConnectTo, Dispatch, Error, ErrorCode, HandleDispatchFrom, Handled,
    Proxy, Responder, Role, UntypedMessage,
};
use connection::{Connection, Cx, SUCCESSOR, update_editor};
use editor::{EditorFiles, EditorServers, lends_servers};
use futures::FutureExt;
use futures::future::Either;
use ide_protocol::{
    IdeError, Operation, REFERENCES_NEXT, Support, UNSAVED_TEXTS, read_capability, write_capability,
};
use progress::{on_progress, wait};
use serde_json::Value;
use tokio::sync::oneshot;
use tokio_util::task::AbortOnDropHandle;
use transport::DirectRequests;

use crate::consent;
use crate::fallback::{AskTrust, Caller, Consent, Fallback, Lender};
use crate::route::{Route, offered, route};
use crate::sessions::{Setup, ended_session, session_of, setup};
use file_messages::{Access, FileCapabilities};
use unpoisoned::lock;

const INITIALIZE: &str = PROXY_METHOD_NAMES.proxy_initialize;

/// The adapter as one proxy of a chain.
#[derive(Clone, Debug)]
pub struct Adapter {
    fallback: Arc<Fallback>,
    direct: Arc<DirectRequests>,
}

impl Adapter {
    /// Creates an adapter that answers with `fallback` what the editor cannot. The caller shuts `fallback`
    /// down.
    pub fn new(fallback: Arc<Fallback>) -> Self {
        Self { fallback, direct: Arc::default() }
    }

    /// Answers the requests of a component in the same process as calls too.
    #[must_use]
    pub fn answering(self, direct: Arc<DirectRequests>) -> Self {
        Self { direct, ..self }
    }
}

impl ConnectTo<Conductor> for Adapter {
    async fn connect_to(self, conductor: impl ConnectTo<Proxy>) -> Result<(), Error> {
        let connection = Arc::new(Connection::new(self.fallback));
        let handler = Handler { connection, direct: self.direct };
        Builder::new(Proxy).name("ide-adapter").with_handler(handler).connect_to(conductor).await
    }
}

/// Runs the adapter over `transport` until the other side closes it.
///
/// # Errors
/// The transport fails, or the other side does not speak the protocol.
pub async fn run(fallback: Arc<Fallback>, transport: impl ConnectTo<Proxy>) -> Result<(), Error> {
    Adapter::new(fallback).connect_to(transport).await
}

/// Runs the adapter over standard input and output until the other side closes it.
///
/// # Errors
/// As for [`run`].
pub async fn run_on_stdio(fallback: Arc<Fallback>) -> Result<(), Error> {
    run(fallback, transport::stdio()).await
}

struct Handler {
    connection: Arc<Connection>,
    direct: Arc<DirectRequests>,
}

impl HandleDispatchFrom<Conductor> for Handler {
    async fn handle_dispatch_from(&mut self, message: Dispatch, cx: Cx) -> Result<Handled<Dispatch>, Error> {
        let from_agent = match &message {
            Dispatch::Request(it, _) | Dispatch::Notification(it) if it.method == SUCCESSOR => {
                it.params["method"].as_str().map(str::to_owned)
            }
            _ => None,
        };
        let handled = self.handle(message, &cx);
        let Some(method) = from_agent else { return handled };
        let forwarded = match handled {
            // Forwarded before it counts as handled: so the editor hears it before a call makes the adapter ask.
            Ok(Handled::No { message, .. }) => Conductor.default_handle_dispatch_from(message, cx).await,
            other => other,
        };
        self.direct.has_handled(&method);
        forwarded
    }

    fn describe_chain(&self) -> impl std::fmt::Debug {
        "ide-adapter"
    }
}

impl Handler {
    fn handle(&self, message: Dispatch, cx: &Cx) -> Result<Handled<Dispatch>, Error> {
        match message {
            Dispatch::Request(request, responder) if request.method == SUCCESSOR => {
                request_from_agent(&self.connection, request, responder, cx)
            }
            Dispatch::Request(request, responder) => {
                if request.method == INITIALIZE {
                    self.answer_directly(cx);
                }
                request_from_client(&self.connection, request, responder, cx)
            }
            Dispatch::Notification(notification) => {
                self.connection.observe(&notification);
                Ok(pass(Dispatch::Notification(notification)))
            }
            other => Ok(pass(other)),
        }
    }

    /// Answers a component in this process, as calls, what the editor does not answer.
    fn answer_directly(&self, cx: &Cx) {
        let (connection, cx) = (Arc::clone(&self.connection), cx.clone());
        self.direct.answer_with(Some(Box::new(move |request| {
            match Operation::from_method(&request.method) {
                Some(operation) if !is_for_editor(&connection, operation, &request.params) => {
                    Ok(answer_here(&connection, operation, request.params, &cx).boxed())
                }
                _ => Err(request),
            }
        })));
    }
}

impl Drop for Handler {
    fn drop(&mut self) {
        self.direct.answer_with(None);
    }
}

/// Leaves a message to the SDK, which forwards it unchanged.
fn pass(message: Dispatch) -> Handled<Dispatch> {
    Handled::No { message, retry: false }
}

fn request_from_client(
    connection: &Arc<Connection>,
    request: UntypedMessage,
    responder: Responder,
    cx: &Cx,
) -> Result<Handled<Dispatch>, Error> {
    if request.method == INITIALIZE {
        initialize(connection, request, responder, cx)?;
    } else if let Some(setup) = setup(&request.method, &request.params) {
        set_up(connection, setup, request, responder, cx)?;
    } else if let Some(session) = ended_session(&request.method, &request.params) {
        end(connection, session, request, responder, cx)?;
    } else {
        if let Some(session) = session_of(&request.params) {
            if request.method == "session/prompt" {
                connection.fallback.prompted(&session);
            }
            connection.touch(&session, file_messages::attached(&request.method, &request.params));
        }
        return Ok(pass(Dispatch::Request(request, responder)));
    }
    Ok(Handled::Yes)
}

/// Stores the editor's capabilities, and advertises toward the agent all operations that will be answered.
fn initialize(
    connection: &Arc<Connection>,
    mut request: UntypedMessage,
    responder: Responder,
    cx: &Cx,
) -> Result<(), Error> {
    let editor = read_capability(&request.params);
    write_capability(&mut request.params, &offered(&editor));
    *lock(&connection.editor) = editor;
    let files = FileCapabilities::from_initialize(&request.params);
    *lock(&connection.files) = files;
    // Positions in texts that it does not give would mean nothing here.
    if files.reads && lends_servers(&request.params) && connection.fallback.borrows_servers() {
        connection.fallback.answer_here();
    }
    request.method = "initialize".to_owned();
    let connection = Arc::clone(connection);
    forward(request, responder, cx, move |result| {
        let version = result.ok().and_then(|it| it["protocolVersion"].as_u64());
        connection.version.store(version.unwrap_or(1), Ordering::Relaxed);
        if version.is_some_and(|it| it >= 2) {
            *lock(&connection.files) = FileCapabilities::default(); // it has no requests for files
        }
    })
}

fn set_up(
    connection: &Arc<Connection>,
    setup: Setup,
    request: UntypedMessage,
    responder: Responder,
    cx: &Cx,
) -> Result<(), Error> {
    let before = setup.session.as_deref().and_then(|it| connection.sessions.roots(it));
    if let Some(session) = &setup.session {
        connection.open(session, &setup.roots); // questions may come before the agent has answered
    }
    let connection = Arc::clone(connection);
    forward(request, responder, cx, move |result| match (result, &setup.session, before) {
        (Ok(result), None, _) => {
            session_of(result).inspect(|session| connection.open(session, &setup.roots));
        }
        (Err(_), Some(session), None) => connection.close(session),
        (Err(_), Some(session), Some(roots)) => connection.open(session, &roots),
        (Ok(_), Some(_), _) | (Err(_), None, _) => {}
    })
}

fn end(
    connection: &Arc<Connection>,
    session: String,
    request: UntypedMessage,
    responder: Responder,
    cx: &Cx,
) -> Result<(), Error> {
    let connection = Arc::clone(connection);
    forward(request, responder, cx, move |result| {
        if result.is_ok() {
            connection.close(&session);
        }
    })
}

/// Forwards a request toward the agent. `answered` runs before any later message of the agent is handled.
fn forward(
    request: UntypedMessage,
    responder: Responder,
    cx: &Cx,
    answered: impl FnOnce(Result<&Value, &Error>) + Send + 'static,
) -> Result<(), Error> {
    cx.prepare_request_to(Agent, request)
        .forward_cancellation_from(responder.cancellation())
        .on_receiving_result(async move |result| {
            answered(result.as_ref());
            responder.respond_with_result(result)
        })
}

/// Handles our own operations and file requests; passes other requests on unchanged.
fn request_from_agent(
    connection: &Arc<Connection>,
    mut request: UntypedMessage,
    responder: Responder,
    cx: &Cx,
) -> Result<Handled<Dispatch>, Error> {
    let method = request.params.get("method").and_then(Value::as_str);
    let Some(operation) = method.and_then(Operation::from_method) else {
        let access = method.and_then(|it| file_messages::access(it, &request.params["params"]));
        return match access {
            Some(access) => handle_file(connection, access, request, responder, cx),
            None => Ok(pass(Dispatch::Request(request, responder))),
        };
    };
    let params = request.params["params"].take();
    match is_for_editor(connection, operation, &params) {
        true => ask_editor(connection, operation, params, responder, cx)?,
        false => ask_here(connection, operation, params, responder, cx)?,
    }
    Ok(Handled::Yes)
}

/// Returns true if the editor answers a question.
fn is_for_editor(connection: &Connection, operation: Operation, params: &Value) -> bool {
    let (route, takes_texts) = {
        let editor = lock(&connection.editor);
        (route(&editor, operation), editor.takes_unsaved_texts() || params.get(UNSAVED_TEXTS).is_none())
    };
    route == Route::PassThrough && takes_texts && !is_ours(connection, operation, params)
}

/// Forwards a file request of the agent, and updates the editor's buffers before and after it.
fn handle_file(
    connection: &Arc<Connection>,
    access: Access,
    mut request: UntypedMessage,
    responder: Responder,
    cx: &Cx,
) -> Result<Handled<Dispatch>, Error> {
    let method = request.params["method"].as_str().expect("the access was read from its method").to_owned();
    let params = request.params["params"].take();
    let session = session_of(&params);
    if let (Some(session), Access::Writes { path, .. } | Access::Reads { path, .. }) = (&session, &access) {
        connection.touch(session, [path.clone()]);
    }
    let done = connection.begin_access(session.as_deref(), access);
    cx.prepare_request_to(Client, UntypedMessage { method, params })
        .forward_cancellation_from(responder.cancellation())
        .on_receiving_result(async move |result| {
            done(result.as_ref());
            responder.respond_with_result(result)
        })?;
    Ok(Handled::Yes)
}

/// Returns whether the request names edits or actions that were offered here, which the editor does not know.
fn is_ours(connection: &Connection, operation: Operation, params: &Value) -> bool {
    let ids: Vec<&str> = match operation {
        Operation::Apply | Operation::Edits | Operation::EditedTexts => {
            params["edits"].as_array().into_iter().flatten().filter_map(Value::as_str).collect()
        }
        Operation::TakeAction => params["action"].as_str().into_iter().collect(),
        _ => return false,
    };
    session_of(params).is_some_and(|it| connection.fallback.has_shown(&it, &ids))
}

/// Asks the editor. If it lacks the method, removes the operation from its capabilities and answers here.
fn ask_editor(
    connection: &Arc<Connection>,
    operation: Operation,
    params: Value,
    responder: Responder,
    cx: &Cx,
) -> Result<(), Error> {
    let request = UntypedMessage { method: operation.method(), params: params.clone() };
    let (connection, toward_all) = (Arc::clone(connection), cx.clone());
    cx.prepare_request_to(Client, request)
        .forward_cancellation_from(responder.cancellation())
        .on_receiving_result(async move |result| match result {
            Err(error) if error.code == ErrorCode::METHOD_NOT_FOUND => {
                tracing::warn!(%operation, "the editor advertises an operation but lacks its method");
                lock(&connection.editor).remove(operation);
                ask_here(&connection, operation, params, responder, &toward_all)
            }
            result => responder.respond_with_result(result),
        })
}

fn ask_here(
    connection: &Arc<Connection>,
    operation: Operation,
    params: Value,
    responder: Responder,
    cx: &Cx,
) -> Result<(), Error> {
    let answered = answer_here(connection, operation, params, cx);
    cx.spawn(async move {
        let cancellation = responder.cancellation();
        let answered = cancellation.run_until_cancelled(answered).await;
        if let Err(error) = responder.respond_with_result(answered) {
            tracing::debug!(?error, "the response could not be sent");
        }
        Ok(())
    })
}

/// Answers with the fallback if it has the operation, otherwise with "method not found".
fn answer_here(
    connection: &Arc<Connection>,
    operation: Operation,
    mut params: Value,
    cx: &Cx,
) -> impl Future<Output = Result<Value, Error>> + Send + 'static {
    if route(&Support::none(), operation) == Route::Absent {
        return Either::Left(ready(Err(Error::method_not_found().data(operation.method()))));
    }
    let wait = wait(connection, &params, cx);
    // The editor is asked for the references itself.
    if operation == Operation::Definitions
        && is_for_editor(connection, Operation::References, &params)
        && let Some(params) = params.as_object_mut()
    {
        params.remove(REFERENCES_NEXT);
    }
    // Without a session the request fails before any file is read or written.
    let (files, session) = (*lock(&connection.files), session_of(&params).unwrap_or_default());
    let (connection, cx_of_editor) = (Arc::clone(connection), cx.clone());
    let servers = || Arc::new(EditorServers { session: session.clone(), cx: cx.clone() });
    let lender: Option<Arc<dyn Lender>> = connection.fallback.is_lent().then(|| servers() as _);
    let editor =
        Arc::new(EditorFiles { files, session, cx: cx.clone(), connection: Arc::clone(&connection) });
    // A task of its own: a search computes, and other messages pass meanwhile.
    let answering = AbortOnDropHandle::new(tokio::spawn(async move {
        let session = session_of(&params);
        if let Some(session) = &session {
            connection.open_sub_session(session);
            connection.sessions.wait_until_open(session).await;
            connection.fallback.ask_trust_with(session, ask_trust(&connection, session, &cx_of_editor));
        }
        let reading = async {
            match &session {
                Some(session) => connection.read_editor_buffers(session, &params, &cx_of_editor).await,
                None => false,
            }
        };
        let answer = || {
            let on_progress = on_progress(&params, &wait, &cx_of_editor);
            let caller =
                Caller { on_progress, editor: Arc::clone(&editor) as _, lender: Option::clone(&lender) };
            connection.fallback.answer(operation, params.clone(), caller)
        };
        tokio::select! {
            answer = beside(reading, answer, operation == Operation::Apply) => answer,
            never = wait.show() => match never {},
        }
    }));
    let stopped = move |error| Error::internal_error().data(format!("{operation} broke down: {error}"));
    Either::Right(answering.map(move |it| it.map_err(stopped)?.map_err(to_rpc)))
}

/// Answers while the editor's texts are read, and once more if they differ from those that the answer is about. With
/// `in_order` it is answered after that: what writes is done once.
async fn beside<A>(reading: impl Future<Output = bool>, answer: impl Fn() -> A, in_order: bool) -> A::Output
where
    A: Future,
{
    if in_order {
        reading.await;
        return answer().await;
    }
    let (mut reading, mut first) = (pin!(reading), Box::pin(answer()));
    let (is_news, answered) = tokio::select! {
        biased;
        is_news = &mut reading => (is_news, None),
        answered = &mut first => (reading.await, Some(answered)),
    };
    match answered {
        Some(answered) if !is_news => answered,
        None if !is_news => first.await,
        _ => {
            // It may hold what the second answer waits for.
            drop(first);
            answer().await
        }
    }
}

/// Returns the function that asks the user of a session to trust its folders. No answer counts as no consent.
fn ask_trust(connection: &Connection, session: &str, cx: &Cx) -> AskTrust {
    let version = connection.version.load(Ordering::Relaxed);
    let (session, cx) = (session.to_owned(), cx.clone());
    AskTrust::new(move |folders, denial| {
        let question = consent::question(version, &session, folders, denial);
        let (tell, answered) = oneshot::channel();
        let announced = consent::pending_update(version, &question);
        let request = UntypedMessage { method: consent::METHOD.to_owned(), params: question };
        let asked = update_editor(&cx, announced).and_then(|()| {
            cx.prepare_request_to(Client, request).on_receiving_result(async move |result| {
                let consent = result.map_or(Consent::Nothing, |it| consent::answer(&it));
                let _nobody_waits = tell.send(consent);
                Ok(())
            })
        });
        let (session, cx) = (session.clone(), cx.clone());
        Box::pin(async move {
            let consent = match asked {
                Ok(()) => answered.await.unwrap_or(Consent::Nothing),
                Err(_) => Consent::Nothing,
            };
            if let Err(error) = update_editor(&cx, consent::completed_update(&session, consent)) {
                tracing::debug!(?error, "the editor has disconnected");
            }
            consent
        })
    })
}

fn to_rpc(error: IdeError) -> Error {
    let data = serde_json::to_value(&error).expect("an error is plain data");
    Error::new(error.kind.code(), error.message).data(data)
}
