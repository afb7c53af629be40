//! A port that every process of the machine can reach. Accepts connections, and closes those that hold a
//! place without showing the token.

use std::collections::BTreeMap;
use std::io;
use std::net::{Ipv4Addr, SocketAddr};
use std::sync::{Arc, Mutex};
use std::time::Duration;

use tokio::net::{TcpListener, TcpStream};
use tokio::sync::{Notify, watch};
use tokio::time::{Instant, sleep, timeout_at};
use tokio_util::sync::CancellationToken;

use crate::os;
use unpoisoned::lock;

/// The maximum number of open connections without the token.
const MAX_UNAUTHENTICATED: usize = 128;

/// The time that such a connection keeps its place although others wait for it.
const GRACE: Duration = Duration::from_secs(1);

/// The time that a connection may take to show the token.
const AUTHENTICATION_TIMEOUT: Duration = Duration::from_secs(10);

/// The time that a connection stays open between requests. Clients keep theirs for up to 90 s.
const IDLE_TIMEOUT: Duration = Duration::from_secs(120);

/// The time that accepting pauses when no descriptor is left and no connection can be closed.
const NO_DESCRIPTOR: Duration = Duration::from_millis(50);

/// The open connections of a port.
#[derive(Debug, Default)]
struct Connections {
    open: Mutex<BTreeMap<u64, Arc<OpenConnection>>>,
    /// Wakes the accepting loop when a connection has ended or shown the token.
    changed: Notify,
}

/// An open connection, for the code that decides how long it stays.
#[derive(Debug)]
struct OpenConnection {
    state: watch::Sender<State>,
    close: CancellationToken,
}

#[derive(Clone, Copy, Debug)]
struct State {
    is_authenticated: bool,
    /// The number of requests that are being answered.
    n_requests: usize,
    /// The time when it opened, or when its last answer ended.
    since: Instant,
}

/// A place among the open connections, held until it is dropped.
#[derive(Debug)]
pub(crate) struct ConnectionGuard {
    id: u64,
    connection: Arc<OpenConnection>,
    connections: Arc<Connections>,
}

/// A request that is being answered. Its connection is not idle until this is dropped.
#[derive(Debug)]
pub(crate) struct BusyGuard(Arc<OpenConnection>);

/// Listens on a loopback port until `closed`. Each connection is a task that `serve` makes.
///
/// # Errors
/// No port can be bound on loopback.
pub(crate) async fn listen<Serving>(
    closed: CancellationToken,
    serve: impl Fn(TcpStream, ConnectionGuard) -> Serving + Send + 'static,
) -> io::Result<SocketAddr>
where
    Serving: Future<Output = ()> + Send + 'static,
{
    let listener = bind((Ipv4Addr::LOCALHOST, 0).into()).await?;
    let address = listener.local_addr()?;
    accept_from(listener, closed, serve);
    Ok(address)
}

/// Binds an address.
///
/// # Errors
/// It cannot be bound.
pub(crate) async fn bind(address: SocketAddr) -> io::Result<TcpListener> {
    TcpListener::bind(address).await
}

/// Accepts connections until `closed`. Each is a task that `serve` makes.
pub(crate) fn accept_from<Serving>(
    listener: TcpListener,
    closed: CancellationToken,
    serve: impl Fn(TcpStream, ConnectionGuard) -> Serving + Send + 'static,
) where
    Serving: Future<Output = ()> + Send + 'static,
{
    tokio::spawn(closed.run_until_cancelled_owned(accept(listener, Arc::default(), serve)));
}

async fn accept<Serving>(
    listener: TcpListener,
    connections: Arc<Connections>,
    serve: impl Fn(TcpStream, ConnectionGuard) -> Serving,
) where
    Serving: Future<Output = ()> + Send + 'static,
{
    // A spare descriptor, closed to accept a connection when no other is left.
    let mut reserve = os::reserve();
    for id in 0.. {
        connections.make_room().await;
        let stream = loop {
            match listener.accept().await {
                Ok((stream, _)) => break stream,
                Err(error) if os::is_out_of_descriptors(&error) => {
                    tracing::warn!(%error, "a connection to the tool has to wait");
                    if connections.end_one() {
                        connections.changed.notified().await; // a descriptor is free once it has ended
                    } else if reserve.take().is_none() {
                        sleep(NO_DESCRIPTOR).await;
                    }
                }
                Err(error) => tracing::debug!(%error, "a connection ended before it was accepted"),
            }
        };
        reserve = reserve.or_else(os::reserve);
        // Answers are small and awaited, so they are sent at once (no Nagle delay).
        if let Err(error) = stream.set_nodelay(true) {
            tracing::debug!(%error, "TCP_NODELAY was refused");
        }
        tokio::spawn(serve(stream, connections.enter(id)));
    }
}

impl Connections {
    fn enter(self: &Arc<Self>, id: u64) -> ConnectionGuard {
        let state = State { is_authenticated: false, n_requests: 0, since: Instant::now() };
        let connection =
            Arc::new(OpenConnection { state: watch::Sender::new(state), close: CancellationToken::new() });
        lock(&self.open).insert(id, Arc::clone(&connection));
        ConnectionGuard { id, connection, connections: Arc::clone(self) }
    }

    /// Waits until fewer than [`MAX_UNAUTHENTICATED`] have a place. Closes the oldest of them after its [`GRACE`].
    async fn make_room(&self) {
        loop {
            let oldest = {
                let open = lock(&self.open);
                let mut unauthenticated = open.values().filter(|it| it.is_unauthenticated());
                let oldest = unauthenticated.next().cloned();
                oldest.filter(|_| unauthenticated.count() + 1 >= MAX_UNAUTHENTICATED)
            };
            let Some(oldest) = oldest else { return };
            let until = oldest.state.borrow().since + GRACE;
            if Instant::now() >= until {
                oldest.close.cancel();
            } else {
                let _grace_is_over = timeout_at(until, self.changed.notified()).await;
            }
        }
    }

    /// Closes the oldest connection without the token, or the one that is idle for longest. Returns whether there
    /// was one.
    fn end_one(&self) -> bool {
        let open = lock(&self.open);
        let unauthenticated = open.values().find(|it| it.is_unauthenticated());
        let idle = open.values().filter(|it| it.is_idle()).min_by_key(|it| it.state.borrow().since);
        let one = unauthenticated.or(idle);
        one.inspect(|it| it.close.cancel()).is_some()
    }
}

impl OpenConnection {
    fn is_unauthenticated(&self) -> bool {
        !self.state.borrow().is_authenticated && !self.close.is_cancelled()
    }

    fn is_idle(&self) -> bool {
        self.state.borrow().n_requests == 0 && !self.close.is_cancelled()
    }
}

impl State {
    /// Returns the time at which the connection is to close; `None` while a request is answered.
    fn end(&self) -> Option<Instant> {
        match self {
            Self { is_authenticated: false, since, .. } => Some(*since + AUTHENTICATION_TIMEOUT),
            Self { n_requests: 0, since, .. } => Some(*since + IDLE_TIMEOUT),
            _ => None,
        }
    }
}

impl ConnectionGuard {
    /// Marks the connection as one that has shown the token.
    pub(crate) fn authenticated(&self) {
        let is_news =
            self.connection.state.send_if_modified(|it| !std::mem::replace(&mut it.is_authenticated, true));
        if is_news {
            self.connections.changed.notify_one();
        }
    }

    /// Begins a request.
    pub(crate) fn begin(&self) -> BusyGuard {
        self.connection.state.send_modify(|it| it.n_requests += 1);
        BusyGuard(Arc::clone(&self.connection))
    }

    /// Waits until the connection has to close: it was idle for too long, or its place is needed.
    pub(crate) async fn must_close(&self) {
        let mut state = self.connection.state.subscribe();
        let waiting = async {
            loop {
                let end = state.borrow_and_update().end();
                let changed = async { state.changed().await.expect("this holds the sender") };
                match end {
                    None => changed.await,
                    Some(end) if timeout_at(end, changed).await.is_err() => return,
                    Some(_) => {}
                }
            }
        };
        self.connection.close.run_until_cancelled(waiting).await;
    }
}

impl Drop for BusyGuard {
    fn drop(&mut self) {
        self.0.state.send_modify(|it| {
            it.n_requests -= 1;
            if it.is_authenticated {
                it.since = Instant::now();
            }
        });
    }
}

impl Drop for ConnectionGuard {
    fn drop(&mut self) {
        lock(&self.connections.open).remove(&self.id);
        self.connections.changed.notify_one();
    }
}

#[cfg(test)]
mod tests {
    use tokio::io::{AsyncReadExt, AsyncWriteExt};

    use super::*;

    /// Listens for connections that show the token by a byte and are answered with one.
    async fn port() -> SocketAddr {
        let serve = |mut stream: TcpStream, guard: ConnectionGuard| async move {
            let serving = async {
                while let Ok(byte) = stream.read_u8().await {
                    guard.authenticated();
                    let _busy = guard.begin();
                    let _ = stream.write_u8(byte).await;
                }
            };
            tokio::select! {
                () = serving => {}
                () = guard.must_close() => {}
            }
        };
        listen(CancellationToken::new(), serve).await.unwrap()
    }

    async fn greet(stream: &mut TcpStream) -> io::Result<u8> {
        stream.write_u8(7).await?;
        stream.read_u8().await
    }

    #[tokio::test]
    async fn the_oldest_strangers_make_room_and_the_known_stay() {
        let address = port().await;
        let mut known = TcpStream::connect(address).await.unwrap();
        assert_eq!(greet(&mut known).await.unwrap(), 7);
        let mut unauthenticated = Vec::new();
        for _ in 0..2 * MAX_UNAUTHENTICATED {
            unauthenticated.push(TcpStream::connect(address).await.unwrap());
        }
        let mut last = TcpStream::connect(address).await.unwrap();
        assert_eq!(greet(&mut last).await.unwrap(), 7);
        assert_eq!(greet(&mut known).await.unwrap(), 7);
        assert!(unauthenticated[0].read_u8().await.is_err(), "the oldest was ended");
    }

    #[tokio::test(start_paused = true)]
    async fn a_stay_ends_by_itself() {
        let connections = Arc::<Connections>::default();
        let (unauthenticated, known) = (connections.enter(1), connections.enter(2));
        known.authenticated();
        let began = Instant::now();
        unauthenticated.must_close().await;
        assert_eq!(began.elapsed().as_secs(), AUTHENTICATION_TIMEOUT.as_secs());
        let busy = known.begin();
        let long = tokio::time::timeout(IDLE_TIMEOUT * 10, known.must_close()).await;
        assert!(long.is_err(), "a request is being answered");
        drop(busy);
        let idle = Instant::now();
        known.must_close().await;
        assert_eq!(idle.elapsed().as_secs(), IDLE_TIMEOUT.as_secs());
    }

    #[test]
    fn who_ends_first_is_the_oldest_stranger_and_then_the_idle() {
        let connections = Arc::<Connections>::default();
        let (known, busy, unauthenticated) =
            (connections.enter(1), connections.enter(2), connections.enter(3));
        known.authenticated();
        busy.authenticated();
        let _busy = busy.begin();
        let left = || [&known, &busy, &unauthenticated].map(|it| it.connection.close.is_cancelled());
        assert!(connections.end_one());
        assert_eq!(left(), [false, false, true]);
        assert!(connections.end_one());
        assert_eq!(left(), [true, false, true]);
        assert!(!connections.end_one());
    }
}
