//! All or none, whoever writes.

use std::fs;
use std::os::unix::fs::PermissionsExt;
use std::path::PathBuf;
use std::sync::Mutex;

use futures::FutureExt;
use tempfile::TempDir;

use super::super::Change;
use super::*;
use crate::fallback::roots::Place;

/// Shows what it was told to, and writes, but not this file.
#[derive(Default)]
struct Fake {
    shows: Option<String>,
    writes: bool,
    refuses: Option<PathBuf>,
    wrote: Mutex<Vec<String>>,
}

impl Editor for Fake {
    fn read<'a>(&'a self, _: &'a Path) -> BoxFuture<'a, Option<Result<String, String>>> {
        std::future::ready(self.shows.clone().map(Ok)).boxed()
    }

    fn write<'a>(&'a self, path: &'a Path, text: String) -> BoxFuture<'a, Option<Result<(), String>>> {
        let answer = match () {
            () if !self.writes => None,
            () if self.refuses.as_deref() == Some(path) => Some(Err("no".to_owned())),
            () => {
                self.wrote.lock().unwrap().push(text.clone());
                Some(fs::write(path, text).map_err(|error| error.to_string()))
            }
        };
        std::future::ready(answer).boxed()
    }
}

struct Folder(TempDir);

impl Folder {
    fn new() -> Self {
        Self(TempDir::new().unwrap())
    }

    fn path(&self, name: &str) -> PathBuf {
        self.0.path().canonicalize().unwrap().join(name)
    }

    /// A file, and a change of its first byte.
    fn change(&self, name: &str, text: &str) -> FileChange {
        let path = self.path(name);
        fs::write(&path, text).unwrap();
        FileChange {
            place: Place { path, spelling: name.into(), external: false },
            stamp: Stamp::of(text.as_bytes()),
            changes: vec![Change { bytes: 0..1, text: "new".into() }],
            diff: String::new(),
            count: 1,
        }
    }

    fn reads(&self, name: &str) -> String {
        fs::read_to_string(self.path(name)).unwrap()
    }
}

async fn refusal(files: &[FileChange], editor: &Fake) -> String {
    write(files, editor).await.unwrap_err().to_string()
}

#[tokio::test]
async fn the_disk_is_written_where_no_editor_writes() {
    let folder = Folder::new();
    let files = [folder.change("a", "1 a\r\n"), folder.change("b", "2 b")];
    fs::set_permissions(folder.path("a"), fs::Permissions::from_mode(0o754)).unwrap();
    let written = write(&files, &Fake::default()).await.unwrap();
    assert!(!written.by_editor && written.odd.is_empty());
    assert_eq!((folder.reads("a").as_str(), folder.reads("b").as_str()), ("new a\r\n", "new b"));
    assert_eq!(folder.path("a").metadata().unwrap().permissions().mode() & 0o777, 0o754);
    assert_eq!(fs::read_dir(folder.0.path()).unwrap().count(), 2);
}

#[tokio::test]
async fn an_editor_that_writes_gets_the_whole_text() {
    let folder = Folder::new();
    let files = [folder.change("a", "1 a")];
    let editor = Fake { writes: true, shows: Some("1 a".into()), ..Fake::default() };
    assert!(write(&files, &editor).await.unwrap().by_editor);
    assert_eq!(*editor.wrote.lock().unwrap(), ["new a"]);
}

#[tokio::test]
async fn nothing_is_written_when_one_file_is_another() {
    let folder = Folder::new();
    let files = [folder.change("a", "1"), folder.change("b", "2")];
    fs::write(folder.path("b"), "3").unwrap();
    assert!(refusal(&files, &Fake::default()).await.starts_with("`b` has changed since"));
    fs::remove_file(folder.path("b")).unwrap();
    assert!(refusal(&files, &Fake::default()).await.starts_with("`b` has changed since"));
    fs::write(folder.path("c"), "2").unwrap();
    std::os::unix::fs::symlink(folder.path("c"), folder.path("b")).unwrap();
    assert!(refusal(&files, &Fake::default()).await.starts_with("`b` has changed since"));
    assert_eq!((folder.reads("a").as_str(), folder.reads("c").as_str()), ("1", "2"));
}

#[tokio::test]
async fn an_unsaved_buffer_counts() {
    let folder = Folder::new();
    let files = [folder.change("a", "1\r\n")];
    let unsaved = Fake { shows: Some("1 typed\n".into()), ..Fake::default() };
    assert!(refusal(&files, &unsaved).await.contains("unsaved changes of `a`"));
    let saved = Fake { shows: Some("1\n".into()), ..Fake::default() };
    assert!(write(&files, &saved).await.is_ok());
}

#[tokio::test]
async fn what_was_written_is_put_back_when_one_fails() {
    let folder = Folder::new();
    let files = [folder.change("a", "1"), folder.change("b", "2")];
    let editor = Fake { writes: true, refuses: Some(folder.path("b")), ..Fake::default() };
    assert_eq!(refusal(&files, &editor).await, "`b` cannot be written: no; nothing was changed");
    assert_eq!(*editor.wrote.lock().unwrap(), ["new", "1"]);
    assert_eq!(folder.reads("a"), "1");
}

#[tokio::test]
async fn a_file_that_may_not_be_written_is_not() {
    let folder = Folder::new();
    let files = [folder.change("a", "1"), folder.change("b", "2")];
    fs::set_permissions(folder.path("b"), fs::Permissions::from_mode(0o444)).unwrap();
    assert!(refusal(&files, &Fake::default()).await.contains("`b` cannot be written: it is read-only"));
    assert_eq!(folder.reads("a"), "1");
}
