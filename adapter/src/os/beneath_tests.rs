//! What lies below an open folder, by any path.

use std::fs;
use std::os::unix::fs::{PermissionsExt, symlink};

use tempfile::TempDir;

use super::*;

struct TestFolders {
    root: PathBuf,
    outside: PathBuf,
    _dir: TempDir,
}

impl TestFolders {
    fn new() -> Self {
        let dir = TempDir::new().unwrap();
        let top = dir.path().canonicalize().unwrap();
        let (root, outside) = (top.join("root"), top.join("outside"));
        for folder in ["root/in", "outside"] {
            fs::create_dir_all(top.join(folder)).unwrap();
            fs::write(top.join(folder).join("a"), "a").unwrap();
        }
        symlink(&outside, root.join("link")).unwrap();
        symlink(outside.join("a"), root.join("in/linked")).unwrap();
        Self { root, outside, _dir: dir }
    }

    fn folders(&self) -> OpenFolders {
        OpenFolders::open(std::slice::from_ref(&self.root))
    }
}

#[test]
fn files_below_are_read_written_moved_and_removed() {
    let ground = TestFolders::new();
    let (folders, at) = (ground.folders(), |name: &str| ground.root.join(name));
    fs::set_permissions(at("in/a"), fs::Permissions::from_mode(0o754)).unwrap();
    let spot = folders.entry(&at("in/a")).unwrap();
    assert_eq!(spot.read().unwrap(), b"a");
    spot.replace(b"b").unwrap();
    assert_eq!(fs::metadata(at("in/a")).unwrap().permissions().mode() & 0o7777, 0o754);
    let new = folders.entry_in_new_folders(&at("new/deep/c")).unwrap();
    assert!(folders.is_free(&at("new/deep/c")) && folders.is_free(&at("none/none")));
    new.create(b"c").unwrap();
    assert!(!folders.is_free(&at("new/deep/c")));
    let taken = spot.move_to(&new).unwrap_err();
    assert_eq!(taken.to_string(), "something is there by now");
    new.remove().unwrap();
    spot.move_to(&new).unwrap();
    assert_eq!(fs::read(at("new/deep/c")).unwrap(), b"b");
    assert_eq!(fs::read_dir(at("in")).unwrap().count(), 1, "no draft is left");
}

#[test]
fn no_link_is_followed() {
    let ground = TestFolders::new();
    let folders = ground.folders();
    for path in ["link/a", "link/none", "link/deep/none"] {
        let path = ground.root.join(path);
        assert!(
            folders.entry(&path).is_err() && folders.entry_in_new_folders(&path).is_err(),
            "{}",
            path.display()
        );
        assert!(!folders.is_free(&path), "{}", path.display());
    }
    let linked = folders.entry(&ground.root.join("in/linked")).unwrap();
    assert!(linked.read().is_err() && linked.replace(b"x").is_err() && linked.create(b"x").is_err());
    for path in [ground.outside.join("a"), ground.root.join("in/../../outside/a"), ground.root.clone()] {
        assert!(folders.entry(&path).is_err(), "{}", path.display());
    }
    assert_eq!(fs::read(ground.outside.join("a")).unwrap(), b"a");
    assert!(OpenFolders::open(&[ground.root.join("link")]).0.is_empty());
}

#[test]
fn both_ways_of_opening_agree() {
    let ground = TestFolders::new();
    let root = open_absolute(&ground.root).unwrap();
    for path in ["in", "link", "none", "in/a", "in/linked", "link/.."] {
        let (at_once, by_steps) =
            (open_below(root.as_fd(), Path::new(path)), open_step_by_step(root.as_fd(), Path::new(path)));
        assert_eq!(at_once.is_ok(), by_steps.is_ok(), "{path}");
        if let (Err(one), Err(other)) = (at_once, by_steps) {
            assert_eq!(one.to_string(), other.to_string(), "{path}");
        }
    }
}

#[test]
fn a_file_of_a_folder_that_takes_none_is_written_over_where_it_has_no_other_name() {
    if rustix::process::geteuid().is_root() {
        // Nothing is forbidden to root: the way is taken directly.
        let ground = TestFolders::new();
        let spot = ground.folders().entry(&ground.root.join("in/a")).unwrap();
        spot.overwrite(b"over").unwrap();
        assert_eq!(spot.read().unwrap(), b"over");
        fs::hard_link(ground.root.join("in/a"), ground.outside.join("b")).unwrap();
        assert!(spot.overwrite(b"x").unwrap_err().to_string().contains("hard links"));
        assert_eq!(fs::read(ground.outside.join("b")).unwrap(), b"over");
        return;
    }
    let ground = TestFolders::new();
    fs::set_permissions(ground.root.join("in"), fs::Permissions::from_mode(0o555)).unwrap();
    let spot = ground.folders().entry(&ground.root.join("in/a")).unwrap();
    spot.replace(b"over").unwrap();
    assert_eq!(spot.read().unwrap(), b"over");
    fs::set_permissions(ground.root.join("in"), fs::Permissions::from_mode(0o755)).unwrap();
}
