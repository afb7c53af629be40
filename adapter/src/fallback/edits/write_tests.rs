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
            fate: Fate::Stays,
            is_unsaved: false,
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

impl Folder {
    fn place(&self, name: &str) -> Place {
        Place { path: self.path(name), spelling: name.into(), external: false }
    }

    /// What is there, with what it holds.
    fn all(&self) -> String {
        let root = self.0.path().canonicalize().unwrap();
        let mut files = files_in(&root).unwrap();
        files.sort();
        let told = |it: &PathBuf| {
            format!("{}={}", it.strip_prefix(&root).unwrap().display(), fs::read_to_string(it).unwrap())
        };
        files.iter().map(told).collect::<Vec<_>>().join(" ")
    }

    /// One file of each fate, and a folder.
    fn every_fate(&self) -> Vec<FileChange> {
        for folder in ["in", "in/deeper"] {
            fs::create_dir_all(self.path(folder)).unwrap();
        }
        let created = self.change("created", "");
        fs::remove_file(self.path("created")).unwrap();
        let created = FileChange {
            fate: Fate::Created,
            changes: vec![Change { bytes: 0..0, text: "c".into() }],
            place: self.place("new/created"),
            ..created
        };
        let moved = FileChange { fate: Fate::Moved(self.place("to/moved")), ..self.change("moved", "2 m") };
        let inside = self.change("in/deeper/inside", "3 i");
        let folder = FileChange {
            place: self.place("in"),
            fate: Fate::FolderMoved(self.place("out")),
            stamp: Stamp::of(b""),
            changes: Vec::new(),
            ..inside.clone()
        };
        let gone = FileChange { fate: Fate::Deleted, ..self.change("gone", "4 g") };
        vec![created, gone, folder, inside, moved, self.change("stays", "1 s")]
    }
}

#[tokio::test]
async fn files_come_and_move_and_go() {
    let folder = Folder::new();
    let editor = Fake { writes: true, ..Fake::default() };
    let written = write(&folder.every_fate(), &editor).await.unwrap();
    assert!(written.odd.is_empty(), "{:?}", written.odd);
    assert_eq!(folder.all(), "new/created=c out/deeper/inside=new i stays=new s to/moved=new m");
    assert_eq!(*editor.wrote.lock().unwrap(), ["new s"], "what moves, no editor writes");
}

#[tokio::test]
async fn whatever_fails_leaves_everything_as_it_was() {
    for spoiled in ["new/created", "to/moved", "out"] {
        let folder = Folder::new();
        let files = folder.every_fate();
        let before = folder.all();
        // It is there by the time that it is to be made.
        struct Spoiler(PathBuf);
        impl Editor for Spoiler {
            fn read<'a>(&'a self, _: &'a Path) -> BoxFuture<'a, Option<Result<String, String>>> {
                std::future::ready(None).boxed()
            }
            fn write<'a>(
                &'a self,
                path: &'a Path,
                text: String,
            ) -> BoxFuture<'a, Option<Result<(), String>>> {
                if !self.0.exists() {
                    fs::create_dir_all(&self.0).unwrap();
                }
                std::future::ready(Some(fs::write(path, text).map_err(|it| it.to_string()))).boxed()
            }
        }
        let refused = write(&files, &Spoiler(folder.path(spoiled))).await.unwrap_err().to_string();
        assert!(refused.ends_with("nothing was changed"), "{spoiled}: {refused}");
        assert_eq!(folder.all(), before, "{spoiled}");
    }
}

#[tokio::test]
async fn what_is_in_the_way_is_seen_before_anything_is_written() {
    let folder = Folder::new();
    let files = folder.every_fate();
    fs::create_dir_all(folder.path("to")).unwrap();
    fs::write(folder.path("to/moved"), "other").unwrap();
    let before = folder.all();
    assert!(refusal(&files, &Fake::default()).await.starts_with("`to/moved` has changed since"));
    assert_eq!(folder.all(), before);
    fs::remove_dir_all(folder.path("to")).unwrap();
    let outside = TempDir::new().unwrap();
    std::os::unix::fs::symlink(outside.path(), folder.path("to")).unwrap();
    assert!(refusal(&files, &Fake::default()).await.starts_with("`to/moved` has changed since"));
}

#[tokio::test]
async fn an_unsaved_file_is_neither_moved_nor_deleted() {
    let folder = Folder::new();
    let shows = Fake { shows: Some("typed".into()), writes: true, ..Fake::default() };
    for fate in [Fate::Deleted, Fate::Moved(folder.place("to"))] {
        let file = FileChange { fate, ..folder.change("a", "1") };
        assert!(refusal(&[file], &shows).await.contains("unsaved changes of `a`"));
    }
    let folder_moved = FileChange {
        place: folder.place("in"),
        fate: Fate::FolderMoved(folder.place("out")),
        changes: Vec::new(),
        ..{
            fs::create_dir(folder.path("in")).unwrap();
            folder.change("in/a", "1")
        }
    };
    assert!(refusal(&[folder_moved], &shows).await.contains("unsaved changes of"));
}

#[tokio::test]
async fn a_buffer_is_changed_over_the_very_text_that_was_looked_at() {
    let folder = Folder::new();
    let made_of = |text: &str| FileChange {
        is_unsaved: true,
        stamp: Stamp::of(text.as_bytes()),
        ..folder.change("a", "on disk")
    };
    let editor = Fake { shows: Some("typed".into()), writes: true, ..Fake::default() };
    assert!(write(&[made_of("typed")], &editor).await.unwrap().by_editor);
    assert_eq!(*editor.wrote.lock().unwrap(), ["newyped"]);
    assert!(refusal(&[made_of("typed before")], &editor).await.starts_with("`a` has changed since"));
    let silent = Fake { writes: true, ..Fake::default() };
    assert!(refusal(&[made_of("typed")], &silent).await.contains("unsaved changes of `a`"));
    let reader = Fake { shows: Some("typed".into()), ..Fake::default() };
    assert!(refusal(&[made_of("typed")], &reader).await.contains("writes no files"));
}
