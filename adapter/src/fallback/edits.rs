//! Changes that were shown and not made yet: exact to the byte, and good for the very text that they were made from.

pub(crate) mod code_action_cache;
pub(crate) mod diff;
mod draft;
mod plan;
mod write;

use std::collections::VecDeque;
use std::ops::Range;
use std::sync::{Arc, Mutex};

use ide_protocol::{Edit, FileEdit};
use sha2::{Digest, Sha256};

use super::workspace::buffers::Texts;
use super::workspace::session_folders::Place;
use crate::lock::lock;
pub(crate) use plan::{Plan, PlanError, in_order, paths, plan};
pub use write::Editor;
pub(crate) use write::{WriteError, WriteOutcome, write};

/// How many edits a session remembers.
const KEPT: usize = 200;

/// How many bytes of new text it remembers.
const KEPT_BYTES: usize = 64 * 1024 * 1024;

/// Some changes that belong together.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Preview {
    pub(crate) title: String,
    pub(crate) kind: Option<String>,
    /// In order of path, each once.
    pub(crate) files: Vec<FileChange>,
}

/// The changes of one file, and what becomes of itself; or of a folder, which is moved as it is.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct FileChange {
    /// Where it is, or is to be created.
    pub(crate) place: Place,
    pub(crate) fate: FileOperation,
    /// What the file held.
    pub(crate) stamp: ContentHash,
    /// Whether it held that in the editor alone, which has not saved it.
    pub(crate) is_unsaved: bool,
    /// Its bytes that go, and what comes instead: in order, apart from each other.
    pub(crate) changes: Vec<Change>,
    /// For a reader.
    pub(crate) diff: String,
    /// In how many places it changes, as a reader counts.
    pub(crate) count: usize,
}

/// What becomes of a file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum FileOperation {
    Stays,
    /// It is not there yet.
    Created,
    Moved(Place),
    /// A folder, with all that is in it.
    FolderMoved(Place),
    Deleted,
}

/// A stretch of bytes and what comes instead.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Change {
    pub(crate) bytes: Range<usize>,
    pub(crate) text: String,
}

/// What tells one content of a file from every other.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct ContentHash([u8; 32]);

impl ContentHash {
    /// Of some bytes.
    pub(crate) fn of(bytes: &[u8]) -> Self {
        Self(Sha256::digest(bytes).into())
    }
}

impl FileChange {
    /// The bytes that it was made from, while they are there; blocking. `texts` are those of the editor.
    pub(crate) fn before(&self, texts: &Texts) -> Option<Vec<u8>> {
        let bytes = match &self.fate {
            FileOperation::Created => Vec::new(),
            _ if self.is_unsaved => texts.get(&self.place.path)?.as_str().as_bytes().to_vec(),
            _ => std::fs::read(&self.place.path).ok()?,
        };
        (ContentHash::of(&bytes) == self.stamp).then_some(bytes)
    }

    /// What it says of the file itself on the wire, and where that is moved.
    pub(crate) fn wire_operation(&self) -> (Option<ide_protocol::Fate>, Option<String>) {
        use ide_protocol::Fate::{Created, Deleted, Moved};
        match &self.fate {
            FileOperation::Stays => (None, None),
            FileOperation::Created => (Some(Created), None),
            FileOperation::Moved(to) | FileOperation::FolderMoved(to) => {
                (Some(Moved), Some(to.spelling.clone()))
            }
            FileOperation::Deleted => (Some(Deleted), None),
        }
    }

    /// The file as it would be. `before` is what its stamp was made of.
    pub(crate) fn applied(&self, before: &[u8]) -> Vec<u8> {
        let (mut after, mut at) = (Vec::with_capacity(before.len()), 0);
        for Change { bytes, text } in &self.changes {
            after.extend_from_slice(&before[at..bytes.start]);
            after.extend_from_slice(text.as_bytes());
            at = bytes.end;
        }
        after.extend_from_slice(&before[at..]);
        after
    }
}

impl Preview {
    /// What its id is made of: the same changes of the same texts are the same edit.
    fn fingerprint(&self) -> String {
        let mut hasher = Sha256::new();
        hasher.update(&self.title);
        for file in &self.files {
            hasher.update(&file.place.spelling);
            hasher.update(file.stamp.0);
            if file.fate != FileOperation::Stays {
                hasher.update(format!("\0{:?}", file.wire_operation()));
            }
            for Change { bytes, text } in &file.changes {
                hasher.update(format!("\0{}-{}:{}\0{text}", bytes.start, bytes.end, text.len()));
            }
        }
        hasher.finalize()[..5].iter().map(|it| format!("{it:02x}")).collect()
    }

    fn size(&self) -> usize {
        self.files.iter().flat_map(|it| &it.changes).map(|it| it.text.len() + size_of::<Change>()).sum()
    }

    /// As the wire has it.
    pub(crate) fn to_wire(&self, id: String) -> Edit {
        let file = |it: &FileChange| {
            let (path, diff) = (it.place.spelling.clone(), it.diff.clone());
            let (fate, to) = it.wire_operation();
            FileEdit { path, changes: it.count as u64, diff, fate, to }
        };
        let (title, kind) = (self.title.clone(), self.kind.clone());
        Edit { id, title, kind, files: self.files.iter().map(file).collect() }
    }
}

/// The previews of one session: the latest of them.
#[derive(Debug, Default)]
pub(crate) struct Previews(Mutex<VecDeque<(String, Arc<Preview>)>>);

impl Previews {
    /// Remembers one by a name that begins so, and tells it.
    pub(crate) fn keep(&self, about: &str, preview: Preview) -> Edit {
        let id = format!("{about}-{}", preview.fingerprint());
        let edit = preview.to_wire(id.clone());
        let mut kept = lock(&self.0);
        kept.retain(|(it, _)| *it != id);
        kept.push_back((id, Arc::new(preview)));
        let mut size: usize = kept.iter().map(|(_, it)| it.size()).sum();
        while kept.len() > KEPT || size > KEPT_BYTES && kept.len() > 1 {
            size -= kept.pop_front().map_or(0, |(_, it)| it.size());
        }
        edit
    }

    /// The one of that name, while it is remembered.
    pub(crate) fn find(&self, id: &str) -> Option<Arc<Preview>> {
        let kept = lock(&self.0);
        kept.iter().find(|(it, _)| it == id).map(|(_, it)| Arc::clone(it))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn preview(text: &str) -> Preview {
        let place = Place { path: "/w/a".into(), spelling: "a".into(), external: false };
        let changes = vec![
            Change { bytes: 0..1, text: text.into() },
            Change { bytes: 3..3, text: "+".into() },
            Change { bytes: 4..5, text: String::new() },
        ];
        let (stamp, diff) = (ContentHash::of(b"abcde"), String::new());
        let file = FileChange {
            place,
            fate: FileOperation::Stays,
            stamp,
            is_unsaved: false,
            changes,
            diff,
            count: 3,
        };
        Preview { title: "T".into(), kind: None, files: vec![file] }
    }

    #[test]
    fn bytes_are_replaced() {
        assert_eq!(preview("xyz").files[0].applied(b"abcde"), b"xyzbc+d");
    }

    #[test]
    fn the_same_changes_have_the_same_name_and_the_oldest_are_forgotten() {
        let previews = Previews::default();
        let first = previews.keep("rename", preview("x")).id;
        assert_eq!(previews.keep("rename", preview("x")).id, first);
        assert_ne!(previews.keep("rename", preview("y")).id, first);
        assert!(previews.find(&first).is_some() && previews.find("rename-0").is_none());
        (0..KEPT).for_each(|it| drop(previews.keep("rename", preview(&it.to_string()))));
        assert!(previews.find(&first).is_none());
    }
}
