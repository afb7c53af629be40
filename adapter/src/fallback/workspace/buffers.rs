//! Texts that files have in the editor, or are about to have: they count before those on disk.
//!
//! A text comes here in two ways. The agent asks the editor to write it: it counts from then on, before the editor has
//! answered, and no longer when the editor refuses. Or the editor was asked what it holds and holds something else
//! than the disk: an unsaved buffer, which counts until the file changes on disk or the editor is asked again.

use std::collections::{BTreeMap, HashMap};
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex};

use super::file_scan;
use super::stamp::Stamp;
use crate::fallback::source::text::Text;
use crate::lock::lock;

/// The texts that count before those on disk, by canonical path.
pub(crate) type Texts = Arc<BTreeMap<PathBuf, Arc<Text>>>;

/// The buffers of one editor, shared by all who read files for it.
#[derive(Clone, Debug, Default)]
pub(crate) struct Buffers(Arc<Mutex<State>>);

#[derive(Debug, Default)]
struct State {
    files: HashMap<PathBuf, Buffer>,
    /// What they come to; made anew with each change.
    texts: Texts,
    n_writes: u64,
}

#[derive(Debug, Default)]
struct Buffer {
    /// Texts that the editor was asked to write and has not answered about, the latest last.
    writes: Vec<Write>,
    unsaved: Option<Unsaved>,
}

#[derive(Debug)]
struct Write {
    number: u64,
    text: Arc<Text>,
    /// The file on disk when the write began.
    before: Option<Stamp>,
}

#[derive(Debug)]
struct Unsaved {
    text: Arc<Text>,
    /// The file on disk beside it.
    beside: Option<Stamp>,
}

/// A write that the editor was asked for and has not answered.
#[derive(Debug)]
pub(crate) struct Pending {
    path: PathBuf,
    number: u64,
}

impl Buffers {
    /// The texts that count now.
    pub(crate) fn texts(&self) -> Texts {
        Arc::clone(&self.lock().texts)
    }

    /// The editor is asked to write a file.
    pub(crate) fn begin(&self, path: &Path, text: String) -> Pending {
        let path = canonical(path);
        let before = file_scan::stamp(&path);
        let mut state = self.lock();
        state.n_writes += 1;
        let number = state.n_writes;
        let buffer = state.files.entry(path.clone()).or_default();
        buffer.writes.push(Write { number, text: Arc::new(Text::from(text)), before });
        state.sum_up();
        Pending { path, number }
    }

    /// The editor has answered. One that wrote nothing to the disk keeps the text in its buffer.
    pub(crate) fn end(&self, pending: &Pending, is_written: bool) {
        let on_disk = file_scan::stamp(&pending.path);
        let mut state = self.lock();
        let Some(buffer) = state.files.get_mut(&pending.path) else { return };
        let Some(at) = buffer.writes.iter().position(|it| it.number == pending.number) else { return };
        let write = buffer.writes.remove(at);
        if is_written {
            let is_kept = write.before == on_disk && !holds(&pending.path, &write.text);
            buffer.unsaved = is_kept.then_some(Unsaved { text: write.text, beside: on_disk });
        }
        state.sum_up();
    }

    /// The editor said what it holds.
    pub(crate) fn shown(&self, path: &Path, text: String) {
        let path = canonical(path);
        let (text, beside) = (Text::from(text), file_scan::stamp(&path));
        let is_unsaved = !holds(&path, &text);
        let mut state = self.lock();
        let buffer = state.files.entry(path).or_default();
        buffer.unsaved = is_unsaved.then(|| Unsaved { text: Arc::new(text), beside });
        state.sum_up();
    }

    /// The editor does not say what it holds: the disk counts.
    pub(crate) fn hidden(&self, path: &Path) {
        let mut state = self.lock();
        if let Some(buffer) = state.files.get_mut(&canonical(path)) {
            buffer.unsaved = None;
            state.sum_up();
        }
    }

    /// Lets go of unsaved texts whose files have changed on disk; blocking.
    pub(crate) fn settle(&self) {
        let mut state = self.lock();
        let mut is_changed = false;
        for (path, buffer) in &mut state.files {
            if buffer.unsaved.as_ref().is_some_and(|it| it.beside != file_scan::stamp(path)) {
                buffer.unsaved = None;
                is_changed = true;
            }
        }
        if is_changed {
            state.sum_up();
        }
    }

    fn lock(&self) -> std::sync::MutexGuard<'_, State> {
        lock(&self.0)
    }
}

impl State {
    fn sum_up(&mut self) {
        self.files.retain(|_, it| it.text().is_some());
        let texts = self.files.iter().filter_map(|(path, it)| Some((path.clone(), it.text()?)));
        self.texts = Arc::new(texts.collect());
    }
}

impl Buffer {
    fn text(&self) -> Option<Arc<Text>> {
        let written = self.writes.last().map(|it| &it.text);
        written.or(self.unsaved.as_ref().map(|it| &it.text)).cloned()
    }
}

/// Whether that is what the file holds on disk.
fn holds(path: &Path, text: &Text) -> bool {
    Text::read(path).is_ok_and(|it| it.as_str() == text.as_str())
}

/// With symbolic links resolved, as far as the path exists.
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
        let first = buffers.begin(&path, "1".into());
        let second = buffers.begin(&path, "2".into());
        assert_eq!(shown(&buffers, &path), "2");
        buffers.end(&second, false);
        assert_eq!(shown(&buffers, &path), "1");
        std::fs::write(&path, "1").unwrap();
        buffers.end(&first, true);
        assert_eq!(shown(&buffers, &path), "as on disk");
    }

    #[test]
    fn what_the_editor_keeps_to_itself_counts_until_the_disk_changes() {
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().canonicalize().unwrap().join("a.rs");
        std::fs::write(&path, "old").unwrap();
        let buffers = Buffers::default();
        let kept = buffers.begin(&path, "new".into());
        buffers.end(&kept, true);
        buffers.settle();
        assert_eq!(shown(&buffers, &path), "new");
        std::fs::write(&path, "formatted").unwrap();
        buffers.settle();
        assert_eq!(shown(&buffers, &path), "as on disk");
        let formatted = buffers.begin(&path, "unformatted".into());
        std::fs::write(&path, "formatted on save").unwrap();
        buffers.end(&formatted, true);
        assert_eq!(shown(&buffers, &path), "as on disk");
    }

    #[test]
    fn an_unsaved_buffer_counts_until_it_is_saved() {
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().canonicalize().unwrap().join("a.rs");
        std::fs::write(&path, "saved").unwrap();
        let buffers = Buffers::default();
        buffers.shown(&path, "saved".into());
        assert_eq!(shown(&buffers, &path), "as on disk");
        buffers.shown(&path, "typed".into());
        assert_eq!(shown(&buffers, &path), "typed");
        buffers.hidden(&path);
        assert_eq!(shown(&buffers, &path), "as on disk");
    }
}
