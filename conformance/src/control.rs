//! Commands of the harness to a player in another process while it runs.

use std::io::{BufRead, BufReader, Write};
use std::net::{SocketAddr, TcpListener, TcpStream};
use std::sync::{Arc, Condvar, Mutex, PoisonError};
use std::time::Duration;

use anyhow::{Result, bail};

use unpoisoned::lock;

/// The harness's end: commands go to whichever player connected last.
#[derive(Debug)]
pub struct Control {
    pub address: SocketAddr,
    connected: Arc<(Mutex<Option<TcpStream>>, Condvar)>,
}

impl Control {
    /// Begins to listen.
    ///
    /// # Errors
    /// When nothing can be bound on loopback.
    pub fn listen() -> Result<Self> {
        let listener = TcpListener::bind("127.0.0.1:0")?;
        let address = listener.local_addr()?;
        let connected = Arc::new((Mutex::new(None), Condvar::new()));
        let newest = Arc::downgrade(&connected);
        std::thread::spawn(move || {
            for stream in listener.incoming().flatten() {
                let Some(newest) = newest.upgrade() else { return };
                *lock(&newest.0) = Some(stream);
                newest.1.notify_all();
            }
        });
        Ok(Self { address, connected })
    }

    /// Tells the player, waiting for it to connect.
    ///
    /// # Errors
    /// When it does not within `deadline`, or is gone.
    pub fn tell(&self, command: &str, deadline: Duration) -> Result<()> {
        let (newest, arrived) = &*self.connected;
        let waited = arrived.wait_timeout_while(lock(newest), deadline, |it| it.is_none());
        let (mut stream, _) = waited.unwrap_or_else(PoisonError::into_inner);
        let Some(stream) = &mut *stream else {
            bail!("nobody connected within {deadline:?} to be told `{command}`")
        };
        writeln!(stream, "{command}")?;
        Ok(())
    }
}

/// The player's end: obeys each command until the harness is gone.
pub fn each(commands: TcpStream, mut obey: impl FnMut(&str)) {
    BufReader::new(commands).lines().map_while(Result::ok).for_each(|it| obey(&it));
}

/// Ends this process from whatever thread, as a crash would.
pub fn end_process() -> ! {
    std::process::abort()
}
