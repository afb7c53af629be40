//! The record on disk: files of lines, appended to by any number of processes.

use std::fs::{File, OpenOptions};
use std::io::{self, Read, Seek, SeekFrom, Write};
use std::path::PathBuf;
use std::time::{SystemTime, UNIX_EPOCH};

use super::chain::{self, Broken, Head, Verified};
use super::entry::{Entry, Event};
use crate::state::{State, private};

/// A file of this size is put aside.
const FILE: u64 = 8 * 1024 * 1024;

/// So many files are kept aside.
const KEPT: usize = 8;

/// A line is no longer than this, as far as we write it.
const LINE: u64 = 256 * 1024;

/// The record in a folder.
#[derive(Clone, Debug)]
pub struct Log {
    state: State,
    /// When a file is put aside.
    size: u64,
}

/// Why the record cannot be read or continued.
#[derive(Debug, thiserror::Error)]
pub enum LogError {
    /// The disk refuses.
    #[error("{}: {error}", path.display())]
    Io {
        /// The file.
        path: PathBuf,
        /// Why.
        error: io::Error,
    },
    /// The last line is not one that was written, so nothing can follow it.
    #[error("the last line of {} is damaged: {reason}; see `dialect audit verify`, and move the file away", path.display())]
    Damaged {
        /// The file.
        path: PathBuf,
        /// What is wrong with the line.
        reason: String,
    },
    /// A line is not what was written.
    #[error("{}, {broken}", path.display())]
    Broken {
        /// The file.
        path: PathBuf,
        /// The first such line.
        broken: Broken,
    },
}

impl Log {
    /// The record of that folder, which need not exist.
    pub fn new(state: State) -> Self {
        Self { state, size: FILE }
    }

    /// The file that is being written.
    pub fn path(&self) -> PathBuf {
        self.state.file("audit.jsonl")
    }

    /// The files put aside, the newest first.
    fn aside(&self, number: usize) -> PathBuf {
        self.state.file(&format!("audit.{number}.jsonl"))
    }

    /// Adds these, at once.
    ///
    /// # Errors
    /// When the disk refuses, or the last line is not one that was written. Then nothing is added.
    pub(crate) fn append(&self, events: Vec<Event>) -> Result<(), LogError> {
        let path = self.path();
        let refused = |error| LogError::Io { path: path.clone(), error };
        let _locked = self.state.lock().map_err(refused)?;
        let (mut file, mut head, mut torn) = self.open()?;
        let ts = SystemTime::now().duration_since(UNIX_EPOCH).map_or(0, |it| it.as_secs());
        let mut lines = String::new();
        for event in events {
            let (seq, prev) = (head.seq + 1, head.hash);
            let line = chain::write(&Entry { seq, prev, ts, torn: torn.take(), event });
            head = chain::read(line.trim_end().as_bytes()).expect("it was just written").1;
            lines.push_str(&line);
        }
        file.write_all(lines.as_bytes()).map_err(refused)?;
        if file.metadata().map_err(refused)?.len() >= self.size {
            self.put_aside().map_err(refused)?;
        }
        Ok(())
    }

    /// The file at its end, what comes next, and how much of a line that was not finished has been dropped.
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
            Some(line) => head(path, &line)?,
            None => self.head_aside()?,
        };
        Ok((file, head, (length < end).then_some(end - length)))
    }

    /// The end of the newest file that was put aside.
    fn head_aside(&self) -> Result<Head, LogError> {
        let path = self.aside(1);
        let last = match File::open(&path) {
            Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(Head::origin()),
            opened => opened.and_then(|mut file| last_line(&mut file)),
        };
        match last {
            Ok((_, Some(line))) => head(path, &line),
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

    /// Goes through all entries, the oldest first.
    ///
    /// # Errors
    /// At the first line that does not hold, after the entries before it.
    pub fn verify(&self, mut each: impl FnMut(Entry)) -> Result<Verified, LogError> {
        let mut found = Verified { entries: 0, first: 1 };
        let mut count = |entry: Entry| {
            if found.entries == 0 {
                found.first = entry.seq;
            }
            found.entries += 1;
            each(entry);
        };
        let files = self.files()?;
        // Only a full set of files can have lost its beginning.
        let is_full = files.first().is_some_and(|(path, _)| *path == self.aside(KEPT));
        let mut head = (!is_full).then(Head::origin);
        for (path, bytes) in files {
            let followed = chain::follow(&bytes, head, &mut count);
            head = followed.map_err(|broken| LogError::Broken { path, broken })?;
        }
        Ok(found)
    }

    /// All files with their contents, as they were at one moment, the oldest first.
    fn files(&self) -> Result<Vec<(PathBuf, Vec<u8>)>, LogError> {
        if !self.state.folder().exists() {
            return Ok(Vec::new());
        }
        let refused = |path: &PathBuf, error| LogError::Io { path: path.clone(), error };
        let _locked = self.state.lock().map_err(|error| refused(&self.path(), error))?;
        let paths = (1..=KEPT).rev().map(|it| self.aside(it)).chain([self.path()]);
        let mut files = Vec::new();
        for path in paths {
            match std::fs::read(&path) {
                Ok(bytes) => files.push((path, bytes)),
                Err(error) if error.kind() == io::ErrorKind::NotFound => {}
                Err(error) => return Err(refused(&path, error)),
            }
        }
        Ok(files)
    }
}

fn head(path: PathBuf, line: &[u8]) -> Result<Head, LogError> {
    let read = chain::read(line).map(|(_, head)| head);
    read.map_err(|reason| LogError::Damaged { path, reason })
}

/// Up to where lines are finished, and the last one that is, without its end.
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
mod tests {
    use super::*;
    use crate::audit::entry::{Action, By};
    use serde_json::json;
    use tempfile::TempDir;

    fn event(capability: &str) -> Event {
        Event {
            session: None,
            workspace: None,
            capability: capability.to_owned(),
            params: json!({}),
            action: Action::Granted,
            tool: None,
            document: None,
            document_hash: None,
            scope: None,
            by: By::User,
            arguments: None,
            reason: None,
        }
    }

    fn log() -> (TempDir, Log) {
        let folder = TempDir::new().unwrap();
        let log = Log::new(State::at(folder.path().join("state")));
        (folder, log)
    }

    fn names(log: &Log) -> Vec<String> {
        let mut names = Vec::new();
        log.verify(|entry| names.push(entry.event.capability)).unwrap();
        names
    }

    #[test]
    fn nothing_is_a_record_too() {
        let (_folder, log) = log();
        assert_eq!(log.verify(|_| {}).unwrap(), Verified { entries: 0, first: 1 });
        assert!(!log.state.folder().exists());
    }

    #[test]
    fn what_is_appended_is_read() {
        use std::os::unix::fs::PermissionsExt;
        let (_folder, log) = log();
        log.append(vec![event("a"), event("b")]).unwrap();
        log.append(vec![event("c")]).unwrap();
        assert_eq!(names(&log), ["a", "b", "c"]);
        let mode = log.path().metadata().unwrap().permissions().mode();
        assert_eq!(mode & 0o777, 0o600);
    }

    #[test]
    fn a_line_that_was_not_finished_is_dropped_and_told() {
        let (_folder, log) = log();
        log.append(vec![event("a"), event("b")]).unwrap();
        let bytes = std::fs::read(log.path()).unwrap();
        std::fs::write(log.path(), &bytes[..bytes.len() - 5]).unwrap();
        assert!(matches!(log.verify(|_| {}), Err(LogError::Broken { broken: Broken { line: 2, .. }, .. })));
        log.append(vec![event("c")]).unwrap();
        let mut torn = None;
        log.verify(|entry| torn = entry.torn).unwrap();
        assert_eq!(names(&log), ["a", "c"]);
        assert!(torn.is_some_and(|it| it > 100), "{torn:?}");
    }

    #[test]
    fn a_changed_last_line_is_not_continued() {
        let (_folder, log) = log();
        log.append(vec![event("a")]).unwrap();
        let text = std::fs::read_to_string(log.path()).unwrap().replace(r#""a""#, r#""x""#);
        std::fs::write(log.path(), &text).unwrap();
        assert!(matches!(log.append(vec![event("b")]), Err(LogError::Damaged { .. })));
        assert_eq!(std::fs::read_to_string(log.path()).unwrap(), text);
    }

    #[test]
    fn a_large_file_is_put_aside_and_the_chain_goes_on() {
        let (_folder, mut log) = log();
        log.size = 1000;
        for number in 0..100 {
            log.append(vec![event(&number.to_string())]).unwrap();
        }
        let verified = log.verify(|_| {}).unwrap();
        assert!(verified.first > 1 && verified.first + verified.entries == 101, "{verified:?}");
        assert_eq!(names(&log).last().map(String::as_str), Some("99"));
        std::fs::remove_file(log.aside(KEPT / 2)).unwrap();
        assert!(log.verify(|_| {}).is_err());
    }

    #[test]
    fn processes_do_not_disturb_each_other() {
        let (_folder, log) = log();
        std::thread::scope(|scope| {
            for name in ["a", "b", "c", "d"] {
                // Each with a lock of its own, as processes have.
                let log = log.clone();
                scope.spawn(move || (0..25).for_each(|_| log.append(vec![event(name)]).unwrap()));
            }
        });
        assert_eq!(log.verify(|_| {}).unwrap().entries, 100);
    }
}
