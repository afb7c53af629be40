//! The store of archives, by their hash, and the writing of their files.

use std::fs;
use std::io::{self, Write as _};
use std::path::{Path, PathBuf};

use cap_std::ambient_authority;
use cap_std::fs::{Dir, OpenOptions};

use crate::archive::{ArchiveFile, ArchiveLimits};
use crate::integrity::Integrity;

/// A folder of archives. What is in it is checked whenever it is read, so that anyone may have written it.
#[derive(Clone, Debug)]
pub struct ArchiveStore {
    folder: PathBuf,
}

/// Returns the folder of caches in the user's cache: `$XDG_CACHE_HOME/ailang`, or below `~/.cache`.
pub fn user_cache() -> Option<PathBuf> {
    let absolute = |name| std::env::var_os(name).map(PathBuf::from).filter(|it| it.is_absolute());
    let cache = absolute("XDG_CACHE_HOME").or_else(|| Some(absolute("HOME")?.join(".cache")));
    cache.map(|it| it.join("ailang"))
}

impl ArchiveStore {
    /// Takes a folder, which is created when something is written.
    pub fn new(folder: impl Into<PathBuf>) -> Self {
        Self { folder: folder.into() }
    }

    /// Returns the store in the user's cache: `$XDG_CACHE_HOME/ailang/archives`, or below `~/.cache`.
    pub fn of_user() -> Option<Self> {
        user_cache().map(|it| Self::new(it.join("archives")))
    }

    /// Returns an archive; `None` if it is not there, or damaged.
    pub fn get(&self, integrity: &Integrity) -> Option<Vec<u8>> {
        let path = self.path(integrity);
        let length = fs::metadata(&path).ok()?.len();
        let bytes = (length <= ArchiveLimits::default().packed).then(|| fs::read(&path).ok())??;
        integrity.check(&bytes).ok().map(|()| bytes)
    }

    /// Adds an archive. A store that cannot be written is one that does not have it.
    pub fn put(&self, integrity: &Integrity, bytes: &[u8]) {
        let _absent = self.write(&self.path(integrity), bytes);
    }

    #[expect(clippy::unused_self, reason = "reads as what belongs to it")]
    fn write(&self, path: &Path, bytes: &[u8]) -> io::Result<()> {
        let folder = path.parent().ok_or(io::ErrorKind::InvalidInput)?;
        fs::create_dir_all(folder)?;
        let mut draft = tempfile::NamedTempFile::new_in(folder)?;
        draft.write_all(bytes)?;
        draft.persist(path)?;
        Ok(())
    }

    fn path(&self, integrity: &Integrity) -> PathBuf {
        let name = integrity.hex();
        self.folder.join("sha512").join(&name[..2]).join(name)
    }
}

/// Writes the files of an archive below an empty folder. They are new files that nobody may execute.
///
/// # Errors
/// The file system refuses one, as where two of the names are one file.
pub(crate) fn write_files(folder: &Path, files: &[ArchiveFile]) -> io::Result<()> {
    let dir = Dir::open_ambient_dir(folder, ambient_authority())?;
    for file in files {
        if let Some((folder, _)) = file.path.rsplit_once('/') {
            dir.create_dir_all(folder)?;
        }
        let mut options = OpenOptions::new();
        options.write(true).create_new(true);
        dir.open_with(&file.path, &options)?.write_all(&file.bytes)?;
    }
    Ok(())
}
