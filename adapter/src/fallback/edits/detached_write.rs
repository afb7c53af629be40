//! Writes changes of several files in a process of its own, so that they are all made even if the adapter is killed
//! meanwhile.
//!
//! `<executable> write-files` leads a session of its own, which signals for the adapter's do not reach. It reads all
//! changes before it makes the first one: an adapter that is killed earlier changes nothing, and later the process
//! finishes. Its standard input is the length of a header and the header, JSON, and then the contents of the files; its
//! standard output is the outcome as JSON.

use std::io::{self, Read as _, Write as _};
use std::path::{Path, PathBuf};
use std::process::{ExitCode, Stdio};

use serde::{Deserialize, Serialize};
use tokio::io::AsyncWriteExt as _;
use tokio::process::Command;

use super::disk_write::{DiskChange, DiskOperation, write_all};
use super::write_error::WriteError;
use crate::os;
use crate::os::beneath::OpenFolders;

/// The name of the subcommand.
pub const COMMAND: &str = "write-files";

/// The changes without the contents of the files.
#[derive(Debug, Serialize, Deserialize)]
struct Header {
    /// The canonical folders of the workspace.
    roots: Vec<PathBuf>,
    changes: Vec<Entry>,
}

/// A change, with the lengths of its contents.
#[derive(Debug, Serialize, Deserialize)]
struct Entry {
    path: PathBuf,
    spelling: String,
    operation: DiskOperation,
    before: usize,
    after: usize,
}

/// Makes the changes in a process of its own. Returns `None` if there is no such process, and nothing was changed.
pub(super) async fn write(
    program: &Path,
    roots: &[PathBuf],
    changes: &[DiskChange],
) -> Option<Result<(), WriteError>> {
    let request = encode(roots, changes)?;
    let mut command = Command::new(program);
    command.arg(COMMAND).stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::null());
    let started = command.spawn().and_then(|child| {
        let mut child = child;
        let input = child.stdin.take().ok_or_else(|| io::Error::other("it has no standard input"))?;
        Ok((child, input))
    });
    let (child, mut input) =
        started.inspect_err(|error| tracing::warn!(%error, "changes are written without a process")).ok()?;
    // An error shows in the outcome: the process makes no change before it has read everything.
    let _ = input.write_all(&request).await;
    drop(input);
    let output = child.wait_with_output().await.ok()?;
    let outcome: Option<Result<(), WriteError>> = serde_json::from_slice(&output.stdout).ok();
    Some(outcome.unwrap_or_else(|| Err(interrupted(&OpenFolders::open(roots), changes))))
}

/// Returns the error for a process that ended in the middle.
fn interrupted(folders: &OpenFolders, changes: &[DiskChange]) -> WriteError {
    let reason = "the process that writes was killed".to_owned();
    let made = changes.iter().filter(|it| it.is_made(folders)).map(|it| it.spelling.clone()).collect();
    let first = changes.first().map(|it| it.spelling.clone()).unwrap_or_default();
    WriteError::Refused(first, reason).leaving(made)
}

/// Returns the bytes for the process; `None` if a path is not Unicode.
fn encode(roots: &[PathBuf], changes: &[DiskChange]) -> Option<Vec<u8>> {
    let entry = |it: &DiskChange| Entry {
        path: it.path.clone(),
        spelling: it.spelling.clone(),
        operation: it.operation.clone(),
        before: it.before.len(),
        after: it.after.len(),
    };
    let header = Header { roots: roots.to_vec(), changes: changes.iter().map(entry).collect() };
    let header = serde_json::to_vec(&header).ok()?;
    let mut bytes = u64::try_from(header.len()).ok()?.to_le_bytes().to_vec();
    bytes.extend(header);
    changes.iter().for_each(|it| bytes.extend(it.before.iter().chain(&it.after)));
    Some(bytes)
}

/// Returns the folders and the changes; `None` if the bytes are not whole.
fn decode(bytes: &[u8]) -> Option<(Vec<PathBuf>, Vec<DiskChange>)> {
    let (length, rest) = bytes.split_first_chunk()?;
    let (header, mut contents) = rest.split_at_checked(u64::from_le_bytes(*length).try_into().ok()?)?;
    let Header { roots, changes } = serde_json::from_slice(header).ok()?;
    let mut take = |length: usize| {
        let (taken, rest) = contents.split_at_checked(length)?;
        contents = rest;
        Some(taken.to_vec())
    };
    let changes = changes.into_iter().map(|it| {
        let Entry { path, spelling, operation, before, after } = it;
        Some(DiskChange { path, spelling, operation, before: take(before)?, after: take(after)? })
    });
    let changes = changes.collect::<Option<_>>()?;
    contents.is_empty().then_some((roots, changes))
}

/// Runs the subcommand.
pub fn main() -> ExitCode {
    os::lead_session();
    let mut bytes = Vec::new();
    if io::stdin().read_to_end(&mut bytes).is_err() {
        return ExitCode::FAILURE;
    }
    let Some((roots, changes)) = decode(&bytes) else {
        return ExitCode::FAILURE; // whoever wrote them was killed
    };
    let outcome = write_all(&OpenFolders::open(&roots), &changes);
    let json = serde_json::to_vec(&outcome).expect("an outcome is plain data");
    // It fails when nobody waits any more.
    let _ = io::stdout().write_all(&json);
    ExitCode::SUCCESS
}

#[cfg(test)]
mod tests {
    use super::*;

    fn change(name: &str, operation: DiskOperation) -> DiskChange {
        let (path, spelling) = (PathBuf::from(format!("/w/{name}")), name.to_owned());
        DiskChange { path, spelling, operation, before: b"old\xff".to_vec(), after: name.as_bytes().to_vec() }
    }

    #[test]
    fn changes_travel_whole_or_not_at_all() {
        let changes = [change("a", DiskOperation::Replace), change("b", DiskOperation::Move("/w/c".into()))];
        let bytes = encode(&["/w".into()], &changes).unwrap();
        assert_eq!(decode(&bytes), Some((vec!["/w".into()], changes.into())));
        for length in 0..bytes.len() {
            assert_eq!(decode(&bytes[..length]), None, "{length}");
        }
    }
}
