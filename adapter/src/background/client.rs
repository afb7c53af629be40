//! The side of a client: its connection to the background process, which it starts, starts again and gives up.

use std::collections::{BTreeMap, HashMap};
use std::io;
use std::path::PathBuf;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, Weak};
use std::time::Duration;

use ide_protocol::{IdeError, Operation};
use rustix::process::{Pid, Signal};
use serde_json::Value;
use tokio::net::UnixStream;
use tokio::sync::{mpsc, oneshot};
use tokio::time::{Instant, timeout};
use tokio_util::sync::CancellationToken;

use super::place::{Background, inherited};
use super::wire::{Hello, OperationName, Outbox, Receiver, Sender, ToClient, ToServer, split};
use crate::blocking;
use crate::fallback::servers::find::config::Config;
use crate::fallback::session::memory::SessionMemory;
use crate::fallback::session::trees::SessionTrees;
use crate::fallback::source::deadlines::OnProgress;
use crate::fallback::source::text::Text;
use crate::fallback::trust::store::{Consent, TrustDecisions};
use crate::fallback::workspace::buffers::Buffers;
use unpoisoned::lock;

/// The number of background processes that one request may lose.
const TRIES: usize = 4;

/// The time after which a background process that could not be had is tried again.
const DISBELIEF: Duration = Duration::from_secs(5);

/// The time that a background process has to admit a client.
const WELCOME: Duration = Duration::from_secs(5);

/// The time of silence after which it is asked for a sign of life.
const SILENCE: Duration = Duration::from_secs(2);

/// The time of silence after which it counts as hung.
const HUNG: Duration = Duration::from_secs(10);

/// The sessions of a fallback, by their ids.
pub(crate) type Sessions = Arc<Mutex<HashMap<String, Arc<SessionTrees>>>>;

/// The client of one fallback.
#[derive(Debug)]
pub(crate) struct Client {
    background: Background,
    config: Config,
    sessions: Sessions,
    buffers: Buffers,
    trusts: Arc<TrustDecisions>,
    link: Mutex<Option<Arc<Link>>>,
    /// A lock for connecting, with the time of the last failure.
    connecting: tokio::sync::Mutex<Option<Instant>>,
    /// The answers of users that no file keeps.
    decided: Mutex<Vec<(Vec<PathBuf>, Consent)>>,
    /// A reference to this client, for the tasks of its connections.
    weak_self: Weak<Self>,
}

/// A connection.
#[derive(Debug)]
struct Link {
    out: Outbox,
    asks: Mutex<HashMap<u64, PendingAsk>>,
    next: AtomicU64,
    /// The texts that the other side has.
    texts: Mutex<BTreeMap<PathBuf, Arc<Text>>>,
    heard: Mutex<Instant>,
    ended: CancellationToken,
    process: Option<Pid>,
}

#[derive(Debug)]
struct PendingAsk {
    answer: oneshot::Sender<Result<Value, IdeError>>,
    progress: mpsc::UnboundedSender<(String, Option<u32>)>,
}

/// Cancels a request when dropped.
struct CancelOnDrop<'a> {
    link: &'a Link,
    id: u64,
}

impl Client {
    /// Creates a client that is not connected. The sessions, buffers and decisions are those of its fallback.
    pub(crate) fn new(
        background: Background,
        config: &Config,
        sessions: Sessions,
        buffers: Buffers,
        trusts: Arc<TrustDecisions>,
    ) -> Arc<Self> {
        let config = Config { environment: Some(inherited()), ..config.clone() };
        Arc::new_cyclic(|weak_self| Self {
            background,
            config,
            sessions,
            buffers,
            trusts,
            link: Mutex::default(),
            connecting: tokio::sync::Mutex::default(),
            decided: Mutex::default(),
            weak_self: Weak::clone(weak_self),
        })
    }

    /// Opens a session there, in the background; it is among the sessions already.
    ///
    /// # Panics
    /// Outside of a tokio runtime.
    pub(crate) fn open(&self, id: &str) {
        match self.current() {
            Some(link) => self.send_open(&link, id),
            None => {
                let Some(client) = self.weak_self.upgrade() else { return };
                tokio::spawn(async move { client.link().await.is_some() });
            }
        }
    }

    /// Sends a message if there is a connection. A later connection begins with the state of then.
    pub(crate) fn tell(&self, message: ToServer) {
        if let Some(link) = self.current() {
            link.send(message);
        }
    }

    /// Sends the unsaved texts that changed, if there is a connection.
    pub(crate) fn tell_texts(&self) {
        self.current().iter().for_each(|it| self.send_texts(it));
    }

    /// Asks there; `None` if that cannot be had. Dropping the future cancels the request.
    pub(crate) async fn ask(
        &self,
        operation: Operation,
        params: &Value,
        on_progress: &OnProgress,
    ) -> Option<Result<Value, IdeError>> {
        for _ in 0..TRIES {
            let link = self.link().await?;
            let buffers = self.buffers.clone();
            blocking::in_place_for(buffers.texts().len(), move || buffers.drop_outdated()).await;
            self.send_texts(&link);
            if let Some(answer) = link.ask(operation, params.clone(), on_progress).await {
                return Some(answer);
            }
            tracing::info!(%operation, "the background process ended before its answer");
        }
        None
    }

    /// Ends the connection.
    pub(crate) fn close(&self) {
        lock(&self.link).take().into_iter().for_each(|it| it.end());
    }

    fn current(&self) -> Option<Arc<Link>> {
        lock(&self.link).clone().filter(|it| !it.ended.is_cancelled())
    }

    /// Returns the connection; connects if there is none, and starts the process if there is none.
    async fn link(&self) -> Option<Arc<Link>> {
        if let Some(link) = self.current() {
            return Some(link);
        }
        let mut failed = self.connecting.lock().await;
        if let Some(link) = self.current() {
            return Some(link);
        }
        if failed.is_some_and(|it| it.elapsed() < DISBELIEF) {
            return None;
        }
        match self.connect().await {
            Ok(link) => {
                *failed = None;
                let mut current = lock(&self.link);
                let ids: Vec<_> = lock(&self.sessions).keys().cloned().collect();
                for (folders, consent) in lock(&self.decided).iter() {
                    link.send(ToServer::Decided { folders: folders.clone(), consent: *consent });
                }
                ids.iter().for_each(|it| self.send_open(&link, it));
                *current = Some(Arc::clone(&link));
                Some(link)
            }
            Err(error) => {
                tracing::warn!(%error, "the background process cannot be had: this process answers by itself");
                *failed = Some(Instant::now());
                None
            }
        }
    }

    async fn connect(&self) -> io::Result<Arc<Link>> {
        match self.greet().await {
            Ok(link) => return Ok(link),
            Err(error) => tracing::debug!(%error, "no background process answers"),
        }
        let background = self.background.clone();
        tokio::task::spawn_blocking(move || background.start()).await.map_err(io::Error::other)??;
        self.greet().await
    }

    /// Connects to the socket. Kills a process that admits nobody.
    async fn greet(&self) -> io::Result<Arc<Link>> {
        let stream = UnixStream::connect(self.background.socket()).await?;
        let (mut receiver, mut sender, process) = split(stream)?;
        let process = process.and_then(Pid::from_raw);
        let request = Hello::Client { config: Box::new(self.config.clone()) };
        let hello = ToServer::Hello { key: self.background.key()?, request };
        let greeting = async {
            sender.send(&hello).await?;
            match receiver.receive().await? {
                Some(ToClient::Welcome) => Ok(()),
                _ => Err(io::Error::other("the background process refuses this one")),
            }
        };
        match timeout(WELCOME, greeting).await {
            Ok(greeted) => greeted?,
            Err(_) => {
                kill(process);
                return Err(io::Error::other("the background process admitted nobody, and was killed"));
            }
        }
        Ok(self.begin(receiver, sender, process))
    }

    fn begin(&self, receiver: Receiver, sender: Sender, process: Option<Pid>) -> Arc<Link> {
        let link = Arc::new(Link {
            out: Outbox::new(sender),
            asks: Mutex::default(),
            next: AtomicU64::new(1),
            texts: Mutex::default(),
            heard: Mutex::new(Instant::now()),
            ended: CancellationToken::new(),
            process,
        });
        let sending = Arc::clone(&link);
        tokio::spawn(async move {
            tokio::select! {
                sent = sending.out.flush() => tracing::debug!(?sent, "nothing more goes to the background process"),
                () = sending.ended.cancelled() => {}
            }
            sending.end();
        });
        let (receiving, client) = (Arc::clone(&link), Weak::clone(&self.weak_self));
        tokio::spawn(async move {
            tokio::select! {
                ended = receive(&receiving, &client, receiver) => tracing::debug!(?ended, "the background process is gone"),
                () = receiving.ended.cancelled() => {}
            }
            receiving.end();
        });
        link
    }

    fn send_open(&self, link: &Link, id: &str) {
        let Some(session) = lock(&self.sessions).get(id).cloned() else { return };
        link.send(ToServer::Open {
            session: id.to_owned(),
            roots: session.own.roots.roots().to_vec(),
            asks: session.own.ask_trust().is_some(),
            memory: SessionMemory::of(&session),
        });
    }

    fn send_texts(&self, link: &Link) {
        let now = self.buffers.unsaved();
        let mut sent = lock(&link.texts);
        let is_sent = |path: &PathBuf, text: &Arc<Text>| {
            sent.get(path).is_some_and(|it| Arc::ptr_eq(it, text) || it.as_str() == text.as_str())
        };
        let gone = sent.keys().filter(|it| !now.contains_key(*it)).map(|it| (it.clone(), None));
        let new = now.iter().filter(|(path, text)| !is_sent(path, text));
        let new = new.map(|(path, text)| (path.clone(), Some(text.as_str().to_owned())));
        let texts: Vec<_> = gone.chain(new).collect();
        if !texts.is_empty() {
            *sent = now;
            link.send(ToServer::Texts { texts });
        }
    }

    /// Asks the user of a session, and tells the answer to both processes.
    async fn ask_trust(&self, session: &str, folders: &[PathBuf], denial: Option<&str>) -> Consent {
        let session = lock(&self.sessions).get(session).cloned();
        let Some(ask) = session.as_ref().and_then(|it| it.own.ask_trust()) else { return Consent::Nothing };
        // This process asks about them no more.
        if !self.trusts.start_asking(folders) {
            return Consent::Nothing;
        }
        let consent = ask.ask(folders, denial).await;
        self.trusts.record_answer(folders, consent);
        if !matches!(consent, Consent::Always) {
            lock(&self.decided).push((folders.to_vec(), consent));
        }
        consent
    }
}

impl Link {
    fn send(&self, message: ToServer) {
        self.out.send(&message);
    }

    /// Sends a request, and waits for its answer; `None` if the connection ends before.
    async fn ask(
        &self,
        operation: Operation,
        params: Value,
        on_progress: &OnProgress,
    ) -> Option<Result<Value, IdeError>> {
        let id = self.next.fetch_add(1, Ordering::Relaxed);
        let (answer, mut answered) = oneshot::channel();
        let (progress, mut steps) = mpsc::unbounded_channel();
        lock(&self.asks).insert(id, PendingAsk { answer, progress });
        let _cancel = CancelOnDrop { link: self, id };
        let asked = Instant::now();
        self.send(ToServer::Ask { id, operation: OperationName(operation), params });
        loop {
            tokio::select! {
                biased;
                Some((message, percentage)) = steps.recv() => on_progress(message, percentage),
                answer = &mut answered => return answer.ok(),
                () = self.ended.cancelled() => return None,
                () = tokio::time::sleep(SILENCE) => self.check_life(asked),
            }
        }
    }

    /// Asks a silent process for a sign of life, and kills one that gave none since that question was `asked`.
    fn check_life(&self, asked: Instant) {
        let silent = silence(*lock(&self.heard), asked).elapsed();
        if silent >= HUNG {
            tracing::warn!("the background process hangs, and is killed");
            kill(self.process);
            self.end();
        } else if silent >= SILENCE {
            self.send(ToServer::Ping);
        }
    }

    fn end(&self) {
        self.ended.cancel();
        self.out.close();
        lock(&self.asks).clear();
    }
}

/// Returns the time since which a process is silent. Before it was asked, it had nothing to say.
fn silence(heard: Instant, asked: Instant) -> Instant {
    heard.max(asked)
}

impl Drop for CancelOnDrop<'_> {
    fn drop(&mut self) {
        if lock(&self.link.asks).remove(&self.id).is_some() {
            self.link.send(ToServer::Cancel { id: self.id });
        }
    }
}

/// Handles messages until the connection ends.
async fn receive(link: &Arc<Link>, client: &Weak<Client>, mut receiver: Receiver) -> io::Result<()> {
    while let Some(message) = receiver.receive().await? {
        *lock(&link.heard) = Instant::now();
        let Some(client) = client.upgrade() else { return Ok(()) };
        match message {
            ToClient::Answer { id, answer, memory, lookups } => {
                client.config.cache_lookups.add(lookups);
                if let Some((session, memory)) = memory {
                    let session = lock(&client.sessions).get(&session).cloned();
                    blocking::in_place(move || session.iter().for_each(|it| memory.clone().restore(it)))
                        .await;
                }
                let pending = lock(&link.asks).remove(&id);
                if let Some(pending) = pending {
                    let _gone = pending.answer.send(answer);
                }
            }
            ToClient::Progress { id, message, percentage } => {
                let pending = lock(&link.asks);
                pending.get(&id).iter().for_each(|it| drop(it.progress.send((message.clone(), percentage))));
            }
            ToClient::AskTrust { id, session, folders, denial } => {
                let link = Arc::clone(link);
                tokio::spawn(async move {
                    let consent = client.ask_trust(&session, &folders, denial.as_deref()).await;
                    link.send(ToServer::Consent { id, consent });
                });
            }
            ToClient::Welcome | ToClient::Status { .. } | ToClient::Pong => {}
        }
    }
    Ok(())
}

fn kill(process: Option<Pid>) {
    if let Some(process) = process {
        let _gone = rustix::process::kill_process(process, Signal::KILL);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_process_that_nobody_asked_has_nothing_to_say() {
        let asked = Instant::now();
        let (before, after) = (asked - HUNG, asked + SILENCE);
        assert_eq!(silence(before, asked), asked);
        assert_eq!(silence(after, asked), after);
    }
}
