//! All or none, whoever writes.

use std::fs;
use std::os::unix::fs::PermissionsExt;
use std::path::PathBuf;
use std::sync::Mutex;

use futures::FutureExt;
use rustix::fs::CWD;
use tempfile::TempDir;

use super::*;
use crate::fallback::edits::diff::Diff;
use crate::fallback::edits::file_change::Change;
use crate::fallback::workspace::session_folders::SessionPath;

/// An editor with a fixed text, which refuses to write one file.
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

    /// Writes a file, and returns a change of its first byte.
    fn change(&self, name: &str, text: &str) -> FileChange {
        let path = self.path(name);
        fs::write(&path, text).unwrap();
        FileChange {
            place: SessionPath { path, spelling: name.into(), external: false },
            fate: FileOperation::Stays,
            is_unsaved: false,
            stamp: ContentHash::of(text.as_bytes()),
            changes: vec![Change { bytes: 0..1, text: "new".into() }],
            diff: Diff::default(),
            count: 1,
        }
    }

    fn reads(&self, name: &str) -> String {
        fs::read_to_string(self.path(name)).unwrap()
    }

    /// Writes with this folder as the workspace.
    async fn write(&self, files: &[FileChange], editor: &dyn Editor) -> Result<WriteOutcome, WriteError> {
        write(files, &[self.path("")], editor, None).await
    }

    async fn refusal(&self, files: &[FileChange], editor: &dyn Editor) -> String {
        self.write(files, editor).await.unwrap_err().to_string()
    }
}

#[tokio::test]
async fn the_disk_is_written_where_no_editor_writes() {
    let folder = Folder::new();
    let files = [folder.change("a", "1 a\r\n"), folder.change("b", "2 b")];
    fs::set_permissions(folder.path("a"), fs::Permissions::from_mode(0o754)).unwrap();
    let written = folder.write(&files, &Fake::default()).await.unwrap();
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
    assert!(folder.write(&files, &editor).await.unwrap().by_editor);
    assert_eq!(*editor.wrote.lock().unwrap(), ["new a"]);
}

#[tokio::test]
async fn nothing_is_written_when_one_file_is_another() {
    let folder = Folder::new();
    let files = [folder.change("a", "1"), folder.change("b", "2")];
    fs::write(folder.path("b"), "3").unwrap();
    assert!(folder.refusal(&files, &Fake::default()).await.starts_with("`b` has changed since"));
    fs::remove_file(folder.path("b")).unwrap();
    assert!(folder.refusal(&files, &Fake::default()).await.starts_with("`b` has changed since"));
    fs::write(folder.path("c"), "2").unwrap();
    std::os::unix::fs::symlink(folder.path("c"), folder.path("b")).unwrap();
    assert!(folder.refusal(&files, &Fake::default()).await.starts_with("`b` has changed since"));
    assert_eq!((folder.reads("a").as_str(), folder.reads("c").as_str()), ("1", "2"));
}

#[tokio::test]
async fn an_unsaved_buffer_counts() {
    let folder = Folder::new();
    let files = [folder.change("a", "1\r\n")];
    let unsaved = Fake { shows: Some("1 typed\n".into()), ..Fake::default() };
    assert!(folder.refusal(&files, &unsaved).await.contains("unsaved changes of `a`"));
    let saved = Fake { shows: Some("1\n".into()), ..Fake::default() };
    assert!(folder.write(&files, &saved).await.is_ok());
}

#[tokio::test]
async fn what_was_written_is_put_back_when_one_fails() {
    let folder = Folder::new();
    let files = [folder.change("a", "1"), folder.change("b", "2")];
    let editor = Fake { writes: true, refuses: Some(folder.path("b")), ..Fake::default() };
    assert_eq!(folder.refusal(&files, &editor).await, "`b` cannot be written: no; nothing was changed");
    assert_eq!(*editor.wrote.lock().unwrap(), ["new", "1"]);
    assert_eq!(folder.reads("a"), "1");
}

#[tokio::test]
async fn a_file_that_may_not_be_written_is_not() {
    let folder = Folder::new();
    let files = [folder.change("a", "1"), folder.change("b", "2")];
    fs::set_permissions(folder.path("b"), fs::Permissions::from_mode(0o444)).unwrap();
    assert!(
        folder.refusal(&files, &Fake::default()).await.contains("`b` cannot be written: it is read-only")
    );
    assert_eq!(folder.reads("a"), "1");
}

impl Folder {
    fn place(&self, name: &str) -> SessionPath {
        SessionPath { path: self.path(name), spelling: name.into(), external: false }
    }

    /// Shows all files with their contents.
    fn all(&self) -> String {
        let root = self.0.path().canonicalize().unwrap();
        let mut files = files_in(&root).unwrap();
        files.sort();
        let told = |it: &PathBuf| {
            format!("{}={}", it.strip_prefix(&root).unwrap().display(), fs::read_to_string(it).unwrap())
        };
        files.iter().map(told).collect::<Vec<_>>().join(" ")
    }

    /// Returns one file of each operation, and a folder.
    fn every_fate(&self) -> Vec<FileChange> {
        for folder in ["in", "in/deeper"] {
            fs::create_dir_all(self.path(folder)).unwrap();
        }
        let created = self.change("created", "");
        fs::remove_file(self.path("created")).unwrap();
        let created = FileChange {
            fate: FileOperation::Created,
            changes: vec![Change { bytes: 0..0, text: "c".into() }],
            place: self.place("new/created"),
            ..created
        };
        let moved =
            FileChange { fate: FileOperation::Moved(self.place("to/moved")), ..self.change("moved", "2 m") };
        let inside = self.change("in/deeper/inside", "3 i");
        let folder = FileChange {
            place: self.place("in"),
            fate: FileOperation::FolderMoved(self.place("out")),
            stamp: ContentHash::of(b""),
            changes: Vec::new(),
            ..inside.clone()
        };
        let gone = FileChange { fate: FileOperation::Deleted, ..self.change("gone", "4 g") };
        vec![created, gone, folder, inside, moved, self.change("stays", "1 s")]
    }
}

#[tokio::test]
async fn files_come_and_move_and_go() {
    let folder = Folder::new();
    let editor = Fake { writes: true, ..Fake::default() };
    let written = folder.write(&folder.every_fate(), &editor).await.unwrap();
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
        let refused = folder.write(&files, &Spoiler(folder.path(spoiled))).await.unwrap_err().to_string();
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
    assert!(folder.refusal(&files, &Fake::default()).await.starts_with("`to/moved` has changed since"));
    assert_eq!(folder.all(), before);
    fs::remove_dir_all(folder.path("to")).unwrap();
    let outside = TempDir::new().unwrap();
    std::os::unix::fs::symlink(outside.path(), folder.path("to")).unwrap();
    assert!(folder.refusal(&files, &Fake::default()).await.starts_with("`to/moved` has changed since"));
}

#[tokio::test]
async fn an_unsaved_file_is_neither_moved_nor_deleted() {
    let folder = Folder::new();
    let shows = Fake { shows: Some("typed".into()), writes: true, ..Fake::default() };
    for fate in [FileOperation::Deleted, FileOperation::Moved(folder.place("to"))] {
        let file = FileChange { fate, ..folder.change("a", "1") };
        assert!(folder.refusal(&[file], &shows).await.contains("unsaved changes of `a`"));
    }
    let folder_moved = FileChange {
        place: folder.place("in"),
        fate: FileOperation::FolderMoved(folder.place("out")),
        changes: Vec::new(),
        ..{
            fs::create_dir(folder.path("in")).unwrap();
            folder.change("in/a", "1")
        }
    };
    assert!(folder.refusal(&[folder_moved], &shows).await.contains("unsaved changes of"));
}

#[tokio::test]
async fn a_buffer_is_changed_over_the_very_text_that_was_looked_at() {
    let folder = Folder::new();
    let made_of = |text: &str| FileChange {
        is_unsaved: true,
        stamp: ContentHash::of(text.as_bytes()),
        ..folder.change("a", "on disk")
    };
    let editor = Fake { shows: Some("typed".into()), writes: true, ..Fake::default() };
    assert!(folder.write(&[made_of("typed")], &editor).await.unwrap().by_editor);
    assert_eq!(*editor.wrote.lock().unwrap(), ["newyped"]);
    assert!(folder.refusal(&[made_of("typed before")], &editor).await.starts_with("`a` has changed since"));
    let silent = Fake { writes: true, ..Fake::default() };
    assert!(folder.refusal(&[made_of("typed")], &silent).await.contains("unsaved changes of `a`"));
    let reader = Fake { shows: Some("typed".into()), ..Fake::default() };
    assert!(folder.refusal(&[made_of("typed")], &reader).await.contains("writes no files"));
}

/// Says that it writes no files, once a folder has become a link to another one.
struct Swapper {
    folder: PathBuf,
    outside: PathBuf,
}

impl Editor for Swapper {
    fn read<'a>(&'a self, _: &'a Path) -> BoxFuture<'a, Option<Result<String, String>>> {
        std::future::ready(None).boxed()
    }

    fn write<'a>(&'a self, _: &'a Path, _: String) -> BoxFuture<'a, Option<Result<(), String>>> {
        fs::rename(&self.folder, self.folder.with_extension("aside")).unwrap();
        std::os::unix::fs::symlink(&self.outside, &self.folder).unwrap();
        std::future::ready(None).boxed()
    }
}

/// Creates a folder `in` of the workspace, and one outside with the same files.
fn twins(names: &[&str]) -> (Folder, TempDir) {
    let (folder, outside) = (Folder::new(), TempDir::new().unwrap());
    fs::create_dir(folder.path("in")).unwrap();
    for name in names {
        fs::write(outside.path().join(name), format!("1 {name}")).unwrap();
    }
    (folder, outside)
}

#[tokio::test]
async fn a_folder_that_becomes_a_link_while_the_editor_is_asked_is_not_written_through() {
    let (folder, outside) = twins(&["a"]);
    let files = [folder.change("in/a", "1 a")];
    let editor = Swapper { folder: folder.path("in"), outside: outside.path().to_owned() };
    let refused = folder.refusal(&files, &editor).await;
    assert!(refused.starts_with("`in/a` has changed since"), "{refused}");
    assert_eq!(fs::read_to_string(outside.path().join("a")).unwrap(), "1 a");
    assert_eq!(fs::read_dir(outside.path()).unwrap().count(), 1);
    assert_eq!(folder.reads("in.aside/a"), "1 a");
}

/// One thread swaps a folder and a link for as long as another writes below it.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn nothing_outside_is_written_while_a_folder_and_a_link_are_swapped() {
    use std::sync::atomic::AtomicBool;
    use std::sync::atomic::Ordering::Relaxed;

    let (mut written, mut refused) = (0, 0);
    for round in 0.. {
        let (folder, outside) = twins(&["stays", "moved", "gone"]);
        let change = |name: &str| folder.change(&format!("in/{name}"), &format!("1 {name}"));
        let created = FileChange {
            fate: FileOperation::Created,
            stamp: ContentHash::of(b""),
            changes: vec![Change { bytes: 0..0, text: "c".into() }],
            place: folder.place("in/deep/created"),
            ..change("stays")
        };
        let moved = FileChange { fate: FileOperation::Moved(folder.place("in/to/moved")), ..change("moved") };
        let files =
            [change("stays"), created, moved, FileChange { fate: FileOperation::Deleted, ..change("gone") }];
        let (is_over, inside, link) = (AtomicBool::new(false), folder.path("in"), folder.path("link"));
        std::os::unix::fs::symlink(outside.path(), &link).unwrap();
        let outcome = std::thread::scope(|scope| {
            scope.spawn(|| {
                while !is_over.load(Relaxed) {
                    let exchange = rustix::fs::RenameFlags::EXCHANGE;
                    rustix::fs::renameat_with(CWD, &inside, CWD, &link, exchange).unwrap();
                    std::thread::yield_now();
                }
            });
            let outcome = futures::executor::block_on(folder.write(&files, &Fake::default()));
            is_over.store(true, Relaxed);
            outcome
        });
        match outcome {
            Ok(_) => written += 1,
            Err(_) => refused += 1,
        }
        let mut found: Vec<_> = files_in(outside.path()).unwrap();
        found.sort();
        let held = |it: &PathBuf| fs::read_to_string(it).unwrap();
        assert_eq!(
            found.iter().map(held).collect::<Vec<_>>(),
            ["1 gone", "1 moved", "1 stays"],
            "round {round}"
        );
        assert_eq!(fs::read_dir(outside.path()).unwrap().count(), 3, "round {round}");
        if round >= 300 && refused >= 50 {
            break;
        }
        assert!(round < 20_000, "{written} written, {refused} refused: the two never met");
    }
}
