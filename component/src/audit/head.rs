//! The end of the chain, kept in a file of its own beside it: lines that are taken away at the end are missed.

use std::io;
use std::path::PathBuf;

use serde::{Deserialize, Serialize};

use super::chain::Head;
use super::log::LogError;
use crate::state::State;

const VERSION: u64 = 1;

#[derive(Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct Contents {
    version: u64,
    /// How many entries have been written, in all files.
    entries: u64,
    /// Of the last line.
    hash: String,
}

/// Returns the file that it is kept in.
pub(super) fn path(state: &State) -> PathBuf {
    state.file(NAME)
}

const NAME: &str = "audit.head.json";

/// Reads it; `None` where no entry has been written, by a Dialect that keeps it.
///
/// # Errors
/// The disk refuses, or something else stands there.
pub(super) fn read(state: &State) -> Result<Option<Head>, LogError> {
    let path = path(state);
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

/// Replaces it.
///
/// # Errors
/// The disk refuses.
pub(super) fn write(state: &State, head: &Head) -> io::Result<()> {
    state.replace(NAME, &Contents { version: VERSION, entries: head.seq, hash: head.hash.clone() })
}
