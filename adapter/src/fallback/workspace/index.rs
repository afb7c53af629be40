//! An index of the definitions in each file, so that name queries parse no unchanged file.
//!
//! The first query of a folder starts indexing in the background, on threads of low priority. Until it is
//! done, queries work without the index or wait briefly. A copy on disk saves most of that work.
//!
//! Before each use the tree is scanned, unless a [`TreeWatcher`] reports no change, and changed files are
//! parsed again. So an answer uses current symbols of all files, or does not use the index. A folder beyond
//! [`ENTRY_LIMIT`] files or [`BYTE_LIMIT`] bytes has no index.

pub(crate) mod file_symbols;
pub(crate) mod store;

use std::collections::{BTreeMap, HashMap};
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, TryLockError, Weak};
use std::time::Instant;

use file_symbols::FileSymbols;
use store::{IndexStore, Key, KnownSymbols, StoredFile};

use super::buffers::Texts;
use super::stamp::{RACY, Stamp};
use super::tree_watcher::TreeWatcher;
use super::walk::ENTRY_LIMIT;
use super::word_index;
use super::word_index::IndexState;
use crate::fallback::source::languages::{Language, language_of};
use crate::fallback::source::parallel;
use crate::fallback::source::parallel::threads;
use crate::fallback::source::text::{ReadError, Text};
use crate::fallback::trust::work_trees;
use crate::os;
use unpoisoned::lock;

/// The most bytes of symbols for one folder.
const BYTE_LIMIT: usize = 96 * 1024 * 1024;

/// The most files that are parsed while a request waits.
const AT_ONCE: usize = 200;

/// The most work trees of a repository whose saved indexes are used for another one.
const COPIES: usize = 4;

/// The number of files that are parsed in the background between two checks that the index is still used.
const PART: usize = 256;

/// The symbol indexes of folders. Clones share them.
#[derive(Clone, Debug, Default)]
pub(crate) struct Index {
    folders: Arc<Mutex<HashMap<PathBuf, Arc<FolderIndex>>>>,
    store: Option<IndexStore>,
    known: KnownSymbols,
}

/// The symbols of all files of a language in a folder, each current.
#[derive(Clone, Debug, Default)]
pub(crate) struct FolderSymbols {
    /// The symbols by path.
    pub(crate) files: BTreeMap<PathBuf, Arc<FileSymbols>>,
    /// The files that could not be read.
    pub(crate) unreadable: Vec<PathBuf>,
}

/// The index of one folder.
#[derive(Debug, Default)]
struct FolderIndex {
    files: Mutex<IndexedFiles>,
    /// `true` while files are being indexed in the background.
    is_busy: AtomicBool,
}

#[derive(Debug, Default)]
struct IndexedFiles {
    watcher: TreeWatcher,
    files: BTreeMap<PathBuf, FileState>,
    state: IndexState,
    /// `true` once every file was indexed; since then only a few can be missing.
    is_whole: bool,
    /// The number of changes since the index was saved.
    unsaved: usize,
    /// The symbols that other work trees of the repository have, until this index is whole.
    copies: Vec<Arc<FileSymbols>>,
}

#[derive(Clone, Debug)]
struct FileState {
    stamp: Stamp,
    /// The result of parsing; `None` if the file is to be read.
    made: Option<IndexedFile>,
}

/// The result of parsing a file.
#[derive(Clone, Debug)]
struct IndexedFile {
    key: Key,
    /// The symbols; `None` if the file could not be read.
    symbols: Option<Arc<FileSymbols>>,
    /// `true` if the file may have changed since without a change of its stamp.
    racy: bool,
}

impl Index {
    /// Creates an index with a copy on disk.
    pub(crate) fn with_store(store: Option<IndexStore>) -> Self {
        let known = store.as_ref().map(|it| it.symbols.clone()).unwrap_or_default();
        Self { store, known, ..Self::default() }
    }

    /// Returns the symbols of all files of a language below `part` of a folder, with the editor's texts;
    /// blocking.
    ///
    /// `None` if they are unknown; then indexing starts in the background.
    pub(crate) fn symbols(
        &self,
        folder: &Path,
        part: &Path,
        language: &Language,
        texts: &Texts,
        until: Instant,
    ) -> Option<FolderSymbols> {
        let index = Arc::clone(lock(&self.folders).entry(folder.to_owned()).or_default());
        let is_busy = index.is_busy.load(Ordering::SeqCst);
        let mut files = match index.files.try_lock() {
            Ok(files) => files,
            Err(TryLockError::Poisoned(error)) => error.into_inner(),
            // The background thread has a low priority, so waiting for it would take long.
            Err(TryLockError::WouldBlock) if is_busy => return None,
            Err(TryLockError::WouldBlock) => lock(&index.files),
        };
        if !files.is_whole && is_busy {
            return None;
        }
        if files.state == IndexState::Unread {
            files.load(folder, self.store.as_ref());
        }
        let is_begun = !files.files.is_empty() || files.state == IndexState::Read;
        if is_begun {
            files.refresh(folder);
        }
        let unread = files.unread(texts);
        if files.state != IndexState::Read || unread.len() > AT_ONCE {
            let is_wanted = files.state != IndexState::TooLarge;
            drop(files);
            if is_wanted {
                FolderIndex::start_indexing(&index, folder, self);
            }
            return None;
        }
        for (path, file) in read(&unread, &self.known, threads(), until) {
            files.put(&path, file);
        }
        files.copies.clear();
        files.is_whole = true;
        let is_meant =
            |path: &Path| path.starts_with(part) && language.owns(path) && language_of(path).is_some();
        let mut all = FolderSymbols::default();
        let here = files.files.range(part.to_owned()..).take_while(|(path, _)| path.starts_with(part));
        for (path, file) in here.filter(|(path, _)| is_meant(path) && !texts.contains_key(*path)) {
            // The file changes all the time, or there was no time to read it.
            let made = file.made.as_ref()?;
            match &made.symbols {
                Some(symbols) => drop(all.files.insert(path.clone(), Arc::clone(symbols))),
                None => all.unreadable.push(path.clone()),
            }
        }
        let is_stale = files.unsaved > files.files.len() / 16;
        drop(files);
        if is_stale {
            FolderIndex::start_indexing(&index, folder, self);
        }
        for (path, text) in texts.iter().filter(|(path, _)| is_meant(path)) {
            all.files.insert(path.clone(), Arc::new(FileSymbols::of_text(language_of(path)?, text)));
        }
        // An empty result proves nothing: the request may be about files that git ignores.
        (!all.files.is_empty()).then_some(all)
    }

    /// Returns whether one of these folders is being indexed.
    pub(crate) fn is_busy(&self, folders: &[PathBuf]) -> bool {
        let known = lock(&self.folders);
        folders.iter().filter_map(|it| known.get(it)).any(|it| it.is_busy.load(Ordering::SeqCst))
    }

    /// Starts to index folders in the background, unless that has begun.
    pub(crate) fn start_indexing(&self, folders: &[PathBuf]) {
        for folder in folders {
            let index = Arc::clone(lock(&self.folders).entry(folder.clone()).or_default());
            let is_new = index.files.try_lock().is_ok_and(|it| it.state == IndexState::Unread);
            if is_new {
                FolderIndex::start_indexing(&index, folder, self);
            }
        }
    }
}

impl FolderIndex {
    /// Indexes missing files in the background and saves the index, while somebody uses the folder.
    fn start_indexing(index: &Arc<Self>, folder: &Path, all: &Index) {
        if index.is_busy.swap(true, Ordering::SeqCst) {
            return;
        }
        let (weak, folder) = (Arc::downgrade(index), folder.to_owned());
        let (store, known) = (all.store.clone(), all.known.clone());
        let spawned = std::thread::Builder::new().name("index".into()).spawn(move || {
            os::lower_priority();
            let began = Instant::now();
            let ended = fill(&weak, &folder, store.as_ref(), &known);
            tracing::debug!(?folder, is_whole = ended.is_some(), took = ?began.elapsed(), "indexed");
            if let Some(index) = weak.upgrade() {
                index.is_busy.store(false, Ordering::SeqCst);
            }
        });
        if spawned.is_err() {
            index.is_busy.store(false, Ordering::SeqCst);
        }
    }
}

/// Indexes a folder; `None` if nobody uses it any more, or it is too large.
fn fill(
    index: &Weak<FolderIndex>,
    folder: &Path,
    store: Option<&IndexStore>,
    shared: &KnownSymbols,
) -> Option<()> {
    // Many files are copies of others.
    let mut known: HashMap<Key, Arc<FileSymbols>> = HashMap::new();
    let mut is_moving = true;
    let stored = loop {
        let index_now = index.upgrade()?;
        let mut files = lock(&index_now.files);
        if files.state == IndexState::Unread {
            files.load(folder, store);
        }
        if is_moving {
            files.refresh(folder);
        }
        if files.state != IndexState::Read {
            return None;
        }
        let unread: Vec<_> = files.unread(&Texts::default()).into_iter().take(PART).collect();
        if unread.is_empty() {
            files.share(&known);
            files.copies.clear();
            files.is_whole = true;
            break (std::mem::take(&mut files.unsaved) > 0).then(|| files.to_store(folder));
        }
        drop(files);
        drop(index_now);
        let made = read(&unread, shared, threads().div_ceil(2), far_off());
        is_moving = made.len() < unread.len();
        let index_now = index.upgrade()?;
        let mut files = lock(&index_now.files);
        for (path, file) in made {
            if let Some(IndexedFile { key, symbols: Some(symbols), .. }) = &file.made {
                known.insert(*key, Arc::clone(symbols));
            }
            is_moving |= !files.put(&path, file);
        }
        if known.values().map(|it| it.bytes().len()).sum::<usize>() > BYTE_LIMIT {
            tracing::info!(?folder, "too many definitions for an index");
            *files = IndexedFiles { state: IndexState::TooLarge, ..IndexedFiles::default() };
            return None;
        }
    };
    if let (Some(store), Some(stored)) = (store, stored)
        && let Err(error) = store.save(folder, &stored)
    {
        tracing::debug!(?folder, %error, "the index could not be saved");
    }
    Some(())
}

impl IndexedFiles {
    /// Loads the saved index; each entry counts while its stamp is unchanged. Without one, the saved indexes of other work
    /// trees of the repository save parsing texts that are the same.
    fn load(&mut self, folder: &Path, store: Option<&IndexStore>) {
        let Some(store) = store else { return };
        let file = |StoredFile { path, stamp, key, symbols }: StoredFile| {
            let made = Some(IndexedFile { key, symbols: Some(symbols), racy: false });
            (folder.join(path), FileState { stamp, made })
        };
        self.files = store.load(folder).into_iter().map(file).collect();
        let made = self.files.values().filter_map(|it| it.made.as_ref());
        made.for_each(|it| it.symbols.iter().for_each(|symbols| store.symbols.add(it.key, symbols)));
        if self.files.is_empty() {
            for same in work_trees::same_folders(folder).iter().take(COPIES) {
                for StoredFile { key, symbols, .. } in store.load(same) {
                    self.copies.push(store.symbols.get_or_compute(key, || FileSymbols::clone(&symbols)));
                }
            }
        }
    }

    /// Scans the folder, and forgets the symbols of changed files.
    fn refresh(&mut self, folder: &Path) {
        if self.state == IndexState::TooLarge
            || self.state == IndexState::Read && self.watcher.is_unchanged(word_index::is_relevant)
        {
            return;
        }
        self.watcher.begin_scan();
        let (seen, files) = word_index::scan(folder);
        if files.len() > ENTRY_LIMIT {
            *self = Self { state: IndexState::TooLarge, ..Self::default() };
            return;
        }
        let mut known = std::mem::take(&mut self.files);
        for (path, stamp) in files.into_iter().filter(|(path, _)| language_of(path).is_some()) {
            let known = known.remove(&path).filter(|it| it.stamp == stamp);
            let made = known.and_then(|it| it.made).filter(|it| !it.racy && it.symbols.is_some());
            self.files.insert(path, FileState { stamp, made });
        }
        self.unsaved += known.len();
        self.state = IndexState::Read;
        self.watcher.end_scan(&seen);
    }

    fn unread(&self, texts: &Texts) -> Vec<PathBuf> {
        let unread = self.files.iter().filter(|(path, it)| it.made.is_none() && !texts.contains_key(*path));
        unread.map(|(path, _)| path.clone()).collect()
    }

    /// Stores the result for a file unless the file has changed since. Returns whether it was stored or
    /// known.
    fn put(&mut self, path: &Path, file: FileState) -> bool {
        match self.files.get_mut(path) {
            Some(seen) if seen.stamp != file.stamp => false,
            Some(seen) if seen.made.is_none() => {
                self.unsaved += usize::from(file.made.as_ref().is_some_and(|it| it.symbols.is_some()));
                *seen = file;
                true
            }
            Some(_) => true,
            None => false,
        }
    }

    /// Shares one allocation among files with the same text.
    fn share(&mut self, known: &HashMap<Key, Arc<FileSymbols>>) {
        for made in self.files.values_mut().filter_map(|it| it.made.as_mut()) {
            if let Some(symbols) = known.get(&made.key).filter(|_| made.symbols.is_some()) {
                made.symbols = Some(Arc::clone(symbols));
            }
        }
    }

    /// Returns the entries that are safe to save.
    fn to_store(&self, folder: &Path) -> Vec<StoredFile> {
        let sound = self.files.iter().filter_map(|(path, file)| {
            let made = file.made.as_ref().filter(|it| !it.racy)?;
            let path = path.strip_prefix(folder).ok()?.to_owned();
            Some(StoredFile {
                path,
                stamp: file.stamp,
                key: made.key,
                symbols: Arc::clone(made.symbols.as_ref()?),
            })
        });
        sound.collect()
    }
}

/// Parses files on several threads until the deadline; the rest is left out.
fn read(
    paths: &[PathBuf],
    known: &KnownSymbols,
    n_threads: usize,
    until: Instant,
) -> Vec<(PathBuf, FileState)> {
    parallel::map(paths, n_threads, until, |path| Some((path.clone(), FileState::read(path, known)?)))
}

impl FileState {
    /// Parses one file; `None` if it is gone.
    fn read(path: &Path, known: &KnownSymbols) -> Option<Self> {
        let (language, stamp) = (language_of(path)?, Stamp::read(path)?);
        let text = Text::read(path);
        let racy = stamp.age() < RACY || Stamp::read(path) != Some(stamp);
        let made = match text {
            Ok(text) => {
                let key = store::key(language.id(), text.as_str());
                let symbols = known.get_or_compute(key, || FileSymbols::of_text(language, &text));
                IndexedFile { key, symbols: Some(symbols), racy }
            }
            // A binary file has no symbols.
            Err(ReadError::Binary) => {
                IndexedFile { key: store::key("", ""), symbols: Some(Arc::new(FileSymbols::default())), racy }
            }
            Err(_) => IndexedFile { key: Key::default(), symbols: None, racy },
        };
        Some(Self { stamp, made: Some(made) })
    }
}

fn far_off() -> Instant {
    Instant::now() + std::time::Duration::from_secs(24 * 60 * 60)
}

#[cfg(test)]
#[path = "index/index_tests.rs"]
mod tests;
