//! The log on disk: files of lines, to which any number of processes append.

use std::fs::{File, OpenOptions};
use std::io::{self, Read, Seek, SeekFrom, Write};
use std::path::PathBuf;
use std::time::{SystemTime, UNIX_EPOCH};

use super::chain::{self, Head, Verified};
use super::entry::{Entry, Event, Seal, Written};
use super::error::LogError;
use super::head;
use super::record::{self, Record};
use crate::state::{Locked, State, private};

/// The size in bytes from which a file is rotated.
const ROTATED_FROM: u64 = 8 * 1024 * 1024;

/// The number of rotated files that are kept.
const KEPT: usize = 8;

/// The maximum length of a line that we write, in bytes.
const LINE: u64 = 256 * 1024;

/// The name of the audit log.
const AUDIT: &str = "audit";

/// The name of the log of calls.
const CALLS: &str = "calls";

/// A log in a state folder: the audit log, or that of calls.
#[derive(Clone, Debug)]
pub struct Log {
    state: State,
    /// The start of the names of its files.
    name: &'static str,
    /// The size in bytes from which a file is rotated.
    size: u64,
}

impl Log {
    /// Returns the audit log of a folder, which need not exist.
    pub fn new(state: State) -> Self {
        Self { state, name: AUDIT, size: ROTATED_FROM }
    }

    /// Returns the log of calls of a folder, which need not exist.
    pub fn of_calls(state: State) -> Self {
        Self { state, name: CALLS, size: ROTATED_FROM }
    }

    /// Returns the path of the file that is being written.
    pub fn path(&self) -> PathBuf {
        self.state.file(&format!("{}.jsonl", self.name))
    }

    /// Returns the path of a rotated file; the newest has the number 1.
    fn aside(&self, number: usize) -> PathBuf {
        self.state.file(&format!("{}.{number}.jsonl", self.name))
    }

    /// Locks its files. Those of calls have a lock of their own: permissions never wait for measurements.
    fn lock(&self) -> io::Result<Locked> {
        match self.name {
            AUDIT => self.state.lock(),
            name => self.state.lock_as(&format!("{name}.lock")),
        }
    }

    /// Appends events as one write, and then keeps the new end of the chain in its own file.
    ///
    /// If lines were removed, the chain continues from the end that was kept. The gap remains, and verification
    /// finds it.
    ///
    /// # Errors
    /// The file system refuses, or the last line is damaged. Nothing is added then.
    pub(crate) fn append(&self, events: Vec<Event>) -> Result<Vec<Written>, LogError> {
        let path = self.path();
        let refused = |error| LogError::Io { path: path.clone(), error };
        let _locked = self.lock().map_err(refused)?;
        let kept = head::read(&self.state, self.name)?;
        let (mut file, found, mut torn) = self.open()?;
        if kept.is_none() && found.seq == 0 {
            // Killed before the end is kept, the process leaves later lines, and no log whose end is missing.
            let kept = head::write(&self.state, self.name, &found);
            kept.map_err(|error| LogError::Io { path: head::path(&self.state, self.name), error })?;
        }
        let mut head = match kept {
            Some(kept) if kept.seq >= found.seq && kept != found => {
                tracing::warn!(path = %path.display(), entries = kept.seq, found = found.seq, "lines are missing");
                kept
            }
            Some(_) | None => found,
        };
        let mut written = Vec::new();
        let ts = SystemTime::now().duration_since(UNIX_EPOCH).map_or(0, |it| it.as_secs());
        let mut lines = String::new();
        for event in events {
            let (seq, prev) = (head.seq + 1, head.hash);
            let line = chain::write(&Entry { seq, prev, ts, torn: torn.take(), event });
            head = chain::read(line.trim_end().as_bytes()).expect("it was just written").1;
            written.push(Written { seal: Seal { seq, hash: head.hash.clone() }, ts });
            lines.push_str(&line);
        }
        file.write_all(lines.as_bytes()).map_err(refused)?;
        // Lines first: an end without its lines would look like tampering.
        file.sync_data().map_err(refused)?;
        let kept = head::write(&self.state, self.name, &head);
        kept.map_err(|error| LogError::Io { path: head::path(&self.state, self.name), error })?;
        if file.metadata().map_err(refused)?.len() >= self.size {
            self.put_aside().map_err(refused)?;
        }
        Ok(written)
    }

    /// Opens the file at its end. Returns the head to continue, and the length of an unfinished line that was
    /// dropped.
    fn open(&self) -> Result<(File, Head, Option<u64>), LogError> {
        let path = self.path();
        let refused = |error| LogError::Io { path: self.path(), error };
        let mut file = private(OpenOptions::new().create(true).truncate(false).read(true).write(true))
            .open(&path)
            .map_err(refused)?;
        let (length, last) = last_line(&mut file).map_err(refused)?;
        let end = file.seek(SeekFrom::End(0)).map_err(refused)?;
        if length < end {
            tracing::warn!(path = %path.display(), bytes = end - length, "dropped a line that was not finished");
            file.set_len(length).map_err(refused)?;
            file.seek(SeekFrom::End(0)).map_err(refused)?;
        }
        let head = match last {
            Some(line) => end_at(path, &line)?,
            None => self.head_aside()?,
        };
        Ok((file, head, (length < end).then_some(end - length)))
    }

    /// Returns the end of the newest rotated file.
    fn head_aside(&self) -> Result<Head, LogError> {
        let path = self.aside(1);
        let last = match File::open(&path) {
            Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(Head::origin()),
            opened => opened.and_then(|mut file| last_line(&mut file)),
        };
        match last {
            Ok((_, Some(line))) => end_at(path, &line),
            Ok((_, None)) => Ok(Head::origin()),
            Err(error) => Err(LogError::Io { path, error }),
        }
    }

    fn put_aside(&self) -> io::Result<()> {
        for number in (1..KEPT).rev() {
            if self.aside(number).exists() {
                std::fs::rename(self.aside(number), self.aside(number + 1))?;
            }
        }
        std::fs::rename(self.path(), self.aside(1))
    }

    /// Verifies all entries, and gives each to `each`, the oldest first.
    ///
    /// # Errors
    /// The first line that breaks the chain, after the entries before it. A chain without a broken line fails when
    /// entries are missing by the end that was kept.
    pub fn verify(&self, mut each: impl FnMut(Entry)) -> Result<Verified, LogError> {
        let mut found = Verified::default();
        let (files, kept) = self.files()?;
        let kept_seq = kept.as_ref().map(|it| it.seq);
        let mut behind_kept = None;
        let mut count = |entry: Entry| {
            if found.entries == 0 {
                found.first = entry.seq;
            }
            if kept_seq.is_some_and(|it| it + 1 == entry.seq) {
                behind_kept = Some(entry.prev.clone());
            }
            found.entries += 1;
            each(entry);
        };
        // Only a full set of files can have dropped its oldest entries.
        let is_full = files.first().is_some_and(|(path, _)| *path == self.aside(KEPT));
        let mut head = (!is_full).then(Head::origin);
        for (path, bytes) in files {
            let followed = chain::follow(&bytes, head, &mut count);
            head = followed.map_err(|broken| LogError::Broken { path, broken })?;
        }
        let end = head.unwrap_or_else(Head::origin);
        let (path, head) = (self.path(), head::path(&self.state, self.name));
        let Some(kept) = kept else {
            let found = end.seq;
            return if found == 0 {
                Ok(Verified::default())
            } else {
                Err(LogError::NoHead { path: head, found })
            };
        };
        found.later = end.seq.saturating_sub(kept.seq);
        match behind_kept.unwrap_or(end.hash) {
            _ if end.seq < kept.seq => Err(LogError::Cut { path, head, kept: kept.seq, found: end.seq }),
            hash if hash == kept.hash => Ok(found),
            _ => Err(LogError::Rewritten { path, head, kept: kept.seq }),
        }
    }

    /// Reads the newest part of the log, back to the entry with that number.
    ///
    /// # Errors
    /// The file system refuses.
    pub(crate) fn since(&self, seq: u64) -> Result<Record, LogError> {
        let (mut files, kept) = self.read(|bytes| record::first(bytes).is_some_and(|it| it <= seq))?;
        files.reverse();
        Ok(Record { files: files.into_iter().map(|(_, bytes)| bytes).collect(), kept })
    }

    /// Returns all files with their contents at one moment, the oldest first, and the end that was kept.
    fn files(&self) -> Result<Files, LogError> {
        let (mut files, kept) = self.read(|_| false)?;
        files.reverse();
        Ok((files, kept))
    }

    /// Reads the files, the newest first, until `is_enough` holds for one.
    fn read(&self, is_enough: impl Fn(&[u8]) -> bool) -> Result<Files, LogError> {
        if !self.state.folder().exists() {
            return Ok((Vec::new(), None));
        }
        let refused = |path: &PathBuf, error| LogError::Io { path: path.clone(), error };
        let _locked = self.lock().map_err(|error| refused(&self.path(), error))?;
        let kept = head::read(&self.state, self.name)?;
        let mut files = Vec::new();
        for path in [self.path()].into_iter().chain((1..=KEPT).map(|it| self.aside(it))) {
            match std::fs::read(&path) {
                Ok(bytes) => {
                    let is_last = is_enough(&bytes);
                    files.push((path, bytes));
                    if is_last {
                        break;
                    }
                }
                Err(error) if error.kind() == io::ErrorKind::NotFound => {}
                Err(error) => return Err(refused(&path, error)),
            }
        }
        Ok((files, kept))
    }
}

/// Files with their contents, and the end of the chain that was kept.
type Files = (Vec<(PathBuf, Vec<u8>)>, Option<Head>);

fn end_at(path: PathBuf, line: &[u8]) -> Result<Head, LogError> {
    let read = chain::read(line).map(|(_, head)| head);
    read.map_err(|reason| LogError::Damaged { path, reason })
}

/// Returns the offset at which finished lines end, and the last finished line without its break.
fn last_line(file: &mut File) -> io::Result<(u64, Option<Vec<u8>>)> {
    let length = file.seek(SeekFrom::End(0))?;
    let start = length.saturating_sub(2 * LINE);
    file.seek(SeekFrom::Start(start))?;
    let mut tail = Vec::new();
    file.read_to_end(&mut tail)?;
    let Some(end) = tail.iter().rposition(|it| *it == b'\n') else { return Ok((0, None)) };
    let line_start = tail[..end].iter().rposition(|it| *it == b'\n').map_or(0, |it| it + 1);
    Ok((start + end as u64 + 1, Some(tail[line_start..end].to_vec())))
}

#[cfg(test)]
#[path = "log_tests.rs"]
mod tests;
