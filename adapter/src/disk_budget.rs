//! The disk that a confined process may take. No file system limits a folder, so its size is measured again and again.

use std::fs;
use std::os::unix::fs::MetadataExt;
use std::path::{Path, PathBuf};
use std::thread;
use std::time::{Duration, Instant};

/// The shortest time between two measurements.
const LOOK: Duration = Duration::from_secs(5);

/// The time between two measurements, as a multiple of the time that one takes.
const RARELY: u32 = 20;

/// The least size of a file or folder on disk, in bytes.
const ENTRY: u64 = 4096;

/// Folders that may take a number of bytes together.
#[derive(Clone, Debug)]
pub(crate) struct DiskBudget {
    folders: Vec<PathBuf>,
    limit: u64,
}

impl DiskBudget {
    /// Creates the budget of folders: `limit`, and no more than half of what the disk has left.
    pub(crate) fn new(folders: Vec<PathBuf>, limit: u64) -> Self {
        let free = folders.first().and_then(|it| rustix::fs::statvfs(it).ok());
        let free = free.map_or(u64::MAX, |it| it.f_bavail.saturating_mul(it.f_frsize));
        let taken = folders.iter().map(|it| size(it, limit)).sum::<u64>();
        Self { limit: limit.min(taken.saturating_add(free / 2)), folders }
    }

    /// Waits until the folders take more than they may. Returns the reason, for the user.
    pub(crate) fn exceeded(&self) -> String {
        loop {
            let began = Instant::now();
            if let Some(reason) = self.excess() {
                return reason;
            }
            thread::sleep(LOOK.max(began.elapsed() * RARELY));
        }
    }

    fn excess(&self) -> Option<String> {
        let taken = self.folders.iter().map(|it| size(it, self.limit)).sum::<u64>();
        let megabytes = |bytes: u64| bytes / 1_000_000;
        let (folder, limit) = (self.folders.first()?.display(), megabytes(self.limit));
        (taken > self.limit)
            .then(|| format!("it took more than {limit} MB of disk, which is its limit, in {folder}"))
    }
}

/// Returns the bytes that a folder takes, or a number above `limit` once it is exceeded. Links are not followed.
fn size(folder: &Path, limit: u64) -> u64 {
    let (mut taken, mut folders) = (0, vec![folder.to_owned()]);
    while let Some(folder) = folders.pop() {
        for entry in fs::read_dir(folder).into_iter().flatten().flatten() {
            let Ok(entry_metadata) = entry.metadata() else { continue };
            taken += (entry_metadata.blocks() * 512).max(ENTRY);
            if entry_metadata.is_dir() {
                folders.push(entry.path());
            }
            if taken > limit {
                return taken;
            }
        }
    }
    taken
}

/// Removes the files in a folder that no process uses any more. The folders in it stay, and so do links with the folders
/// that lead to them: they were made with it.
pub(crate) fn empty(folder: &Path) {
    for entry in fs::read_dir(folder).into_iter().flatten().flatten() {
        match entry.file_type() {
            Ok(kind) if kind.is_dir() => clear(&entry.path()),
            Ok(kind) if kind.is_symlink() => {}
            _ => drop(fs::remove_file(entry.path())),
        }
    }
}

fn clear(folder: &Path) {
    empty(folder);
    for entry in fs::read_dir(folder).into_iter().flatten().flatten() {
        let _ = fs::remove_dir(entry.path()); // it fails for a link, and for a folder that holds one
    }
}

#[cfg(test)]
mod tests {
    use std::os::unix::fs::symlink;

    use super::*;

    #[test]
    fn what_is_written_counts_and_goes_and_nothing_behind_a_link() {
        let dir = tempfile::tempdir().unwrap();
        let (own, outside) = (dir.path().join("own"), dir.path().join("outside"));
        fs::create_dir_all(own.join("home/a/b")).unwrap();
        fs::create_dir(&outside).unwrap();
        fs::write(outside.join("big"), vec![1; 1_000_000]).unwrap();
        symlink(&outside, own.join("home/link")).unwrap();
        let budget = DiskBudget { folders: vec![own.clone()], limit: 200_000 };
        assert_eq!(budget.excess(), None);
        // Many empty files and folders fill a disk as well as a large file.
        (0..30).for_each(|it| fs::create_dir(own.join(format!("home/a/{it}"))).unwrap());
        (0..30).for_each(|it| fs::write(own.join(format!("home/a/b/{it}")), "").unwrap());
        assert!(budget.excess().is_some_and(|it| it.starts_with("it took more than 0 MB of disk")));
        empty(&own);
        assert_eq!(budget.excess(), None);
        assert!(
            own.join("home/link").is_symlink() && !own.join("home/a").exists() && own.join("home").is_dir()
        );
        fs::write(own.join("large"), vec![1; 300_000]).unwrap();
        assert!(budget.excess().is_some());
        empty(&own);
        assert!(outside.join("big").exists());
    }
}
