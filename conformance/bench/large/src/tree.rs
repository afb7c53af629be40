//! Trees to look through, made of the sources that Cargo has unpacked on this machine.

use std::fs;
use std::path::{Path, PathBuf};

/// The size of a tree.
#[derive(Clone, Copy, Debug, Default)]
pub struct Size {
    pub files: usize,
    /// Lines of Rust, as `wc -l` counts them.
    pub lines: usize,
}

/// Returns the tree of that name, and makes it if it is missing: crate after crate until it is large enough. When
/// there are no more crates, it begins again under other names.
pub fn of(name: &str, is_enough: impl Fn(Size) -> bool) -> (PathBuf, Size) {
    let tree = folder().join(name);
    let _incomplete = fs::remove_dir_all(&tree);
    let mut size = Size::default();
    for turn in 0.. {
        for source in crates() {
            if is_enough(size) {
                return (tree, size);
            }
            let crate_name = source.file_name().expect("it is a folder").to_string_lossy().into_owned();
            copy(&source, &tree.join(format!("{turn}/{crate_name}")), &mut size);
        }
    }
    unreachable!("it grows until it is large enough")
}

/// Takes it away.
pub fn remove(tree: &Path) {
    fs::remove_dir_all(tree).expect("it was made here");
}

/// Beside the built programs.
fn folder() -> PathBuf {
    let itself = std::env::current_exe().expect("a process has an executable");
    itself.parent().expect("it lies in a folder").join("trees")
}

fn crates() -> Vec<PathBuf> {
    let home = std::env::var_os("CARGO_HOME").map(PathBuf::from);
    let home = home.or_else(|| std::env::home_dir().map(|it| it.join(".cargo"))).expect("Cargo has a home");
    let registries = entries(&home.join("registry/src"));
    let all: Vec<_> = registries.iter().flat_map(|it| entries(it)).filter(|it| it.is_dir()).collect();
    assert!(!all.is_empty(), "Cargo has unpacked no crates in {}", home.display());
    all
}

fn entries(folder: &Path) -> Vec<PathBuf> {
    let entries = fs::read_dir(folder).unwrap_or_else(|error| panic!("{}: {error}", folder.display()));
    let mut paths: Vec<_> = entries.map(|it| it.expect("a folder can be read").path()).collect();
    paths.sort();
    paths
}

fn copy(from: &Path, to: &Path, size: &mut Size) {
    fs::create_dir_all(to).expect("there is room");
    for path in entries(from) {
        let target = to.join(path.file_name().expect("it has a name"));
        let kind = path.symlink_metadata().expect("it is there").file_type();
        if kind.is_dir() {
            copy(&path, &target, size);
        } else if kind.is_file() {
            let bytes = fs::read(&path).expect("it can be read");
            size.files += 1;
            if path.extension().is_some_and(|it| it == "rs") {
                size.lines += bytes.iter().filter(|it| **it == b'\n').count();
            }
            fs::write(&target, bytes).expect("there is room");
        }
    }
}
