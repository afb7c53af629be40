//! The background process itself: accepts clients, and answers each with a fallback of its own on shared servers.

use std::collections::{BTreeMap, HashMap};
use std::io;
use std::path::PathBuf;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};

use futures::FutureExt;
use ide_protocol::{ErrorCode, IdeError, Operation};
use serde_json::Value;
use tokio::net::{UnixListener, UnixStream};
use tokio::sync::{Notify, oneshot};
use tokio::task::AbortHandle;
use tokio::time::{sleep, timeout};
use tokio_util::sync::CancellationToken;

use super::place::{self, Background, Identity};
use super::status::{ClientReport, Status};
use super::wire::{Hello, Outbox, Receiver, Sender, ToClient, ToServer, split};
use crate::fallback::{AskTrust, Caller, Config, Consent, Fallback, Shared};
use unpoisoned::lock;

/// The time without clients after which the process ends, and the variable that replaces it, in seconds.
const IDLE: Duration = Duration::from_secs(15 * 60);
const IDLE_VARIABLE: &str = "DIALECT_SERVER_IDLE";

/// The interval between two looks at that, and at the executable on disk.
const LOOK: Duration = Duration::from_secs(5);

/// The time that a client has to say who it is, and the length of what it says.
const HELLO: Duration = Duration::from_secs(3);
const HELLO_BYTES: usize = 4 * 1024 * 1024;

/// The most clients at a time.
const CLIENTS: usize = 2_048;

/// The most connections that have not said who they are. A client says it at once: where there are more, the oldest is none.
const STRANGERS: usize = 1_024;

/// The most requests of a client at a time.
const ASKS: usize = 1_000;

/// The most sessions of a client.
const SESSIONS: usize = 1_000;

/// The reason why the process ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Ended {
    /// Another process serves.
    AnotherServes,
    /// Nobody needed it any more.
    Idle,
    /// It was asked to end.
    Asked,
}

/// The process.
struct Service {
    background: Background,
    key: String,
    shared: Shared,
    started: Instant,
    clients: Mutex<HashMap<u64, Arc<Client>>>,
    next: AtomicU64,
    /// The connections that have not said who they are, in order.
    strangers: Mutex<BTreeMap<u64, CancellationToken>>,
    /// The time since which there is no client.
    alone: Mutex<Instant>,
    /// Tells that the last client has left.
    left: Notify,
    stop: CancellationToken,
}

/// A client.
struct Client {
    process: Option<i32>,
    since: Instant,
    config: Config,
    fallback: Arc<Fallback>,
    out: Outbox,
    /// The running requests.
    asks: Mutex<HashMap<u64, AbortHandle>>,
    /// The questions to users that have no answer yet.
    consents: Mutex<HashMap<u64, oneshot::Sender<Consent>>>,
    next: AtomicU64,
    /// A lock that keeps what a session remembers before the answers that name it.
    order: Mutex<()>,
}

/// Serves until nobody needs it, it is asked to end, or `asked_to_end` ends. Tells who started it on standard output.
///
/// # Errors
/// The socket cannot be opened.
pub async fn serve(background: Background, asked_to_end: impl Future<Output = ()>) -> io::Result<Ended> {
    let identity = place::identity(background.executable())?;
    let locking = background.clone();
    let locked = tokio::task::spawn_blocking(move || locking.lock()).await.map_err(io::Error::other)??;
    let Some(_lock) = locked else {
        place::report("another serves");
        return Ok(Ended::AnotherServes);
    };
    let (socket, draft) = (background.socket(), background.socket().with_extension("draft"));
    remove(&draft)?;
    let listener = UnixListener::bind(&draft)?;
    // Whoever finds the socket finds a listener.
    std::fs::rename(&draft, &socket)?;
    let service = Arc::new(Service {
        key: background.key()?,
        background,
        shared: Shared::of_user(),
        started: Instant::now(),
        clients: Mutex::default(),
        next: AtomicU64::new(1),
        strangers: Mutex::default(),
        alone: Mutex::new(Instant::now()),
        left: Notify::new(),
        stop: CancellationToken::new(),
    });
    service.shared.count_others_than(service.background.clone());
    place::report("serving");
    tracing::info!("serving");
    let ended = tokio::select! {
        () = accept(&service, &listener) => Ended::Asked,
        () = service.stop.cancelled() => Ended::Asked,
        () = unneeded(&service, identity) => Ended::Idle,
        () = asked_to_end => Ended::Asked,
    };
    // Nobody finds this process from here on. Who has connected but is not admitted sees the end, and starts another.
    remove(&socket)?;
    drop(listener);
    lock(&service.clients).drain().for_each(|(_, it)| it.end());
    service.shared.stop().await;
    tracing::info!(?ended, "the background process ends");
    Ok(ended)
}

fn remove(path: &std::path::Path) -> io::Result<()> {
    match std::fs::remove_file(path) {
        Err(error) if error.kind() != io::ErrorKind::NotFound => Err(error),
        _ => Ok(()),
    }
}

async fn accept(service: &Arc<Service>, listener: &UnixListener) {
    for number in 0.. {
        match listener.accept().await {
            Ok((stream, _)) => {
                let stranger = Stranger::new(service, number);
                let service = Arc::clone(service);
                tokio::spawn(async move {
                    if let Err(error) = admit(&service, stream, stranger).await {
                        tracing::debug!(%error, "a connection ends");
                    }
                });
            }
            Err(error) => {
                // No descriptor may be free. A pause keeps this from turning without end.
                tracing::warn!(%error, "a connection cannot be accepted");
                sleep(Duration::from_millis(100)).await;
            }
        }
    }
}

/// A connection that has not said who it is.
struct Stranger {
    service: Arc<Service>,
    number: u64,
    /// Ends it, since there are too many.
    crowded: CancellationToken,
}

impl Stranger {
    fn new(service: &Arc<Service>, number: u64) -> Self {
        let (service, crowded) = (Arc::clone(service), CancellationToken::new());
        let mut strangers = lock(&service.strangers);
        strangers.insert(number, crowded.clone());
        if strangers.len() > STRANGERS {
            strangers.pop_first().iter().for_each(|(_, oldest)| oldest.cancel());
        }
        drop(strangers);
        Self { service, number, crowded }
    }

    /// Waits until it says who it is.
    async fn hello(self, receiver: &mut Receiver) -> io::Result<Option<ToServer>> {
        tokio::select! {
            hello = timeout(HELLO, receiver.receive()) => hello.map_err(io::Error::other)?,
            () = self.crowded.cancelled() => Err(io::Error::other("too many connections say nothing")),
        }
    }
}

impl Drop for Stranger {
    fn drop(&mut self) {
        lock(&self.service.strangers).remove(&self.number);
    }
}

/// Waits until the process may end: there was no client for long, or there is none and a newer executable.
async fn unneeded(service: &Service, identity: Identity) {
    let given = std::env::var(IDLE_VARIABLE).ok().and_then(|it| it.parse().ok());
    let limit = given.map_or(IDLE, Duration::from_secs);
    loop {
        tokio::select! {
            () = sleep(LOOK) => {}
            () = service.left.notified() => {}
        }
        let is_alone = lock(&service.clients).is_empty();
        let has_served = service.next.load(Ordering::Relaxed) > 1;
        let idle = lock(&service.alone).elapsed();
        // The first client may be on its way.
        let is_idle = idle >= limit && (has_served || idle >= HELLO);
        if is_alone && (is_idle || !service.background.is_current(&identity)) {
            return;
        }
    }
}

/// Learns who connects, and serves it until it leaves.
async fn admit(service: &Arc<Service>, stream: UnixStream, stranger: Stranger) -> io::Result<()> {
    let (mut receiver, mut sender, process) = split(stream)?;
    receiver.limit(Some(HELLO_BYTES));
    let Some(ToServer::Hello { key, request }) = stranger.hello(&mut receiver).await? else {
        return Err(io::Error::other("a client begins with something else"));
    };
    if key != service.key {
        return Err(io::Error::other("a client does not know the key"));
    }
    match request {
        Hello::Status => {
            let service = Arc::clone(service);
            let status =
                tokio::task::spawn_blocking(move || service.status()).await.map_err(io::Error::other)?;
            sender.send(&ToClient::Status { status: Box::new(status) }).await
        }
        Hello::Stop => {
            service.stop.cancel();
            sender.send(&ToClient::Welcome).await
        }
        Hello::Client { .. } if lock(&service.clients).len() >= CLIENTS => {
            Err(io::Error::other("there are too many clients"))
        }
        Hello::Client { config } => {
            receiver.limit(None);
            sender.send(&ToClient::Welcome).await?;
            Client::run(service, *config, process, receiver, sender).await
        }
    }
}

impl Service {
    fn status(&self) -> Status {
        let clients = lock(&self.clients);
        let clients = clients.values().map(|it| ClientReport {
            process: it.process,
            seconds: it.since.elapsed().as_secs(),
            folders: it.fallback.folders(),
        });
        Status {
            version: env!("CARGO_PKG_VERSION").to_owned(),
            process: std::process::id(),
            executable: self.background.executable().to_owned(),
            log: self.background.log(),
            seconds: self.started.elapsed().as_secs(),
            clients: clients.collect(),
            servers: self.shared.report(),
            budget: self.shared.budget(),
        }
    }
}

impl Client {
    async fn run(
        service: &Arc<Service>,
        config: Config,
        process: Option<i32>,
        mut receiver: Receiver,
        sender: Sender,
    ) -> io::Result<()> {
        let config = Config { supervisor: service.background.executable().to_owned(), ..config };
        let client = Arc::new(Self {
            process,
            since: Instant::now(),
            fallback: Arc::new(Fallback::sharing(config.clone(), service.shared.clone())),
            config,
            out: Outbox::new(sender),
            asks: Mutex::default(),
            consents: Mutex::default(),
            next: AtomicU64::new(1),
            order: Mutex::default(),
        });
        let number = service.next.fetch_add(1, Ordering::Relaxed);
        lock(&service.clients).insert(number, Arc::clone(&client));
        let receiving = async {
            while let Some(message) = receiver.receive().await? {
                client.handle(message)?;
            }
            io::Result::Ok(())
        };
        let ended = tokio::select! {
            ended = client.out.flush() => ended,
            ended = receiving => ended,
            () = service.stop.cancelled() => Ok(()),
        };
        client.end();
        let mut clients = lock(&service.clients);
        clients.remove(&number);
        if clients.is_empty() {
            *lock(&service.alone) = Instant::now();
            service.left.notify_one();
        }
        ended
    }

    /// Ends all that runs for the client.
    fn end(&self) {
        lock(&self.asks).drain().for_each(|(_, it)| it.abort());
        lock(&self.consents).clear();
        self.out.close();
        self.fallback.close_all();
    }

    fn send(&self, message: ToClient) {
        self.out.send(&message);
    }

    fn handle(self: &Arc<Self>, message: ToServer) -> io::Result<()> {
        match message {
            ToServer::Hello { .. } => return Err(io::Error::other("a client says twice who it is")),
            ToServer::Open { session, roots, asks, memory } => {
                if self.fallback.session_count() >= SESSIONS {
                    return Err(io::Error::other("a client has too many sessions"));
                }
                self.fallback.open_session(&session, roots);
                self.fallback.remember(&session, memory);
                if asks {
                    self.asks_for_trust(&session);
                }
            }
            ToServer::Close { session } => self.fallback.close_session(&session),
            ToServer::Asks { session } => self.asks_for_trust(&session),
            ToServer::Decided { folders, consent } => self.fallback.decide(&folders, consent),
            ToServer::Texts { texts } => self.fallback.shown_together(texts),
            ToServer::Touched => self.fallback.files_touched(),
            ToServer::Ask { id, operation, params } => self.ask(id, operation.0, params)?,
            ToServer::Cancel { id } => lock(&self.asks).remove(&id).iter().for_each(AbortHandle::abort),
            ToServer::Consent { id, consent } => {
                if let Some(waiting) = lock(&self.consents).remove(&id) {
                    let _gone = waiting.send(consent);
                }
            }
            ToServer::Ping => self.send(ToClient::Pong),
        }
        Ok(())
    }

    fn ask(self: &Arc<Self>, id: u64, operation: Operation, params: Value) -> io::Result<()> {
        let mut asks = lock(&self.asks);
        if asks.len() >= ASKS {
            return Err(io::Error::other("a client asks too much at a time"));
        }
        let client = Arc::clone(self);
        let task = tokio::spawn(async move {
            let session = params["sessionId"].as_str().map(str::to_owned);
            let progress = Arc::clone(&client);
            let on_progress = Box::new(move |message, percentage| {
                progress.send(ToClient::Progress { id, message, percentage });
            });
            let answer = match operation {
                // The client writes.
                Operation::Apply => {
                    let message = "the background process writes no files";
                    Err(IdeError::new(ErrorCode::InvalidRequest, message))
                }
                _ => {
                    let answering =
                        client.fallback.answer(operation, params, Caller::without_editor(on_progress));
                    let answered = std::panic::AssertUnwindSafe(answering).catch_unwind().await;
                    answered.unwrap_or_else(|_| {
                        let message = format!("{operation} broke down");
                        Err(IdeError::new(ErrorCode::ServerFailed, message))
                    })
                }
            };
            let _order = lock(&client.order);
            let memory = session.and_then(|it| Some((client.fallback.take_news(&it)?, it)));
            let memory = memory.filter(|(memory, _)| !memory.is_empty()).map(|(memory, it)| (it, memory));
            let lookups = client.config.cache_lookups.take();
            lock(&client.asks).remove(&id);
            client.send(ToClient::Answer { id, answer, memory, lookups });
        });
        asks.insert(id, task.abort_handle());
        Ok(())
    }

    /// Has the client's user asked when trust would help.
    fn asks_for_trust(self: &Arc<Self>, session: &str) {
        let (client, id) = (Arc::downgrade(self), session.to_owned());
        let ask = AskTrust::new(move |folders: &[PathBuf], denial| {
            let (tell, answered) = oneshot::channel();
            if let Some(client) = client.upgrade() {
                let number = client.next.fetch_add(1, Ordering::Relaxed);
                lock(&client.consents).insert(number, tell);
                client.send(ToClient::AskTrust {
                    id: number,
                    session: id.clone(),
                    folders: folders.to_vec(),
                    denial: denial.map(str::to_owned),
                });
            }
            async move { answered.await.unwrap_or(Consent::Nothing) }.boxed()
        });
        self.fallback.ask_trust_with(session, ask);
    }
}
