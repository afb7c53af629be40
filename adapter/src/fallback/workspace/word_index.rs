//! Which files may hold a word, so that a question about a word reads those and no others.
//!
//! For each file of code the words in it are kept, as numbers, for as long as its stamp is the same. What is kept
//! says where a word is not; where it may be is read. A number takes four bytes: a file of three hundred lines takes
//! about one kibibyte. Beyond [`WORD_LIMIT`] numbers
//! or [`ENTRY_LIMIT`] files in a folder nothing is kept, and everything is read.

use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::fs;
use std::os::unix::fs::MetadataExt;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, PoisonError, TryLockError};

use ignore::WalkState;

use super::buffers::Texts;
use super::stamp::{RACY, Stamp};
use super::tree_watcher::{Seen, Vigil};
use super::walk::ENTRY_LIMIT;
use super::{file_scan, walk};
use crate::blocking;
use crate::fallback::source::languages::{LANGUAGES, Language};
use crate::fallback::source::parallel::threads;
use crate::lock::lock;
use crate::os::watch::Happening;

/// How many words of one folder's files are kept: 64 MiB.
const WORD_LIMIT: usize = 16 * 1024 * 1024;

/// Of larger files, in bytes, no words are kept.
const SIZE_LIMIT: u64 = 8 * 1024 * 1024;

/// The words of folders; shared by all that it is cloned to.
#[derive(Clone, Debug, Default)]
pub(crate) struct Lexicon(Arc<Mutex<HashMap<PathBuf, Arc<Mutex<Book>>>>>);

/// The words of one folder.
#[derive(Debug, Default)]
struct Book {
    vigil: Vigil,
    pages: BTreeMap<PathBuf, Page>,
    state: State,
    /// Counts the looks that came to something else than the one before.
    edition: u64,
}

/// Whether a folder was looked at.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) enum State {
    #[default]
    Unread,
    Read,
    TooLarge,
}

/// The words of one file.
#[derive(Clone, Debug)]
struct Page {
    stamp: Stamp,
    /// Whether it may have changed since without a change of its stamp.
    racy: bool,
    /// In order; `None` where any word may be.
    words: Option<Arc<[u32]>>,
}

impl Lexicon {
    /// The files of code in a folder that may hold a word, as ripgrep's rules list them, and those that the editor
    /// holds; blocking. `None` when that is not known.
    pub(crate) fn holding(&self, folder: &Path, word: &str, texts: &Texts) -> Option<Vec<PathBuf>> {
        let word = longest_run(word)?;
        self.read_now(folder, |book| book.holding(number(word.as_bytes()), texts))
    }

    /// A number for each folder that is another one when a file of code in it is not as it was when it was asked for
    /// last; blocking. `None` when that is not known.
    pub(crate) fn editions(&self, folders: &[PathBuf]) -> Option<Vec<u64>> {
        folders.iter().map(|it| self.read_now(it, |book| book.edition)).collect()
    }

    /// Something of a folder's book, which says what is in its files now; `None` when there is none.
    fn read_now<T>(&self, folder: &Path, what: impl FnOnce(&Book) -> T) -> Option<T> {
        let book = lock(&self.0).get(folder).cloned()?;
        let mut book = match book.try_lock() {
            Ok(book) => book,
            Err(TryLockError::Poisoned(error)) => error.into_inner(),
            // It is being read.
            Err(TryLockError::WouldBlock) => return None,
        };
        if book.state != State::Read {
            return None;
        }
        if !book.vigil.is_still(matters) {
            book.read(folder);
        }
        (book.state == State::Read).then(|| what(&book))
    }

    /// Reads folders that were not read yet, in the background.
    pub(crate) fn read_soon(&self, folders: &[PathBuf]) {
        for folder in folders {
            let mut books = lock(&self.0);
            if books.contains_key(folder) {
                continue;
            }
            let book = Arc::clone(books.entry(folder.clone()).or_default());
            let folder = folder.clone();
            let _in_the_background = blocking::spawn(move || lock(&book).read(&folder));
        }
    }
}

impl Book {
    fn holding(&self, word: u32, texts: &Texts) -> Vec<PathBuf> {
        let may_hold = |path: &PathBuf, page: &Page| {
            let has_word = |words: &Arc<[u32]>| words.binary_search(&word).is_ok();
            page.words.as_ref().is_none_or(has_word) || texts.contains_key(path)
        };
        let pages = self.pages.iter().filter(|(path, page)| may_hold(path, page));
        pages.map(|(path, _)| path.clone()).collect()
    }

    /// Looks at all files, and reads those that changed.
    fn read(&mut self, folder: &Path) {
        let started = std::time::Instant::now();
        self.vigil.begin();
        let (seen, files) = look(folder);
        if files.len() > ENTRY_LIMIT {
            *self = Self { state: State::TooLarge, ..Self::default() };
            return;
        }
        let mut known = std::mem::take(&mut self.pages);
        let (mut n_words, mut n_read) = (0, 0);
        for (path, stamp) in files {
            let page = known.remove(&path).filter(|it| it.stamp == stamp && !it.racy);
            let page = page.unwrap_or_else(|| {
                n_read += 1;
                Page::read(&path, stamp)
            });
            n_words += page.words.as_ref().map_or(0, |it| it.len());
            self.pages.insert(path, page);
            if n_words > WORD_LIMIT {
                tracing::info!(?folder, "too many words to be kept");
                *self = Self { state: State::TooLarge, ..Self::default() };
                return;
            }
        }
        // What is left of the known is gone.
        self.edition += u64::from(n_read > 0 || !known.is_empty());
        self.state = State::Read;
        self.vigil.end(&seen);
        tracing::debug!(?folder, files = self.pages.len(), n_read, n_words, took = ?started.elapsed(), "words read");
    }
}

impl Page {
    fn read(path: &Path, stamp: Stamp) -> Self {
        let is_large = stamp.size > SIZE_LIMIT;
        let content = if is_large { None } else { fs::read(path).ok() };
        // Of these the search reads other bytes than stand there.
        let content = content.filter(|it| !it.starts_with(&[0xFF, 0xFE]) && !it.starts_with(&[0xFE, 0xFF]));
        Self { stamp, racy: stamp.age() < RACY, words: content.map(|it| words(&it)) }
    }
}

/// The longest part of a word that is kept as one: whoever holds the word holds that.
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

/// FNV-1a. Two words of one number cost a look at a file too many.
fn number(word: &[u8]) -> u32 {
    word.iter().fold(0x811c_9dc5, |hash, byte| (hash ^ u32::from(*byte)).wrapping_mul(0x0100_0193))
}

/// Whether a look at the files may come to something else after that.
pub(crate) fn matters(happening: Happening<'_>, _: bool) -> bool {
    match happening.name {
        Some(name) if happening.is_folder => name == ".git" || !name.as_encoded_bytes().starts_with(b"."),
        Some(name) => name == ".gitignore" || name == ".ignore" || is_code(Path::new(name)),
        None => true,
    }
}

fn is_code(path: &Path) -> bool {
    LANGUAGES.iter().any(|it: &Language| it.is_code && it.owns(path))
}

/// The files of code in a folder, each with its stamp; some more than are kept where there are too many.
pub(crate) fn look(folder: &Path) -> (Seen, BTreeMap<PathBuf, Stamp>) {
    let mut builder = walk::builder(folder, folder);
    builder.threads(threads());
    let found = Mutex::new((Seen::default(), BTreeMap::new()));
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
                found.0.odd.extend(rules.exists().then_some(rules));
                found.0.folders.insert(entry.into_path());
            } else if kind.is_some_and(|it| it.is_file()) && is_code(entry.path()) {
                match entry.metadata() {
                    Ok(metadata) => {
                        let mut found = lock(found);
                        found.0.odd.extend((metadata.nlink() > 1).then(|| entry.path().to_owned()));
                        found.1.insert(entry.into_path(), file_scan::stamp_of(&metadata));
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
    let (mut seen, files) = found.into_inner().unwrap_or_else(PoisonError::into_inner);
    seen.starts.push(folder.to_owned());
    seen.odd.extend(rules_above(folder));
    (seen, files)
}

/// The files outside of a folder that say what in it is ignored, there or not.
fn rules_above(folder: &Path) -> BTreeSet<PathBuf> {
    let here = [".git/HEAD", ".git/info/exclude"].map(|it| folder.join(it));
    let above = folder.ancestors().skip(1);
    let above = above
        .flat_map(|it| [".gitignore", ".ignore", ".git/HEAD", ".git/info/exclude"].map(|file| it.join(file)));
    // Where git and `ignore` look, which is not quite where ours are.
    let home = std::env::home_dir().unwrap_or_default();
    let configured = std::env::var_os("XDG_CONFIG_HOME").map_or_else(|| home.join(".config"), PathBuf::from);
    let users = [home.join(".gitconfig"), configured.join("git/ignore"), configured.join("git/config")];
    here.into_iter().chain(above).chain(users).collect()
}

#[cfg(test)]
#[path = "word_index_tests.rs"]
mod tests;
