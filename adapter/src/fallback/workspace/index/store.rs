//! The index on disk, in the user's cache: one file for each folder and version of this program.
//!
//! A file that is damaged, foreign or about another folder is ignored and later replaced.

use std::collections::HashMap;
use std::fs::{self, DirBuilder, File, OpenOptions};
use std::hash::{Hash, Hasher};
use std::io::{self, Read, Write};
use std::os::unix::ffi::{OsStrExt, OsStringExt};
use std::os::unix::fs::{DirBuilderExt, MetadataExt, OpenOptionsExt};
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, Weak};
use std::time::{Duration, SystemTime};

use serde::{Deserialize, Serialize};
use sha2::{Digest, Sha256};

use super::file_symbols::{Decoder, Encoder, FileSymbols};
use crate::fallback::workspace::stamp::Stamp;
use crate::xdg_dirs;
use unpoisoned::lock;

/// The first bytes of a file, with the version of the format.
const MAGIC: &[u8; 8] = b"dialect1";

/// The largest file that is written or read.
const FILE_LIMIT: u64 = 128 * 1024 * 1024;

/// The most bytes of all files; the least recently used ones are deleted.
const LIMIT: u64 = 512 * 1024 * 1024;

/// The age at which an unused file is deleted.
const AGE: Duration = Duration::from_secs(60 * 24 * 60 * 60);

/// The age at which a draft counts as abandoned.
const DRAFT_AGE: Duration = Duration::from_secs(60 * 60);

const EXTENSION: &str = "index";

/// The folder of saved indexes, and the symbols of texts that this process has in memory. Clones share them.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct IndexStore {
    folder: PathBuf,
    #[serde(skip)]
    pub(crate) symbols: KnownSymbols,
}

/// The symbols of texts, by the text: work trees of a repository have most texts in common. Clones share them.
#[derive(Clone, Debug, Default)]
pub(crate) struct KnownSymbols(Arc<Mutex<HashMap<Key, Weak<FileSymbols>>>>);

impl KnownSymbols {
    /// Returns the symbols of a text; computes them unless some index has them.
    pub(crate) fn get_or_compute(&self, key: Key, compute: impl FnOnce() -> FileSymbols) -> Arc<FileSymbols> {
        if let Some(known) = lock(&self.0).get(&key).and_then(Weak::upgrade) {
            return known;
        }
        let computed = Arc::new(compute());
        self.add(key, &computed);
        computed
    }

    /// Adds symbols that an index has.
    pub(crate) fn add(&self, key: Key, symbols: &Arc<FileSymbols>) {
        let mut known = lock(&self.0);
        if known.len() == known.capacity() {
            known.retain(|_, it| it.strong_count() > 0);
        }
        known.insert(key, Arc::downgrade(symbols));
    }
}

/// The hash of a text and its language.
pub(crate) type Key = [u8; 16];

/// One file of a folder with its symbols, as saved.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct StoredFile {
    /// The path relative to the folder.
    pub(crate) path: PathBuf,
    pub(crate) stamp: Stamp,
    pub(crate) key: Key,
    pub(crate) symbols: Arc<FileSymbols>,
}

impl IndexStore {
    /// Uses that folder, which need not exist.
    pub fn at(folder: impl Into<PathBuf>) -> Self {
        Self { folder: folder.into(), symbols: KnownSymbols::default() }
    }

    /// Uses `$XDG_CACHE_HOME/dialect/index`, by default under `~/.cache`. `None` when the user has no home.
    pub fn of_user() -> Option<Self> {
        Some(Self::at(xdg_dirs::cache()?.join("dialect/index")))
    }

    /// Returns the folder beside it for the times that servers took to load.
    pub(crate) fn loading_times(&self) -> PathBuf {
        self.folder.with_file_name("loading")
    }

    /// Loads the saved index of a folder; empty if there is no valid one.
    pub(crate) fn load(&self, folder: &Path) -> Vec<StoredFile> {
        let path = self.file(folder);
        let loaded = read_own(&path).and_then(|bytes| unpacked(&bytes, folder));
        let Some(files) = loaded else { return Vec::new() };
        if let Ok(file) = File::open(&path) {
            // The time of use decides which files are deleted.
            let _too_bad = file.set_modified(SystemTime::now());
        }
        files
    }

    /// Saves the index of a folder atomically.
    ///
    /// # Errors
    /// The index is too large, or writing fails.
    pub(crate) fn save(&self, folder: &Path, files: &[StoredFile]) -> io::Result<()> {
        let bytes = packed(folder, files);
        if bytes.len() as u64 > FILE_LIMIT {
            return Err(io::ErrorKind::FileTooLarge.into());
        }
        DirBuilder::new().recursive(true).mode(0o700).create(&self.folder)?;
        static DRAFTS: AtomicU64 = AtomicU64::new(0);
        let number = DRAFTS.fetch_add(1, Ordering::Relaxed);
        let file = self.file(folder);
        let draft = file.with_extension(format!("{}-{number}.draft", std::process::id()));
        // A former process with the same id may have left a draft of that name.
        let _none = fs::remove_file(&draft);
        let mut draft_file = OpenOptions::new().create_new(true).write(true).mode(0o600).open(&draft)?;
        let written = draft_file.write_all(&bytes).and_then(|()| fs::rename(&draft, file));
        if written.is_err() {
            let _gone = fs::remove_file(draft);
        }
        self.make_room();
        written
    }

    fn file(&self, folder: &Path) -> PathBuf {
        let mut hash = Sha256::new();
        hash.update(folder.as_os_str().as_bytes());
        hash.update(program());
        self.folder.join(hex::encode(&hash.finalize()[..16])).with_extension(EXTENSION)
    }

    /// Deletes old files and those beyond the size limit.
    fn make_room(&self) {
        let files = fs::read_dir(&self.folder).into_iter().flatten().flatten();
        let mut kept: Vec<_> = files
            .filter_map(|it| Some((it.path(), it.metadata().ok().filter(fs::Metadata::is_file)?)))
            .filter_map(|(path, it)| {
                Some((it.modified().ok()?.elapsed().unwrap_or(Duration::ZERO), it.len(), path))
            })
            .collect();
        kept.sort();
        let mut room = LIMIT;
        for (age, size, path) in kept {
            let is_draft = path.extension().is_some_and(|it| it == "draft");
            let is_ours = is_draft || path.extension().is_some_and(|it| it == EXTENSION);
            let left = room.checked_sub(size);
            if is_ours && (left.is_none() || age > if is_draft { DRAFT_AGE } else { AGE }) {
                let _somebody_else_did = fs::remove_file(path);
            }
            room = left.unwrap_or(0);
        }
    }
}

/// Identifies this executable, because other versions may find other definitions.
fn program() -> [u8; 8] {
    let itself = std::env::current_exe().and_then(fs::metadata);
    let mut hash = std::hash::DefaultHasher::new();
    if let Ok(it) = itself {
        (it.len(), it.mtime(), it.mtime_nsec()).hash(&mut hash);
    }
    hash.finish().to_le_bytes()
}

/// Hashes a text with its language.
pub(crate) fn key(language: &str, text: &str) -> Key {
    let mut hash = Sha256::new();
    hash.update(language);
    hash.update([0]);
    hash.update(text);
    let mut key = Key::default();
    key.copy_from_slice(&hash.finalize()[..16]);
    key
}

/// Reads a regular file that only this user can write.
fn read_own(path: &Path) -> Option<Vec<u8>> {
    let flags = rustix::fs::OFlags::NOFOLLOW | rustix::fs::OFlags::NONBLOCK;
    let file = OpenOptions::new().read(true).custom_flags(flags.bits() as i32).open(path).ok()?;
    let metadata = file.metadata().ok()?;
    let is_own = metadata.uid() == rustix::process::geteuid().as_raw() && metadata.mode() & 0o022 == 0;
    if !metadata.is_file() || !is_own || metadata.len() > FILE_LIMIT {
        return None;
    }
    let mut bytes = Vec::new();
    file.take(FILE_LIMIT).read_to_end(&mut bytes).ok()?;
    Some(bytes)
}

fn packed(folder: &Path, files: &[StoredFile]) -> Vec<u8> {
    let mut distinct: Vec<(&Key, &FileSymbols)> = files.iter().map(|it| (&it.key, &*it.symbols)).collect();
    distinct.sort_by_key(|(key, _)| *key);
    distinct.dedup_by_key(|(key, _)| *key);
    let mut to = Encoder(MAGIC.to_vec());
    to.bytes(&program());
    to.bytes(folder.as_os_str().as_bytes());
    to.number(distinct.len());
    for (key, symbols) in &distinct {
        to.0.extend(*key);
        to.bytes(symbols.bytes());
    }
    to.number(files.len());
    for StoredFile { path, stamp, key, .. } in files {
        to.bytes(path.as_os_str().as_bytes());
        [stamp.changed, stamp.modified].into_iter().for_each(|it| time(&mut to, it));
        to.0.extend(stamp.size.to_le_bytes());
        to.0.extend(stamp.inode.to_le_bytes());
        to.number(
            distinct.binary_search_by_key(&key, |(key, _)| *key).expect("the keys come from these files"),
        );
    }
    let sum = Sha256::digest(&to.0);
    to.0.extend(sum);
    to.0
}

/// Decodes and verifies a saved index; `None` if it is invalid or about another folder.
fn unpacked(bytes: &[u8], folder: &Path) -> Option<Vec<StoredFile>> {
    let (said, sum) = bytes.split_at_checked(bytes.len().checked_sub(32)?)?;
    if !said.starts_with(MAGIC) || Sha256::digest(said)[..] != *sum {
        return None;
    }
    let mut from = Decoder(&said[MAGIC.len()..]);
    if from.bytes()? != program() || from.bytes()? != folder.as_os_str().as_bytes() {
        return None;
    }
    let count = from.number()?;
    let mut distinct = Vec::new();
    for _ in 0..count {
        let key = Key::try_from(from.fixed(16)?).ok()?;
        distinct.push((key, Arc::new(FileSymbols::from_bytes(from.bytes()?))));
    }
    let count = from.number()?;
    let mut files = Vec::new();
    for _ in 0..count {
        let path = PathBuf::from(std::ffi::OsString::from_vec(from.bytes()?.to_vec()));
        let (changed, modified) = (read_time(&mut from)?, read_time(&mut from)?);
        let (size, inode) = (eight(&mut from)?, eight(&mut from)?);
        let (key, symbols) = distinct.get(from.number()?)?.clone();
        files.push(StoredFile { path, stamp: Stamp { changed, modified, size, inode }, key, symbols });
    }
    from.0.is_empty().then_some(files)
}

fn time(to: &mut Encoder, time: SystemTime) {
    // A time before 1970 is saved as 1970; the stamp then differs, and the file is read again.
    let since = time.duration_since(SystemTime::UNIX_EPOCH).unwrap_or(Duration::ZERO);
    to.0.extend(since.as_secs().to_le_bytes());
    to.number(since.subsec_nanos() as usize);
}

fn read_time(from: &mut Decoder<'_>) -> Option<SystemTime> {
    let seconds = eight(from)?;
    let nanoseconds = u32::try_from(from.number()?).ok().filter(|it| *it < 1_000_000_000)?;
    SystemTime::UNIX_EPOCH.checked_add(Duration::new(seconds, nanoseconds))
}

fn eight(from: &mut Decoder<'_>) -> Option<u64> {
    Some(u64::from_le_bytes(from.fixed(8)?.try_into().ok()?))
}

#[cfg(test)]
#[path = "store_tests.rs"]
mod tests;
