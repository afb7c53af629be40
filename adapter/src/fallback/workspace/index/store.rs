//! The index of a folder on disk: a file for each folder and version of this program, in the user's cache.
//!
//! It is only a shortcut. A file that is cut, changed, somebody else's or about something else is not read, and the
//! next one that is written takes its place.

use std::fs::{self, DirBuilder, File, OpenOptions};
use std::hash::{Hash, Hasher};
use std::io::{self, Read, Write};
use std::os::unix::ffi::{OsStrExt, OsStringExt};
use std::os::unix::fs::{DirBuilderExt, MetadataExt, OpenOptionsExt};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::{Duration, SystemTime};

use sha2::{Digest, Sha256};

use super::file_symbols::{Card, Eye, Pen};
use crate::fallback::workspace::stamp::Stamp;
use crate::xdg_dirs;

/// The first bytes of a file, with the version of its form.
const MAGIC: &[u8; 8] = b"dialect1";

/// Larger files are neither written nor read.
const FILE_LIMIT: u64 = 128 * 1024 * 1024;

/// So many bytes are kept in all; what was of no use for longest goes.
const LIMIT: u64 = 512 * 1024 * 1024;

/// What was of no use for so long goes.
const AGE: Duration = Duration::from_secs(60 * 24 * 60 * 60);

/// A draft as old as that was left behind.
const DRAFT_AGE: Duration = Duration::from_secs(60 * 60);

const EXTENSION: &str = "index";

/// Where indexes are kept.
#[derive(Clone, Debug)]
pub struct IndexStore(PathBuf);

/// By what a card is known: the text that it is of, and its language.
pub(crate) type Key = [u8; 16];

/// A file of a folder, as it was when its card was made.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Filed {
    /// From the folder on.
    pub(crate) path: PathBuf,
    pub(crate) stamp: Stamp,
    pub(crate) key: Key,
    pub(crate) card: Arc<Card>,
}

impl IndexStore {
    /// In that folder, which need not exist.
    pub fn at(folder: impl Into<PathBuf>) -> Self {
        Self(folder.into())
    }

    /// `$XDG_CACHE_HOME/dialect/index`, by default under `~/.cache`. `None` when the user has no home.
    pub fn of_user() -> Option<Self> {
        Some(Self(xdg_dirs::cache()?.join("dialect/index")))
    }

    /// What was kept of a folder; nothing where there is nothing that can be believed.
    pub(crate) fn load(&self, folder: &Path) -> Vec<Filed> {
        let path = self.file(folder);
        let loaded = read_own(&path).and_then(|bytes| unpacked(&bytes, folder));
        if loaded.is_some()
            && let Ok(file) = File::open(&path)
        {
            // What is of use stays.
            let _too_bad = file.set_modified(SystemTime::now());
        }
        loaded.unwrap_or_default()
    }

    /// Keeps that of a folder. Whoever reads meanwhile reads what was there before, or this.
    ///
    /// # Errors
    /// The disk refuses, or it is too much.
    pub(crate) fn save(&self, folder: &Path, filed: &[Filed]) -> io::Result<()> {
        let bytes = packed(folder, filed);
        if bytes.len() as u64 > FILE_LIMIT {
            return Err(io::ErrorKind::FileTooLarge.into());
        }
        DirBuilder::new().recursive(true).mode(0o700).create(&self.0)?;
        static DRAFTS: AtomicU64 = AtomicU64::new(0);
        let number = DRAFTS.fetch_add(1, Ordering::Relaxed);
        let file = self.file(folder);
        let draft = file.with_extension(format!("{}-{number}.draft", std::process::id()));
        // One of that name was left behind by another process with this number.
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
        self.0.join(name(&hash.finalize()[..16])).with_extension(EXTENSION)
    }

    /// Takes away what is old, and what is too much.
    fn make_room(&self) {
        let files = fs::read_dir(&self.0).into_iter().flatten().flatten();
        let mut kept: Vec<_> = files
            .filter_map(|it| Some((it.path(), it.metadata().ok().filter(fs::Metadata::is_file)?)))
            .filter_map(|(path, it)| {
                Some((it.modified().ok()?.elapsed().unwrap_or_default(), it.len(), path))
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

fn name(hash: &[u8]) -> String {
    hash.iter().map(|it| format!("{it:02x}")).collect()
}

/// What tells this program from others, older ones among them: they may see other definitions in the same text.
fn program() -> [u8; 8] {
    let itself = std::env::current_exe().and_then(fs::metadata);
    let mut hash = std::hash::DefaultHasher::new();
    if let Ok(it) = itself {
        (it.len(), it.mtime(), it.mtime_nsec()).hash(&mut hash);
    }
    hash.finish().to_le_bytes()
}

/// The key of a text in a language.
pub(crate) fn key(language: &str, text: &str) -> Key {
    let mut hash = Sha256::new();
    hash.update(language);
    hash.update([0]);
    hash.update(text);
    let mut key = Key::default();
    key.copy_from_slice(&hash.finalize()[..16]);
    key
}

/// The bytes of a regular file that is this user's alone to write.
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

fn packed(folder: &Path, filed: &[Filed]) -> Vec<u8> {
    let mut cards: Vec<(&Key, &Card)> = filed.iter().map(|it| (&it.key, &*it.card)).collect();
    cards.sort_by_key(|(key, _)| *key);
    cards.dedup_by_key(|(key, _)| *key);
    let mut to = Pen(MAGIC.to_vec());
    to.bytes(&program());
    to.bytes(folder.as_os_str().as_bytes());
    to.number(cards.len());
    for (key, card) in &cards {
        to.0.extend(*key);
        to.bytes(card.bytes());
    }
    to.number(filed.len());
    for Filed { path, stamp, key, .. } in filed {
        to.bytes(path.as_os_str().as_bytes());
        [stamp.changed, stamp.modified].into_iter().for_each(|it| time(&mut to, it));
        to.0.extend(stamp.size.to_le_bytes());
        to.0.extend(stamp.inode.to_le_bytes());
        to.number(cards.binary_search_by_key(&key, |(key, _)| *key).unwrap_or_default());
    }
    let sum = Sha256::digest(&to.0);
    to.0.extend(sum);
    to.0
}

/// From the end backwards: whether it is whole, what it is about, and what it says.
fn unpacked(bytes: &[u8], folder: &Path) -> Option<Vec<Filed>> {
    let (said, sum) = bytes.split_at_checked(bytes.len().checked_sub(32)?)?;
    if !said.starts_with(MAGIC) || Sha256::digest(said)[..] != *sum {
        return None;
    }
    let mut from = Eye(&said[MAGIC.len()..]);
    if from.bytes()? != program() || from.bytes()? != folder.as_os_str().as_bytes() {
        return None;
    }
    let count = from.number()?;
    let mut cards = Vec::new();
    for _ in 0..count {
        let key = Key::try_from(from.fixed(16)?).ok()?;
        cards.push((key, Arc::new(Card::from_bytes(from.bytes()?))));
    }
    let count = from.number()?;
    let mut filed = Vec::new();
    for _ in 0..count {
        let path = PathBuf::from(std::ffi::OsString::from_vec(from.bytes()?.to_vec()));
        let (changed, modified) = (read_time(&mut from)?, read_time(&mut from)?);
        let (size, inode) = (eight(&mut from)?, eight(&mut from)?);
        let (key, card) = cards.get(from.number()?)?.clone();
        filed.push(Filed { path, stamp: Stamp { changed, modified, size, inode }, key, card });
    }
    from.0.is_empty().then_some(filed)
}

fn time(to: &mut Pen, time: SystemTime) {
    let since = time.duration_since(SystemTime::UNIX_EPOCH).unwrap_or_default();
    to.0.extend(since.as_secs().to_le_bytes());
    to.number(since.subsec_nanos() as usize);
}

fn read_time(from: &mut Eye<'_>) -> Option<SystemTime> {
    let seconds = eight(from)?;
    let nanoseconds = u32::try_from(from.number()?).ok().filter(|it| *it < 1_000_000_000)?;
    SystemTime::UNIX_EPOCH.checked_add(Duration::new(seconds, nanoseconds))
}

fn eight(from: &mut Eye<'_>) -> Option<u64> {
    Some(u64::from_le_bytes(from.fixed(8)?.try_into().ok()?))
}

#[cfg(test)]
#[path = "store_tests.rs"]
mod tests;
