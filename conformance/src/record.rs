//! The record of a scenario: all messages in one order, with sender and receiver.
//!
//! Players in this process write into a [`Record`] directly. Players in processes of their own write to it over
//! loopback and wait until each entry is taken before they go on, so that what was caused by a message always
//! stands after it.

use std::io::{BufRead, BufReader, Write};
use std::net::{SocketAddr, TcpListener, TcpStream};
use std::sync::{Arc, Mutex};
use std::time::Duration;

use anyhow::{Result, anyhow, bail};
use serde_json::{Value, json};
use tokio::sync::watch;

use unpoisoned::lock;

/// The variable that leads players of other processes to the record.
pub const VARIABLE: &str = "CONFORMANCE_RECORD";

/// The direction of a message on the wire.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Way {
    Sent,
    Heard,
    /// Not a message: a step of the scenario's script.
    Step,
}

#[derive(Clone, Debug)]
pub struct Entry {
    pub player: String,
    pub way: Way,
    pub message: Value,
    /// For a response: the method of its request.
    pub of: Option<String>,
}

impl Entry {
    /// The method, of a response too.
    pub fn method(&self) -> &str {
        self.message["method"].as_str().or(self.of.as_deref()).unwrap_or("")
    }

    pub fn is_response(&self) -> bool {
        self.of.is_some()
    }
}

/// All entries so far.
#[derive(Debug, Default)]
pub struct Record {
    entries: Mutex<Vec<Entry>>,
    grown: watch::Sender<usize>,
}

impl Record {
    pub fn add(&self, entry: Entry) {
        let mut entries = lock(&self.entries);
        entries.push(entry);
        self.grown.send_replace(entries.len());
    }

    pub fn step(&self, text: &str) {
        self.add(Entry { player: String::new(), way: Way::Step, message: json!(text), of: None });
    }

    pub fn len(&self) -> usize {
        lock(&self.entries).len()
    }

    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    pub fn entries(&self) -> Vec<Entry> {
        lock(&self.entries).clone()
    }

    /// Those from that index on.
    pub fn entries_from(&self, index: usize) -> Vec<Entry> {
        lock(&self.entries)[index..].to_vec()
    }

    /// Waits for an entry, past or future, and gives its index.
    ///
    /// # Errors
    /// When none came within `deadline`: with everything that was heard instead.
    pub async fn wait(
        &self,
        what: &str,
        deadline: Duration,
        wanted: impl Fn(usize, &Entry) -> bool,
    ) -> Result<usize> {
        let mut grown = self.grown.subscribe();
        let found =
            || lock(&self.entries).iter().enumerate().find(|(at, it)| wanted(*at, it)).map(|(at, _)| at);
        let waiting = async {
            loop {
                grown.borrow_and_update();
                if let Some(at) = found() {
                    return at;
                }
                grown.changed().await.expect("the record outlives its readers");
            }
        };
        match tokio::time::timeout(deadline, waiting).await {
            Ok(at) => Ok(at),
            Err(_) => bail!("waited {deadline:?} for {what}; what was heard instead:\n{}", self.heard()),
        }
    }

    fn heard(&self) -> String {
        let lines = self.entries().into_iter().map(|it| {
            let mut text = it.message.to_string();
            if let Some((at, _)) = text.char_indices().nth(400) {
                text.truncate(at);
            }
            format!("  {} {:?} {} {text}", it.player, it.way, it.of.unwrap_or_default())
        });
        lines.collect::<Vec<_>>().join("\n")
    }
}

/// A player's way to the record.
#[derive(Clone, Debug)]
pub enum Log {
    /// Nobody is interested.
    Nowhere,
    Here {
        player: &'static str,
        record: Arc<Record>,
    },
    There {
        player: &'static str,
        wire: Arc<Mutex<TcpStream>>,
    },
}

impl Log {
    /// For a process: the record that [`VARIABLE`] names, if it does.
    ///
    /// # Errors
    /// When it names one that cannot be reached.
    pub fn from_environment(player: &'static str) -> std::io::Result<Self> {
        match std::env::var(VARIABLE) {
            Ok(address) => Self::at(player, &address),
            Err(_) => Ok(Self::Nowhere),
        }
    }

    /// The record at that address.
    ///
    /// # Errors
    /// When it cannot be reached.
    pub fn at(player: &'static str, address: &str) -> std::io::Result<Self> {
        let wire = TcpStream::connect(address)?;
        wire.set_nodelay(true)?;
        Ok(Self::There { player, wire: Arc::new(Mutex::new(wire)) })
    }

    pub fn sent(&self, message: Value, of: Option<&str>) {
        self.add(Way::Sent, message, of);
    }

    pub fn heard(&self, message: Value, of: Option<&str>) {
        self.add(Way::Heard, message, of);
    }

    fn add(&self, way: Way, message: Value, of: Option<&str>) {
        match self {
            Self::Nowhere => {}
            Self::Here { player, record } => {
                let of = of.map(str::to_owned);
                record.add(Entry { player: (*player).to_owned(), way, message, of });
            }
            Self::There { player, wire } => {
                let entry = json!({"player": player, "sent": way == Way::Sent, "message": message, "of": of});
                let mut wire = lock(wire);
                // A record that is gone is a scenario that is over.
                let taken =
                    writeln!(wire, "{entry}").and_then(|()| std::io::Read::read(&mut *wire, &mut [0; 1]));
                drop(taken);
            }
        }
    }
}

/// Listens for players of other processes, as long as the record lives.
///
/// # Errors
/// When nothing can be bound on loopback.
pub fn listen(record: &Arc<Record>) -> Result<SocketAddr> {
    let listener = TcpListener::bind("127.0.0.1:0")?;
    let address = listener.local_addr()?;
    let record = Arc::downgrade(record);
    std::thread::spawn(move || {
        for stream in listener.incoming().flatten() {
            let Some(record) = record.upgrade() else { return };
            std::thread::spawn(move || take_from(stream, &record));
        }
    });
    Ok(address)
}

fn take_from(stream: TcpStream, record: &Record) {
    let _ = stream.set_nodelay(true);
    let Ok(mut back) = stream.try_clone() else { return };
    for line in BufReader::new(stream).lines().map_while(Result::ok) {
        match entry(&line) {
            Ok(entry) => record.add(entry),
            Err(error) => record.step(&format!("a player wrote what is no entry: {error}")),
        }
        if back.write_all(b".").is_err() {
            return;
        }
    }
}

fn entry(line: &str) -> Result<Entry> {
    let mut fields: Value = serde_json::from_str(line)?;
    let player = fields["player"].as_str().ok_or_else(|| anyhow!("no player in {line}"))?.to_owned();
    let way = if fields["sent"] == true { Way::Sent } else { Way::Heard };
    let of = fields["of"].as_str().map(str::to_owned);
    Ok(Entry { player, way, message: fields["message"].take(), of })
}
