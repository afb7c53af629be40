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

use super::digest::{ContentHash, Digest};

/// The version of the format. It is raised when a digest, or how one is made, changes.
const VERSION: u32 = 1;

/// The largest file that is read, in bytes: four texts of the largest document, escaped.
const LARGEST: u64 = 64 << 20;

/// The number of writes after which the folder is measured again.
const MEASURE_AFTER: usize = 256;

/// A folder of digests.
#[derive(Debug)]
pub(crate) struct DiskCache {
    folder: PathBuf,
    max_size: u64,
    ttl: Option<Duration>,
    writes: usize,
}

impl DiskCache {
    pub(crate) fn new(folder: &Path, max_size: u64, ttl: Option<Duration>) -> Self {
        Self { folder: folder.to_path_buf(), max_size, ttl, writes: 0 }
    }

    /// Returns the digest of a text; `None` for one that is missing, expired or damaged.
    pub(crate) fn get(&self, hash: &ContentHash, now: SystemTime) -> Option<Digest> {
        let path = self.path(hash);
        let file = File::open(&path).ok()?;
        let metadata = file.metadata().ok()?;
        let age = metadata.modified().ok().and_then(|it| now.duration_since(it).ok());
        if self.ttl.is_some_and(|ttl| age.is_some_and(|age| age > ttl)) || metadata.len() > LARGEST {
            return None;
        }
        let mut text = String::new();
        file.take(LARGEST).read_to_string(&mut text).ok()?;
        let (sum, body) = text.split_once('\n')?;
        if sum != hex(&Sha256::digest(body.as_bytes())) {
            return None;
        }
        serde_json::from_str(body).ok()
    }

    /// Writes a digest. A cache that cannot be written is one that misses.
    pub(crate) fn put(&mut self, hash: &ContentHash, digest: &Digest) {
        let Ok(body) = serde_json::to_string(digest) else { return };
        if body.len() as u64 > self.max_size.min(LARGEST) {
            return;
        }
        let _unwritten = self.write(&self.path(hash), &body);
        if self.writes.is_multiple_of(MEASURE_AFTER) {
            self.prune();
        }
        self.writes += 1;
    }

    /// Removes all digests.
    pub(crate) fn clear(&self) {
        for (path, ..) in self.entries() {
            let _gone = fs::remove_file(path);
        }
    }

    fn write(&self, path: &Path, body: &str) -> io::Result<()> {
        let folder = path.parent().unwrap_or(&self.folder);
        fs::create_dir_all(folder)?;
        let mut draft = tempfile::NamedTempFile::new_in(folder)?;
        write!(draft, "{}\n{body}", hex(&Sha256::digest(body.as_bytes())))?;
        draft.persist(path)?;
        Ok(())
    }

    /// Removes the oldest digests until the others fit.
    fn prune(&self) {
        let mut entries = self.entries();
        let mut total: u64 = entries.iter().map(|(_, size, _)| size).sum();
        entries.sort_by_key(|(.., written)| *written);
        for (path, size, _) in entries {
            if total <= self.max_size {
                break;
            }
            let _gone = fs::remove_file(path);
            total -= size;
        }
    }

    /// Returns the files of digests of any version, with their sizes and ages.
    fn entries(&self) -> Vec<(PathBuf, u64, SystemTime)> {
        let below = |folder: &Path| fs::read_dir(folder).into_iter().flatten().flatten();
        let folders = below(&self.folder).filter(|it| it.file_name().len() == 2);
        let files = folders.flat_map(|folder| below(&folder.path()));
        let files = files.filter(|it| it.path().extension().is_some_and(|it| it == "digest"));
        files
            .filter_map(|it| {
                let metadata = it.metadata().ok()?;
                Some((it.path(), metadata.len(), metadata.modified().unwrap_or(SystemTime::UNIX_EPOCH)))
            })
            .collect()
    }

    fn path(&self, hash: &ContentHash) -> PathBuf {
        let name = hex(hash);
        self.folder.join(&name[..2]).join(format!("{name}-{VERSION}.digest"))
    }
}

/// Returns bytes as hexadecimal digits.
pub(crate) fn hex(bytes: &[u8]) -> String {
    bytes.iter().map(|it| format!("{it:02x}")).collect()
}
