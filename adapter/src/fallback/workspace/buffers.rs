//! Texts in the editor that replace those on disk.
//!
//! A text that the agent asks the editor to write counts at once, and no longer if the editor refuses. An
//! unsaved text that the editor returned counts until the file changes on disk or the editor is asked again. Texts that
//! running calls are about come before both ([`super::staged_texts`]).

use std::collections::{BTreeMap, HashMap};
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex};

use super::stamp::Stamp;
use crate::fallback::source::text::Text;
use unpoisoned::lock;

/// The texts that replace those on disk, by canonical path.
pub(crate) type Texts = Arc<BTreeMap<PathBuf, Arc<Text>>>;

/// The buffers of one editor. Clones share them.
#[derive(Clone, Debug, Default)]
pub(crate) struct Buffers(Arc<Mutex<BufferState>>);

#[derive(Debug, Default)]
struct BufferState {
    files: HashMap<PathBuf, Buffer>,
    /// The texts that the running calls are about.
    staged: BTreeMap<PathBuf, Arc<Text>>,
    /// The resulting texts, rebuilt with each change.
    texts: Texts,
    n_writes: u64,
}

#[derive(Debug, Default)]
struct Buffer {
    /// Requested writes without a response, the latest last.
    writes: Vec<RequestedWrite>,
    unsaved: Option<UnsavedText>,
}

#[derive(Debug)]
struct RequestedWrite {
    number: u64,
    text: Arc<Text>,
    /// The file's stamp when the write began.
    before: Option<Stamp>,
}

#[derive(Debug)]
struct UnsavedText {
    text: Arc<Text>,
    /// The file's stamp when the text was read.
    beside: Option<Stamp>,
}

/// The verdict on a text of the editor.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Shown {
    /// `true` if it is not the text on disk.
    pub is_unsaved: bool,
    /// `true` if another text counted before.
    pub is_news: bool,
}

/// The handle of a requested write.
#[derive(Debug)]
pub(crate) struct EditorWrite {
    path: PathBuf,
    number: u64,
}

/// Returns `true` if two sets of texts are equal.
pub(crate) fn are_same(one: &Texts, other: &Texts) -> bool {
    let is_text = |(a, b): (&Arc<Text>, &Arc<Text>)| Arc::ptr_eq(a, b) || a.as_str() == b.as_str();
    Arc::ptr_eq(one, other) || one.keys().eq(other.keys()) && one.values().zip(other.values()).all(is_text)
}

impl Buffers {
    /// Returns what tells it from the buffers of another editor, as long as both exist.
    pub(crate) fn id(&self) -> usize {
        Arc::as_ptr(&self.0).addr()
    }

    /// Returns the texts that replace those on disk now.
    pub(crate) fn texts(&self) -> Texts {
        Arc::clone(&self.lock().texts)
    }

    /// Returns the texts that replace those on disk for every call, without those that calls are about.
    pub(crate) fn unsaved(&self) -> BTreeMap<PathBuf, Arc<Text>> {
        let state = self.lock();
        state.files.iter().filter_map(|(path, it)| Some((path.clone(), it.text()?))).collect()
    }

    /// Sets the texts that the running calls are about.
    pub(super) fn stage(&self, staged: BTreeMap<PathBuf, Arc<Text>>) {
        let mut state = self.lock();
        state.staged = staged;
        state.rebuild_texts();
    }

    /// Returns `true` while running calls are about texts of their own.
    pub(crate) fn has_staged(&self) -> bool {
        !self.lock().staged.is_empty()
    }

    /// Records that the editor is asked to write a file.
    pub(crate) fn begin_write(&self, path: &Path, text: String) -> EditorWrite {
        let path = canonical(path);
        let before = Stamp::read(&path);
        let mut state = self.lock();
        state.n_writes += 1;
        let number = state.n_writes;
        let buffer = state.files.entry(path.clone()).or_default();
        buffer.writes.push(RequestedWrite { number, text: Arc::new(Text::from(text)), before });
        state.rebuild_texts();
        EditorWrite { path, number }
    }

    /// Records the editor's response. If the disk is unchanged, the editor keeps the text unsaved in its
    /// buffer.
    pub(crate) fn end_write(&self, pending: &EditorWrite, is_written: bool) {
        let on_disk = Stamp::read(&pending.path);
        let mut state = self.lock();
        let Some(buffer) = state.files.get_mut(&pending.path) else { return };
        let Some(at) = buffer.writes.iter().position(|it| it.number == pending.number) else { return };
        let write = buffer.writes.remove(at);
        if is_written {
            let is_kept = write.before == on_disk && !holds(&pending.path, &write.text);
            buffer.unsaved = is_kept.then_some(UnsavedText { text: write.text, beside: on_disk });
        }
        state.rebuild_texts();
    }

    /// Records the text that the editor returned; blocking.
    pub(crate) fn set_editor_text(&self, path: &Path, text: String) -> Shown {
        let path = canonical(path);
        let (text, beside) = (Text::from(text), Stamp::read(&path));
        let is_unsaved = !holds(&path, &text);
        let mut state = self.lock();
        let known = state.files.get(&path).and_then(|it| it.unsaved.as_ref());
        let is_known = match known {
            Some(known) => is_unsaved && known.beside == beside && known.text.as_str() == text.as_str(),
            None => !is_unsaved,
        };
        // The same text stays the same object, by which caches know it.
        if !is_known {
            let buffer = state.files.entry(path).or_default();
            buffer.unsaved = is_unsaved.then(|| UnsavedText { text: Arc::new(text), beside });
            state.rebuild_texts();
        }
        Shown { is_unsaved, is_news: !is_known }
    }

    /// Forgets the unsaved text of a file that the editor does not return.
    pub(crate) fn forget_editor_text(&self, path: &Path) -> Shown {
        let mut state = self.lock();
        let known = state.files.get_mut(&canonical(path)).and_then(|it| it.unsaved.take());
        if known.is_some() {
            state.rebuild_texts();
        }
        Shown { is_unsaved: false, is_news: known.is_some() }
    }

    /// Drops unsaved texts whose files have changed on disk; blocking.
    pub(crate) fn drop_outdated(&self) {
        let mut state = self.lock();
        let mut is_changed = false;
        for (path, buffer) in &mut state.files {
            if buffer.unsaved.as_ref().is_some_and(|it| it.beside != Stamp::read(path)) {
                buffer.unsaved = None;
                is_changed = true;
            }
        }
        if is_changed {
            state.rebuild_texts();
        }
    }

    fn lock(&self) -> std::sync::MutexGuard<'_, BufferState> {
        lock(&self.0)
    }
}

impl BufferState {
    fn rebuild_texts(&mut self) {
        self.files.retain(|_, it| it.text().is_some());
        let texts = self.files.iter().filter_map(|(path, it)| Some((path.clone(), it.text()?)));
        let staged = self.staged.iter().map(|(path, it)| (path.clone(), Arc::clone(it)));
        self.texts = Arc::new(texts.chain(staged).collect());
    }
}

impl Buffer {
    fn text(&self) -> Option<Arc<Text>> {
        let written = self.writes.last().map(|it| &it.text);
        written.or(self.unsaved.as_ref().map(|it| &it.text)).cloned()
    }
}

/// Returns whether the file has this text on disk.
fn holds(path: &Path, text: &Text) -> bool {
    Text::read(path).is_ok_and(|it| it.as_str() == text.as_str())
}

/// Resolves symbolic links in the part of the path that exists.
pub(crate) fn canonical(path: &Path) -> PathBuf {
    let resolved = path.canonicalize().ok();
    resolved
        .or_else(|| Some(canonical(path.parent()?).join(path.file_name()?)))
        .unwrap_or_else(|| path.to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn shown(buffers: &Buffers, path: &Path) -> String {
        buffers.texts().get(path).map_or("as on disk".to_owned(), |it| it.as_str().to_owned())
    }

    #[test]
    fn a_write_counts_at_once_and_no_longer_when_it_is_refused() {
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().canonicalize().unwrap().join("a.rs");
        let buffers = Buffers::default();
        let first = buffers.begin_write(&path, "1".into());
        let second = buffers.begin_write(&path, "2".into());
        assert_eq!(shown(&buffers, &path), "2");
        buffers.end_write(&second, false);
        assert_eq!(shown(&buffers, &path), "1");
        std::fs::write(&path, "1").unwrap();
        buffers.end_write(&first, true);
        assert_eq!(shown(&buffers, &path), "as on disk");
    }

    #[test]
    fn what_the_editor_keeps_to_itself_counts_until_the_disk_changes() {
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().canonicalize().unwrap().join("a.rs");
        std::fs::write(&path, "old").unwrap();
        let buffers = Buffers::default();
        let kept = buffers.begin_write(&path, "new".into());
        buffers.end_write(&kept, true);
        buffers.drop_outdated();
        assert_eq!(shown(&buffers, &path), "new");
        std::fs::write(&path, "formatted").unwrap();
        buffers.drop_outdated();
        assert_eq!(shown(&buffers, &path), "as on disk");
        let formatted = buffers.begin_write(&path, "unformatted".into());
        std::fs::write(&path, "formatted on save").unwrap();
        buffers.end_write(&formatted, true);
        assert_eq!(shown(&buffers, &path), "as on disk");
    }

    #[test]
    fn an_unsaved_buffer_counts_until_it_is_saved() {
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().canonicalize().unwrap().join("a.rs");
        std::fs::write(&path, "saved").unwrap();
        let buffers = Buffers::default();
        buffers.set_editor_text(&path, "saved".into());
        assert_eq!(shown(&buffers, &path), "as on disk");
        buffers.set_editor_text(&path, "typed".into());
        assert_eq!(shown(&buffers, &path), "typed");
        buffers.forget_editor_text(&path);
        assert_eq!(shown(&buffers, &path), "as on disk");
    }
}
