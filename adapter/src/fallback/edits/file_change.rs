//! The planned changes of one file.

use std::ops::Range;
use std::path::Path;

use serde::{Deserialize, Serialize};
use sha2::{Digest, Sha256};

use super::diff::Diff;
use crate::fallback::workspace::buffers::Texts;
use crate::fallback::workspace::session_folders::SessionPath;

/// The changes of one file, and what becomes of itself; or of a folder, which is moved as it is.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct FileChange {
    /// The path of the file, or where it is created.
    pub(crate) place: SessionPath,
    pub(crate) fate: FileOperation,
    /// The content of the file before the edit.
    pub(crate) stamp: ContentHash,
    /// `true` if that content is an unsaved text of the editor.
    pub(crate) is_unsaved: bool,
    /// Its bytes that go, and what comes instead: in order, apart from each other.
    pub(crate) changes: Vec<Change>,
    /// For a reader.
    pub(crate) diff: Diff,
    /// In how many places it changes, as a reader counts.
    pub(crate) count: usize,
}

/// The operation on the file itself.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) enum FileOperation {
    Stays,
    /// It is not there yet.
    Created,
    Moved(SessionPath),
    /// A folder, with all that is in it.
    FolderMoved(SessionPath),
    Deleted,
}

/// A stretch of bytes and what comes instead.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct Change {
    pub(crate) bytes: Range<usize>,
    pub(crate) text: String,
}

/// A hash of a file's content.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct ContentHash([u8; 32]);

impl ContentHash {
    /// Hashes some bytes.
    pub(crate) fn of(bytes: &[u8]) -> Self {
        Self(Sha256::digest(bytes).into())
    }

    /// Returns the hash itself.
    pub(super) fn bytes(&self) -> &[u8] {
        &self.0
    }
}

impl FileChange {
    /// Returns its path, and the one that it moves to.
    pub(crate) fn paths(&self) -> impl Iterator<Item = &Path> {
        let to = match &self.fate {
            FileOperation::Moved(to) | FileOperation::FolderMoved(to) => Some(to.path.as_path()),
            FileOperation::Stays | FileOperation::Created | FileOperation::Deleted => None,
        };
        [self.place.path.as_path()].into_iter().chain(to)
    }

    /// Returns `true` for a folder that is moved with all that is in it.
    pub(crate) fn moves_folder(&self) -> bool {
        matches!(self.fate, FileOperation::FolderMoved(_))
    }

    /// Reads the bytes that it was made from; `None` if they changed; blocking. `texts` are those of the
    /// editor.
    pub(crate) fn before(&self, texts: &Texts) -> Option<Vec<u8>> {
        let bytes = match &self.fate {
            FileOperation::Created => Vec::new(),
            _ if self.is_unsaved => texts.get(&self.place.path)?.as_str().as_bytes().to_vec(),
            _ => std::fs::read(&self.place.path).ok()?,
        };
        (ContentHash::of(&bytes) == self.stamp).then_some(bytes)
    }

    /// Returns the operation as on the wire, and the target of a move.
    pub(crate) fn wire_operation(&self) -> (Option<ide_protocol::FileOperation>, Option<String>) {
        use ide_protocol::FileOperation::{Created, Deleted, Moved};
        match &self.fate {
            FileOperation::Stays => (None, None),
            FileOperation::Created => (Some(Created), None),
            FileOperation::Moved(to) | FileOperation::FolderMoved(to) => {
                (Some(Moved), Some(to.spelling.clone()))
            }
            FileOperation::Deleted => (Some(Deleted), None),
        }
    }

    /// Returns the file after the changes. `before` must be the content of the stamp.
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
