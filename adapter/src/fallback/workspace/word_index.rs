//! An index of the words in each file, so that a search for a word reads only files that may contain it.
//!
//! It holds a 32-bit hash for each word of each file of code, valid while the file's stamp is unchanged. A
//! missing hash proves that the word is absent; other files are read. A file of three hundred lines takes
//! about one KiB. A folder beyond [`WORD_LIMIT`] hashes or [`ENTRY_LIMIT`] files has no index.

use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::fs;
use std::os::unix::fs::MetadataExt;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, TryLockError};

use ignore::WalkState;

use super::buffers::Texts;
use super::stamp::{RACY, Stamp};
use super::tree_watcher::{TreeScan, TreeWatcher};
use super::walk;
use super::walk::ENTRY_LIMIT;
use crate::blocking;
use crate::fallback::source::languages::{LANGUAGES, Language};
use crate::fallback::source::parallel::threads;
use crate::os::watch::WatchEvent;
use unpoisoned::lock;

/// The most hashes for one folder: 64 MiB.
const WORD_LIMIT: usize = 16 * 1024 * 1024;

/// The largest file that is indexed, in bytes.
const SIZE_LIMIT: u64 = 8 * 1024 * 1024;

/// The word indexes of folders. Clones share them.
#[derive(Clone, Debug, Default)]
pub(crate) struct WordIndex(Arc<Mutex<HashMap<PathBuf, Arc<Mutex<FolderWords>>>>>);

/// The word index of one folder.
#[derive(Debug, Default)]
struct FolderWords {
    watcher: TreeWatcher,
    files: BTreeMap<PathBuf, FileWords>,
    state: IndexState,
    /// The generation, which grows with each scan that found a change.
    generation: u64,
}

/// The state of a folder's index.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) enum IndexState {
    #[default]
    Unread,
    Read,
    TooLarge,
}

/// The words of one file.
#[derive(Clone, Debug)]
struct FileWords {
    stamp: Stamp,
    /// `true` if the file may have changed since without a change of its stamp.
    racy: bool,
    /// The sorted hashes; `None` if the file may contain any word.
    words: Option<Arc<[u32]>>,
}

impl WordIndex {
    /// Returns the files of code that may contain a word, and those in the editor; `None` if that is unknown.
    /// Blocking.
    pub(crate) fn files_with(&self, folder: &Path, word: &str, texts: &Texts) -> Option<Vec<PathBuf>> {
        let word = longest_run(word)?;
        self.read_now(folder, |index| index.files_with(number(word.as_bytes()), texts))
    }

    /// Returns the generation of each folder, which differs after any file of code has changed; `None` if
    /// unknown. Blocking.
    pub(crate) fn generations(&self, folders: &[PathBuf]) -> Option<Vec<u64>> {
        folders.iter().map(|it| self.read_now(it, |index| index.generation)).collect()
    }

    /// Returns the generations if nothing has changed, which takes a moment; `None` where more has to be done to know them.
    pub(crate) fn known_generations(&self, folders: &[PathBuf]) -> Option<Vec<u64>> {
        let known = |index: &mut FolderWords| {
            let is_quick = index.watcher.count() <= blocking::FEW;
            (is_quick && index.watcher.is_unchanged(is_relevant)).then_some(index.generation)
        };
        folders.iter().map(|it| self.with_read(it, known)).collect()
    }

    /// Updates a folder's index and evaluates `what` on it; `None` if there is none.
    fn read_now<T>(&self, folder: &Path, what: impl FnOnce(&FolderWords) -> T) -> Option<T> {
        self.with_read(folder, |index| {
            if !index.watcher.is_unchanged(is_relevant) {
                index.read(folder);
            }
            (index.state == IndexState::Read).then(|| what(index))
        })
    }

    /// Evaluates `what` on a folder's index as it was read last; `None` if there is none, or it is being read.
    fn with_read<T>(&self, folder: &Path, what: impl FnOnce(&mut FolderWords) -> Option<T>) -> Option<T> {
        let index = lock(&self.0).get(folder).cloned()?;
        let mut index = match index.try_lock() {
            Ok(index) => index,
            Err(TryLockError::Poisoned(error)) => error.into_inner(),
            // Another thread is reading it.
            Err(TryLockError::WouldBlock) => return None,
        };
        if index.state != IndexState::Read {
            return None;
        }
        what(&mut index)
    }

    /// Starts to index folders in the background, unless that has begun.
    pub(crate) fn start_reading(&self, folders: &[PathBuf]) {
        for folder in folders {
            let mut known = lock(&self.0);
            if known.contains_key(folder) {
                continue;
            }
            let index = Arc::clone(known.entry(folder.clone()).or_default());
            let folder = folder.clone();
            let _in_the_background = blocking::spawn(move || lock(&index).read(&folder));
        }
    }
}

impl FolderWords {
    fn files_with(&self, word: u32, texts: &Texts) -> Vec<PathBuf> {
        let may_hold = |path: &PathBuf, file: &FileWords| {
            let has_word = |words: &Arc<[u32]>| words.binary_search(&word).is_ok();
            file.words.as_ref().is_none_or(has_word) || texts.contains_key(path)
        };
        let files = self.files.iter().filter(|(path, file)| may_hold(path, file));
        files.map(|(path, _)| path.clone()).collect()
    }

    /// Scans all files, and reads those that have changed.
    fn read(&mut self, folder: &Path) {
        let started = std::time::Instant::now();
        self.watcher.begin_scan();
        let (seen, files) = scan(folder);
        if files.len() > ENTRY_LIMIT {
            *self = Self { state: IndexState::TooLarge, ..Self::default() };
            return;
        }
        let mut known = std::mem::take(&mut self.files);
        let (mut n_words, mut n_read) = (0, 0);
        for (path, stamp) in files {
            let file = known.remove(&path).filter(|it| it.stamp == stamp && !it.racy);
            let file = file.unwrap_or_else(|| {
                n_read += 1;
                FileWords::read(&path, stamp)
            });
            n_words += file.words.as_ref().map_or(0, |it| it.len());
            self.files.insert(path, file);
            if n_words > WORD_LIMIT {
                tracing::info!(?folder, "too many words for an index");
                *self = Self { state: IndexState::TooLarge, ..Self::default() };
                return;
            }
        }
        // Files that remain in `known` have been deleted.
        self.generation += u64::from(n_read > 0 || !known.is_empty());
        self.state = IndexState::Read;
        self.watcher.end_scan(&seen);
        tracing::debug!(?folder, files = self.files.len(), n_read, n_words, took = ?started.elapsed(), "words indexed");
    }
}

impl FileWords {
    fn read(path: &Path, stamp: Stamp) -> Self {
        let is_large = stamp.size > SIZE_LIMIT;
        let content = if is_large { None } else { fs::read(path).ok() };
        // The search decodes UTF-16, so these bytes are not its words.
        let content = content.filter(|it| !it.starts_with(&[0xFF, 0xFE]) && !it.starts_with(&[0xFE, 0xFF]));
        Self { stamp, racy: stamp.age() < RACY, words: content.map(|it| words(&it)) }
    }
}

/// Returns the longest run of word characters; a file with the word contains that run.
fn longest_run(word: &str) -> Option<&str> {
    word.split(|it: char| !is_in_word(it)).filter(|it| !it.is_empty()).max_by_key(|it| it.len())
}

fn is_in_word(character: char) -> bool {
    character.is_ascii_alphanumeric() || character == '_'
}

fn words(content: &[u8]) -> Arc<[u32]> {
    let is_apart = |it: &u8| !it.is_ascii_alphanumeric() && *it != b'_';
    let mut words: Vec<u32> = content.split(is_apart).filter(|it| !it.is_empty()).map(number).collect();
    words.sort_unstable();
    words.dedup();
    words.into()
}

/// Hashes a word with FNV-1a. A collision costs one needless read of a file.
fn number(word: &[u8]) -> u32 {
    word.iter().fold(0x811c_9dc5, |hash, byte| (hash ^ u32::from(*byte)).wrapping_mul(0x0100_0193))
}

/// Returns whether an event can change the result of a scan.
pub(crate) fn is_relevant(event: WatchEvent<'_>, _: bool) -> bool {
    match event.name {
        Some(name) if event.is_folder => name == ".git" || !name.as_encoded_bytes().starts_with(b"."),
        Some(name) => name == ".gitignore" || name == ".ignore" || may_be_code(Path::new(name)),
        None => true,
    }
}

fn is_code(path: &Path) -> bool {
    LANGUAGES.iter().any(|it: &Language| it.is_code && it.owns(path))
}

/// Returns whether a file with that name may be code.
fn may_be_code(name: &Path) -> bool {
    LANGUAGES.iter().any(|it: &Language| it.is_code && it.may_own(name))
}

/// Returns the files of code in a folder with their stamps, slightly more than [`ENTRY_LIMIT`] if there are
/// too many.
pub(crate) fn scan(folder: &Path) -> (TreeScan, BTreeMap<PathBuf, Stamp>) {
    let mut builder = walk::builder(folder, folder);
    builder.threads(threads());
    let found = Mutex::new((TreeScan::default(), BTreeMap::new()));
    builder.build_parallel().run(|| {
        let found = &found;
        Box::new(move |entry| {
            let Ok(entry) = entry else {
                lock(found).0.is_doubtful = true;
                return WalkState::Continue;
            };
            let kind = entry.file_type();
            if kind.is_some_and(|it| it.is_dir()) {
                let rules = entry.path().join(".git/info/exclude");
                let mut found = lock(found);
                found.0.rechecked.extend(rules.exists().then_some(rules));
                found.0.folders.insert(entry.into_path());
            } else if kind.is_some_and(|it| it.is_file()) && is_code(entry.path()) {
                match entry.metadata() {
                    Ok(metadata) => {
                        let mut found = lock(found);
                        found.0.rechecked.extend((metadata.nlink() > 1).then(|| entry.path().to_owned()));
                        found.1.insert(entry.into_path(), Stamp::from_metadata(&metadata));
                        if found.1.len() > ENTRY_LIMIT {
                            return WalkState::Quit;
                        }
                    }
                    Err(_) => lock(found).0.is_doubtful = true,
                }
            }
            WalkState::Continue
        })
    });
    let (mut seen, files) = unpoisoned::into_inner(found);
    seen.starts.push(folder.to_owned());
    seen.rechecked.extend(rules_above(folder));
    (seen, files)
}

/// Returns the files outside of a folder that can contain ignore rules for it, whether they exist or not.
fn rules_above(folder: &Path) -> BTreeSet<PathBuf> {
    let here = [".git/HEAD", ".git/info/exclude"].map(|it| folder.join(it));
    let above = folder.ancestors().skip(1);
    let above = above
        .flat_map(|it| [".gitignore", ".ignore", ".git/HEAD", ".git/info/exclude"].map(|file| it.join(file)));
    // As git and the crate `ignore` do, which differs slightly from `xdg_dirs`.
    let home = std::env::home_dir();
    let configured = std::env::var_os("XDG_CONFIG_HOME").map(PathBuf::from);
    let configured = configured.or_else(|| Some(home.as_ref()?.join(".config")));
    let users = home.into_iter().map(|it| it.join(".gitconfig"));
    let users =
        users.chain(configured.iter().flat_map(|it| ["git/ignore", "git/config"].map(|file| it.join(file))));
    here.into_iter().chain(above).chain(users).collect()
}

#[cfg(test)]
#[path = "word_index_tests.rs"]
mod tests;
