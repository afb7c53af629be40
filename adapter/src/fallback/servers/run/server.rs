//! A language server across restarts: started, watched, restarted, asked, stopped.

// The budget of all servers looks at it.
pub(crate) mod admission;
mod background_rescan;
mod idle_tracker;
// Both are parts of `Server`: they work on its private state, and it starts them.
mod rescan;
mod restart_loop;

use std::collections::BTreeSet;
use std::future::pending;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant, SystemTime};

use admission::{Admission, Place};
use ide_protocol::{ErrorCode, IdeError, Reason};
use idle_tracker::IdleTracker;
use lsp_types::request::Request;
use rescan::Rescan;
use rustix::process::Pid;
use serde_json::Value;
use tokio::sync::{Notify, watch};
use tokio::task::JoinHandle;
use tokio::time::{sleep, sleep_until, timeout, timeout_at};
use tokio_util::sync::CancellationToken;

use super::documents::{Differences, Documents, Message};
use super::health;
use super::lent::LentServer;
use super::loading_time::LoadingTime;
use super::memory_budget::{Stage, Tenant};
use super::readiness::{Complaint, LoadingStep, Phase, Readiness, Signal};
use super::request::AskError;
use super::server_process;
use super::server_process::ServerProcess;
use super::server_setup::ServerSetup;
use super::turns::{Asker, Turn, Turns};
use crate::fallback::servers::find::confined;
use crate::fallback::source::deadlines::{Deadlines, OnProgress};
use crate::fallback::source::languages::DiskEvent;
use crate::fallback::source::text::{Columns, Text};
use crate::fallback::trust::level::Level;
use crate::fallback::workspace::buffers::{Buffers, Texts};
use crate::fallback::workspace::file_scan;
use crate::{blocking, os};
use unpoisoned::lock;

/// The minimum interval between two progress reports.
const PROGRESS_PAUSE: Duration = Duration::from_millis(200);

/// The first pause between retries while files are changing.
const FIRST_PAUSE: Duration = Duration::from_millis(20);
const LONGEST_PAUSE: Duration = Duration::from_secs(1);

/// A server for some projects, shared by all sessions about them.
#[derive(Debug)]
pub(crate) struct Server {
    pub(crate) setup: ServerSetup,
    turns: Arc<Turns>,
    readiness: Arc<watch::Sender<Readiness>>,
    process: Mutex<Option<Arc<ServerProcess>>>,
    stop: CancellationToken,
    demand: IdleTracker,
    /// The reason to prefer another server, if there is one.
    unfit: Mutex<Option<String>>,
    /// The access that the wall denied it, in its own words.
    denial: Mutex<Option<String>>,
    keeper: Mutex<Option<JoinHandle<()>>>,
    loading: LoadingTime,
    /// Ends the process when it has to read anew what it was not told of.
    outdated: Notify,
    /// Its place in the memory that all servers may take.
    pub(crate) admission: Admission,
    /// `true` if it has rested since somebody looked for its projects.
    has_rested: AtomicBool,
    /// The time of the last request.
    asked: Mutex<Instant>,
    /// The process group, while a process runs.
    group: Mutex<Option<Pid>>,
}

impl Server {
    /// Starts it in the background once it is admitted.
    pub(crate) fn start(setup: ServerSetup, admission: Admission) -> Arc<Self> {
        let server = Self::new(setup, admission);
        let keeper = tokio::spawn(restart_loop::keep(Arc::clone(&server)));
        *lock(&server.keeper) = Some(keeper);
        server
    }

    /// Connects to a server that the editor runs. Nobody starts, watches, restarts or ends it here.
    pub(crate) async fn connect(setup: ServerSetup, lent: LentServer, capabilities: Value) -> Arc<Self> {
        let process = server_process::connect(&setup, lent, capabilities).await;
        let server = Self::new(setup, Admission::new(None));
        server.set_process(Some(Arc::new(process)));
        server.signal(Signal::Initialized);
        server
    }

    fn new(setup: ServerSetup, admission: Admission) -> Arc<Self> {
        let readiness = Readiness::new(setup.launch.server.ready, setup.folders.len());
        Arc::new(Self {
            loading: LoadingTime::of(&setup),
            setup,
            turns: Arc::default(),
            readiness: Arc::new(watch::Sender::new(readiness)),
            process: Mutex::default(),
            stop: CancellationToken::new(),
            demand: IdleTracker::new(),
            unfit: Mutex::default(),
            denial: Mutex::default(),
            keeper: Mutex::default(),
            outdated: Notify::new(),
            admission,
            has_rested: AtomicBool::new(false),
            asked: Mutex::new(Instant::now()),
            group: Mutex::default(),
        })
    }

    /// Returns its name: `rust-analyzer`.
    pub(crate) fn name(&self) -> &'static str {
        self.setup.launch.server.name
    }

    /// Stops it cleanly, or kills it after a timeout, and waits for that.
    pub(crate) async fn stop(&self) {
        self.stop.cancel();
        let keeper = lock(&self.keeper).take();
        if let Some(keeper) = keeper {
            let _ = keeper.await;
        }
    }

    /// Restarts it if it is idle, because a request will follow soon.
    pub(crate) fn wake(&self) {
        self.demand.rise();
    }

    /// Starts another process after the answers under way.
    pub(crate) fn renew(&self) {
        self.process().iter().for_each(|it| it.has_ended());
        self.outdated.notify_one();
    }

    /// Returns `true` once after it has rested: its projects may have changed unseen.
    pub(crate) fn take_rest(&self) -> bool {
        self.has_rested.swap(false, Ordering::Relaxed)
    }

    /// Returns the time since the last request.
    pub(crate) fn idle_time(&self) -> Duration {
        lock(&self.asked).elapsed()
    }

    /// Returns its part of the memory that all servers may take, of which it may come to need `expected` bytes; `None` if it
    /// neither runs nor is to start. Blocking.
    pub(crate) fn tenant(&self, expected: u64) -> Option<Tenant> {
        let taken = self.memory().unwrap_or(0);
        let stage = match self.admission.place() {
            Place::Outside => return None,
            Place::Waiting(since) => Stage::Waiting(since.elapsed()),
            Place::Inside | Place::Told(_) => match self.loading.turn(self.setup.health.turn) {
                Some((so_far, turn)) if self.process().is_some() => Stage::Answering { so_far, turn },
                _ => Stage::Loading,
            },
            Place::Leaving => Stage::Leaving,
        };
        let needed = if stage == Stage::Leaving { taken } else { taken.max(expected) };
        Some(Tenant { stage, taken, needed, is_working: self.is_working(), idle: self.idle_time() })
    }

    /// Returns `true` if a request waits for it or it is answering one.
    pub(crate) fn is_working(&self) -> bool {
        self.demand.is_active() || self.process().is_some_and(|it| it.pulse.is_in_use())
    }

    /// Returns the memory of its processes in bytes; `None` if it does not run or that is unknown. Blocking.
    pub(crate) fn memory(&self) -> Option<u64> {
        let group = *lock(&self.group);
        os::memory_of(group?)
    }

    /// Returns whether somebody did what its complaint or a note advises, since this was asked last.
    pub(crate) async fn is_remedied(&self, is_missing: bool) -> bool {
        let remedies = Arc::clone(&self.setup.remedies);
        blocking::in_place_for(remedies.count(is_missing), move || remedies.have_changed(is_missing)).await
    }

    /// Returns the idle time after which it is stopped; `None` for never.
    fn rests_after(&self) -> Option<Duration> {
        self.setup.launch.server.starts_cheaply.then_some(self.setup.health.rest)
    }

    fn signal(&self, signal: Signal) {
        self.readiness.send_modify(|it| it.handle(signal));
    }

    fn process(&self) -> Option<Arc<ServerProcess>> {
        lock(&self.process).clone()
    }

    fn set_process(&self, process: Option<Arc<ServerProcess>>) {
        *lock(&self.process) = process;
    }

    /// Returns the access that the wall denied it, if it reported one.
    pub(crate) fn denial(&self) -> Option<String> {
        lock(&self.denial).clone()
    }

    /// Keeps the message if it reports access that the wall denied.
    fn hear_denial(&self, words: &str) {
        if self.setup.level == Level::Confined
            && let Some(denial) = confined::denial(words)
        {
            *lock(&self.denial) = Some(format!("{}: {denial}", self.name()));
        }
    }

    /// Returns a complaint of the server, with advice if there is some.
    pub(crate) fn explain(&self, complaint: &str) -> String {
        self.hear_denial(complaint);
        match self.setup.level {
            Level::Confined => confined::explained(complaint),
            Level::Restricted | Level::Trusted => complaint.to_owned(),
        }
    }

    /// Returns the reason to prefer another server: it does not start, or not for long.
    pub(crate) fn unfit(&self) -> Option<String> {
        lock(&self.unfit).clone()
    }

    /// Sets the reason to prefer another server, or clears it.
    pub(crate) fn set_unfit(&self, reason: Option<String>) {
        *lock(&self.unfit) = reason;
    }

    /// Waits until its answers count, and reports progress. Returns its complaint about the project, if any.
    ///
    /// # Errors
    /// It is not ready in time, it ended too often, or another server is preferred.
    pub(crate) async fn ready(
        &self,
        within: Deadlines,
        on_progress: &OnProgress,
    ) -> Result<(Arc<ServerProcess>, Option<Complaint>), IdeError> {
        let started = Instant::now();
        *lock(&self.asked) = started;
        let _waiting = self.demand.wait();
        let mut changes = self.readiness.subscribe();
        loop {
            let readiness = changes.borrow_and_update().clone();
            let phase = readiness.phase();
            if let Some(reason) = self.unfit() {
                return Err(self.given_up(&reason));
            }
            match (&phase, self.process()) {
                (Phase::Ready(complaint), Some(process)) if process.is_alive() => {
                    return Ok((process, complaint.clone()));
                }
                (Phase::GivenUp(reason), _) => return Err(self.given_up(reason)),
                _ => on_progress(self.describe(&phase), percentage(&phase)),
            }
            if Instant::now() >= within.ready {
                return Err(self.not_ready(&phase, started.elapsed(), within));
            }
            self.wait_for_change(&mut changes, &readiness, within.ready).await;
        }
    }

    async fn wait_for_change(
        &self,
        changes: &mut watch::Receiver<Readiness>,
        readiness: &Readiness,
        deadline: Instant,
    ) {
        tokio::select! {
            _ = changes.changed() => {
                // Servers report each file, faster than anybody reads. Readiness is not delayed.
                let pause = sleep(PROGRESS_PAUSE);
                let ready = changes.wait_for(|it| matches!(it.phase(), Phase::Ready(_)));
                tokio::select! { () = pause => {}, _ = ready => {} }
            }
            () = self.idle(readiness.grace()), if readiness.may_have_settled() => self.signal(Signal::Settled),
            () = sleep_until(deadline.into()) => {}
        }
    }

    async fn idle(&self, grace: Duration) {
        match self.process() {
            Some(process) => health::idle(grace, || health::probe(&process.requests)).await,
            None => pending().await,
        }
    }

    /// Describes a phase for a waiting user.
    fn describe(&self, phase: &Phase) -> String {
        let name = self.name();
        match phase {
            Phase::Starting if self.admission.is_waiting() => {
                format!("{name}: waiting for memory, of which other servers take all that they may")
            }
            Phase::Starting => format!("{name}: starting"),
            Phase::Loading(LoadingStep { message, .. }) if message.is_empty() => {
                format!("{name}: loading the project")
            }
            Phase::Loading(step) => format!("{name}: {}", step.message),
            Phase::Ready(_) => format!("{name}: ready"),
            Phase::Gone(reason) | Phase::GivenUp(reason) => format!("{name}: {reason}"),
        }
    }

    fn not_ready(&self, phase: &Phase, waited: Duration, within: Deadlines) -> IdeError {
        let step = percentage(phase).map(|it| format!(", {it} %")).unwrap_or_default();
        let said = format!("{}{step}{}", self.describe(phase), self.loading.outlook());
        let (seconds, later) = (waited.as_secs(), within.retry().words());
        let message = format!("the answer is not known yet, after {seconds} s: {said}");
        let advice = format!("Ask again {later}. Until then `search` finds the word as text.");
        IdeError::new(ErrorCode::NotReady, message).recovery(advice)
    }

    /// Returns the error for a project that keeps changing.
    pub(crate) fn keeps_changing(&self) -> IdeError {
        let message = format!("the project keeps changing while {} loads it", self.name());
        IdeError::new(ErrorCode::NotReady, message).recovery("Ask again when the files no longer change.")
    }

    fn given_up(&self, reason: &str) -> IdeError {
        let message = format!("{} ended too often: {reason}", self.name());
        IdeError::new(ErrorCode::ServerFailed, message)
            .recovery("`search` finds words as text; `dialect doctor` says what is installed.")
    }

    /// Returns the error for a failed request.
    pub(crate) async fn failed(&self, process: &ServerProcess, error: &AskError) -> IdeError {
        let name = self.name();
        if let AskError::TimedOut = error {
            let message = format!("{name} did not answer within the time there was");
            return IdeError::new(ErrorCode::NotReady, message)
                .recovery("Ask again: it keeps what it has computed so far.");
        }
        let last_words = process.last_words(error).await;
        let mut failure = IdeError::new(ErrorCode::ServerFailed, format!("{name}: {error}{last_words}"));
        failure.retryable = matches!(error, AskError::Died);
        failure.recovery("`search` finds the word as text.")
    }

    /// Sends a request, and retries while the server reports that files are changing.
    ///
    /// Dropping the future cancels the request in the server.
    pub(crate) async fn ask<R>(
        process: &ServerProcess,
        params: R::Params,
        deadline: Instant,
    ) -> Result<R::Result, AskError>
    where
        R: Request,
        R::Params: Clone + Send,
        R::Result: Send,
    {
        let mut pause = FIRST_PAUSE;
        loop {
            let asked = timeout_at(deadline.into(), request_with_probe::<R>(process, params.clone())).await;
            let error = match asked {
                Err(_) => {
                    process.pulse.suspect();
                    return Err(AskError::TimedOut);
                }
                Ok(Ok(answer)) => {
                    process.has_answered();
                    return Ok(answer);
                }
                Ok(Err(error)) => AskError::from(error),
            };
            if let AskError::Died = error {
                process.has_ended();
            }
            if !error.is_transient() {
                return Err(error);
            }
            if timeout_at(deadline.into(), sleep(pause)).await.is_err() {
                return Err(AskError::TimedOut);
            }
            pause = (pause * 2).min(LONGEST_PAUSE);
        }
    }

    /// Notifies a process of changes on disk since `asked` or the last update, if that is later. Returns
    /// `true` if it reloads its project, so that its answers do not count until then.
    ///
    /// # Errors
    /// The disk is too slow for the deadline.
    pub(crate) async fn refresh(
        self: &Arc<Self>,
        process: &Arc<ServerProcess>,
        turn: &Arc<Turn>,
        asked: Instant,
        deadline: Instant,
    ) -> Result<bool, IdeError> {
        let (server, process, turn) = (Arc::clone(self), Arc::clone(process), Arc::clone(turn));
        // It runs to its end even if the future is dropped: a change that was seen and not sent would be lost.
        let refreshing = tokio::spawn(async move { server.refresh_slowly(&process, &turn, asked).await });
        let refreshed = timeout_at(deadline.into(), refreshing).await;
        refreshed.ok().and_then(Result::ok).ok_or_else(|| {
            IdeError::new(ErrorCode::NotReady, "the files of the workspace could not be scanned in time")
        })
    }

    /// Returns `true` while it starts or loads.
    pub(crate) fn is_loading(&self) -> bool {
        matches!(self.readiness.borrow().phase(), Phase::Starting | Phase::Loading(_))
    }

    /// Makes the next request rescan all files.
    pub(crate) fn doubt(&self) {
        self.process().iter().for_each(|it| it.doubt());
    }

    /// Waits until no query of another editor with other unsaved texts runs.
    ///
    /// # Errors
    /// Others take longer than the deadline.
    pub(crate) async fn turn(&self, asker: &Asker, deadline: Instant) -> Result<Arc<Turn>, IdeError> {
        let turn = timeout_at(deadline.into(), self.turns.begin(asker, |all| self.own_texts(all)));
        turn.await.map_err(|_| {
            let message = format!("{} is answering about other unsaved texts of these files", self.name());
            IdeError::new(ErrorCode::NotReady, message).recovery("Ask again in a while.")
        })
    }

    /// Notifies it of changes if it is ready, and no query about other texts runs; for changes before the next request.
    pub(crate) async fn refresh_if_ready(&self, buffers: &Buffers) {
        let is_ready = matches!(self.readiness.borrow().phase(), Phase::Ready(_));
        if let Some(process) = self.process().filter(|_| is_ready)
            && let Some(turn) =
                self.turns.try_begin(&Asker::Editor(buffers.clone()), |all| self.own_texts(all))
        {
            let loads_anew = self.refresh_slowly(&process, &turn, Instant::now()).await;
            tracing::trace!(server = self.name(), loads_anew, "told of a change before anybody asked");
        }
    }

    async fn refresh_slowly(&self, process: &ServerProcess, turn: &Turn, asked: Instant) -> bool {
        let mut documents = process.documents.lock().await;
        let asker = &turn.asker;
        if documents.compared_since(asked) && documents.is_covered_by(&self.own_texts(&asker.texts())) {
            // Another request rescanned while this one waited for its turn.
            return !matches!(self.readiness.borrow().phase(), Phase::Ready(_));
        }
        let looked = Instant::now();
        let language = self.setup.language;
        let mut differences = match self.look(process, asker.buffers(), &documents).await {
            Rescan::Still => {
                documents.mark_unchanged(looked);
                Differences::default()
            }
            Rescan::Seen(seen) => documents.compare(seen, looked, SystemTime::now()),
        };
        // Other files are announced only if the server registered a watch for them.
        differences.files.retain(|(path, event)| {
            let is_read = file_scan::is_source(language, path) || documents.is_outside(path);
            is_read || process.registered.wants(path, *event)
        });
        let (texts, columns) = (self.own_texts(&asker.texts()), process.columns);
        let mut edited = documents.cover(Texts::clone(&texts));
        edited.retain(|it| !differences.files.iter().any(|(path, _)| path == it));
        if differences.files.is_empty() && edited.is_empty() {
            return false;
        }
        let read = blocking::spawn(move || {
            let edited: Vec<_> = edited.into_iter().map(|it| (text_of(&it, &texts, columns), it)).collect();
            let (others, files): (Vec<_>, Vec<_>) =
                differences.files.into_iter().partition(|(path, _)| !file_scan::is_source(language, path));
            (read_all(language, files, &texts, columns), edited, others)
        });
        let ((sources, manifests), edited, others) = read.await;
        let loads_anew = sources.iter().any(|(path, event, _)| language.makes_target(path, *event));
        let news = sources.iter().map(|(path, ..)| path).chain(edited.iter().map(|(_, path)| path));
        let news: BTreeSet<PathBuf> = news.cloned().collect();
        let edited = edited.into_iter().map(|(text, path)| (path, text)).collect();
        let mut messages = documents.update_messages(sources, edited);
        let changed: Vec<_> = manifests
            .into_iter()
            .filter(|(path, _, content)| documents.manifest_changed(path, content.clone()))
            .map(|(path, event, _)| (path, event))
            .collect();
        let loads_anew = loads_anew || !changed.is_empty();
        let watched: Vec<_> = changed.into_iter().chain(others).collect();
        if !watched.is_empty() {
            messages.push(Message::Watched(watched));
        }
        if loads_anew {
            self.signal(Signal::ManifestChanged);
        }
        self.tell(process, &documents, messages).await;
        let shown_anew = documents.reopen_dependents(&news);
        show(process, &documents, shown_anew).await;
        loads_anew
    }

    /// Returns those of an editor's texts that are of its own sources, without those that it must read from disk and cannot.
    pub(crate) fn own_texts(&self, all: &Texts) -> Texts {
        let is_shown = |path: &Path| self.is_own_source(path) && !self.is_missing_on_disk(path);
        if all.keys().all(|it| is_shown(it)) {
            return Arc::clone(all);
        }
        let here = all.iter().filter(|(path, _)| is_shown(path));
        Arc::new(here.map(|(path, text)| (path.clone(), Arc::clone(text))).collect())
    }

    /// Returns `true` for a source of its projects.
    fn is_own_source(&self, path: &Path) -> bool {
        self.setup.language.owns(path) && self.setup.folders.iter().any(|it| path.starts_with(it))
    }

    /// Returns `true` if it needs the file on disk and it is not there.
    fn is_missing_on_disk(&self, path: &Path) -> bool {
        self.setup.launch.server.files.needs_disk && !path.exists()
    }

    /// Names a file that exists only in the editor, where the server does not see it.
    pub(crate) fn unwritten(&self, texts: &Texts) -> Option<Reason> {
        let path = texts.keys().find(|it| self.is_own_source(it) && self.is_missing_on_disk(it))?;
        let relative = self.setup.folders.iter().find_map(|it| path.strip_prefix(it).ok()).unwrap_or(path);
        Some(Reason::NotOnDisk { path: relative.display().to_string(), server: self.name().to_owned() })
    }

    /// Notifies it of changes, and waits for its diagnostics if it needs that. Files are closed afterwards: a
    /// text closed earlier would be forgotten.
    async fn tell(&self, process: &ServerProcess, documents: &Documents, messages: Vec<Message>) {
        if !self.setup.launch.server.files.awaits_diagnostics {
            return process.tell(messages);
        }
        let (news, closes) = Message::closing_last(messages);
        show(process, documents, news).await;
        process.tell(closes);
    }
}

/// Sends texts, and waits until the server has checked them.
async fn show(process: &ServerProcess, documents: &Documents, messages: Vec<Message>) {
    let shown = messages.iter().filter_map(|it| match it {
        Message::Open { path, version, .. } | Message::Change { path, version, .. } => {
            Some((path.clone(), documents.version(path).unwrap_or(*version)))
        }
        _ => None,
    });
    let shown: Vec<_> = shown.collect();
    process.tell(messages);
    futures::future::join_all(shown.iter().map(|(path, version)| process.looked_at(path, *version))).await;
}

/// Sends a request, and has the server probed if it takes long.
async fn request_with_probe<R>(process: &ServerProcess, params: R::Params) -> async_lsp::Result<R::Result>
where
    R: Request,
    R::Params: Send,
    R::Result: Send,
{
    let mut asked = std::pin::pin!(process.requests.ask::<R>(params));
    if let Ok(answer) = timeout(process.pulse.suspicion, asked.as_mut()).await {
        return answer;
    }
    process.pulse.suspect();
    asked.await
}

type Read<T> = Vec<(PathBuf, DiskEvent, Option<T>)>;

/// Reads the files that differ, sources and manifests separately.
fn read_all(
    language: &crate::fallback::source::languages::Language,
    files: Vec<(PathBuf, DiskEvent)>,
    texts: &Texts,
    columns: Columns,
) -> (Read<String>, Read<Vec<u8>>) {
    let (mut sources, mut manifests) = (Vec::new(), Vec::new());
    for (path, event) in files {
        if file_scan::is_manifest(language, &path) {
            let content = std::fs::read(&path).ok();
            manifests.push((path, event, content));
        } else {
            let text = text_of(&path, texts, columns);
            sources.push((path, event, text));
        }
    }
    (sources, manifests)
}

/// Returns the current text of a file: the editor's, otherwise the one on disk.
fn text_of(path: &Path, texts: &Texts, columns: Columns) -> Option<String> {
    match texts.get(path) {
        Some(text) => Some(text.text_for_server(columns).into_owned()),
        None => Text::read_for_server(path).ok().map(|it| it.text_for_server(columns).into_owned()),
    }
}

fn percentage(phase: &Phase) -> Option<u32> {
    match phase {
        Phase::Loading(step) => step.percentage,
        _ => None,
    }
}
