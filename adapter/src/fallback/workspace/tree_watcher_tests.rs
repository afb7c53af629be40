#![cfg(target_os = "linux")]

use std::os::unix::fs::symlink;

use super::*;
use crate::fallback::source::languages::LANGUAGES;
use crate::fallback::workspace::file_scan;

/// A tree of Rust that is watched: `w` in a folder that holds what lies outside of it.
struct Watched {
    outside: tempfile::TempDir,
    watcher: TreeWatcher,
}

impl Watched {
    fn new(prepare: impl Fn(&Path)) -> Self {
        let outside = tempfile::tempdir().unwrap();
        let root = outside.path().canonicalize().unwrap().join("w");
        for (path, text) in [("src/a.rs", "a"), ("src/deep/b.rs", "b"), ("target/CACHEDIR.TAG", "")] {
            write(&root, path, text);
        }
        prepare(&root);
        let mut watched = Self { outside, watcher: TreeWatcher::default() };
        assert!(!watched.is_unchanged(), "nobody has looked yet");
        watched.look();
        assert!(!watched.is_unchanged(), "the watches are younger than the look");
        watched.look();
        watched
    }

    fn root(&self) -> PathBuf {
        self.outside.path().canonicalize().unwrap().join("w")
    }

    fn look(&mut self) -> Vec<(PathBuf, Stamp)> {
        file_scan::scan_and_watch(&LANGUAGES[0], &[self.root()].into(), &mut self.watcher)
    }

    fn is_unchanged(&mut self) -> bool {
        file_scan::is_unchanged(&LANGUAGES[0], &mut self.watcher)
    }
}

fn write(root: &Path, path: &str, text: &str) {
    let path = root.join(path);
    fs::create_dir_all(path.parent().unwrap()).unwrap();
    fs::write(path, text).unwrap();
}

/// Each change is noticed, and after as many looks as it takes the tree is still again.
fn noticed(what: &str, prepare: impl Fn(&Path), change: impl Fn(&Path)) {
    let mut watched = Watched::new(prepare);
    assert!(watched.is_unchanged(), "{what}: before");
    assert!(watched.is_unchanged(), "{what}: asking changes nothing");
    change(&watched.root());
    assert!(!watched.is_unchanged(), "{what}: not noticed");
    assert!(!watched.is_unchanged(), "{what}: noticed once only");
    watched.look();
    watched.look();
    assert!(watched.is_unchanged(), "{what}: never still again");
    write(&watched.root(), "src/after.rs", "after");
    assert!(!watched.is_unchanged(), "{what}: nothing is noticed afterwards");
}

fn nothing(_: &Path) {}

#[test]
fn changes_of_files_are_noticed() {
    noticed("a write", nothing, |root| write(root, "src/deep/b.rs", "c"));
    noticed("a manifest", nothing, |root| write(root, "Cargo.toml", "[package]"));
    noticed("an atomic save", nothing, |root| {
        write(root, "src/a.rs.tmp~", "new");
        fs::rename(root.join("src/a.rs.tmp~"), root.join("src/a.rs")).unwrap();
    });
    noticed("a save that keeps the old file beside", nothing, |root| {
        fs::rename(root.join("src/a.rs"), root.join("src/a.rs~")).unwrap();
        write(root, "src/a.rs", "new");
    });
    noticed("a removal", nothing, |root| fs::remove_file(root.join("src/a.rs")).unwrap());
    noticed("a file moved in from outside", nothing, |root| {
        write(root.parent().unwrap(), "c.rs", "c");
        fs::rename(root.join("../c.rs"), root.join("src/c.rs")).unwrap();
    });
    noticed("a cut", nothing, |root| {
        fs::OpenOptions::new().write(true).open(root.join("src/a.rs")).unwrap().set_len(0).unwrap();
    });
}

#[test]
fn changes_of_folders_are_noticed() {
    noticed("a folder with files at once", nothing, |root| write(root, "src/new/newer/newest/c.rs", "c"));
    noticed("a folder moved into place", nothing, |root| {
        write(root.parent().unwrap(), "prepared/deep/c.rs", "c");
        fs::rename(root.join("../prepared"), root.join("src/prepared")).unwrap();
    });
    noticed("a folder in place of another", nothing, |root| {
        write(root.parent().unwrap(), "other/b.rs", "other");
        fs::rename(root.join("src/deep"), root.join("../gone")).unwrap();
        fs::rename(root.join("../other"), root.join("src/deep")).unwrap();
    });
    noticed("a folder moved away", nothing, |root| {
        fs::rename(root.join("src/deep"), root.join("../gone")).unwrap();
    });
    noticed("a folder that is shown no more", nothing, |root| {
        fs::rename(root.join("src/deep"), root.join("src/.deep")).unwrap();
    });
    noticed("a folder that is no output any more", nothing, |root| {
        fs::remove_file(root.join("target/CACHEDIR.TAG")).unwrap();
    });
    noticed("the whole tree in place of another", nothing, |root| {
        fs::rename(root, root.join("../old")).unwrap();
        write(root, "src/a.rs", "of the other");
    });
    noticed(
        "a checkout",
        |root| (0..200).for_each(|it| write(root, &format!("src/m{}/f{it}.rs", it % 7), "old")),
        |root| {
            fs::remove_dir_all(root.join("src/m0")).unwrap();
            (1..200).for_each(|it| write(root, &format!("src/m{}/f{it}.rs", it % 9), "new"));
        },
    );
}

#[test]
fn what_is_not_told_where_it_stands_is_looked_at() {
    let link = |root: &Path| {
        write(root.parent().unwrap(), "outside.rs", "1");
        symlink(root.join("../outside.rs"), root.join("src/link.rs")).unwrap();
    };
    noticed("the target of a link", link, |root| write(root.parent().unwrap(), "outside.rs", "22"));
    let named_twice = |root: &Path| {
        fs::hard_link(root.join("src/a.rs"), root.join("../a.rs")).unwrap();
    };
    noticed("a write under another name", named_twice, |root| write(root.parent().unwrap(), "a.rs", "22"));
    let inside = |root: &Path| symlink(root.join("src/deep"), root.join("linked")).unwrap();
    noticed("a folder that is linked to", inside, |root| write(root, "src/deep/c.rs", "c"));
    noticed("a link that leads elsewhere", inside, |root| {
        fs::remove_file(root.join("linked")).unwrap();
        symlink(root.join("src"), root.join("linked")).unwrap();
    });
    noticed("a new link", nothing, |root| symlink(root.join("src/deep"), root.join("linked")).unwrap());
    noticed("a link that is gone", inside, |root| fs::remove_file(root.join("linked")).unwrap());
    noticed("the place of the tree", nothing, |root| {
        // What is above a tree is not watched.
        let (above, moved) = (root.parent().unwrap(), root.parent().unwrap().with_extension("moved"));
        fs::rename(above, &moved).unwrap();
        write(root, "src/a.rs", "of another tree");
        fs::remove_dir_all(moved).unwrap();
    });
}

#[test]
fn too_many_changes_count_as_one() {
    noticed("an overflow", nothing, |root| {
        // Of names that do not matter; the same change twice in a row would be told once.
        for round in 0..10_000 {
            let (one, other) = (root.join("src/one.log"), root.join(format!("src/{}.log", round % 2)));
            fs::write(&one, "x").unwrap();
            fs::rename(one, other).unwrap();
        }
    });
}

#[test]
fn a_link_out_of_the_tree_keeps_it_in_doubt() {
    let mut watched = Watched::new(|root| {
        write(root.parent().unwrap(), "outside/deep/c.rs", "c");
        symlink(root.join("../outside"), root.join("linked")).unwrap();
    });
    assert!(!watched.is_unchanged());
    assert!(watched.look().iter().any(|(path, _)| path.ends_with("linked/deep/c.rs")));
    assert!(!watched.is_unchanged());
}

#[test]
fn what_does_not_matter_disturbs_nobody() {
    let mut watched = Watched::new(nothing);
    let root = watched.root();
    write(&root, "notes.txt", "n");
    write(&root, "target/debug/build.rs", "built");
    write(&root, "target/a.json", "{}");
    write(&root, ".git/index", "i");
    write(&root, "src/a.py", "of another language");
    assert!(watched.is_unchanged());
}
