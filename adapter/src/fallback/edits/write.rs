//! Writes the changes of an edit: all of them, or none.

use std::io;
use std::path::{Path, PathBuf};

use futures::future::BoxFuture;

use super::detached_write;
use super::disk_write::{DiskChange, DiskOperation, write_all};
use super::file_change::{ContentHash, FileChange, FileOperation};
use super::write_error::WriteError;
use crate::fallback::workspace::session_folders::SessionPath;
use crate::os::beneath::{OpenEntry, OpenFolders};

/// The maximum number of files in a folder that is moved: the editor is asked about each.
const IN_FOLDER: usize = 500;

/// An editor's view of files, with unsaved texts.
pub trait Editor: Send + Sync {
    /// Returns the editor's text of a file; `None` if the editor does not provide it.
    fn read<'a>(&'a self, path: &'a Path) -> BoxFuture<'a, Option<Result<String, String>>>;

    /// Has the editor write a file; `None` if it writes none.
    fn write<'a>(&'a self, path: &'a Path, text: String) -> BoxFuture<'a, Option<Result<(), String>>>;

    /// Has the editor's text of a file read before later questions too, because it is not the one on disk.
    fn keep_reading(&self, _: &Path) {}
}

/// No editor: files are what they are on disk.
#[derive(Debug)]
pub(crate) struct NoEditor;

impl Editor for NoEditor {
    fn read<'a>(&'a self, _: &'a Path) -> BoxFuture<'a, Option<Result<String, String>>> {
        Box::pin(std::future::ready(None))
    }

    fn write<'a>(&'a self, _: &'a Path, _: String) -> BoxFuture<'a, Option<Result<(), String>>> {
        Box::pin(std::future::ready(None))
    }
}

/// The outcome of an edit.
#[derive(Debug, Default)]
pub(crate) struct WriteOutcome {
    /// `true` if the editor wrote, instead of the adapter.
    pub(crate) by_editor: bool,
    /// Files whose content differs from what was written.
    pub(crate) odd: Vec<String>,
}

/// A file whose changes are about to be written.
struct PendingWrite<'plan> {
    file: &'plan FileChange,
    before: Vec<u8>,
    after: Vec<u8>,
    way: Writer,
}

/// The writer of a file.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Writer {
    /// The editor if it writes files, otherwise the adapter.
    Either,
    /// The editor: its text is unsaved.
    Editor,
    /// The adapter: editors do not move files, and one that wrote to the old path would bring it back.
    Disk,
}

/// A transaction over files below some folders.
struct WriteTransaction<'editor> {
    folders: OpenFolders,
    editor: &'editor dyn Editor,
}

/// Checks all files, then writes texts, then creates, moves and deletes files. If one step fails, the earlier
/// ones are undone. Nothing is written outside of the folders `roots`, even if paths change in the meantime.
///
/// The adapter writes the rest together. If that takes several steps, `program` makes them in a process of
/// its own.
pub(crate) async fn write(
    files: &[FileChange],
    roots: &[PathBuf],
    editor: &dyn Editor,
    program: Option<&Path>,
) -> Result<WriteOutcome, WriteError> {
    let writer = WriteTransaction { folders: OpenFolders::open(roots), editor };
    let mut due = Vec::new();
    for file in files {
        due.push(writer.check(file, way(file, files)).await?);
    }
    // Last, what goes: until then nothing is lost.
    due.sort_by_key(|it| match &it.file.fate {
        FileOperation::Stays => 0,
        FileOperation::Created => 1,
        FileOperation::Moved(_) => 2,
        FileOperation::FolderMoved(_) => 3,
        FileOperation::Deleted => 4,
    });
    let (mut by_editor, mut on_disk) = (Vec::new(), Vec::new());
    for one in &due {
        match writer.have_written(one).await {
            Ok(true) => by_editor.push(one),
            Ok(false) => on_disk.push(one.on_disk()),
            Err(unwritten) => return Err(writer.put_back(&by_editor, unwritten).await),
        }
    }
    let program = program.filter(|_| on_disk.len() > 1 || !on_disk.iter().all(DiskChange::is_one_step));
    let detached = match program {
        Some(program) => detached_write::write(program, roots, &on_disk).await,
        None => None,
    };
    if let Err(unwritten) = detached.unwrap_or_else(|| write_all(&writer.folders, &on_disk)) {
        return Err(writer.put_back(&by_editor, unwritten).await);
    }
    let is_odd = |it: &&PendingWrite<'_>| {
        it.end(files).is_some_and(|path| writer.read(&path).ok().as_ref() != Some(&it.after))
    };
    let odd = due.iter().filter(is_odd).map(|it| it.file.place.spelling.clone()).collect();
    Ok(WriteOutcome { by_editor: !by_editor.is_empty(), odd })
}

/// Chooses the writer of a file. A text that is moved with its folder is written before the move.
fn way(file: &FileChange, all: &[FileChange]) -> Writer {
    let moves_with = |it: &FileChange| {
        matches!(it.fate, FileOperation::FolderMoved(_)) && file.place.path.starts_with(&it.place.path)
    };
    match &file.fate {
        FileOperation::Stays if file.is_unsaved => Writer::Editor,
        FileOperation::Stays if !all.iter().any(moves_with) => Writer::Either,
        _ => Writer::Disk,
    }
}

impl PendingWrite<'_> {
    /// Returns it as a change on disk.
    fn on_disk(&self) -> DiskChange {
        let operation = match &self.file.fate {
            FileOperation::Stays => DiskOperation::Replace,
            FileOperation::Created => DiskOperation::Create,
            FileOperation::Moved(to) => DiskOperation::Move(to.path.clone()),
            FileOperation::FolderMoved(to) => DiskOperation::MoveFolder(to.path.clone()),
            FileOperation::Deleted => DiskOperation::Delete,
        };
        let SessionPath { path, spelling, .. } = self.file.place.clone();
        DiskChange { path, spelling, operation, before: self.before.clone(), after: self.after.clone() }
    }

    /// Returns its path after the edit, if it is a file.
    fn end(&self, all: &[FileChange]) -> Option<PathBuf> {
        let path = &self.file.place.path;
        match &self.file.fate {
            FileOperation::Deleted | FileOperation::FolderMoved(_) => None,
            FileOperation::Moved(to) => Some(to.path.clone()),
            FileOperation::Stays | FileOperation::Created => {
                let moved = all.iter().find_map(|it| match &it.fate {
                    FileOperation::FolderMoved(to) => {
                        Some(to.path.join(path.strip_prefix(&it.place.path).ok()?))
                    }
                    _ => None,
                });
                Some(moved.unwrap_or_else(|| path.clone()))
            }
        }
    }
}

impl WriteTransaction<'_> {
    async fn check<'plan>(
        &self,
        file: &'plan FileChange,
        way: Writer,
    ) -> Result<PendingWrite<'plan>, WriteError> {
        let (path, spelling) = (&file.place.path, &file.place.spelling);
        match &file.fate {
            FileOperation::Created => self.free(path, spelling)?,
            FileOperation::Moved(to) | FileOperation::FolderMoved(to) => self.free(&to.path, &to.spelling)?,
            FileOperation::Stays | FileOperation::Deleted => {}
        }
        let before = match way {
            Writer::Editor => self.shown(file).await?,
            Writer::Either | Writer::Disk => self.on_disk(file).await?,
        };
        let after = file.applied(&before);
        Ok(PendingWrite { file, before, after, way })
    }

    /// Checks that the path is free, and that its parent is still a folder of the workspace.
    fn free(&self, path: &Path, spelling: &str) -> Result<(), WriteError> {
        if self.folders.is_free(path) { Ok(()) } else { Err(WriteError::Changed(spelling.to_owned())) }
    }

    fn read(&self, path: &Path) -> io::Result<Vec<u8>> {
        self.folders.entry(path)?.read()
    }

    /// Returns the editor's text, if the edit was made from it.
    async fn shown(&self, file: &FileChange) -> Result<Vec<u8>, WriteError> {
        let spelling = || file.place.spelling.clone();
        if self.folders.entry(&file.place.path).is_err() {
            return Err(WriteError::Changed(spelling()));
        }
        match self.editor.read(&file.place.path).await {
            Some(Ok(text)) => {
                let text = text.strip_prefix('\u{feff}').map(str::to_owned).unwrap_or(text).into_bytes();
                if ContentHash::of(&text) == file.stamp {
                    Ok(text)
                } else {
                    Err(WriteError::Changed(spelling()))
                }
            }
            Some(Err(_)) | None => Err(WriteError::Unsaved(spelling())),
        }
    }

    /// Returns the bytes on disk, if the edit was made from them and the editor shows the same.
    async fn on_disk(&self, file: &FileChange) -> Result<Vec<u8>, WriteError> {
        let (path, spelling) = (&file.place.path, &file.place.spelling);
        let before = self.unchanged(file)?;
        match &file.fate {
            FileOperation::Created => return Ok(before),
            FileOperation::FolderMoved(_) => return self.all_saved(path, spelling).await.map(|()| before),
            FileOperation::Stays | FileOperation::Moved(_) | FileOperation::Deleted => {}
        }
        let refused = |error: io::Error| WriteError::Refused(spelling.clone(), error.to_string());
        if self.folders.entry(path).and_then(|it| it.is_read_only()).map_err(refused)? {
            return Err(WriteError::Refused(spelling.clone(), "it is read-only".into()));
        }
        self.saved(path, spelling, &before).await.map(|()| before)
    }

    async fn saved(&self, path: &Path, spelling: &str, before: &[u8]) -> Result<(), WriteError> {
        match self.editor.read(path).await {
            Some(Ok(shown)) if !is_same(&shown, &String::from_utf8_lossy(before)) => {
                Err(WriteError::Unsaved(spelling.to_owned()))
            }
            Some(Err(error)) => {
                tracing::debug!(error, path = spelling, "the editor does not show it");
                Ok(())
            }
            Some(Ok(_)) | None => Ok(()),
        }
    }

    /// Checks that the editor has nothing unsaved in a folder, as far as it answers.
    async fn all_saved(&self, folder: &Path, spelling: &str) -> Result<(), WriteError> {
        let walk =
            files_in(folder).map_err(|error| WriteError::Refused(spelling.to_owned(), error.to_string()))?;
        for (count, path) in walk.iter().enumerate() {
            if count == IN_FOLDER {
                let why = format!("it holds more than {IN_FOLDER} files");
                return Err(WriteError::Refused(spelling.to_owned(), why));
            }
            let Ok(bytes) = self.read(path) else { continue };
            if self.editor.read(path).await.is_none() {
                return Ok(());
            }
            self.saved(path, &path.display().to_string(), &bytes).await?;
        }
        Ok(())
    }

    /// Returns the bytes of the file, if the edit was made from them and it is still the same file.
    fn unchanged(&self, file: &FileChange) -> Result<Vec<u8>, WriteError> {
        let path = &file.place.path;
        if file.fate == FileOperation::Created {
            return self.free(path, &file.place.spelling).map(|()| Vec::new());
        }
        let spot = self.folders.entry(path).ok();
        let bytes = spot.and_then(|it| same(file, &it));
        bytes.ok_or_else(|| WriteError::Changed(file.place.spelling.clone()))
    }

    /// Has the editor write a change; returns `false` if it leaves that to the adapter.
    async fn have_written(&self, due: &PendingWrite<'_>) -> Result<bool, WriteError> {
        if due.file.fate != FileOperation::Stays {
            return Ok(false);
        }
        match due.way {
            Writer::Editor => drop(self.shown(due.file).await?),
            Writer::Either => drop(self.unchanged(due.file)?),
            Writer::Disk => return Ok(false),
        }
        let refused = |reason: String| WriteError::Refused(due.file.place.spelling.clone(), reason);
        match self.by_editor(due, &due.after).await {
            Some(written) => written.map(|()| true).map_err(refused),
            None => Ok(false),
        }
    }

    /// Has the editor write a text; `None` if it leaves that to the adapter.
    async fn by_editor(&self, due: &PendingWrite<'_>, bytes: &[u8]) -> Option<Result<(), String>> {
        if due.way == Writer::Disk {
            return None;
        }
        let text = match String::from_utf8(bytes.to_vec()) {
            Ok(text) => text,
            Err(error) => return Some(Err(error.to_string())),
        };
        let written = self.editor.write(&due.file.place.path, text).await;
        let nobody = || Err("the editor has not saved it, and writes no files".to_owned());
        if due.way == Writer::Editor { Some(written.unwrap_or_else(nobody)) } else { written }
    }

    /// Undoes changes of the editor. A failed write of an editor may leave a partial file.
    async fn put_back(&self, made: &[&PendingWrite<'_>], why: WriteError) -> WriteError {
        let mut left = Vec::new();
        for one in made.iter().rev() {
            if !matches!(self.by_editor(one, &one.before).await, Some(Ok(()))) {
                left.push(one.file.place.spelling.clone());
            }
        }
        why.leaving(left)
    }
}

/// Returns the current bytes, if the edit was made from them.
fn same(file: &FileChange, spot: &OpenEntry) -> Option<Vec<u8>> {
    match &file.fate {
        FileOperation::FolderMoved(_) => spot.is_folder().then(Vec::new),
        _ => spot.read().ok().filter(|it| ContentHash::of(it) == file.stamp),
    }
}

/// Lists the files in a folder and below.
fn files_in(folder: &Path) -> io::Result<Vec<PathBuf>> {
    let (mut files, mut folders) = (Vec::new(), vec![folder.to_owned()]);
    while let Some(folder) = folders.pop() {
        for entry in std::fs::read_dir(folder)? {
            let entry = entry?;
            let kind = entry.file_type()?;
            if kind.is_dir() {
                folders.push(entry.path());
            } else if kind.is_file() {
                files.push(entry.path());
            }
        }
        if files.len() > IN_FOLDER {
            break;
        }
    }
    Ok(files)
}

/// Compares two texts without line breaks' form and the byte order mark, in which editors differ.
pub(super) fn is_same(shown: &str, text: &str) -> bool {
    let plain = |text: &str| text.trim_start_matches('\u{feff}').replace("\r\n", "\n");
    plain(shown) == plain(text)
}

#[cfg(test)]
#[path = "write_tests.rs"]
mod tests;
