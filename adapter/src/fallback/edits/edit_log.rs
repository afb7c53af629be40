//! The edits that the agent made in a session. They are undone in mind, the last first, to find the texts before them.

use std::collections::{BTreeMap, VecDeque};
use std::path::{Path, PathBuf};
use std::sync::Mutex;
use std::time::SystemTime;

use ide_protocol::ChangePoint;
use unpoisoned::lock;

/// The maximum number of edits in a session.
const KEPT: usize = 500;

/// The maximum number of bytes of the texts of a session's edits.
const KEPT_BYTES: usize = 64 * 1024 * 1024;

/// The edits of one session. What is older than the limits counts as there from the start.
#[derive(Debug, Default)]
pub(crate) struct EditLog(Mutex<Logged>);

#[derive(Debug, Default)]
struct Logged {
    edits: VecDeque<LoggedEdit>,
    /// The number of edits so far.
    count: u64,
    /// The number of edits before the user's last prompt.
    prompted: u64,
}

#[derive(Debug)]
struct LoggedEdit {
    number: u64,
    /// A time before the edit.
    began: SystemTime,
    /// A time after the edit; `None` if it is only reported.
    ended: Option<SystemTime>,
    /// The tool call that reports it, by the agent's id.
    call: Option<String>,
    files: Vec<(PathBuf, Replaced)>,
}

/// The text that an edit replaced in a file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Replaced {
    /// The whole text before; `None` if there was no file.
    Whole(Option<String>),
    /// A part, or the whole text, and what it was replaced by. `None` if there was no file.
    Part { before: Option<String>, after: String },
}

/// A file that edits changed.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct ChangedText {
    pub(crate) path: PathBuf,
    /// The text at the point; `None` if there was no file.
    pub(crate) before: Option<String>,
    /// The text now; `None` if there is no file.
    pub(crate) after: Option<String>,
}

impl Replaced {
    /// Returns the text before the edit by the text after it; `None` if that is not a text after it. The text before is
    /// itself `None` if there was no file.
    fn undone(&self, text: Option<&str>) -> Option<Option<String>> {
        match self {
            Self::Whole(before) => Some(before.clone()),
            Self::Part { before, after } if text == Some(after) => Some(before.clone()),
            Self::Part { before: Some(before), after } => {
                let text = text.filter(|_| !after.is_empty())?;
                let at = text.find(after).filter(|it| text.rfind(after) == Some(*it))?;
                Some(Some([&text[..at], before, &text[at + after.len()..]].concat()))
            }
            Self::Part { .. } => None,
        }
    }

    fn size(&self) -> usize {
        match self {
            Self::Whole(before) => before.as_ref().map_or(0, String::len),
            Self::Part { before, after } => before.as_ref().map_or(0, String::len) + after.len(),
        }
    }
}

impl EditLog {
    /// Adds an edit that was made. `began` is a time before it.
    pub(crate) fn add(&self, began: SystemTime, files: Vec<(PathBuf, Option<String>)>) {
        let files = files.into_iter().map(|(path, before)| (path, Replaced::Whole(before))).collect();
        lock(&self.0).add((began, Some(SystemTime::now())), None, files);
    }

    /// Adds or replaces the edit that a tool call reports. It may never be made.
    pub(crate) fn report(&self, call: &str, files: Vec<(PathBuf, Replaced)>) {
        let mut logged = lock(&self.0);
        match logged.edits.iter_mut().find(|it| it.call.as_deref() == Some(call)) {
            Some(known) => known.files = files,
            None => logged.add((SystemTime::now(), None), Some(call.to_owned()), files),
        }
    }

    /// Returns the times between which an edit wrote a file last, if one did.
    pub(crate) fn last_write(&self, path: &Path) -> Option<(SystemTime, SystemTime)> {
        let logged = lock(&self.0);
        let mut edits = logged.edits.iter().rev();
        edits.find_map(|it| Some((it.began, it.ended?)).filter(|_| it.files.iter().any(|(it, _)| it == path)))
    }

    /// Records that the user sends a prompt.
    pub(crate) fn prompted(&self) {
        let mut logged = lock(&self.0);
        logged.prompted = logged.count;
    }

    /// Returns the files that differ from what they were at a point, as far as that is known, and a time at that point.
    /// `now` reads the text of a file. Returns `None` if no edit is known since then.
    pub(crate) fn since(
        &self,
        point: ChangePoint,
        now: impl Fn(&Path) -> Option<String>,
    ) -> Option<(Vec<ChangedText>, SystemTime)> {
        let logged = lock(&self.0);
        let mut texts: BTreeMap<&Path, (Option<String>, Option<String>)> = BTreeMap::new();
        let mut began = None;
        let first = if point == ChangePoint::Prompt { logged.prompted } else { 0 };
        for edit in logged.edits.iter().rev().take_while(|it| it.number >= first) {
            let mut is_made = false;
            for (path, replaced) in edit.files.iter().rev() {
                let known = texts.entry(path).or_insert_with(|| {
                    let text = now(path);
                    (text.clone(), text)
                });
                if let Some(before) = replaced.undone(known.0.as_deref()).filter(|it| *it != known.0) {
                    known.0 = before;
                    is_made = true;
                }
            }
            if is_made {
                began = Some(edit.began);
                if point == ChangePoint::Edit {
                    break;
                }
            }
        }
        let changed = texts.into_iter().filter(|(_, (before, after))| before != after);
        let changed =
            changed.map(|(path, (before, after))| ChangedText { path: path.to_owned(), before, after });
        Some((changed.collect(), began?))
    }
}

impl Logged {
    fn add(
        &mut self,
        (began, ended): (SystemTime, Option<SystemTime>),
        call: Option<String>,
        files: Vec<(PathBuf, Replaced)>,
    ) {
        self.edits.push_back(LoggedEdit { number: self.count, began, ended, call, files });
        self.count += 1;
        let mut size: usize = self.edits.iter().map(LoggedEdit::size).sum();
        while self.edits.len() > KEPT || size > KEPT_BYTES && self.edits.len() > 1 {
            size -= self.edits.pop_front().map_or(0, |it| it.size());
        }
    }
}

impl LoggedEdit {
    fn size(&self) -> usize {
        self.files.iter().map(|(_, it)| it.size()).sum()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn part(before: &str, after: &str) -> Replaced {
        Replaced::Part { before: Some(before.to_owned()), after: after.to_owned() }
    }

    fn texts(log: &EditLog, point: ChangePoint, now: &str) -> Option<Vec<String>> {
        let (files, _) = log.since(point, |_| Some(now.to_owned()))?;
        Some(files.into_iter().map(|it| it.before.unwrap_or_else(|| "none".to_owned())).collect())
    }

    #[test]
    fn edits_are_undone_the_last_first() {
        let (log, path) = (EditLog::default(), || PathBuf::from("/w/a"));
        assert_eq!(texts(&log, ChangePoint::Session, "x"), None);
        log.add(SystemTime::now(), vec![(path(), Some("one two".to_owned()))]);
        log.prompted();
        log.report("1", vec![(path(), part("two", "2"))]);
        log.report("2", vec![(path(), part("one", "1"))]);
        let now = "1 2";
        assert_eq!(texts(&log, ChangePoint::Edit, now).unwrap(), ["one 2"]);
        assert_eq!(texts(&log, ChangePoint::Prompt, now).unwrap(), ["one two"]);
        assert_eq!(texts(&log, ChangePoint::Session, now).unwrap(), ["one two"]);
        log.prompted();
        assert_eq!(texts(&log, ChangePoint::Prompt, now), None);
    }

    #[test]
    fn an_edit_that_is_not_in_the_text_was_not_made() {
        let (log, path) = (EditLog::default(), || PathBuf::from("/w/a"));
        log.report("1", vec![(path(), part("a", "b"))]);
        for (now, before) in [("b c", Some("a c")), ("a c", None), ("b b", None), ("c", None)] {
            let found = texts(&log, ChangePoint::Edit, now);
            assert_eq!(found, before.map(|it| vec![it.to_owned()]), "{now}");
        }
        log.report("1", vec![(path(), part("a", ""))]);
        assert_eq!(texts(&log, ChangePoint::Edit, "c"), None, "nobody knows where it was");
        assert_eq!(texts(&log, ChangePoint::Edit, ""), Some(vec!["a".to_owned()]));
    }

    #[test]
    fn the_write_and_the_report_of_one_edit_are_one() {
        let path = || PathBuf::from("/w/a");
        for is_reported_first in [true, false] {
            let log = EditLog::default();
            let report = || log.report("1", vec![(path(), part("old", "new"))]);
            if is_reported_first {
                report();
            }
            log.add(SystemTime::now(), vec![(path(), Some("the old text".to_owned()))]);
            if !is_reported_first {
                report();
            }
            for point in [ChangePoint::Edit, ChangePoint::Session] {
                assert_eq!(texts(&log, point, "the new text").unwrap(), ["the old text"]);
            }
        }
    }

    #[test]
    fn what_is_only_reported_writes_nothing() {
        let (log, path) = (EditLog::default(), PathBuf::from("/w/a"));
        log.report("1", vec![(path.clone(), part("a", "b"))]);
        assert_eq!(log.last_write(&path), None);
        let began = SystemTime::now();
        log.add(began, vec![(path.clone(), None)]);
        log.add(SystemTime::now(), vec![(PathBuf::from("/w/b"), None)]);
        log.report("2", vec![(path.clone(), part("a", "b"))]);
        let (first, last) = log.last_write(&path).unwrap();
        assert!(first == began && began <= last && last <= SystemTime::now());
    }

    #[test]
    fn files_come_and_go() {
        let (log, path) = (EditLog::default(), || PathBuf::from("/w/a"));
        log.add(SystemTime::now(), vec![(path(), None)]);
        assert_eq!(texts(&log, ChangePoint::Edit, "new").unwrap(), ["none"]);
        let log = EditLog::default();
        log.add(SystemTime::now(), vec![(path(), Some("old".to_owned()))]);
        let (files, _) = log.since(ChangePoint::Edit, |_| None).unwrap();
        assert_eq!(files, [ChangedText { path: path(), before: Some("old".to_owned()), after: None }]);
    }
}
