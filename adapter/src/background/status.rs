//! The state of the background processes of a user, for people.

use std::io;
use std::path::{Path, PathBuf};
use std::time::Duration;

use serde::{Deserialize, Serialize};
use tokio::net::UnixStream;
use tokio::time::timeout;

use super::place;
use super::wire::{Hello, ToClient, ToServer, split};
use crate::fallback::servers::run::pool::RunningServer;

/// The time that a process has to answer.
const WAIT: Duration = Duration::from_secs(5);

/// The state of a background process.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Status {
    /// The version of Dialect.
    pub version: String,
    /// The process's id.
    pub process: u32,
    /// The executable that it runs.
    pub executable: PathBuf,
    /// The file with its log.
    pub log: PathBuf,
    /// Its age in seconds.
    pub seconds: u64,
    /// The connected clients.
    pub clients: Vec<ClientReport>,
    /// The language servers.
    pub servers: Vec<RunningServer>,
    /// The memory that all language servers together may take, in bytes; `None` for no limit.
    pub budget: Option<u64>,
}

/// A client of a background process.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct ClientReport {
    /// The process's id, where the operating system tells it.
    pub process: Option<i32>,
    /// The time since it connected, in seconds.
    pub seconds: u64,
    /// The folders of its sessions.
    pub folders: Vec<PathBuf>,
}

/// Asks every background process of the user for its state. Processes that do not answer are left out.
///
/// # Errors
/// The folder of sockets cannot be read.
pub async fn status() -> io::Result<Vec<Status>> {
    let mut all = Vec::new();
    for socket in sockets()? {
        match say(&socket, Hello::Status).await {
            Ok(ToClient::Status { status }) => all.push(*status),
            other => tracing::debug!(?socket, ?other, "no background process answers"),
        }
    }
    Ok(all)
}

/// Asks every background process of the user to end. Returns the number of those that will.
///
/// # Errors
/// The folder of sockets cannot be read.
pub async fn stop() -> io::Result<usize> {
    let mut stopped = 0;
    for socket in sockets()? {
        stopped += usize::from(say(&socket, Hello::Stop).await.is_ok());
    }
    Ok(stopped)
}

fn sockets() -> io::Result<Vec<PathBuf>> {
    let Some(folder) = place::folder() else { return Ok(Vec::new()) };
    match std::fs::read_dir(folder) {
        Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(Vec::new()),
        entries => {
            let paths = entries?.flatten().map(|it| it.path());
            Ok(paths.filter(|it| it.extension().is_some_and(|it| it == "sock")).collect())
        }
    }
}

async fn say(socket: &Path, request: Hello) -> io::Result<ToClient> {
    let conversation = async {
        let stream = UnixStream::connect(socket).await?;
        let (mut receiver, mut sender, _) = split(stream)?;
        let key = place::key(socket.parent().unwrap_or(Path::new("/")))?;
        sender.send(&ToServer::Hello { key, request }).await?;
        receiver.receive().await?.ok_or_else(|| io::Error::other("the connection ended"))
    };
    timeout(WAIT, conversation).await.map_err(io::Error::other)?
}
