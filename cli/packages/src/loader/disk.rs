//! The cache on disk: digests of documents by the hash of their text.
//!
//! A file's name is the format's version and the hash. Its first line is the hash of the rest, so that a damaged file is
//! found to be one. Whoever can write the folder can put other texts into it: it belongs to the user, never to a
//! workspace.

use std::fs::{self, File};
use std::io::{self, Read as _, Write as _};
use std::path::{Path, PathBuf};
use std::time::{Duration, SystemTime};

use sha2::{Digest as _, Sha256};

use super::cache::Invalidation;
use super::digest::{ContentHash, Digest};

/// The version of the format. It is raised when a digest, or how one is made, changes.
const VERSION: u32 = 1;

/// The largest file that is read, in bytes: four texts of the largest document, escaped.
const LARGEST: u64 = 64 << 20;

/// The part of the limit after whose writes the folder is measured again, since other processes write to it too.
const MEASURED_PART: u64 = 16;

/// The part of the limit that is free after entries were removed, so that not every write removes some.
const FREE_PART: u64 = 16;

/// The age at which the draft of a process that ended early is removed.
const OLD_DRAFT: Duration = Duration::from_secs(3_600);

/// The age from which a use is written down, for [`Invalidation::Lru`].
const TOUCH_AFTER: Duration = Duration::from_secs(60);

/// A folder of digests, which processes share. Files are written as a whole, so that a reader sees all of one or none.
#[derive(Debug)]
pub(crate) struct DiskCache {
    folder: PathBuf,
    max_size: u64,
    ttl: Duration,
    invalidation: Invalidation,
    /// The size of the folder as far as it is known; `None` until it is measured.
    size: Option<u64>,
    /// The bytes that were written since the folder was measured.
    written: u64,
}

/// A file of the folder.
struct CachedFile {
    path: PathBuf,
    size: u64,
    written: SystemTime,
}

impl DiskCache {
    pub(crate) fn new(folder: &Path, max_size: u64, ttl: Duration, invalidation: Invalidation) -> Self {
        Self { folder: folder.to_path_buf(), max_size, ttl, invalidation, size: None, written: 0 }
    }

    /// Returns the digest of a text; `None` for one that is missing, expired or damaged.
    pub(crate) fn get(&self, hash: &ContentHash, now: SystemTime) -> Option<Digest> {
        let path = self.path(hash);
        let file = File::open(&path).ok()?;
        let metadata = file.metadata().ok()?;
        let age = metadata.modified().ok().and_then(|it| now.duration_since(it).ok()).unwrap_or_default();
        if self.is_expired(age) {
            let _gone = fs::remove_file(&path);
            return None;
        }
        if metadata.len() > LARGEST {
            return None;
        }
        let mut text = String::new();
        (&file).take(LARGEST).read_to_string(&mut text).ok()?;
        let (sum, body) = text.split_once('\n')?;
        if sum != hex::encode(Sha256::digest(body.as_bytes())) {
            return None;
        }
        if self.invalidation == Invalidation::Lru && age > TOUCH_AFTER {
            // Without it the entry counts as older than it is.
            let _untouched = file.set_modified(now);
        }
        serde_json::from_str(body).ok()
    }

    /// Writes a digest. A cache that cannot be written is one that misses.
    pub(crate) fn put(&mut self, hash: &ContentHash, digest: &Digest, now: SystemTime) {
        let Ok(body) = serde_json::to_string(digest) else { return };
        let text = format!("{}\n{body}", hex::encode(Sha256::digest(body.as_bytes())));
        let size = text.len() as u64;
        if size > self.max_size.min(LARGEST) || !self.make_room(size, now) {
            return;
        }
        let path = self.path(hash);
        let replaced = fs::metadata(&path).map_or(0, |it| it.len());
        if self.write(&path, &text).is_ok() {
            self.size = self.size.map(|it| (it + size).saturating_sub(replaced));
            self.written += size;
        }
    }

    fn is_expired(&self, age: Duration) -> bool {
        self.invalidation == Invalidation::Ttl && age > self.ttl
    }

    /// Removes entries until `size` bytes more fit; returns `false` if none may be removed. Several processes may exceed
    /// the limit by what each of them writes between two measurements.
    fn make_room(&mut self, size: u64, now: SystemTime) -> bool {
        let known = self.size.filter(|_| self.written <= self.max_size / MEASURED_PART);
        if known.is_some_and(|known| known + size <= self.max_size) {
            return true;
        }
        let remaining = self.prune(size, now);
        self.size = Some(remaining);
        self.written = 0;
        remaining + size <= self.max_size
    }

    /// Removes what is expired, and the oldest entries if `size` bytes more do not fit; returns the size of the rest.
    fn prune(&self, size: u64, now: SystemTime) -> u64 {
        let age = |file: &CachedFile| now.duration_since(file.written).unwrap_or_default();
        let (expired, mut files): (Vec<_>, Vec<_>) = self.files().into_iter().partition(|file| {
            let is_draft = file.path.extension().is_none_or(|it| it != "digest");
            if is_draft { age(file) > OLD_DRAFT } else { self.is_expired(age(file)) }
        });
        for file in expired {
            let _gone = fs::remove_file(file.path);
        }
        let mut total: u64 = files.iter().map(|file| file.size).sum();
        if total + size <= self.max_size || self.invalidation == Invalidation::Manual {
            return total;
        }
        let wanted = self.max_size - (self.max_size / FREE_PART).max(size).min(self.max_size);
        files.sort_by_key(|file| file.written);
        for file in files {
            if total <= wanted {
                break;
            }
            let _gone = fs::remove_file(&file.path);
            total -= file.size;
        }
        total
    }

    /// Removes all digests.
    pub(crate) fn clear(&mut self) {
        for file in self.files() {
            let _gone = fs::remove_file(file.path);
        }
        (self.size, self.written) = (None, 0);
    }

    fn write(&self, path: &Path, text: &str) -> io::Result<()> {
        let folder = path.parent().unwrap_or(&self.folder);
        fs::create_dir_all(folder)?;
        let mut draft = tempfile::NamedTempFile::new_in(folder)?;
        draft.write_all(text.as_bytes())?;
        draft.persist(path)?;
        Ok(())
    }

    /// Returns the files of digests of any version, and the drafts of some.
    fn files(&self) -> Vec<CachedFile> {
        let below = |folder: &Path| fs::read_dir(folder).into_iter().flatten().flatten();
        let folders = below(&self.folder).filter(|it| it.file_name().len() == 2);
        let entries = folders.flat_map(|folder| below(&folder.path()));
        let file = |entry: fs::DirEntry| {
            let (path, metadata) = (entry.path(), entry.metadata().ok()?);
            let written = metadata.modified().unwrap_or(SystemTime::UNIX_EPOCH);
            metadata.is_file().then_some(CachedFile { path, size: metadata.len(), written })
        };
        entries.filter_map(file).collect()
    }

    fn path(&self, hash: &ContentHash) -> PathBuf {
        let name = hex::encode(hash);
        self.folder.join(&name[..2]).join(format!("{name}-{VERSION}.digest"))
    }
}
