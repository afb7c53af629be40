//! Writes changes of files to disk: all of them, or none.

use std::io;
use std::path::{Path, PathBuf};

use serde::{Deserialize, Serialize};

use super::write_error::WriteError;
use crate::os::beneath::{OpenEntry, OpenFolders};

/// One change on disk.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct DiskChange {
    /// The canonical path.
    pub(crate) path: PathBuf,
    /// The path as displayed to the agent.
    pub(crate) spelling: String,
    pub(crate) operation: DiskOperation,
    /// The content that it was made from.
    pub(crate) before: Vec<u8>,
    pub(crate) after: Vec<u8>,
}

/// The operation on the file itself. Targets are canonical paths.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) enum DiskOperation {
    Replace,
    Create,
    Move(PathBuf),
    MoveFolder(PathBuf),
    Delete,
}

/// Makes the changes in order. If one fails, the earlier ones are undone.
pub(crate) fn write_all(folders: &OpenFolders, changes: &[DiskChange]) -> Result<(), WriteError> {
    for (index, change) in changes.iter().enumerate() {
        if let Err(error) = change.make(folders) {
            let made = changes[..index].iter().rev();
            let left = made.filter(|it| it.undo(folders).is_err()).map(|it| it.spelling.clone());
            return Err(error.leaving(left.collect()));
        }
    }
    Ok(())
}

impl DiskChange {
    /// Returns `true` if the change takes a single step, so that it is made or not made at any moment.
    pub(crate) fn is_one_step(&self) -> bool {
        !matches!(self.operation, DiskOperation::Move(_)) || self.before == self.after
    }

    /// Makes the change. The folder is opened once; the file in it is checked and changed through that.
    fn make(&self, folders: &OpenFolders) -> Result<(), WriteError> {
        let changed = || WriteError::Changed(self.spelling.clone());
        let refused = |error: io::Error| WriteError::Refused(self.spelling.clone(), error.to_string());
        if self.operation == DiskOperation::Create {
            return create(folders, &self.path, &self.after).map_err(refused);
        }
        let spot = folders.entry(&self.path).map_err(|_| changed())?;
        if !self.is_unchanged(&spot) {
            return Err(changed());
        }
        let made = match &self.operation {
            DiskOperation::Create => Ok(()), // it is made above
            DiskOperation::Replace => spot.replace(&self.after),
            DiskOperation::Delete => spot.remove(),
            DiskOperation::MoveFolder(to) => relocate(folders, &spot, to).map(drop),
            DiskOperation::Move(to) => self.rewrite_and_relocate(folders, &spot, to),
        };
        made.map_err(refused)
    }

    /// Returns `true` if the disk is as after the change.
    pub(crate) fn is_made(&self, folders: &OpenFolders) -> bool {
        let reads = |path: &Path| folders.entry(path).and_then(|it| it.read()).ok();
        match &self.operation {
            DiskOperation::Replace | DiskOperation::Create => reads(&self.path).as_ref() == Some(&self.after),
            DiskOperation::Delete => folders.is_free(&self.path),
            DiskOperation::Move(to) => reads(to).is_some(),
            DiskOperation::MoveFolder(to) => folders.entry(to).is_ok_and(|it| it.is_folder()),
        }
    }

    fn is_unchanged(&self, spot: &OpenEntry) -> bool {
        match &self.operation {
            DiskOperation::MoveFolder(_) => spot.is_folder(),
            _ => spot.read().is_ok_and(|it| it == self.before),
        }
    }

    fn rewrite_and_relocate(&self, folders: &OpenFolders, from: &OpenEntry, to: &Path) -> io::Result<()> {
        let moved = relocate(folders, from, to)?;
        if self.after == self.before {
            return Ok(());
        }
        moved.replace(&self.after).or_else(|error| {
            moved.move_to(from)?;
            Err(error)
        })
    }

    /// Undoes the change. New folders stay.
    fn undo(&self, folders: &OpenFolders) -> io::Result<()> {
        let path = &self.path;
        match &self.operation {
            DiskOperation::Replace => folders.entry(path)?.replace(&self.before),
            DiskOperation::Create => folders.entry(path)?.remove(),
            DiskOperation::MoveFolder(to) => relocate(folders, &folders.entry(to)?, path).map(drop),
            DiskOperation::Move(to) => {
                let back = relocate(folders, &folders.entry(to)?, path)?;
                if self.after == self.before { Ok(()) } else { back.replace(&self.before) }
            }
            DiskOperation::Delete => create(folders, path, &self.before),
        }
    }
}

/// Creates a file and its missing folders.
fn create(folders: &OpenFolders, path: &Path, bytes: &[u8]) -> io::Result<()> {
    folders.entry_in_new_folders(path)?.create(bytes)
}

/// Moves to a free path, and returns it.
fn relocate(folders: &OpenFolders, from: &OpenEntry, to: &Path) -> io::Result<OpenEntry> {
    let to = folders.entry_in_new_folders(to)?;
    from.move_to(&to)?;
    Ok(to)
}
