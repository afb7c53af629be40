//! A server across its lives: started, watched, started again, asked, stopped.

mod background_rescan;
mod idle_tracker;
mod rescan;
mod restart_loop;

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant, SystemTime};

use ide_protocol::{ErrorCode, IdeError};
use lsp_types::request::Request;
use tokio::sync::watch;
use tokio::task::JoinHandle;
use tokio::time::{sleep, sleep_until, timeout, timeout_at};
use tokio_util::sync::CancellationToken;

use super::documents::{Differences, Documents, Message};
use super::readiness::{Complaint, LoadingStep, Phase, Readiness, Signal};
use super::server_process::{ServerProcess, ServerSetup};
use crate::blocking;
use crate::fallback::servers::find::confined;
use crate::fallback::source::deadlines::{OnProgress, Within};
use crate::fallback::source::languages::Event;
use crate::fallback::source::text::{Columns, Text};
use crate::fallback::trust::level::Level;
use crate::fallback::workspace::buffers::{Buffers, Texts};
use crate::fallback::workspace::file_scan;
use crate::lock::lock;
use idle_tracker::IdleTracker;
use rescan::Rescan;

/// Progress is told at most this often.
const PROGRESS_PAUSE: Duration = Duration::from_millis(200);

/// The pauses between questions to a server whose files are changing.
const FIRST_PAUSE: Duration = Duration::from_millis(20);
const LONGEST_PAUSE: Duration = Duration::from_secs(1);

/// One server for some projects, shared by all sessions about them.
#[derive(Debug)]
pub(crate) struct Server {
    pub(crate) setup: ServerSetup,
    pub(crate) buffers: Buffers,
    readiness: Arc<watch::Sender<Readiness>>,
    life: Mutex<Option<Arc<ServerProcess>>>,
    stop: CancellationToken,
    demand: IdleTracker,
    /// Why another server would be better, if one would.
    unfit: Mutex<Option<String>>,
    /// What the wall refused it, in its own words.
    denial: Mutex<Option<String>>,
    keeper: Mutex<Option<JoinHandle<()>>>,
}

/// Why a question to one life was not answered.
#[derive(Debug, thiserror::Error)]
pub(crate) enum AskError {
    /// The server ended meanwhile.
    #[error("it ended while it was asked")]
    Died,
    /// There was no answer in time.
    #[error("it did not answer in time")]
    TimedOut,
    /// It answered with an error.
    #[error("it answered with error {code}: {message}")]
    Refused { code: i32, message: String },
    /// It answered something that is no answer to that.
    #[error("its answer cannot be read: {0}")]
    Nonsense(String),
}

impl Server {
    /// Starts it in the background. The buffers are those of the editor that its sessions are in.
    pub(crate) fn start(setup: ServerSetup, buffers: Buffers) -> Arc<Self> {
        let readiness = Readiness::new(setup.launch.server.ready, setup.folders.len());
        let server = Arc::new(Self {
            setup,
            buffers,
            readiness: Arc::new(watch::Sender::new(readiness)),
            life: Mutex::default(),
            stop: CancellationToken::new(),
            demand: IdleTracker::new(),
            unfit: Mutex::default(),
            denial: Mutex::default(),
            keeper: Mutex::default(),
        });
        let keeper = tokio::spawn(restart_loop::keep(Arc::clone(&server)));
        *lock(&server.keeper) = Some(keeper);
        server
    }

    /// Its name: `rust-analyzer`.
    pub(crate) fn name(&self) -> &'static str {
        self.setup.launch.server.name
    }

    /// Stops it cleanly, or at once when it does not want to, and waits for that.
    pub(crate) async fn stop(&self) {
        self.stop.cancel();
        let keeper = lock(&self.keeper).take();
        if let Some(keeper) = keeper {
            let _ = keeper.await;
        }
    }

    /// Somebody will soon ask: if it rests, it is started again.
    pub(crate) fn wake(&self) {
        self.demand.rise();
    }

    /// How long nobody has to ask until it rests; `None` when it never does.
    fn rests_after(&self) -> Option<Duration> {
        self.setup.launch.server.starts_cheaply.then_some(self.setup.health.rest)
    }

    fn signal(&self, signal: Signal) {
        self.readiness.send_modify(|it| it.handle(signal));
    }

    fn life(&self) -> Option<Arc<ServerProcess>> {
        lock(&self.life).clone()
    }

    fn set_life(&self, life: Option<Arc<ServerProcess>>) {
        *lock(&self.life) = life;
    }

    /// Returns what the wall refused it, if it said so.
    pub(crate) fn denial(&self) -> Option<String> {
        lock(&self.denial).clone()
    }

    /// Keeps what the wall refused it, if its words tell of that.
    fn hear_denial(&self, words: &str) {
        if self.setup.level == Level::Confined
            && let Some(denial) = confined::denial(words)
        {
            *lock(&self.denial) = Some(format!("{}: {denial}", self.name()));
        }
    }

    /// Returns a complaint of the server's with what to do about it, where that is known.
    pub(crate) fn explain(&self, complaint: &str) -> String {
        self.hear_denial(complaint);
        match self.setup.level {
            Level::Confined => confined::explained(complaint),
            Level::Restricted | Level::Trusted => complaint.to_owned(),
        }
    }

    /// Why another server would be better: it does not come to life, or not for long.
    pub(crate) fn unfit(&self) -> Option<String> {
        lock(&self.unfit).clone()
    }

    /// Whether another server would be better, from now on.
    pub(crate) fn set_unfit(&self, reason: Option<String>) {
        *lock(&self.unfit) = reason;
    }

    /// Waits until its answers count, and tells how far it is meanwhile. What it complains about comes along.
    ///
    /// # Errors
    /// It is not ready in time, it ended too often, or another one would be better.
    pub(crate) async fn ready(
        &self,
        within: Within,
        on_progress: &OnProgress,
    ) -> Result<(Arc<ServerProcess>, Option<Complaint>), IdeError> {
        let started = Instant::now();
        let _waiting = self.demand.wait();
        let mut changes = self.readiness.subscribe();
        loop {
            let readiness = changes.borrow_and_update().clone();
            let phase = readiness.phase();
            if let Some(reason) = self.unfit() {
                return Err(self.given_up(&reason));
            }
            match (&phase, self.life()) {
                (Phase::Ready(complaint), Some(life)) if life.is_alive() => {
                    return Ok((life, complaint.clone()));
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
                // Servers report each file; nobody can read that fast. Being ready is not held up.
                let pause = sleep(PROGRESS_PAUSE);
                let ready = changes.wait_for(|it| matches!(it.phase(), Phase::Ready(_)));
                tokio::select! { () = pause => {}, _ = ready => {} }
            }
            () = sleep(readiness.grace()), if readiness.may_have_settled() => self.signal(Signal::Settled),
            () = sleep_until(deadline.into()) => {}
        }
    }

    /// What it is doing, for a person who waits.
    fn describe(&self, phase: &Phase) -> String {
        let name = self.name();
        match phase {
            Phase::Starting => format!("{name}: starting"),
            Phase::Loading(LoadingStep { message, .. }) if message.is_empty() => {
                format!("{name}: loading the project")
            }
            Phase::Loading(step) => format!("{name}: {}", step.message),
            Phase::Ready(_) => format!("{name}: ready"),
            Phase::Gone(reason) | Phase::GivenUp(reason) => format!("{name}: {reason}"),
        }
    }

    fn not_ready(&self, phase: &Phase, waited: Duration, within: Within) -> IdeError {
        let said = self.describe(phase);
        let (seconds, later) = (waited.as_secs(), within.later());
        let message = format!("the answer is not known yet, after {seconds} s: {said}");
        let advice = format!("Ask again {later}. Until then `search` finds the word as text.");
        IdeError::new(ErrorCode::NotReady, message).recovery(advice)
    }

    /// The error of a server whose project never stands still.
    pub(crate) fn keeps_changing(&self) -> IdeError {
        let message = format!("the project keeps changing while {} loads it", self.name());
        IdeError::new(ErrorCode::NotReady, message).recovery("Ask again when it stands still.")
    }

    fn given_up(&self, reason: &str) -> IdeError {
        let message = format!("{} ended too often: {reason}", self.name());
        IdeError::new(ErrorCode::ServerFailed, message)
            .recovery("`search` finds words as text; `dialect doctor` says what is installed.")
    }

    /// The error of a question that a life of this server failed to answer.
    pub(crate) async fn failed(&self, life: &ServerProcess, error: &AskError) -> IdeError {
        let name = self.name();
        if let AskError::TimedOut = error {
            let message = format!("{name} did not answer within the time there was");
            return IdeError::new(ErrorCode::NotReady, message)
                .recovery("Ask again: what it has worked out by then, it keeps.");
        }
        let last_words = life.last_words(error).await;
        let mut failure = IdeError::new(ErrorCode::ServerFailed, format!("{name}: {error}{last_words}"));
        failure.retryable = matches!(error, AskError::Died);
        failure.recovery("`search` finds the word as text.")
    }

    /// Asks one life, again and again while it says that files are changing under it.
    ///
    /// Dropping the future cancels the question in the server.
    pub(crate) async fn ask<R>(
        life: &ServerProcess,
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
            let asked = timeout_at(deadline.into(), request_with_probe::<R>(life, params.clone())).await;
            let error = match asked {
                Err(_) => {
                    life.pulse.suspect();
                    return Err(AskError::TimedOut);
                }
                Ok(Ok(answer)) => {
                    life.has_answered();
                    return Ok(answer);
                }
                Ok(Err(error)) => AskError::from(error),
            };
            if let AskError::Died = error {
                life.has_ended();
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

    /// Tells a life what changed on disk since it was told last, or since `asked` if that is later. Whether it will
    /// load its project anew because of that, so that its answers do not count until it has.
    ///
    /// # Errors
    /// The disk is too slow for the deadline.
    pub(crate) async fn refresh(
        self: &Arc<Self>,
        life: &Arc<ServerProcess>,
        asked: Instant,
        deadline: Instant,
    ) -> Result<bool, IdeError> {
        let (server, life) = (Arc::clone(self), Arc::clone(life));
        // Once begun it comes to its end, whoever stops waiting: what was seen and not told would never be.
        let refreshing = tokio::spawn(async move { server.refresh_slowly(&life, asked).await });
        let refreshed = timeout_at(deadline.into(), refreshing).await;
        refreshed.ok().and_then(Result::ok).ok_or_else(|| {
            IdeError::new(ErrorCode::NotReady, "the files of the workspace could not be looked at in time")
        })
    }

    /// Files are said to have changed.
    pub(crate) fn doubt(&self) {
        self.life().iter().for_each(|it| it.doubt());
    }

    /// Tells what changed, if it is ready to be told; nobody waits.
    pub(crate) async fn refresh_if_ready(&self) {
        let is_ready = matches!(self.readiness.borrow().phase(), Phase::Ready(_));
        if let Some(life) = self.life().filter(|_| is_ready) {
            let loads_anew = self.refresh_slowly(&life, Instant::now()).await;
            tracing::trace!(server = self.name(), loads_anew, "told of a change before anybody asked");
        }
    }

    async fn refresh_slowly(&self, life: &ServerProcess, asked: Instant) -> bool {
        let mut documents = life.documents.lock().await;
        if documents.compared_since(asked) {
            // Another question looked while this one waited for its turn.
            return !matches!(self.readiness.borrow().phase(), Phase::Ready(_));
        }
        let looked = Instant::now();
        let language = self.setup.language;
        let mut differences = match self.look(life, &documents).await {
            Rescan::Still => {
                documents.mark_unchanged(looked);
                Differences::default()
            }
            Rescan::Seen(seen) => documents.compare(seen, looked, SystemTime::now()),
            // Nobody waits for the answer either.
        };
        // Of files that are neither, it is told what it asked to be told.
        differences.files.retain(|(path, event)| {
            let is_read = file_scan::is_source(language, path) || documents.is_outside(path);
            is_read || life.registered.wants(path, *event)
        });
        let (texts, columns) = (self.own_texts(), life.columns);
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
        self.tell(life, &documents, messages).await;
        let shown_anew = documents.reopen_dependents(&news);
        show(life, &documents, shown_anew).await;
        loads_anew
    }

    /// The texts of its own sources that count before those on disk, and that it can be shown.
    pub(crate) fn own_texts(&self) -> Texts {
        let all = self.buffers.texts();
        let is_shown = |path: &Path| self.is_own_source(path) && !self.is_missing_on_disk(path);
        if all.keys().all(|it| is_shown(it)) {
            return all;
        }
        let here = all.iter().filter(|(path, _)| is_shown(path));
        Arc::new(here.map(|(path, text)| (path.clone(), Arc::clone(text))).collect())
    }

    /// Whether it is a source of its projects.
    fn is_own_source(&self, path: &Path) -> bool {
        self.setup.language.owns(path) && self.setup.folders.iter().any(|it| path.starts_with(it))
    }

    /// Whether it needs the file on disk, where it is not.
    fn is_missing_on_disk(&self, path: &Path) -> bool {
        self.setup.launch.server.files.needs_disk && !path.exists()
    }

    /// Says which files exist only in the editor, where the server does not see them.
    pub(crate) fn unwritten(&self) -> Option<String> {
        let texts = self.buffers.texts();
        let path = texts.keys().find(|it| self.is_own_source(it) && self.is_missing_on_disk(it))?;
        let relative = self.setup.folders.iter().find_map(|it| path.strip_prefix(it).ok()).unwrap_or(path);
        Some(format!("`{}` is not on disk yet, where {} reads it", relative.display(), self.name()))
    }

    /// Tells what changed, and waits until it was looked at where that is the server's way. Closed before, a text
    /// would be forgotten.
    async fn tell(&self, life: &ServerProcess, documents: &Documents, messages: Vec<Message>) {
        if !self.setup.launch.server.files.awaits_diagnostics {
            return life.tell(messages);
        }
        let (news, closes) = Message::closing_last(messages);
        show(life, documents, news).await;
        life.tell(closes);
    }
}

/// Tells of texts, and waits until the server has looked at them.
async fn show(life: &ServerProcess, documents: &Documents, messages: Vec<Message>) {
    let shown = messages.iter().filter_map(|it| match it {
        Message::Open { path, version, .. } | Message::Change { path, version, .. } => {
            Some((path.clone(), documents.version(path).unwrap_or(*version)))
        }
        _ => None,
    });
    let shown: Vec<_> = shown.collect();
    life.tell(messages);
    futures::future::join_all(shown.iter().map(|(path, version)| life.looked_at(path, *version))).await;
}

/// Asks, and has somebody look after the server when it takes long.
async fn request_with_probe<R>(life: &ServerProcess, params: R::Params) -> async_lsp::Result<R::Result>
where
    R: Request,
    R::Params: Send,
    R::Result: Send,
{
    let mut asked = std::pin::pin!(life.requests.ask::<R>(params));
    if let Ok(answer) = timeout(life.pulse.suspicion, asked.as_mut()).await {
        return answer;
    }
    life.pulse.suspect();
    asked.await
}

type Read<T> = Vec<(PathBuf, Event, Option<T>)>;

/// Reads the files that differ, sources and manifests apart.
fn read_all(
    language: &crate::fallback::source::languages::Language,
    files: Vec<(PathBuf, Event)>,
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

/// The text of a file that counts, if it has one.
fn text_of(path: &Path, texts: &Texts, columns: Columns) -> Option<String> {
    match texts.get(path) {
        Some(text) => Some(text.sent(columns).into_owned()),
        None => Text::read_for_server(path).ok().map(|it| it.sent(columns).into_owned()),
    }
}

impl AskError {
    /// Whether the same question may be answered in a moment.
    fn is_transient(&self) -> bool {
        // Content modified, server cancelled.
        matches!(self, Self::Refused { code: -32801 | -32802, .. })
    }
}

impl From<async_lsp::Error> for AskError {
    fn from(error: async_lsp::Error) -> Self {
        match error {
            async_lsp::Error::Response(error) => Self::Refused { code: error.code.0, message: error.message },
            async_lsp::Error::Deserialize(error) => Self::Nonsense(error.to_string()),
            async_lsp::Error::ServiceStopped | async_lsp::Error::Eof | async_lsp::Error::Io(_) => Self::Died,
            error => Self::Nonsense(error.to_string()),
        }
    }
}

fn percentage(phase: &Phase) -> Option<u32> {
    match phase {
        Phase::Loading(step) => step.percentage,
        _ => None,
    }
}
