//! Writes changes: all of them, or none.

use std::io::{self, Write as _};
use std::path::Path;

use futures::future::BoxFuture;
use ide_protocol::{ErrorCode, IdeError};

use super::{FileChange, Stamp};

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

/// A file that is about to be written.
struct Due<'plan> {
    file: &'plan FileChange,
    before: Vec<u8>,
    after: Vec<u8>,
}

/// Checks all files, then writes all; what was written is put back when one fails.
pub(crate) async fn write(files: &[FileChange], editor: &dyn Editor) -> Result<Written, Unwritten> {
    let mut due = Vec::new();
    for file in files {
        due.push(check(file, editor).await?);
    }
    let mut written = Written::default();
    for (index, one) in due.iter().enumerate() {
        match write_one(one, editor).await {
            Ok(by_editor) => written.by_editor |= by_editor,
            Err(unwritten) => return Err(put_back(&due[..index], unwritten, editor).await),
        }
    }
    let is_odd = |it: &&Due<'_>| std::fs::read(&it.file.place.path).ok().as_ref() != Some(&it.after);
    written.odd = due.iter().filter(is_odd).map(|it| it.file.place.spelling.clone()).collect();
    Ok(written)
}

async fn check<'plan>(file: &'plan FileChange, editor: &dyn Editor) -> Result<Due<'plan>, Unwritten> {
    let (path, spelling) = (&file.place.path, &file.place.spelling);
    let before = unchanged(file)?;
    let refused = |error: io::Error| Unwritten::Refused(spelling.clone(), error.to_string());
    if std::fs::metadata(path).map_err(refused)?.permissions().readonly() {
        return Err(Unwritten::Refused(spelling.clone(), "it is read-only".into()));
    }
    match editor.read(path).await {
        Some(Ok(shown)) if !is_same(&shown, &String::from_utf8_lossy(&before)) => {
            return Err(Unwritten::Unsaved(spelling.clone()));
        }
        Some(Err(error)) => tracing::debug!(error, path = spelling, "the editor does not show it"),
        Some(Ok(_)) | None => {}
    }
    let after = file.applied(&before);
    Ok(Due { file, before, after })
}

/// The bytes of the file, when they are those that the edit was made from, and it is still the same file.
fn unchanged(file: &FileChange) -> Result<Vec<u8>, Unwritten> {
    let path = &file.place.path;
    let bytes = std::fs::read(path).ok().filter(|it| Stamp::of(it) == file.stamp);
    let is_same_file = path.canonicalize().is_ok_and(|it| it == *path);
    bytes.filter(|_| is_same_file).ok_or_else(|| Unwritten::Changed(file.place.spelling.clone()))
}

/// Editors have their own line breaks, and no byte order mark.
pub(super) fn is_same(shown: &str, text: &str) -> bool {
    let plain = |text: &str| text.trim_start_matches('\u{feff}').replace("\r\n", "\n");
    plain(shown) == plain(text)
}

/// Whether the editor wrote it.
async fn write_one(due: &Due<'_>, editor: &dyn Editor) -> Result<bool, Unwritten> {
    unchanged(due.file)?;
    put(&due.file.place.path, &due.after, editor)
        .await
        .map_err(|reason| Unwritten::Refused(due.file.place.spelling.clone(), reason))
}

async fn put(path: &Path, bytes: &[u8], editor: &dyn Editor) -> Result<bool, String> {
    let text = String::from_utf8(bytes.to_vec()).map_err(|error| error.to_string())?;
    match editor.write(path, text).await {
        Some(written) => written.map(|()| true),
        None => replace(path, bytes).map(|()| false).map_err(|error| error.to_string()),
    }
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
async fn put_back(written: &[Due<'_>], why: Unwritten, editor: &dyn Editor) -> Unwritten {
    let mut left = Vec::new();
    for one in written.iter().rev() {
        if put(&one.file.place.path, &one.before, editor).await.is_err() {
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

#[cfg(test)]
#[path = "write_tests.rs"]
mod tests;
