//! Previews of edits: exact to the byte, and valid for the text that they were made from.

pub(crate) mod code_action_cache;
pub mod detached_write;
pub(crate) mod diff;
mod disk_write;
mod draft;
pub(crate) mod edit_log;
mod file_change;
mod plan;
mod plan_error;
mod write;
mod write_error;

use std::collections::VecDeque;
use std::sync::{Arc, Mutex};

pub(crate) use file_change::{Change, ContentHash, FileChange, FileOperation};
use ide_protocol::{Edit, FileEdit};
pub(crate) use plan::{Plan, WantedText, in_order, paths, plan, plan_texts};
pub(crate) use plan_error::PlanError;
use serde::{Deserialize, Serialize};
use sha2::{Digest, Sha256};
pub use write::Editor;
pub(crate) use write::{NoEditor, WriteOutcome, write};
pub(crate) use write_error::WriteError;

use unpoisoned::lock;

/// The maximum number of edits in a session.
const KEPT: usize = 200;

/// The maximum number of bytes of new text in a session.
const KEPT_BYTES: usize = 64 * 1024 * 1024;

/// Changes that belong together.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct Preview {
    pub(crate) title: String,
    pub(crate) kind: Option<String>,
    /// Sorted by path, each once.
    pub(crate) files: Vec<FileChange>,
}

impl Preview {
    /// Computes the id: the same changes of the same texts are the same edit.
    fn fingerprint(&self) -> String {
        let mut hasher = Sha256::new();
        hasher.update(&self.title);
        for file in &self.files {
            hasher.update(&file.place.spelling);
            hasher.update(file.stamp.bytes());
            if file.fate != FileOperation::Stays {
                hasher.update(format!("\0{:?}", file.wire_operation()));
            }
            for Change { bytes, text } in &file.changes {
                hasher.update(format!("\0{}-{}:{}\0{text}", bytes.start, bytes.end, text.len()));
            }
        }
        hex::encode(&hasher.finalize()[..5])
    }

    fn size(&self) -> usize {
        self.files.iter().flat_map(|it| &it.changes).map(|it| it.text.len() + size_of::<Change>()).sum()
    }

    /// Converts it to its wire type.
    pub(crate) fn to_wire(&self, id: String) -> Edit {
        let file = |it: &FileChange| {
            let (fate, to) = it.wire_operation();
            FileEdit {
                path: it.place.spelling.clone(),
                changes: it.count as u64,
                diff: it.diff.text.clone(),
                cut: it.diff.cut as u64,
                fate,
                to,
            }
        };
        let (title, kind) = (self.title.clone(), self.kind.clone());
        Edit { id, title, kind, files: self.files.iter().map(file).collect() }
    }
}

/// The latest previews of one session.
#[derive(Debug, Default)]
pub(crate) struct Previews(Mutex<KeptPreviews>);

#[derive(Debug, Default)]
struct KeptPreviews {
    latest: VecDeque<(String, Arc<Preview>)>,
    /// The previews since [`Previews::take_news`] was called last, from its first call on.
    news: Option<Vec<(String, Preview)>>,
}

impl Previews {
    /// Caches a preview under an id that starts with `about`, and returns it as on the wire.
    pub(crate) fn keep(&self, about: &str, preview: Preview) -> Edit {
        let id = format!("{about}-{}", preview.fingerprint());
        let edit = preview.to_wire(id.clone());
        self.restore(id, Arc::new(preview));
        edit
    }

    /// Caches a preview under the id that it got before.
    pub(crate) fn restore(&self, id: String, preview: Arc<Preview>) {
        let mut kept = lock(&self.0);
        if let Some(news) = &mut kept.news {
            news.push((id.clone(), Preview::clone(&preview)));
        }
        let kept = &mut kept.latest;
        kept.retain(|(it, _)| *it != id);
        kept.push_back((id, preview));
        let mut size: usize = kept.iter().map(|(_, it)| it.size()).sum();
        while kept.len() > KEPT || size > KEPT_BYTES && kept.len() > 1 {
            size -= kept.pop_front().map_or(0, |(_, it)| it.size());
        }
    }

    /// Returns the previews since this was called last, and none at the first call.
    pub(crate) fn take_news(&self) -> Vec<(String, Preview)> {
        lock(&self.0).news.replace(Vec::new()).unwrap_or_default()
    }

    /// Returns the preview with that id, while it is cached.
    pub(crate) fn find(&self, id: &str) -> Option<Arc<Preview>> {
        let kept = lock(&self.0);
        kept.latest.iter().find(|(it, _)| it == id).map(|(_, it)| Arc::clone(it))
    }
}

#[cfg(test)]
mod tests {
    use super::diff::Diff;
    use super::*;
    use crate::fallback::workspace::session_folders::SessionPath;

    fn preview(text: &str) -> Preview {
        let place = SessionPath { path: "/w/a".into(), spelling: "a".into(), external: false };
        let changes = vec![
            Change { bytes: 0..1, text: text.into() },
            Change { bytes: 3..3, text: "+".into() },
            Change { bytes: 4..5, text: String::new() },
        ];
        let (stamp, diff) = (ContentHash::of(b"abcde"), Diff::default());
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
