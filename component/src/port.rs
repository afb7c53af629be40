//! A port on loopback that whoever is on this machine can reach: accepts connections, and ends those that hold a place
//! without showing the token.

use std::collections::BTreeMap;
use std::io;
use std::net::{Ipv4Addr, SocketAddr};
use std::sync::{Arc, Mutex};
use std::time::Duration;

use tokio::net::{TcpListener, TcpStream};
use tokio::sync::{Notify, watch};
use tokio::time::{Instant, sleep, timeout_at};
use tokio_util::sync::CancellationToken;

use crate::{lock, os};

/// How many connections may be open at once that have not shown the token.
const MAX_STRANGERS: usize = 128;

/// How long one of these stays although others wait for its place.
const GRACE: Duration = Duration::from_secs(1);

/// How long a connection may take to show the token.
const INTRODUCTION: Duration = Duration::from_secs(10);

/// How long a connection stays open between requests. Clients keep theirs for up to 90 s.
const IDLE: Duration = Duration::from_secs(120);

/// How long accepting waits when no descriptor is left and no connection can be ended.
const NO_DESCRIPTOR: Duration = Duration::from_millis(50);

/// The open connections of a port.
#[derive(Debug, Default)]
struct Visitors {
    open: Mutex<BTreeMap<u64, Arc<Stay>>>,
    /// Tells the accepting loop that a connection ended or showed the token.
    changed: Notify,
}

/// An open connection, as those see it that decide how long it stays.
#[derive(Debug)]
struct Stay {
    state: watch::Sender<State>,
    leave: CancellationToken,
}

#[derive(Clone, Copy, Debug)]
struct State {
    is_known: bool,
    /// How many requests are being answered.
    n_requests: usize,
    /// When it came, or when its last answer ended.
    since: Instant,
}

/// An open connection, as long as this lives.
#[derive(Debug)]
pub(crate) struct Visitor {
    id: u64,
    stay: Arc<Stay>,
    visitors: Arc<Visitors>,
}

/// A request that is being answered: its connection is not idle until this is dropped.
#[derive(Debug)]
pub(crate) struct Busy(Arc<Stay>);

/// Begins to listen on a port of loopback, until `closed`. Each connection is a task that `serve` makes.
///
/// # Errors
/// When nothing can be bound on loopback.
pub(crate) async fn listen<Serving>(
    closed: CancellationToken,
    serve: impl Fn(TcpStream, Visitor) -> Serving + Send + 'static,
) -> io::Result<SocketAddr>
where
    Serving: Future<Output = ()> + Send + 'static,
{
    let listener = TcpListener::bind((Ipv4Addr::LOCALHOST, 0)).await?;
    let address = listener.local_addr()?;
    tokio::spawn(closed.run_until_cancelled_owned(accept(listener, Arc::default(), serve)));
    Ok(address)
}

async fn accept<Serving>(
    listener: TcpListener,
    visitors: Arc<Visitors>,
    serve: impl Fn(TcpStream, Visitor) -> Serving,
) where
    Serving: Future<Output = ()> + Send + 'static,
{
    // Given up for a connection when there is no other descriptor.
    let mut reserve = os::reserve();
    for id in 0.. {
        visitors.make_room().await;
        let stream = loop {
            match listener.accept().await {
                Ok((stream, _)) => break stream,
                Err(error) if os::is_out_of_descriptors(&error) => {
                    tracing::warn!(%error, "a connection to the tool has to wait");
                    if visitors.end_one() {
                        visitors.changed.notified().await; // a descriptor is free once it has ended
                    } else if reserve.take().is_none() {
                        sleep(NO_DESCRIPTOR).await;
                    }
                }
                Err(error) => tracing::debug!(%error, "a connection ended before it was accepted"),
            }
        };
        reserve = reserve.or_else(os::reserve);
        // Answers are small and awaited: they do not wait to be sent together.
        if let Err(error) = stream.set_nodelay(true) {
            tracing::debug!(%error, "TCP_NODELAY was refused");
        }
        tokio::spawn(serve(stream, visitors.enter(id)));
    }
}

impl Visitors {
    fn enter(self: &Arc<Self>, id: u64) -> Visitor {
        let state = State { is_known: false, n_requests: 0, since: Instant::now() };
        let stay = Arc::new(Stay { state: watch::Sender::new(state), leave: CancellationToken::new() });
        lock(&self.open).insert(id, Arc::clone(&stay));
        Visitor { id, stay, visitors: Arc::clone(self) }
    }

    /// Waits until fewer than [`MAX_STRANGERS`] have a place, and ends the oldest when it had its [`GRACE`].
    async fn make_room(&self) {
        loop {
            let oldest = {
                let open = lock(&self.open);
                let mut strangers = open.values().filter(|it| it.is_stranger());
                let oldest = strangers.next().cloned();
                oldest.filter(|_| strangers.count() + 1 >= MAX_STRANGERS)
            };
            let Some(oldest) = oldest else { return };
            let until = oldest.state.borrow().since + GRACE;
            if Instant::now() >= until {
                oldest.leave.cancel();
            } else {
                let _grace_is_over = timeout_at(until, self.changed.notified()).await;
            }
        }
    }

    /// Ends the oldest connection without a token, or else the one that is idle for longest. Returns whether there
    /// was one.
    fn end_one(&self) -> bool {
        let open = lock(&self.open);
        let stranger = open.values().find(|it| it.is_stranger());
        let idle = open.values().filter(|it| it.is_idle()).min_by_key(|it| it.state.borrow().since);
        let one = stranger.or(idle);
        one.inspect(|it| it.leave.cancel()).is_some()
    }
}

impl Stay {
    fn is_stranger(&self) -> bool {
        !self.state.borrow().is_known && !self.leave.is_cancelled()
    }

    fn is_idle(&self) -> bool {
        self.state.borrow().n_requests == 0 && !self.leave.is_cancelled()
    }
}

impl State {
    /// Returns when the connection is to end if nothing happens; `None` while a request is answered.
    fn end(&self) -> Option<Instant> {
        match self {
            Self { is_known: false, since, .. } => Some(*since + INTRODUCTION),
            Self { n_requests: 0, since, .. } => Some(*since + IDLE),
            _ => None,
        }
    }
}

impl Visitor {
    /// The connection has shown the token.
    pub(crate) fn show_token(&self) {
        let is_news = self.stay.state.send_if_modified(|it| !std::mem::replace(&mut it.is_known, true));
        if is_news {
            self.visitors.changed.notify_one();
        }
    }

    /// Begins a request.
    pub(crate) fn begin(&self) -> Busy {
        self.stay.state.send_modify(|it| it.n_requests += 1);
        Busy(Arc::clone(&self.stay))
    }

    /// Waits until the connection is to end: it is idle for too long, or another one needs its place.
    pub(crate) async fn overstays(&self) {
        let mut state = self.stay.state.subscribe();
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
        self.stay.leave.run_until_cancelled(waiting).await;
    }
}

impl Drop for Busy {
    fn drop(&mut self) {
        self.0.state.send_modify(|it| {
            it.n_requests -= 1;
            if it.is_known {
                it.since = Instant::now();
            }
        });
    }
}

impl Drop for Visitor {
    fn drop(&mut self) {
        lock(&self.visitors.open).remove(&self.id);
        self.visitors.changed.notify_one();
    }
}

#[cfg(test)]
mod tests {
    use tokio::io::{AsyncReadExt, AsyncWriteExt};

    use super::*;

    /// Listens for connections that show the token by a byte and are answered with one.
    async fn port() -> SocketAddr {
        let serve = |mut stream: TcpStream, visitor: Visitor| async move {
            let serving = async {
                while let Ok(byte) = stream.read_u8().await {
                    visitor.show_token();
                    let _busy = visitor.begin();
                    let _ = stream.write_u8(byte).await;
                }
            };
            tokio::select! {
                () = serving => {}
                () = visitor.overstays() => {}
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
        let mut strangers = Vec::new();
        for _ in 0..2 * MAX_STRANGERS {
            strangers.push(TcpStream::connect(address).await.unwrap());
        }
        let mut last = TcpStream::connect(address).await.unwrap();
        assert_eq!(greet(&mut last).await.unwrap(), 7);
        assert_eq!(greet(&mut known).await.unwrap(), 7);
        assert!(strangers[0].read_u8().await.is_err(), "the oldest was ended");
    }

    #[tokio::test(start_paused = true)]
    async fn a_stay_ends_by_itself() {
        let visitors = Arc::<Visitors>::default();
        let (stranger, known) = (visitors.enter(1), visitors.enter(2));
        known.show_token();
        let began = Instant::now();
        stranger.overstays().await;
        assert_eq!(began.elapsed().as_secs(), INTRODUCTION.as_secs());
        let busy = known.begin();
        let long = tokio::time::timeout(IDLE * 10, known.overstays()).await;
        assert!(long.is_err(), "a request is being answered");
        drop(busy);
        let idle = Instant::now();
        known.overstays().await;
        assert_eq!(idle.elapsed().as_secs(), IDLE.as_secs());
    }

    #[test]
    fn who_ends_first_is_the_oldest_stranger_and_then_the_idle() {
        let visitors = Arc::<Visitors>::default();
        let (known, busy, stranger) = (visitors.enter(1), visitors.enter(2), visitors.enter(3));
        known.show_token();
        busy.show_token();
        let _busy = busy.begin();
        let left = || [&known, &busy, &stranger].map(|it| it.stay.leave.is_cancelled());
        assert!(visitors.end_one());
        assert_eq!(left(), [false, false, true]);
        assert!(visitors.end_one());
        assert_eq!(left(), [true, false, true]);
        assert!(!visitors.end_one());
    }
}
