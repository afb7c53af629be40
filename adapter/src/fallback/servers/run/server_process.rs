//! One process of a server under its supervisor, and the connection to it.

use std::ops::ControlFlow;
use std::path::{Path, PathBuf};
use std::process::{ExitStatus, Stdio};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::time::{Duration, Instant, SystemTime};

use async_lsp::router::Router;
use async_lsp::{AnyNotification, MainLoop, ServerSocket};
use futures::future::ready;
use lsp_types::notification::{
    DidChangeConfiguration, DidChangeTextDocument, DidChangeWatchedFiles, DidCloseTextDocument,
    DidOpenTextDocument, Exit, Initialized,
};
use lsp_types::request::Shutdown;
use lsp_types::{DidChangeConfigurationParams, InitializedParams};
use rustix::process::Pid;
use serde_json::Value;
use tokio::process::{Child, Command};
use tokio::sync::{Mutex, Notify, watch};
use tokio::time::timeout;

use super::captured_edits::CapturedEdits;
use super::convert::diagnostics::published;
use super::convert::notification::{Notice, notice, signal};
use super::documents::{Documents, Message};
use super::dynamic_registrations::DynamicRegistrations;
use super::file_cache::FileCache;
use super::health::Liveness;
use super::lent::LentServer;
use super::output_tail::OutputTail;
use super::published_diagnostics::PublishedDiagnostics;
use super::readiness::Readiness;
use super::request::{AskError, Requests};
use super::server_setup::ServerSetup;
use super::{convert, handshake, health, transport};
use crate::fallback::servers::find::config::Health;
use crate::fallback::servers::find::confined::Confinement;
use crate::fallback::source::languages::{FileRule, Language};
use crate::fallback::source::text::{Columns, Text, is_utf16};
use crate::fallback::trust::level::Level;
use crate::fallback::workspace::file_scan;
use crate::fallback::workspace::stamp::Stamp;
use crate::fallback::workspace::tree_watcher::TreeWatcher;
use crate::{blocking, os};
use unpoisoned::lock;

/// The time a server may take to start, on a busy machine too. A question whose time is over is answered without it.
const INITIALIZE_TIMEOUT: Duration = Duration::from_secs(120);

const SHUTDOWN_TIMEOUT: Duration = Duration::from_secs(3);

const EXIT_TIMEOUT: Duration = Duration::from_secs(2);

/// A running server that answered `initialize`.
#[derive(Debug)]
pub(crate) struct ServerProcess {
    pub(crate) requests: Requests,
    pub(crate) columns: Columns,
    /// The capabilities that it announced.
    pub(crate) capabilities: serde_json::Value,
    /// The liveness of the process, and its users.
    pub(crate) pulse: Liveness,
    /// The synchronized files.
    pub(crate) documents: Mutex<Documents>,
    /// The watcher that tells whether they are unchanged.
    pub(crate) watcher: SharedTreeWatcher,
    /// The caches of files between requests.
    pub(crate) file_cache: Arc<FileCache>,
    /// The notifier of requests that were answered without a full rescan.
    pub(crate) unscanned: Notify,
    /// The methods and watches that it registered.
    pub(crate) registered: DynamicRegistrations,
    /// The edits that it requests; only one command at a time may cause them.
    pub(crate) offered: CapturedEdits,
    pub(crate) command: Mutex<()>,
    language: &'static Language,
    last_words: OutputTail,
    /// The diagnostics that it published.
    diagnosed: PublishedDiagnostics,
    /// Becomes `true` when the connection has ended.
    over: watch::Receiver<bool>,
    /// `true` if files may have changed without an event.
    doubted: AtomicBool,
    /// `true` if a request found it ended, possibly before its exit was observed.
    ended: AtomicBool,
    /// `true` if it has answered a request.
    answered: AtomicBool,
    /// The time of its start.
    pub(crate) born: SystemTime,
}

/// A tree watcher; the lock is held only during a scan.
pub(crate) type SharedTreeWatcher = Arc<std::sync::Mutex<TreeWatcher>>;

/// An event that ends the connection, and so the process.
struct Disconnect;

/// The process of a server. Dropping it kills the process, without waiting.
#[derive(Debug)]
pub(crate) struct ProcessHandle {
    child: Child,
    /// The process group of the supervisor, until it is known to be empty.
    group: Option<Pid>,
    socket: ServerSocket,
    stderr: OutputTail,
    /// Becomes `true` when the connection has ended.
    over: watch::Receiver<bool>,
}

/// Starts a server and waits for its answer to `initialize`.
///
/// # Errors
/// The reason why it did not start, as a sentence with its last output.
pub(crate) async fn start(
    setup: &ServerSetup,
    readiness: &Arc<watch::Sender<Readiness>>,
) -> Result<(ServerProcess, ProcessHandle), String> {
    // Scanned before the server starts, so that it is notified of every change in between.
    let (watcher, born) = (SharedTreeWatcher::default(), SystemTime::now());
    let (documents, wide) = first_look(setup, &watcher).await;
    let heard = Arc::default();
    let (diagnosed, registered, offered) =
        (PublishedDiagnostics::default(), DynamicRegistrations::default(), CapturedEdits::default());
    let file_cache = Arc::new(FileCache::new(setup.stillness));
    let hears = NotificationSinks {
        readiness,
        diagnosed: &diagnosed,
        registered: &registered,
        offered: &offered,
        file_cache: &file_cache,
    };
    let (socket, mut process) =
        spawn(setup, &hears, &heard).map_err(|error| format!("it does not start: {error}"))?;
    let requests = Requests::new(socket.clone());
    let folders: Vec<_> = setup.folders.iter().cloned().collect();
    let mut params = handshake::initialize(&folders, setup.options(), setup.launch.server.diagnoses);
    if setup.level == Level::Confined {
        // Servers that look whether it lives are refused that, and would end.
        params.process_id = None;
    }
    let greeting = timeout(INITIALIZE_TIMEOUT, requests.ask::<handshake::Initialize>(params)).await;
    let failure = match greeting {
        Ok(Ok(mut greeting)) => {
            let _ = socket.notify::<Initialized>(InitializedParams {});
            configure(setup, &socket);
            let capabilities = greeting["capabilities"].take();
            let columns = columns(setup, &capabilities);
            let documents = Mutex::new(documents);
            let life = ServerProcess {
                requests,
                columns,
                capabilities,
                pulse: Liveness::new(heard, &setup.health),
                documents,
                watcher,
                file_cache,
                unscanned: Notify::new(),
                registered,
                offered,
                command: Mutex::default(),
                language: setup.language,
                last_words: process.stderr.clone(),
                diagnosed,
                over: process.over.clone(),
                doubted: AtomicBool::new(false),
                ended: AtomicBool::new(false),
                answered: AtomicBool::new(false),
                born,
            };
            // Servers read UTF-16 wrongly or not at all: such files are opened with their text, and stay open.
            life.open_anchors(&[setup.anchors.as_slice(), &wide].concat()).await;
            return Ok((life, process));
        }
        Ok(Err(async_lsp::Error::ServiceStopped | async_lsp::Error::Eof)) => "it ended at once".to_owned(),
        Ok(Err(error)) => format!("it refuses to be initialized: {error}"),
        Err(_) => format!("it did not answer `initialize` within {} s", INITIALIZE_TIMEOUT.as_secs()),
    };
    process.disconnect();
    let ended = process.end().await;
    Err(format!("{failure}{}", process.last_words(ended)))
}

/// Connects to a server that the editor runs. It is never told of files here, but those that an answer read are
/// compared afterwards.
pub(crate) async fn connect(setup: &ServerSetup, server: LentServer, capabilities: Value) -> ServerProcess {
    let (watcher, born) = (SharedTreeWatcher::default(), SystemTime::now());
    let (documents, _) = first_look(setup, &watcher).await;
    ServerProcess {
        requests: Requests::Lent(server),
        columns: columns(setup, &capabilities),
        capabilities,
        pulse: Liveness::new(Arc::default(), &setup.health),
        documents: Mutex::new(documents),
        watcher,
        file_cache: Arc::new(FileCache::new(setup.stillness)),
        unscanned: Notify::new(),
        registered: DynamicRegistrations::default(),
        offered: CapturedEdits::default(),
        command: Mutex::default(),
        language: setup.language,
        last_words: OutputTail::default(),
        diagnosed: PublishedDiagnostics::default(),
        over: watch::channel(false).1,
        doubted: AtomicBool::new(false),
        ended: AtomicBool::new(false),
        answered: AtomicBool::new(false),
        born,
    }
}

fn columns(setup: &ServerSetup, capabilities: &Value) -> Columns {
    let FileRule { keeps_mark: count_mark, lone_return, .. } = setup.launch.server.files;
    Columns { unit: convert::encoding(capabilities), count_mark, lone_return }
}

/// Returns the files at the server's start, and those among them in UTF-16.
async fn first_look(setup: &ServerSetup, watcher: &SharedTreeWatcher) -> (Documents, Vec<PathBuf>) {
    let (language, folders, rule) = (setup.language, setup.watched(), setup.launch.server.files);
    let (watcher, beside) = (Arc::clone(watcher), setup.beside.files.clone());
    let look = blocking::spawn(move || {
        let seen = file_scan::scan_and_watch(language, &folders, &mut lock(&watcher));
        let wide = seen.iter().filter(|(path, it)| it.size.is_multiple_of(2) && language.owns(path));
        let wide = wide.map(|(path, _)| path).filter(|it| is_utf16(it)).cloned().collect();
        let mut documents = Documents::new(rule, seen, SystemTime::now());
        for path in beside {
            let stamp = Stamp::read(&path);
            documents.track(path, stamp, false);
        }
        documents
            .learn_manifests(|path| file_scan::is_manifest(language, path), |path| std::fs::read(path).ok());
        (documents, wide)
    });
    look.await
}

/// Sends the configuration to servers that do not request it.
fn configure(setup: &ServerSetup, socket: &ServerSocket) {
    if setup.launch.server.section.is_empty() {
        let settings = setup.options();
        let _ = socket.notify::<DidChangeConfiguration>(DidChangeConfigurationParams { settings });
    }
}

/// The receivers of the server's notifications and requests.
struct NotificationSinks<'a> {
    readiness: &'a Arc<watch::Sender<Readiness>>,
    diagnosed: &'a PublishedDiagnostics,
    registered: &'a DynamicRegistrations,
    offered: &'a CapturedEdits,
    file_cache: &'a Arc<FileCache>,
}

fn spawn(
    setup: &ServerSetup,
    hears: &NotificationSinks<'_>,
    heard: &Arc<AtomicU64>,
) -> std::io::Result<(ServerSocket, ProcessHandle)> {
    let mut child = command(setup).spawn()?;
    let group = child.id().and_then(|it| Pid::from_raw(i32::try_from(it).ok()?));
    let pipes = (child.stdin.take(), child.stdout.take(), child.stderr.take());
    let (Some(stdin), Some(stdout), Some(stderr)) = pipes else { unreachable!("all three are piped") };
    let last_words = OutputTail::default();
    tokio::spawn(last_words.clone().drain(stderr));

    let (main_loop, socket) = MainLoop::new_client(|_| router(setup, hears));
    let (over, is_over) = watch::channel(false);
    let keep = socket.clone();
    let input = transport::valid_messages(stdout, Arc::clone(heard));
    tokio::spawn(async move {
        let ended = main_loop.run(input, transport::unbounded_writer(stdin)).await;
        tracing::debug!(?ended, "a language server's conversation ends");
        // The loop panics when it is the last to hold a socket.
        drop(keep);
        let _ = over.send(true);
    });
    Ok((socket.clone(), ProcessHandle { child, group, socket, stderr: last_words, over: is_over }))
}

fn command(setup: &ServerSetup) -> Command {
    let mut command = Command::new(&setup.supervisor);
    command.args(["supervise", "--scratch"]);
    setup.launch.environment.apply(&mut command);
    command.args(setup.launch.environment.confinement().into_iter().flat_map(Confinement::arguments));
    command.arg("--").arg(&setup.launch.program).args(&setup.launch.args);
    if let Some(folder) = setup.folders.first().filter(|it| it.is_dir()) {
        command.current_dir(folder);
    }
    command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
    // The group is what is killed should the supervisor itself be.
    command.process_group(0);
    command
}

/// Answers the server's requests at once, and passes its signals on. Nothing here waits, so there is no
/// deadlock.
fn router(setup: &ServerSetup, hears: &NotificationSinks<'_>) -> Router<()> {
    let mut router = Router::new(());
    let (section, options) = (setup.launch.server.section, setup.options());
    let folders: Vec<_> = setup.folders.iter().cloned().collect();
    let (registered, offered) = (hears.registered.clone(), hears.offered.clone());
    let file_cache = Arc::clone(hears.file_cache);
    router.unhandled_request(move |(), request| {
        // Progress and refresh requests invalidate cached replies.
        file_cache.invalidate();
        registered.on_request(&request.method, &request.params);
        ready(match request.method.as_str() {
            "workspace/applyEdit" => Ok(offered.on_apply_edit(&request.params)),
            _ => handshake::answer(&request, section, &options, &folders),
        })
    });
    let readiness = Arc::clone(hears.readiness);
    let (diagnosed, file_cache) = (hears.diagnosed.clone(), Arc::clone(hears.file_cache));
    router.unhandled_notification(move |(), notification| {
        match published(&notification.method, &notification.params) {
            Some((path, published)) => {
                if diagnosed.hear(path, published) {
                    file_cache.mark_active();
                }
            }
            None => {
                match notification.method.as_str() {
                    "$/progress" | "experimental/serverStatus" => file_cache.invalidate(),
                    // Some write a line for each question.
                    "window/logMessage" | "telemetry/event" | "$/logTrace" => {}
                    _ => file_cache.mark_active(),
                }
                hear(&readiness, notification);
            }
        }
        ControlFlow::Continue(())
    });
    router.event::<Disconnect>(|(), _| ControlFlow::Break(Ok(())));
    router
}

fn hear(readiness: &watch::Sender<Readiness>, notification: AnyNotification) {
    match signal(&notification.method, &notification.params) {
        Some(signal) => readiness.send_modify(|it| it.handle(signal)),
        None => tracing::trace!(method = notification.method, params = %notification.params, "heard"),
    }
}

impl ServerProcess {
    /// Notifies the server of changes, in order.
    pub(crate) fn tell(&self, messages: Vec<Message>) {
        if messages.is_empty() {
            return;
        }
        self.file_cache.invalidate();
        self.show(messages);
        // What was asked in between came before.
        self.file_cache.invalidate();
    }

    /// Makes the next rescan look at all files, because watches may have missed a change.
    pub(crate) fn doubt(&self) {
        self.doubted.store(true, Ordering::SeqCst);
    }

    /// Returns `true` if a full rescan was requested, and clears that.
    pub(crate) fn was_doubted(&self) -> bool {
        self.doubted.swap(false, Ordering::SeqCst)
    }

    /// Sends documents whose text the server knows already.
    pub(crate) fn show(&self, messages: Vec<Message>) {
        for message in &messages {
            if let Message::Open { path, .. } | Message::Change { path, .. } | Message::Close { path } =
                message
            {
                self.diagnosed.forget(path);
            }
        }
        let Some(socket) = self.requests.socket() else { return };
        for notice in messages.into_iter().filter_map(|it| notice(it, self.language)) {
            // It fails only when the server is gone; the next question notices.
            let _ = match notice {
                Notice::Open(params) => socket.notify::<DidOpenTextDocument>(params),
                Notice::Change(params) => socket.notify::<DidChangeTextDocument>(params),
                Notice::Close(params) => socket.notify::<DidCloseTextDocument>(params),
                Notice::Watched(params) => socket.notify::<DidChangeWatchedFiles>(params),
            };
        }
    }

    async fn open_anchors(&self, anchors: &[PathBuf]) {
        let (anchors, columns) = (anchors.to_vec(), self.columns);
        let read = blocking::spawn(move || {
            let text =
                |it: &PathBuf| Some(Text::read_for_server(it).ok()?.text_for_server(columns).into_owned());
            anchors.into_iter().filter_map(|it| Some((text(&it)?, it))).collect::<Vec<_>>()
        });
        let texts = read.await;
        let mut documents = self.documents.lock().await;
        self.tell(texts.into_iter().flat_map(|(text, path)| documents.anchor(&path, text)).collect());
    }

    /// Waits until the server has published diagnostics of this version of a document.
    pub(crate) async fn looked_at(&self, path: &Path, version: i32) {
        let _ = self.while_it_talks(self.diagnosed.looked_at(path, version)).await;
    }

    /// Awaits an event; `None` as soon as the connection has ended, since nothing will follow.
    async fn while_it_talks<T>(&self, heard: impl Future<Output = T>) -> Option<T> {
        let mut over = self.over.clone();
        tokio::select! {
            heard = heard => Some(heard),
            _ = over.wait_for(|over| *over) => None,
        }
    }

    /// Returns the published diagnostics of this version of a document; `None` on a timeout.
    ///
    /// # Errors
    /// The server ended before.
    pub(crate) async fn published(
        &self,
        path: &Path,
        version: i32,
        in_parts: bool,
        deadline: Instant,
    ) -> Result<Option<Vec<Value>>, AskError> {
        let published = self.diagnosed.published(path, version, in_parts, deadline);
        self.while_it_talks(published).await.ok_or_else(|| {
            self.has_ended();
            AskError::Died
        })
    }

    /// Returns `true` unless a request found it ended.
    pub(crate) fn is_alive(&self) -> bool {
        !self.ended.load(Ordering::Relaxed)
    }

    /// Records that a request found it ended.
    pub(crate) fn has_ended(&self) {
        self.ended.store(true, Ordering::Relaxed);
    }

    /// Records that it answered a request.
    pub(crate) fn has_answered(&self) {
        self.answered.store(true, Ordering::Relaxed);
    }

    /// Returns `true` if it has answered a request.
    pub(crate) fn is_proven(&self) -> bool {
        self.answered.load(Ordering::Relaxed)
    }

    /// Returns its last output, in parentheses; empty if there is none.
    pub(crate) async fn last_words(&self, error: &AskError) -> String {
        if let AskError::Died = error {
            self.last_words.read_up().await;
        }
        match self.last_words.last_lines(5) {
            words if words.is_empty() => words,
            words => format!(" (its last words: {words})"),
        }
    }

    /// Requests a clean exit.
    pub(crate) async fn shut_down(&self) {
        let Some(socket) = self.requests.socket() else { return };
        let _ = timeout(SHUTDOWN_TIMEOUT, self.requests.ask::<Shutdown>(())).await;
        let _ = socket.notify::<Exit>(());
    }
}

impl ProcessHandle {
    /// Waits until the connection or the process has ended on its own.
    pub(crate) async fn ended(&mut self) {
        tokio::select! {
            _ = self.over.wait_for(|over| *over) => {}
            _ = self.child.wait() => {}
        }
    }

    /// Waits briefly for the process to exit, then kills it with its child processes.
    pub(crate) async fn end(&mut self) -> Option<ExitStatus> {
        let mut status = timeout(EXIT_TIMEOUT, self.child.wait()).await;
        if status.is_err() {
            self.disconnect();
            status = timeout(EXIT_TIMEOUT, self.child.wait()).await;
        }
        let status = status.ok().and_then(Result::ok);
        // A supervisor that ended by itself left nothing; one that was killed or hangs could not see to that.
        let group = self.group.take();
        if status.is_none_or(|it| it.code().is_none()) {
            group.into_iter().for_each(os::kill_group);
        }
        status
    }

    /// Returns its process group.
    pub(crate) fn group(&self) -> Option<Pid> {
        self.group
    }

    /// Waits until it exceeds its memory limit; returns the reason for the user.
    pub(crate) fn memory_exceeded(&self, health: &Health) -> impl Future<Output = String> + use<> {
        health::memory_exceeded(self.group, health)
    }

    /// Closes the connection, upon which the supervisor kills the server.
    pub(crate) fn disconnect(&self) {
        // It fails only when the conversation is over already.
        let _ = self.socket.emit(Disconnect);
    }

    /// Returns the exit status and the last output, as the end of a sentence.
    pub(crate) fn last_words(&self, status: Option<ExitStatus>) -> String {
        let status = status.map_or(String::new(), |it| format!(" ({it})"));
        match self.stderr.last_lines(5) {
            words if words.is_empty() => status,
            words => format!("{status}; its last words: {words}"),
        }
    }
}

impl Drop for ProcessHandle {
    fn drop(&mut self) {
        self.disconnect();
        self.group.into_iter().for_each(os::kill_group);
    }
}
