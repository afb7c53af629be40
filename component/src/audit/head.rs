//! The end of the chain, kept in a file beside the log, so that lines removed at the end are noticed.

use std::io;
use std::path::PathBuf;

use serde::{Deserialize, Serialize};

use super::chain::Head;
use super::error::LogError;
use crate::state::State;

const VERSION: u64 = 1;

#[derive(Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct Contents {
    version: u64,
    /// The number of entries that have been written, in all files.
    entries: u64,
    /// The hash of the last line.
    hash: String,
}

/// Returns the path of the file of a log.
pub(super) fn path(state: &State, log: &str) -> PathBuf {
    state.file(&name(log))
}

fn name(log: &str) -> String {
    format!("{log}.head.json")
}

/// Reads the end that was kept. `None` where the file does not exist.
///
/// # Errors
/// The file cannot be read, or is not one of ours.
pub(super) fn read(state: &State, log: &str) -> Result<Option<Head>, LogError> {
    let path = path(state, log);
    let bytes = match std::fs::read(&path) {
        Ok(bytes) => bytes,
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(None),
        Err(error) => return Err(LogError::Io { path, error }),
    };
    let unreadable = |reason: String| LogError::Head { path: path.clone(), reason };
    let Contents { version, entries, hash } =
        serde_json::from_slice(&bytes).map_err(|error| unreadable(error.to_string()))?;
    if version != VERSION {
        return Err(unreadable(format!("it is of version {version}, this is version {VERSION}")));
    }
    Ok(Some(Head { seq: entries, hash }))
}

/// Replaces the end that was kept.
///
/// # Errors
/// The file cannot be written.
pub(super) fn write(state: &State, log: &str, head: &Head) -> io::Result<()> {
    state.replace(&name(log), &Contents { version: VERSION, entries: head.seq, hash: head.hash.clone() })
}
