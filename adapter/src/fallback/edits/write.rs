//! Writes changes: all of them, or none.

use std::io::{self, Write as _};
use std::path::{Path, PathBuf};

use futures::future::BoxFuture;
use ide_protocol::{ErrorCode, IdeError};

use super::{Fate, FileChange, Stamp};
use crate::fallback::buffers::canonical;

/// How many files a folder may hold that is moved: an editor is asked about each.
const IN_FOLDER: usize = 500;

/// The files as an editor has them, unsaved buffers included.
pub trait Editor: Send + Sync {
    /// What it shows of a file; `None` when it does not say what it shows.
    fn read<'a>(&'a self, path: &'a Path) -> BoxFuture<'a, Option<Result<String, String>>>;

    /// Has it write a file; `None` when it writes none.
    fn write<'a>(&'a self, path: &'a Path, text: String) -> BoxFuture<'a, Option<Result<(), String>>>;
}

/// Why nothing was changed.
#[derive(Debug, thiserror::Error)]
pub(crate) enum Unwritten {
    #[error("`{0}` has changed since the edit was made; nothing was changed")]
    Changed(String),
    #[error("the editor has unsaved changes of `{0}`; nothing was changed")]
    Unsaved(String),
    #[error("`{0}` cannot be written: {1}; nothing was changed")]
    Refused(String, String),
    #[error(
        "`{path}` cannot be written: {reason}; these were written before it and could not be put back: {left}"
    )]
    Half { path: String, reason: String, left: String },
}

impl From<Unwritten> for IdeError {
    fn from(unwritten: Unwritten) -> Self {
        let message = unwritten.to_string();
        match unwritten {
            Unwritten::Changed(_) => Self::new(ErrorCode::InvalidRequest, message)
                .recovery("Make the edit again, look at it, and apply that one."),
            Unwritten::Unsaved(_) => Self::new(ErrorCode::InvalidRequest, message)
                .recovery("Ask the user to save the file, and make the edit again."),
            Unwritten::Refused(..) => Self::new(ErrorCode::ServerFailed, message)
                .recovery("Tell the user; the edit can be applied again."),
            Unwritten::Half { .. } => Self::new(ErrorCode::ServerFailed, message).recovery(
                "Tell the user which files are changed by half; version control can bring them back.",
            ),
        }
    }
}

/// What became of it.
#[derive(Debug, Default)]
pub(crate) struct Written {
    /// Whether the editor wrote, rather than we.
    pub(crate) by_editor: bool,
    /// Files that hold something else than what was written.
    pub(crate) odd: Vec<String>,
}

/// A file that is about to be written, or to come, go or move.
struct Due<'plan> {
    file: &'plan FileChange,
    before: Vec<u8>,
    after: Vec<u8>,
    way: Way,
}

/// Who writes a file.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Way {
    /// The editor where it writes, else we.
    Either,
    /// The editor: what it holds is on no disk.
    Editor,
    /// We: no editor moves files, and one that wrote to the old path would bring it back.
    Disk,
}

/// Checks all files, then changes their texts, then has files come, move and go. What was done is undone when one step
/// fails.
pub(crate) async fn write(files: &[FileChange], editor: &dyn Editor) -> Result<Written, Unwritten> {
    let mut due = Vec::new();
    for file in files {
        due.push(check(file, way(file, files), editor).await?);
    }
    // Last, what goes: until then nothing is lost.
    due.sort_by_key(|it| match &it.file.fate {
        Fate::Stays => 0,
        Fate::Created => 1,
        Fate::Moved(_) => 2,
        Fate::FolderMoved(_) => 3,
        Fate::Deleted => 4,
    });
    let mut written = Written::default();
    for (index, one) in due.iter().enumerate() {
        match make(one, editor).await {
            Ok(by_editor) => written.by_editor |= by_editor,
            Err(unwritten) => return Err(put_back(&due[..index], unwritten, editor).await),
        }
    }
    let is_odd = |it: &&Due<'_>| {
        it.end(files).is_some_and(|path| std::fs::read(path).ok().as_ref() != Some(&it.after))
    };
    written.odd = due.iter().filter(is_odd).map(|it| it.file.place.spelling.clone()).collect();
    Ok(written)
}

/// A text that is moved with its folder is written where it still is.
fn way(file: &FileChange, all: &[FileChange]) -> Way {
    let moves_with = |it: &FileChange| {
        matches!(it.fate, Fate::FolderMoved(_)) && file.place.path.starts_with(&it.place.path)
    };
    match &file.fate {
        Fate::Stays if file.is_unsaved => Way::Editor,
        Fate::Stays if !all.iter().any(moves_with) => Way::Either,
        _ => Way::Disk,
    }
}

impl Due<'_> {
    /// Where it is when all is made, if it is a file.
    fn end(&self, all: &[FileChange]) -> Option<PathBuf> {
        let path = &self.file.place.path;
        match &self.file.fate {
            Fate::Deleted | Fate::FolderMoved(_) => None,
            Fate::Moved(to) => Some(to.path.clone()),
            Fate::Stays | Fate::Created => {
                let moved = all.iter().find_map(|it| match &it.fate {
                    Fate::FolderMoved(to) => Some(to.path.join(path.strip_prefix(&it.place.path).ok()?)),
                    _ => None,
                });
                Some(moved.unwrap_or_else(|| path.clone()))
            }
        }
    }
}

async fn check<'plan>(
    file: &'plan FileChange,
    way: Way,
    editor: &dyn Editor,
) -> Result<Due<'plan>, Unwritten> {
    let (path, spelling) = (&file.place.path, &file.place.spelling);
    match &file.fate {
        Fate::Created => free(path, spelling)?,
        Fate::Moved(to) | Fate::FolderMoved(to) => free(&to.path, &to.spelling)?,
        Fate::Stays | Fate::Deleted => {}
    }
    let before = match way {
        Way::Editor => shown(file, editor).await?,
        Way::Either | Way::Disk => on_disk(file, editor).await?,
    };
    let after = file.applied(&before);
    Ok(Due { file, before, after, way })
}

/// That nothing is there, and that what is above it is still a folder of the workspace's.
fn free(path: &Path, spelling: &str) -> Result<(), Unwritten> {
    if path.symlink_metadata().is_ok() || canonical(path) != path {
        return Err(Unwritten::Changed(spelling.to_owned()));
    }
    Ok(())
}

/// What the editor holds, when it is what the edit was made from.
async fn shown(file: &FileChange, editor: &dyn Editor) -> Result<Vec<u8>, Unwritten> {
    let spelling = || file.place.spelling.clone();
    match editor.read(&file.place.path).await {
        Some(Ok(text)) => {
            let text = text.strip_prefix('\u{feff}').map(str::to_owned).unwrap_or(text).into_bytes();
            if Stamp::of(&text) == file.stamp { Ok(text) } else { Err(Unwritten::Changed(spelling())) }
        }
        Some(Err(_)) | None => Err(Unwritten::Unsaved(spelling())),
    }
}

/// What the disk holds, when it is what the edit was made from and what the editor shows.
async fn on_disk(file: &FileChange, editor: &dyn Editor) -> Result<Vec<u8>, Unwritten> {
    let (path, spelling) = (&file.place.path, &file.place.spelling);
    let before = unchanged(file)?;
    match &file.fate {
        Fate::Created => return Ok(before),
        Fate::FolderMoved(_) => return all_saved(path, spelling, editor).await.map(|()| before),
        Fate::Stays | Fate::Moved(_) | Fate::Deleted => {}
    }
    let refused = |error: io::Error| Unwritten::Refused(spelling.clone(), error.to_string());
    if std::fs::metadata(path).map_err(refused)?.permissions().readonly() {
        return Err(Unwritten::Refused(spelling.clone(), "it is read-only".into()));
    }
    saved(path, spelling, &before, editor).await.map(|()| before)
}

async fn saved(path: &Path, spelling: &str, before: &[u8], editor: &dyn Editor) -> Result<(), Unwritten> {
    match editor.read(path).await {
        Some(Ok(shown)) if !is_same(&shown, &String::from_utf8_lossy(before)) => {
            Err(Unwritten::Unsaved(spelling.to_owned()))
        }
        Some(Err(error)) => {
            tracing::debug!(error, path = spelling, "the editor does not show it");
            Ok(())
        }
        Some(Ok(_)) | None => Ok(()),
    }
}

/// That the editor has nothing unsaved in a folder, as far as it says what it has.
async fn all_saved(folder: &Path, spelling: &str, editor: &dyn Editor) -> Result<(), Unwritten> {
    let walk =
        files_in(folder).map_err(|error| Unwritten::Refused(spelling.to_owned(), error.to_string()))?;
    for (count, path) in walk.iter().enumerate() {
        if count == IN_FOLDER {
            let why = format!("it holds more than {IN_FOLDER} files");
            return Err(Unwritten::Refused(spelling.to_owned(), why));
        }
        let Ok(bytes) = std::fs::read(path) else { continue };
        if editor.read(path).await.is_none() {
            return Ok(());
        }
        saved(path, &path.display().to_string(), &bytes, editor).await?;
    }
    Ok(())
}

/// The files in a folder and below.
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

/// The bytes of the file, when they are those that the edit was made from, and it is still the same file.
fn unchanged(file: &FileChange) -> Result<Vec<u8>, Unwritten> {
    let path = &file.place.path;
    let changed = || Unwritten::Changed(file.place.spelling.clone());
    let bytes = match &file.fate {
        Fate::Created => return free(path, &file.place.spelling).map(|()| Vec::new()),
        Fate::FolderMoved(_) => path.is_dir().then(Vec::new),
        _ => std::fs::read(path).ok().filter(|it| Stamp::of(it) == file.stamp),
    };
    let is_same_file = path.canonicalize().is_ok_and(|it| it == *path);
    bytes.filter(|_| is_same_file).ok_or_else(changed)
}

/// Editors have their own line breaks, and no byte order mark.
pub(super) fn is_same(shown: &str, text: &str) -> bool {
    let plain = |text: &str| text.trim_start_matches('\u{feff}').replace("\r\n", "\n");
    plain(shown) == plain(text)
}

/// Whether the editor made it.
async fn make(due: &Due<'_>, editor: &dyn Editor) -> Result<bool, Unwritten> {
    match due.way {
        Way::Editor => drop(shown(due.file, editor).await?),
        Way::Either | Way::Disk => drop(unchanged(due.file)?),
    }
    let path = &due.file.place.path;
    let made = match &due.file.fate {
        Fate::Stays => put(path, &due.after, due.way, editor).await,
        Fate::Created => create(path, &due.after).map(|()| false).map_err(|it| it.to_string()),
        Fate::FolderMoved(to) => relocate(path, &to.path).map(|()| false).map_err(|it| it.to_string()),
        Fate::Moved(to) => rewrite_and_relocate(due, &to.path).map(|()| false).map_err(|it| it.to_string()),
        Fate::Deleted => std::fs::remove_file(path).map(|()| false).map_err(|it| it.to_string()),
    };
    made.map_err(|reason| Unwritten::Refused(due.file.place.spelling.clone(), reason))
}

async fn put(path: &Path, bytes: &[u8], way: Way, editor: &dyn Editor) -> Result<bool, String> {
    let text = String::from_utf8(bytes.to_vec()).map_err(|error| error.to_string())?;
    let by_editor = match way {
        Way::Disk => None,
        Way::Either | Way::Editor => editor.write(path, text).await,
    };
    match by_editor {
        Some(written) => written.map(|()| true),
        None if way == Way::Editor => Err("the editor has not saved it, and writes no files".to_owned()),
        None => replace(path, bytes).map(|()| false).map_err(|error| error.to_string()),
    }
}

/// A new file and the folders that it takes.
fn create(path: &Path, bytes: &[u8]) -> io::Result<()> {
    std::fs::create_dir_all(path.parent().unwrap_or(path))?;
    std::fs::OpenOptions::new().write(true).create_new(true).open(path)?.write_all(bytes)
}

/// Moves to where nothing is.
fn relocate(from: &Path, to: &Path) -> io::Result<()> {
    std::fs::create_dir_all(to.parent().unwrap_or(to))?;
    match to.symlink_metadata() {
        Err(error) if error.kind() == io::ErrorKind::NotFound => std::fs::rename(from, to),
        _ => Err(io::Error::new(io::ErrorKind::AlreadyExists, "something is there by now")),
    }
}

fn rewrite_and_relocate(due: &Due<'_>, to: &Path) -> io::Result<()> {
    let path = &due.file.place.path;
    relocate(path, to)?;
    if due.after == due.before {
        return Ok(());
    }
    replace(to, &due.after).or_else(|error| {
        relocate(to, path)?;
        Err(error)
    })
}

/// The old file or the new one, never a part, as whoever owned it may use it.
fn replace(path: &Path, bytes: &[u8]) -> io::Result<()> {
    let folder = path.parent().ok_or_else(|| io::Error::other("it lies in no folder"))?;
    let mut beside = match tempfile::NamedTempFile::new_in(folder) {
        Err(error) if error.kind() == io::ErrorKind::PermissionDenied => return std::fs::write(path, bytes),
        beside => beside?,
    };
    beside.write_all(bytes)?;
    beside.as_file().set_permissions(std::fs::metadata(path)?.permissions())?;
    beside.persist(path)?;
    Ok(())
}

/// Brings back what was there. The one that failed may be written by half where an editor did it.
async fn put_back(made: &[Due<'_>], why: Unwritten, editor: &dyn Editor) -> Unwritten {
    let mut left = Vec::new();
    for one in made.iter().rev() {
        if !undo(one, editor).await {
            left.push(format!("`{}`", one.file.place.spelling));
        }
    }
    match why {
        Unwritten::Refused(path, reason) if !left.is_empty() => {
            Unwritten::Half { path, reason, left: left.join(", ") }
        }
        Unwritten::Changed(path) if !left.is_empty() => {
            Unwritten::Half { path, reason: "it has changed meanwhile".into(), left: left.join(", ") }
        }
        why => why,
    }
}

/// Whether one is again as it was. Folders that were made for it stay.
async fn undo(due: &Due<'_>, editor: &dyn Editor) -> bool {
    let path = &due.file.place.path;
    match &due.file.fate {
        Fate::Stays => put(path, &due.before, due.way, editor).await.is_ok(),
        Fate::Created => std::fs::remove_file(path).is_ok(),
        Fate::FolderMoved(to) => relocate(&to.path, path).is_ok(),
        Fate::Moved(to) => {
            let is_back = relocate(&to.path, path).is_ok();
            is_back && (due.after == due.before || replace(path, &due.before).is_ok())
        }
        Fate::Deleted => create(path, &due.before).is_ok(),
    }
}

#[cfg(test)]
#[path = "write_tests.rs"]
mod tests;
