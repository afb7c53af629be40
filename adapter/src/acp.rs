//! Every message that passes the adapter: with what is below it, the only file of this crate that names the ACP SDK.

mod editor;
mod progress;

use std::path::PathBuf;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::{Arc, Mutex};
use std::time::Duration;

use agent_client_protocol::{
    Agent, Builder, Client, Conductor, ConnectTo, ConnectionTo, Dispatch, Error, ErrorCode,
    HandleDispatchFrom, Handled, Proxy, Responder, UntypedMessage, v1::schema::PROXY_METHOD_NAMES,
};
use futures::future::join_all;
use ide_protocol::{IdeError, Operation, Support, read_capability, write_capability};
use serde_json::{Value, json};
use tokio::sync::oneshot;
use tokio_util::task::AbortOnDropHandle;

use crate::answer::answer;
use crate::fallback::{AskTrust, Consent, Fallback};
use crate::files::{Access, Touched};
use crate::loading::Loading;
use crate::lock::lock;
use crate::route::{Route, offered, route};
use crate::sessions::{Sessions, Setup, ends, session_of, setup};
use crate::{consent, files};
use editor::{EditorFiles, Files};
use progress::{on_progress, wait};

const INITIALIZE: &str = PROXY_METHOD_NAMES.proxy_initialize;
const SUCCESSOR: &str = PROXY_METHOD_NAMES.proxy_successor;

/// How long the editor may take to show a file: it has it at hand.
const EDITOR_WAIT: Duration = Duration::from_secs(2);

/// The adapter as a member of a chain.
#[derive(Clone, Debug)]
pub struct Adapter {
    fallback: Arc<Fallback>,
}

impl Adapter {
    /// Answers with `fallback` what the editor does not. Whoever made the fallback shuts it down.
    pub fn new(fallback: Arc<Fallback>) -> Self {
        Self { fallback }
    }
}

impl ConnectTo<Conductor> for Adapter {
    async fn connect_to(self, conductor: impl ConnectTo<Proxy>) -> Result<(), Error> {
        let connection = Arc::new(Connection::new(self.fallback));
        let handler = Handler { connection: Arc::clone(&connection) };
        Builder::new(Proxy).name("ide-adapter").with_handler(handler).connect_to(conductor).await
    }
}

/// Runs the adapter over `transport` until the other side closes it.
///
/// # Errors
/// When the transport fails, or the other side does not speak the protocol.
pub async fn run(fallback: Arc<Fallback>, transport: impl ConnectTo<Proxy>) -> Result<(), Error> {
    Adapter::new(fallback).connect_to(transport).await
}

/// The same over standard input and output.
///
/// # Errors
/// As [`run`].
pub async fn run_on_stdio(fallback: Arc<Fallback>) -> Result<(), Error> {
    run(fallback, transport::stdio()).await
}

type Cx = ConnectionTo<Conductor>;

/// What to do when a request was answered.
type Done = Box<dyn FnOnce(Result<&Value, &Error>) + Send>;

/// What the adapter knows about one connection.
struct Connection {
    editor: Mutex<Support>,
    /// The version of ACP that was agreed upon.
    version: AtomicU64,
    /// Whether the editor shows what its files hold, saved or not.
    shows_files: AtomicBool,
    touched: Mutex<Touched>,
    files: Mutex<Files>,
    /// What questions wait for, as the user sees it.
    loading: Arc<Loading>,
    sessions: Sessions,
    fallback: Arc<Fallback>,
}

struct Handler {
    connection: Arc<Connection>,
}

impl HandleDispatchFrom<Conductor> for Handler {
    async fn handle_dispatch_from(&mut self, message: Dispatch, cx: Cx) -> Result<Handled<Dispatch>, Error> {
        match message {
            Dispatch::Request(request, responder) if request.method == SUCCESSOR => {
                request_from_agent(&self.connection, request, responder, &cx)
            }
            Dispatch::Request(request, responder) => {
                request_from_client(&self.connection, request, responder, &cx)
            }
            Dispatch::Notification(notification) => {
                self.connection.note(&notification);
                Ok(pass(Dispatch::Notification(notification)))
            }
            other => Ok(pass(other)),
        }
    }

    fn describe_chain(&self) -> impl std::fmt::Debug {
        "ide-adapter"
    }
}

/// Leaves a message to the SDK, which forwards it as it is.
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
    } else if let Some(session) = ends(&request.method, &request.params) {
        end(connection, session, request, responder, cx)?;
    } else {
        if let Some(session) = session_of(&request.params) {
            connection.touch(&session, files::attached(&request.method, &request.params));
        }
        return Ok(pass(Dispatch::Request(request, responder)));
    }
    Ok(Handled::Yes)
}

/// Reads what the editor has, and says downstream what is answered.
fn initialize(
    connection: &Arc<Connection>,
    mut request: UntypedMessage,
    responder: Responder,
    cx: &Cx,
) -> Result<(), Error> {
    let editor = read_capability(&request.params);
    write_capability(&mut request.params, &offered(&editor));
    *lock(&connection.editor) = editor;
    connection.shows_files.store(files::shows_files(&request.params), Ordering::Relaxed);
    *lock(&connection.files) = Files::of(&request.params);
    request.method = "initialize".to_owned();
    let connection = Arc::clone(connection);
    forward(request, responder, cx, move |result| {
        let version = result.ok().and_then(|it| it["protocolVersion"].as_u64());
        connection.version.store(version.unwrap_or(1), Ordering::Relaxed);
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

/// Sends a request on toward the agent; `answered` runs before any later message of the agent is seen.
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

/// Operations that are ours leave their envelope; the rest keep it and go on.
fn request_from_agent(
    connection: &Arc<Connection>,
    mut request: UntypedMessage,
    responder: Responder,
    cx: &Cx,
) -> Result<Handled<Dispatch>, Error> {
    let method = request.params.get("method").and_then(Value::as_str);
    let Some(operation) = method.and_then(Operation::from_method) else {
        let access = files::access(method.unwrap_or_default(), &request.params["params"]);
        return match access {
            Some(access) => handle_file(connection, access, request, responder, cx),
            None => Ok(pass(Dispatch::Request(request, responder))),
        };
    };
    let params = request.params["params"].take();
    let route = route(&lock(&connection.editor), operation);
    match route {
        Route::PassThrough if !is_ours(connection, operation, &params) => {
            ask_editor(connection, operation, params, responder, cx)?;
        }
        _ => ask_here(connection, operation, params, responder, cx)?,
    }
    Ok(Handled::Yes)
}

/// A file that the agent has the editor read or write: whoever asks from now on is answered as it will be.
fn handle_file(
    connection: &Arc<Connection>,
    access: Access,
    mut request: UntypedMessage,
    responder: Responder,
    cx: &Cx,
) -> Result<Handled<Dispatch>, Error> {
    let method = request.params["method"].as_str().unwrap_or_default().to_owned();
    let params = request.params["params"].take();
    if let (Some(session), Access::Writes { path, .. } | Access::Reads { path, .. }) =
        (session_of(&params), &access)
    {
        connection.touch(&session, [path.clone()]);
    }
    let done = connection.begin(access);
    cx.prepare_request_to(Client, UntypedMessage { method, params })
        .forward_cancellation_from(responder.cancellation())
        .on_receiving_result(async move |result| {
            done(result.as_ref());
            responder.respond_with_result(result)
        })?;
    Ok(Handled::Yes)
}

/// Whether it is about edits that were shown here, or actions that were offered: the editor does not know them.
fn is_ours(connection: &Connection, operation: Operation, params: &Value) -> bool {
    let ids: Vec<&str> = match operation {
        Operation::Apply | Operation::Edits => {
            params["edits"].as_array().into_iter().flatten().filter_map(Value::as_str).collect()
        }
        Operation::TakeAction => params["action"].as_str().into_iter().collect(),
        _ => return false,
    };
    session_of(params).is_some_and(|it| connection.fallback.has_shown(&it, &ids))
}

/// Not the editor: the fallback, where it has the operation.
fn ask_here(
    connection: &Arc<Connection>,
    operation: Operation,
    params: Value,
    responder: Responder,
    cx: &Cx,
) -> Result<(), Error> {
    match route(&Support::none(), operation) {
        Route::Absent => responder.respond_with_error(Error::method_not_found().data(operation.method())),
        _ => ask_fallback(connection, operation, params, responder, cx),
    }
}

/// An editor that turns out to lack the method is not asked again, and this very request is answered here.
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
                tracing::warn!(%operation, "the editor offers it but has no such method");
                lock(&connection.editor).remove(operation);
                ask_here(&connection, operation, params, responder, &toward_all)
            }
            result => responder.respond_with_result(result),
        })
}

fn ask_fallback(
    connection: &Arc<Connection>,
    operation: Operation,
    params: Value,
    responder: Responder,
    cx: &Cx,
) -> Result<(), Error> {
    let wait = wait(connection, &params, cx);
    let on_progress = on_progress(&params, &wait, cx);
    let (files, session) = (*lock(&connection.files), session_of(&params).unwrap_or_default());
    let (connection, cx_of_editor) = (Arc::clone(connection), cx.clone());
    let editor =
        Arc::new(EditorFiles { files, session, cx: cx.clone(), connection: Arc::clone(&connection) });
    // Off the connection's task: a search computes, and messages go on meanwhile.
    let answering = AbortOnDropHandle::new(tokio::spawn(async move {
        if let Some(session) = session_of(&params) {
            connection.sessions.known(&session).await;
            connection.fallback.ask_trust_with(&session, ask_trust(&connection, &session, &cx_of_editor));
            connection.look_into_editor(&session, &params, &cx_of_editor).await;
        }
        tokio::select! {
            answer = answer(&connection.fallback, operation, params, on_progress, editor) => answer,
            never = wait.show() => match never {},
        }
    }));
    cx.spawn(async move {
        let cancellation = responder.cancellation();
        let answered = cancellation.run_until_cancelled(async {
            let stopped = |error| Error::internal_error().data(format!("{operation} broke down: {error}"));
            answering.await.map_err(stopped)?.map_err(to_rpc)
        });
        if let Err(error) = responder.respond_with_result(answered.await) {
            tracing::debug!(?error, "whoever asked is gone");
        }
        Ok(())
    })
}

/// How the user of a session is asked whether he trusts its folders. An editor that cannot ask him, or whose answer
/// is none, has not consented.
fn ask_trust(connection: &Connection, session: &str, cx: &Cx) -> AskTrust {
    let version = connection.version.load(Ordering::Relaxed);
    let (session, cx) = (session.to_owned(), cx.clone());
    AskTrust::new(move |folders, denial| {
        let question = consent::question(version, &session, folders, denial);
        let (tell, told) = oneshot::channel();
        let announced = consent::announced(version, &question);
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
                Ok(()) => told.await.unwrap_or(Consent::Nothing),
                Err(_) => Consent::Nothing,
            };
            if let Err(error) = update_editor(&cx, consent::settled(&session, consent)) {
                tracing::debug!(?error, "the editor is gone");
            }
            consent
        })
    })
}

fn update_editor(cx: &Cx, update: Value) -> Result<(), Error> {
    cx.send_notification_to(Client, UntypedMessage { method: "session/update".to_owned(), params: update })
}

fn to_rpc(error: IdeError) -> Error {
    let data = serde_json::to_value(&error).expect("an error is plain data");
    Error::new(error.kind.code(), error.message).data(data)
}

impl Connection {
    fn new(fallback: Arc<Fallback>) -> Self {
        Self {
            editor: Mutex::default(),
            version: AtomicU64::new(1),
            files: Mutex::default(),
            shows_files: AtomicBool::new(false),
            touched: Mutex::default(),
            loading: Loading::new(fallback.patience()),
            sessions: Sessions::default(),
            fallback,
        }
    }

    fn open(&self, session: &str, roots: &[std::path::PathBuf]) {
        self.fallback.open_session(session, roots.to_vec());
        self.sessions.open(session, roots.to_vec());
    }

    /// Takes in what a notification says about files.
    fn note(&self, notification: &UntypedMessage) {
        let (method, params) = match notification.method.as_str() {
            SUCCESSOR => (notification.params["method"].as_str(), &notification.params["params"]),
            method => (Some(method), &notification.params),
        };
        let touched = files::touched(method.unwrap_or_default(), params);
        if let Some(session) = session_of(params).filter(|_| !touched.is_empty()) {
            self.touch(&session, touched);
            self.fallback.files_touched();
        }
    }

    fn touch(&self, session: &str, paths: impl IntoIterator<Item = PathBuf>) {
        lock(&self.touched).add(session, paths);
    }

    /// What the agent asks of the editor is begun. What to do when the editor has answered.
    fn begin(self: &Arc<Self>, access: Access) -> Done {
        let connection = Arc::clone(self);
        match access {
            Access::Writes { path, text } => {
                let write = self.fallback.write_begins(&path, text);
                Box::new(move |result| connection.fallback.write_ends(&write, result.is_ok()))
            }
            Access::Reads { path, is_whole: true } => Box::new(move |result| {
                if let Some(text) = result.ok().and_then(files::text_of) {
                    connection.fallback.shown_in_editor(&path, Some(text.to_owned()));
                }
            }),
            Access::Reads { is_whole: false, .. } => Box::new(|_| ()),
        }
    }

    /// Reads the files that the session touched last and the one that is asked about as the editor has them, where it
    /// shows them.
    async fn look_into_editor(&self, session: &str, params: &Value, cx: &Cx) {
        if !self.shows_files.load(Ordering::Relaxed) {
            return;
        }
        let roots = self.sessions.roots(session).unwrap_or_default();
        if let (Some(path), Some(root)) = (files::asked_about(params), roots.first()) {
            self.touch(session, [root.join(path)].into_iter().filter(|it| it.is_file()));
        }
        let paths = lock(&self.touched).of(session, &roots);
        let reading = paths.iter().map(async |path| {
            let params = json!({"sessionId": session, "path": path});
            let request = UntypedMessage { method: "fs/read_text_file".to_owned(), params };
            let asked = cx.prepare_request_to(Client, request).block_task();
            let shown = tokio::time::timeout(EDITOR_WAIT, asked).await.ok().and_then(Result::ok);
            self.fallback.shown_in_editor(path, shown.as_ref().and_then(files::text_of).map(str::to_owned));
        });
        join_all(reading).await;
    }

    fn close(&self, session: &str) {
        self.sessions.close(session);
        lock(&self.touched).forget(session);
        self.fallback.close_session(session);
    }
}

impl Drop for Connection {
    fn drop(&mut self) {
        self.sessions.names().iter().for_each(|it| self.fallback.close_session(it));
    }
}
