//! Document synchronization: the server's state of files, and the messages it needs before the next request.
//!
//! A changed file is opened in the server with its new text. The next request cannot overtake that, while a
//! notification about a change on disk is processed later. The file stays open, so that a late read from disk
//! brings no older text back. Only when many files are open, the least recently used ones are closed.
//!
//! Each server's [`FileRule`] has further needs. This module is pure: others read the stamps and texts.

use std::collections::{BTreeSet, HashMap};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::{Instant, SystemTime};

use crate::fallback::source::languages::{DiskEvent, FileRule};
use crate::fallback::source::text::Text;
use crate::fallback::workspace::buffers::{Texts, are_same};
use crate::fallback::workspace::stamp::{RACY, Stamp};

/// The maximum number of tracked files outside of the folders.
const OUTSIDE: usize = 4_096;

/// A message to the server.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Message {
    Open {
        path: PathBuf,
        version: i32,
        text: String,
    },
    Change {
        path: PathBuf,
        version: i32,
        text: String,
    },
    Close {
        path: PathBuf,
    },
    /// Files that changed on disk.
    Watched(Vec<(PathBuf, DiskEvent)>),
}

impl Message {
    /// Separates the messages that close a file for good from all others; both keep their order.
    pub(crate) fn closing_last(messages: Vec<Self>) -> (Vec<Self>, Vec<Self>) {
        let (mut others, mut closing, mut opened) = (Vec::new(), Vec::new(), BTreeSet::new());
        for message in messages.into_iter().rev() {
            match &message {
                Self::Close { path } if !opened.contains(path) => {
                    closing.push(message);
                    continue;
                }
                Self::Open { path, .. } => drop(opened.insert(path.clone())),
                _ => {}
            }
            others.push(message);
        }
        others.reverse();
        closing.reverse();
        (others, closing)
    }
}

/// A file that changed on disk, with its current text.
pub(crate) type Differing = (PathBuf, DiskEvent, Option<String>);

/// A file with its current text, if it has one.
pub(crate) type Edited = (PathBuf, Option<String>);

/// The files that differ from the server's state.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Differences {
    /// The files, sorted by path.
    pub(crate) files: Vec<(PathBuf, DiskEvent)>,
}

/// The files as one server process knows them.
#[derive(Clone, Debug)]
pub(crate) struct Documents {
    rule: FileRule,
    known: HashMap<PathBuf, Known>,
    /// The tracked files outside of the folders, which answers came from.
    outside: BTreeSet<PathBuf>,
    open: HashMap<PathBuf, Document>,
    /// The texts of the editor at the last update; they take precedence over the disk.
    over: Texts,
    /// The contents of manifests, whose stamps change more often than their content.
    manifests: HashMap<PathBuf, Vec<u8>>,
    /// The time of the last comparison of all files.
    looked: Option<Instant>,
    /// A counter of changes, for the least recently used document.
    clock: u64,
    /// The clock value at which each file's text was last sent.
    sent_at: HashMap<PathBuf, u64>,
}

#[derive(Clone, Copy, Debug)]
struct Known {
    stamp: Stamp,
    /// `true` if the file may have changed since with the same stamp.
    racy: bool,
}

#[derive(Clone, Debug)]
struct Document {
    version: i32,
    text: String,
    /// The clock value of its last use.
    used: u64,
    /// `true` if it stays open so that its project stays loaded.
    is_anchor: bool,
}

impl Documents {
    /// Starts with the files that the server reads when it starts.
    pub(crate) fn new(rule: FileRule, seen: Vec<(PathBuf, Stamp)>, now: SystemTime) -> Self {
        let known = seen.into_iter().map(|(path, stamp)| (path, Known::new(stamp, now))).collect();
        Self {
            rule,
            known,
            outside: BTreeSet::new(),
            open: HashMap::new(),
            over: Texts::default(),
            manifests: HashMap::new(),
            looked: None,
            clock: 0,
            sent_at: HashMap::new(),
        }
    }

    /// Opens a file so that its project is loaded; it stays open.
    pub(crate) fn anchor(&mut self, path: &Path, text: String) -> Vec<Message> {
        let messages = self.show(path, text);
        self.open.get_mut(path).into_iter().for_each(|it| it.is_anchor = true);
        messages
    }

    /// Opens a file before a request about it, where the server needs that. The text is the one that the
    /// request was made from.
    pub(crate) fn ask_about(&mut self, path: &Path, text: &str) -> Vec<Message> {
        self.clock += 1;
        if let Some(document) = self.open.get_mut(path) {
            document.used = self.clock;
            return Vec::new();
        }
        if !self.rule.only_open {
            return Vec::new();
        }
        let opened = self.show(path, text.to_owned());
        opened.into_iter().chain(self.close_surplus()).collect()
    }

    /// Opens a file for requests that need it open; it may be closed when many others are open.
    pub(crate) fn keep_open(&mut self, path: &Path, text: &str) -> Vec<Message> {
        let opened = self.show(path, text.to_owned());
        opened.into_iter().chain(self.close_surplus()).collect()
    }

    /// Closes and reopens a file, so that the server checks it with its dependencies; returns its new
    /// version.
    pub(crate) fn show_anew(&mut self, path: &Path, text: &str) -> (Vec<Message>, i32) {
        self.clock += 1;
        let before = self.open.remove(path);
        let version = before.as_ref().map_or(1, |it| it.version + 1);
        let is_anchor = before.as_ref().is_some_and(|it| it.is_anchor);
        let document = Document { version, text: text.to_owned(), used: self.clock, is_anchor };
        self.open.insert(path.to_owned(), document);
        // A file that was open adds none, and a file closed in its place may be the next to be reopened.
        let surplus = if before.is_none() { self.close_surplus() } else { Vec::new() };
        let close = before.map(|_| Message::Close { path: path.to_owned() });
        let open = Message::Open { path: path.to_owned(), version, text: text.to_owned() };
        (close.into_iter().chain([open]).chain(surplus).collect(), version)
    }

    /// Sends the text of a file again without closing it. After closing and reopening, some servers report no
    /// diagnostics before they check; others do not check the same text again.
    pub(crate) fn show_again(&mut self, path: &Path, text: &str) -> (Vec<Message>, i32) {
        self.clock += 1;
        let Some(document) = self.open.get_mut(path) else { return self.show_anew(path, text) };
        document.version += 1;
        text.clone_into(&mut document.text);
        document.used = self.clock;
        let version = document.version;
        (vec![Message::Change { path: path.to_owned(), version, text: text.to_owned() }], version)
    }

    /// Reopens the other open files when one of these files can be included by them: their meaning may have
    /// changed.
    pub(crate) fn reopen_dependents(&mut self, changed: &BTreeSet<PathBuf>) -> Vec<Message> {
        if !self.are_parts(changed) {
            return Vec::new();
        }
        let others = self.open.iter().filter(|(path, _)| !changed.contains(*path));
        let mut others: Vec<_> = others.map(|(path, it)| (path.clone(), it.text.clone())).collect();
        others.sort();
        others.into_iter().flat_map(|(path, text)| self.show_anew(&path, &text).0).collect()
    }

    /// Returns `true` if other files can include one of these files.
    pub(crate) fn are_parts<'a>(&self, files: impl IntoIterator<Item = &'a PathBuf>) -> bool {
        let included = self.rule.included;
        let is_part = |it: &Path| it.extension().is_some_and(|it| included.iter().any(|known| it == *known));
        files.into_iter().any(|it| is_part(it))
    }

    /// Returns the version of an open document.
    pub(crate) fn version(&self, path: &Path) -> Option<i32> {
        self.open.get(path).map(|it| it.version)
    }

    /// Reads the manifests among the known files, so that a change differs from a touch.
    pub(crate) fn learn_manifests(
        &mut self,
        is_manifest: impl Fn(&Path) -> bool,
        read: impl Fn(&Path) -> Option<Vec<u8>>,
    ) {
        let manifests = self.known.keys().filter(|it| is_manifest(it));
        self.manifests = manifests.filter_map(|it| Some((it.clone(), read(it)?))).collect();
    }

    /// Stores a manifest's content; returns `true` if it differs from before.
    pub(crate) fn manifest_changed(&mut self, path: &Path, content: Option<Vec<u8>>) -> bool {
        let before = match content.clone() {
            Some(content) => self.manifests.insert(path.to_owned(), content),
            None => self.manifests.remove(path),
        };
        before != content
    }

    /// Returns `true` if all files were compared at or after that time.
    pub(crate) fn compared_since(&self, asked: Instant) -> bool {
        self.looked.is_some_and(|it| it >= asked)
    }

    /// Records that all files are unchanged since the last comparison.
    pub(crate) fn mark_unchanged(&mut self, looked: Instant) {
        self.looked = Some(looked);
    }

    /// Returns the open files with their stamps at the last comparison.
    pub(crate) fn open_stamps(&self) -> Vec<(PathBuf, Stamp)> {
        let open = self.open.keys();
        open.filter_map(|path| Some((path.clone(), self.known.get(path)?.stamp))).collect()
    }

    /// Tracks a file outside of the folders. With `is_news` it changed since the server started, which may
    /// have read the old text: the next comparison reports it. Returns `false` if too many are tracked.
    pub(crate) fn track(&mut self, path: PathBuf, stamp: Option<Stamp>, is_news: bool) -> bool {
        if self.outside.len() >= OUTSIDE && !self.outside.contains(&path) {
            return false;
        }
        if let (Some(stamp), false) = (stamp, self.known.contains_key(&path)) {
            let known = Known::new(stamp, SystemTime::now());
            self.known.insert(path.clone(), Known { racy: known.racy || is_news, ..known });
        }
        self.outside.insert(path);
        true
    }

    /// Returns the outside files with their stamps; `None` if one may have changed with the same stamp.
    pub(crate) fn outside(&self) -> Vec<(PathBuf, Option<Stamp>)> {
        let known = |path: &PathBuf| self.known.get(path).filter(|it| !it.racy).map(|it| it.stamp);
        self.outside.iter().map(|it| (it.clone(), known(it))).collect()
    }

    /// Returns `true` if it is a tracked outside file.
    pub(crate) fn is_outside(&self, path: &Path) -> bool {
        self.outside.contains(path)
    }

    /// Returns `true` if the files differ from the last comparison.
    pub(crate) fn differ(&self, seen: &[(PathBuf, Stamp)]) -> bool {
        let n_known = self.known.keys().filter(|it| !self.outside.contains(*it)).count();
        let seen = || seen.iter().filter(|(path, _)| !self.outside.contains(path));
        seen().count() != n_known || seen().any(|(path, stamp)| !self.is_as_known(path, Some(*stamp)))
    }

    /// Compares all files with the known ones, and replaces those.
    pub(crate) fn compare(
        &mut self,
        seen: Vec<(PathBuf, Stamp)>,
        looked: Instant,
        now: SystemTime,
    ) -> Differences {
        self.looked = Some(looked);
        let mut files = Vec::new();
        let mut gone = std::mem::take(&mut self.known);
        for (path, stamp) in seen {
            match gone.remove(&path) {
                None => files.push((path.clone(), DiskEvent::Created)),
                Some(known) if known.racy || known.stamp != stamp => {
                    files.push((path.clone(), DiskEvent::Changed));
                }
                Some(_) => {}
            }
            self.known.insert(path, Known::new(stamp, now));
        }
        files.extend(gone.into_keys().map(|path| (path, DiskEvent::Deleted)));
        files.sort_by(|a, b| a.0.cmp(&b.0));
        Differences { files }
    }

    /// Sets the editor's texts, which take precedence over the disk. Returns the files whose text changed by
    /// that.
    pub(crate) fn cover(&mut self, texts: Texts) -> Vec<PathBuf> {
        let before = std::mem::replace(&mut self.over, texts);
        let gone = before.keys().filter(|it| !self.over.contains_key(*it));
        let new = self.over.iter().filter(|(path, text)| !is_same(before.get(*path), Some(text)));
        gone.chain(new.map(|(path, _)| path)).cloned().collect()
    }

    /// Returns `true` if these are the editor's texts at the last update.
    pub(crate) fn is_covered_by(&self, texts: &Texts) -> bool {
        are_same(&self.over, texts)
    }

    /// Returns `true` if this is the editor's text at the last update, or there is none in both.
    pub(crate) fn has_overlay(&self, path: &Path, text: Option<&Arc<Text>>) -> bool {
        is_same(self.over.get(path), text)
    }

    /// Returns the stamp of a file at the last comparison.
    pub(crate) fn stamp(&self, path: &Path) -> Option<Stamp> {
        self.known.get(path).map(|it| it.stamp)
    }

    /// Returns `true` if the file is compared.
    pub(crate) fn knows(&self, path: &Path) -> bool {
        self.known.contains_key(path)
    }

    /// Returns `true` if a file's stamp is that of the last comparison.
    pub(crate) fn is_as_known(&self, path: &Path, stamp: Option<Stamp>) -> bool {
        self.stamp(path) == stamp
    }

    /// Returns the clock value for `was_sent_since`.
    pub(crate) fn now(&self) -> u64 {
        self.clock
    }

    /// Returns `true` if a new text of the file was sent after that clock value.
    pub(crate) fn was_sent_since(&self, path: &Path, then: u64) -> bool {
        self.sent_at.get(path).is_some_and(|it| *it > then)
    }

    /// Returns the messages about source files that changed on disk or only in the editor. A text of `None`
    /// means that the file cannot be read any more.
    pub(crate) fn update_messages(
        &mut self,
        on_disk: Vec<Differing>,
        in_editor: Vec<Edited>,
    ) -> Vec<Message> {
        let news = on_disk.iter().map(|it| &it.0).chain(in_editor.iter().map(|it| &it.0));
        let anew = self.are_parts(news);
        // Whoever reads a file looks at the parts of it that are shown by then.
        let (disk_parts, on_disk): (Vec<_>, Vec<_>) =
            on_disk.into_iter().partition(|it| self.are_parts([&it.0]));
        let (edited_parts, in_editor): (Vec<_>, Vec<_>) =
            in_editor.into_iter().partition(|it| self.are_parts([&it.0]));
        let mut messages = self.update(disk_parts, anew);
        messages.extend(self.edit(edited_parts, anew));
        messages.extend(self.update(on_disk, anew));
        messages.extend(self.edit(in_editor, anew));
        messages
    }

    /// Returns the messages about files that changed on disk. With `anew`, open files are reopened even if
    /// their text is unchanged, because a file that they include changed.
    fn update(&mut self, files: Vec<Differing>, anew: bool) -> Vec<Message> {
        let mut messages = Vec::new();
        let mut watched = Vec::new();
        let mut reopened = Vec::new();
        for (path, event, text) in files {
            if event == DiskEvent::Created
                && !self.rule.awaits_diagnostics
                && self.open.remove(&path).is_some()
            {
                // It was open before it was on disk. Some servers do not treat it as a file until they have read it.
                messages.push(Message::Close { path: path.clone() });
                reopened.push((path.clone(), text));
                watched.push((path, event));
                continue;
            }
            messages.extend(self.renew(&path, text, anew));
            if event != DiskEvent::Changed || self.rule.announces {
                watched.push((path, event));
            }
        }
        if !watched.is_empty() {
            messages.push(Message::Watched(watched));
        }
        for (path, text) in reopened {
            messages.extend(text.into_iter().flat_map(|it| self.renew(&path, Some(it), anew)));
        }
        messages.extend(self.close_surplus());
        messages
    }

    fn edit(&mut self, files: Vec<Edited>, anew: bool) -> Vec<Message> {
        files.into_iter().flat_map(|(path, text)| self.renew(&path, text, anew)).collect()
    }

    /// Sends the current text of a file.
    fn renew(&mut self, path: &Path, text: Option<String>, anew: bool) -> Vec<Message> {
        let messages = match text {
            Some(text) if anew && self.open.contains_key(path) => self.show_anew(path, &text).0,
            Some(text) => self.show(path, text),
            None => self.forget(path),
        };
        if !messages.is_empty() {
            self.sent_at.insert(path.to_owned(), self.clock);
        }
        messages
    }

    /// Opens the file or sends its new text; sends nothing if the server has that text.
    fn show(&mut self, path: &Path, text: String) -> Vec<Message> {
        self.clock += 1;
        let used = self.clock;
        let Some(document) = self.open.get_mut(path) else {
            let document = Document { version: 1, text: text.clone(), used, is_anchor: false };
            self.open.insert(path.to_owned(), document);
            return vec![Message::Open { path: path.to_owned(), version: 1, text }];
        };
        if document.text == text {
            return Vec::new();
        }
        // After a mere change the server would answer for the old includes until it has read the new ones.
        let has_other_parts =
            !self.rule.included.is_empty() && directives(&document.text) != directives(&text);
        document.version += 1;
        document.used = used;
        document.text.clone_from(&text);
        let (path, version) = (path.to_owned(), document.version);
        if self.rule.reopens || has_other_parts {
            return vec![Message::Close { path: path.clone() }, Message::Open { path, version, text }];
        }
        vec![Message::Change { path, version, text }]
    }

    /// Sends an empty text for a deleted file, so that the server finds nothing in it even before it reads
    /// the disk.
    fn forget(&mut self, path: &Path) -> Vec<Message> {
        let emptied = self.show(path, String::new());
        self.open.remove(path);
        emptied.into_iter().chain([Message::Close { path: path.to_owned() }]).collect()
    }

    fn close_surplus(&mut self) -> Vec<Message> {
        let surplus = self.open.len().saturating_sub(self.rule.open_limit);
        if surplus == 0 {
            return Vec::new();
        }
        // Closed, a file would be read from disk.
        let candidates =
            self.open.iter().filter(|(path, it)| !it.is_anchor && !self.over.contains_key(*path));
        let mut oldest: Vec<_> = candidates.map(|(path, it)| (it.used, path.clone())).collect();
        oldest.sort();
        let closed = oldest.into_iter().take(surplus).map(|(_, path)| {
            self.open.remove(&path);
            Message::Close { path }
        });
        closed.collect()
    }
}

fn is_same(one: Option<&Arc<Text>>, other: Option<&Arc<Text>>) -> bool {
    match (one, other) {
        (Some(one), Some(other)) => Arc::ptr_eq(one, other) || one.as_str() == other.as_str(),
        (one, other) => one.is_none() && other.is_none(),
    }
}

/// Returns the preprocessor directives of a text, with one empty line for all code between two of them.
fn directives(text: &str) -> Vec<&str> {
    let (mut lines, mut goes_on) = (Vec::new(), false);
    for line in text.lines().filter(|it| !it.trim().is_empty()) {
        let is_one = goes_on || line.trim_start().starts_with('#');
        goes_on = is_one && line.ends_with('\\');
        if is_one {
            lines.push(line);
        } else if lines.last().is_none_or(|it| !it.is_empty()) {
            lines.push("");
        }
    }
    lines
}

impl Known {
    fn new(stamp: Stamp, now: SystemTime) -> Self {
        Self { stamp, racy: stamp.age_at(now) < RACY }
    }
}

#[cfg(test)]
#[path = "documents_tests.rs"]
mod tests;
