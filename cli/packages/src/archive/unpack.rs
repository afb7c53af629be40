//! Reading of archives. They are read into memory, checked as a whole, and only then written.

use std::io::{self, Read};

use ailang::Code;
use flate2::read::GzDecoder;
use tar::{Archive, Entry, EntryType};

use super::path::{SeenPaths, checked};
use crate::error::PackageError;

/// A file that was read from an archive, and whose path is safe.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ArchiveFile {
    /// The path below the folder at the top: safe, with `/`, and different from all others on each file system.
    pub path: String,
    /// The content.
    pub bytes: Vec<u8>,
}

/// The limits against archives that would fill the memory or the disk.
#[derive(Clone, Copy, Debug)]
pub struct ArchiveLimits {
    /// The maximum size of the archive as it is fetched, in bytes.
    pub packed: u64,
    /// The maximum size of all that is in it, in bytes.
    pub unpacked: u64,
    /// The maximum number of entries.
    pub entries: usize,
    /// The maximum number of bytes that one byte becomes. A megabyte is free.
    pub ratio: u64,
}

impl Default for ArchiveLimits {
    fn default() -> Self {
        Self { packed: 20 << 20, unpacked: 100 << 20, entries: 5_000, ratio: 200 }
    }
}

/// Contents up to this size are fine, however small the archive is.
const FREE: u64 = 1 << 20;

/// Returns the files of an archive: tar, or gzipped tar.
///
/// # Errors
/// The archive is damaged or exceeds a limit. Or an entry is no plain file below the folder at the top: a
/// link, a device, a path that leaves it, a name that other programs run or believe. Or two paths are one on
/// some systems.
pub fn unpack(bytes: &[u8], limits: &ArchiveLimits) -> Result<Vec<ArchiveFile>, PackageError> {
    if bytes.len() as u64 > limits.packed {
        return Err(refused(format!("it has more than {} bytes", limits.packed)));
    }
    let by_ratio = (bytes.len() as u64).saturating_mul(limits.ratio).max(FREE);
    let most = limits.unpacked.min(by_ratio);
    if bytes.starts_with(&[0x1f, 0x8b]) {
        read(GzDecoder::new(bytes), most, limits)
    } else {
        read(bytes, most, limits)
    }
}

fn read(source: impl Read, most: u64, limits: &ArchiveLimits) -> Result<Vec<ArchiveFile>, PackageError> {
    let mut archive = Archive::new(Bounded { source, left: most });
    let mut files = Vec::new();
    let mut seen = SeenPaths::default();
    let entries = archive.entries().map_err(|error| broken(&error, most))?;
    for (index, entry) in entries.enumerate() {
        if index >= limits.entries {
            return Err(refused(format!("it has more than {} entries", limits.entries)));
        }
        let mut entry = entry.map_err(|error| broken(&error, most))?;
        if let Some(path) = file_path(&entry)? {
            seen.add(&path).map_err(|problem| bad_path(path.as_bytes(), &problem))?;
            let mut bytes = Vec::new();
            entry.read_to_end(&mut bytes).map_err(|error| broken(&error, most))?;
            files.push(ArchiveFile { path, bytes });
        }
    }
    if let Some(head) = seen.bare_repository() {
        let problem = "its folder is a repository of git, which runs what its settings name";
        return Err(bad_path(head.as_bytes(), problem));
    }
    Ok(files)
}

/// Returns the path of an entry that is a file; `None` for one without content of its own.
fn file_path<R: Read>(entry: &Entry<'_, R>) -> Result<Option<String>, PackageError> {
    let bytes = entry.path_bytes();
    let kind = entry.header().entry_type();
    let what = match kind {
        EntryType::XGlobalHeader => return Ok(None),
        EntryType::Regular | EntryType::Directory => None,
        EntryType::Symlink | EntryType::Link => Some("it is a link"),
        EntryType::Char | EntryType::Block | EntryType::Fifo => Some("it is a device"),
        _ => Some("it is neither a file nor a folder"),
    };
    if let Some(what) = what {
        return Err(bad_path(&bytes, what));
    }
    let path = checked(&bytes).map_err(|problem| bad_path(&bytes, &problem))?;
    match kind {
        EntryType::Directory => Ok(None),
        _ if path.is_empty() => Err(bad_path(&bytes, "it stands beside the folder at the top")),
        _ => Ok(Some(path)),
    }
}

fn bad_path(path: &[u8], problem: &str) -> PackageError {
    let path = ailang::visible_line(&String::from_utf8_lossy(path), ailang::LONGEST_NAME);
    refused(format!("`{path}`: {problem}"))
}

fn refused(problem: String) -> PackageError {
    PackageError::new(Code::PACKAGE_PATH, format!("the archive is refused: {problem}"))
}

fn broken(error: &io::Error, most: u64) -> PackageError {
    match error.get_ref().and_then(|it| it.downcast_ref::<TooLarge>()) {
        Some(TooLarge) => refused(format!("it becomes more than {most} bytes")),
        None => {
            let problem = ailang::visible_line(&error.to_string(), ailang::LONGEST_SUMMARY);
            PackageError::new(Code::INTEGRITY, format!("the archive cannot be read: {problem}"))
        }
    }
}

/// A reader that fails after a number of bytes.
struct Bounded<R> {
    source: R,
    left: u64,
}

#[derive(Debug, thiserror::Error)]
#[error("it is too large")]
struct TooLarge;

impl<R: Read> Read for Bounded<R> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        let read = self.source.read(buffer)?;
        self.left = self.left.checked_sub(read as u64).ok_or_else(|| io::Error::other(TooLarge))?;
        Ok(read)
    }
}
