//! Scans the files of a project on disk, with their stamps.

use std::collections::{BTreeMap, BTreeSet};
use std::os::unix::fs::MetadataExt;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex};
use std::time::Duration;

use ignore::{DirEntry, WalkBuilder};

use super::stamp::Stamp;
use super::tree_watcher::{TreeScan, TreeWatcher};
use super::walk::outermost;
use crate::fallback::source::languages::Language;
use crate::fallback::trust::ownership;
use crate::fallback::trust::work_trees;
use unpoisoned::lock;

/// Scans the sources, manifests and other watched files of a language under these folders, and watches the
/// tree; blocking.
///
/// Files that git ignores are included, because servers read generated sources too.
pub(crate) fn scan_and_watch(
    language: &Language,
    folders: &BTreeSet<PathBuf>,
    watcher: &mut TreeWatcher,
) -> Vec<(PathBuf, Stamp)> {
    watcher.begin_scan();
    let (stamps, seen) = scan(language, folders);
    watcher.end_scan(&seen);
    stamps
}

/// Scans as [`scan_and_watch`], but returns the visited paths instead of watching them.
pub(crate) fn scan(language: &Language, folders: &BTreeSet<PathBuf>) -> (Vec<(PathBuf, Stamp)>, TreeScan) {
    let starts = outermost(folders).cloned().collect();
    let (mut seen, mut stamps) = (TreeScan { starts, ..TreeScan::default() }, Vec::new());
    for folder in outermost(folders) {
        let left_out = Arc::new(Mutex::default());
        for entry in walk(folder, folders, Arc::clone(&left_out)).build() {
            match entry {
                Ok(entry) => stamps.extend(look_at(entry, language, &mut seen)),
                Err(_) => seen.is_doubtful = true,
            }
        }
        seen.left_out.append(&mut lock(&left_out));
    }
    (stamps, seen)
}

/// Returns whether a scan of a folder finds at most `limit` files; blocking.
pub(crate) fn holds_at_most(language: &Language, folder: &Path, limit: usize) -> bool {
    let walk = walk(folder, &[folder.to_owned()].into(), Arc::default()).build();
    let entries = walk.filter_map(Result::ok).take(limit * 4);
    let (mut all, mut counted) = (0, 0);
    for entry in entries {
        all += 1;
        counted += usize::from(counts(language, entry.path()));
    }
    all < limit * 4 && counted <= limit
}

/// Returns whether the tree is unchanged since its last scan; blocking, briefly.
pub(crate) fn is_unchanged(language: &Language, watcher: &mut TreeWatcher) -> bool {
    watcher.is_unchanged(|it, is_left_out| match it.name {
        None => true,
        Some(name) if MARKS.iter().any(|it| name == *it) => true,
        Some(_) if is_left_out => false,
        Some(name) if it.is_folder => !name.as_encoded_bytes().starts_with(b"."),
        Some(name) => counts(language, Path::new(name)),
    })
}

fn counts(language: &Language, path: &Path) -> bool {
    is_source(language, path) || may_be_watched(path)
}

fn look_at(entry: DirEntry, language: &Language, seen: &mut TreeScan) -> Option<(PathBuf, Stamp)> {
    if entry.file_type().is_some_and(|it| it.is_dir()) {
        if entry.path_is_symlink() && entry.depth() > 0 {
            seen.links.push(entry.path().to_owned());
        }
        seen.folders.insert(entry.into_path());
        return None;
    }
    if !counts(language, entry.path()) {
        return None;
    }
    let (is_link, metadata) = (entry.path_is_symlink(), entry.metadata().ok()?);
    if !metadata.is_file() {
        return None;
    }
    if is_link || metadata.nlink() > 1 {
        seen.rechecked.push(entry.path().to_owned());
    }
    Some((entry.into_path(), Stamp::from_metadata(&metadata)))
}

/// Configures the walk. Folders that are skipped because of a marker file are added to `left_out`.
fn walk(folder: &Path, folders: &BTreeSet<PathBuf>, left_out: Arc<Mutex<Vec<PathBuf>>>) -> WalkBuilder {
    let mut builder = WalkBuilder::new(folder);
    // As servers do: follow links; skip hidden folders and build output.
    builder.standard_filters(false).follow_links(true);
    let leaving = OutgoingLinks::new(folders);
    builder.filter_entry(move |entry| {
        let is_folder = entry.file_type().is_some_and(|it| it.is_dir());
        if entry.depth() == 0 || !is_folder {
            return true;
        }
        let is_copy = || work_trees::is_linked(entry.path());
        if is_hidden(entry) || entry.file_name() == "node_modules" || is_copy() || !leaving.may_enter(entry) {
            return false;
        }
        let is_marked = is_marked(entry.path());
        if is_marked {
            lock(&left_out).push(entry.path().to_owned());
        }
        !is_marked
    });
    builder
}

/// The most folders that are entered behind one link out of the walked folders.
const BEHIND_LINK: usize = 1_000;

/// The links of a walk that lead out of the walked folders.
struct OutgoingLinks {
    folders: BTreeSet<PathBuf>,
    /// The number of folders entered behind each link.
    entered: Mutex<BTreeMap<PathBuf, usize>>,
}

impl OutgoingLinks {
    fn new(folders: &BTreeSet<PathBuf>) -> Self {
        let canonical = folders.iter().map(|it| it.canonicalize().unwrap_or_else(|_| it.clone()));
        Self { folders: canonical.collect(), entered: Mutex::default() }
    }

    /// Returns whether the walk enters a folder.
    ///
    /// A link to a system folder, or to one that contains a walked folder, is not followed. Other links out
    /// of the walked folders are followed up to a limit.
    fn may_enter(&self, folder: &DirEntry) -> bool {
        let mut entered = lock(&self.entered);
        if folder.path_is_symlink() {
            let Ok(target) = folder.path().canonicalize() else { return false };
            if self.folders.iter().any(|it| target.starts_with(it)) {
                return true;
            }
            let is_wide = self.folders.iter().any(|it| it.starts_with(&target));
            if is_wide || ownership::is_system(&target) {
                tracing::debug!(link = ?folder.path(), ?target, "a link that leads too far is not followed");
                return false;
            }
            entered.insert(folder.path().to_owned(), 0);
            return true;
        }
        let link = entered.iter_mut().find(|(link, _)| folder.path().starts_with(link));
        link.is_none_or(|(_, count)| {
            *count += 1;
            *count <= BEHIND_LINK
        })
    }
}

fn is_hidden(entry: &DirEntry) -> bool {
    entry.file_name().as_encoded_bytes().starts_with(b".")
}

/// The files that mark a folder as made by a tool.
const MARKS: &[&str] = &["CACHEDIR.TAG", "pyvenv.cfg"];

/// Returns whether a marker file shows that a tool made the folder, as build output or virtual environment.
fn is_marked(folder: &Path) -> bool {
    MARKS.iter().any(|it| folder.join(it).exists())
}

/// Returns whether servers read the file as a source or a manifest.
pub(crate) fn is_source(language: &Language, path: &Path) -> bool {
    language.owns(path) || is_manifest(language, path)
}

/// The extensions of files that configure builds or are read by code as data.
const WATCHED: &[&str] = &[
    "cfg",
    "gradle",
    "ini",
    "json",
    "jsonc",
    "lock",
    "mod",
    "props",
    "properties",
    "pth",
    "sum",
    "toml",
    "typed",
    "work",
    "xml",
    "yaml",
    "yml",
];

/// Returns whether servers are known to watch such files.
fn may_be_watched(path: &Path) -> bool {
    path.extension().and_then(|it| it.to_str()).is_some_and(|it| WATCHED.contains(&it))
}

/// Returns whether the file is a manifest of the language.
pub(crate) fn is_manifest(language: &Language, path: &Path) -> bool {
    path.file_name().and_then(|it| it.to_str()).is_some_and(|it| language.manifests.contains(&it))
}

/// The time in which an emptied file may still be written. It mostly takes microseconds, but over 120 ms on a
/// busy disk.
const EMPTIED: Duration = Duration::from_secs(3);

/// Returns whether a file was emptied just now. Many programs empty a file before they write it, so its
/// content may follow.
pub(crate) fn is_emptied(before: &Stamp, now: &Stamp) -> bool {
    before.size > 0 && may_be_written(now)
}

fn may_be_written(stamp: &Stamp) -> bool {
    stamp.size == 0 && stamp.age() < EMPTIED
}

/// Waits until recently emptied files are written, or stay empty, and returns their stamps; blocking.
pub(crate) fn wait_until_written(files: Vec<(PathBuf, Stamp)>) -> Vec<(PathBuf, Stamp)> {
    let settled = files.into_iter().map(|(path, mut stamp)| {
        while may_be_written(&stamp) {
            std::thread::sleep(Duration::from_millis(1));
            match Stamp::read(&path) {
                Some(now) => stamp = now,
                None => break,
            }
        }
        (path, stamp)
    });
    settled.collect()
}

#[cfg(test)]
mod tests {
    use std::fs;

    use super::*;
    use crate::fallback::source::languages::LANGUAGES;

    #[test]
    fn links_that_lead_to_everything_are_not_followed() {
        let dir = tempfile::tempdir().unwrap();
        let top = dir.path().canonicalize().unwrap();
        let (root, beside) = (top.join("root"), top.join("beside"));
        fs::create_dir_all(root.join("src")).unwrap();
        fs::create_dir_all(&beside).unwrap();
        fs::write(root.join("src/a.rs"), "").unwrap();
        fs::write(beside.join("b.rs"), "").unwrap();
        for (link, target) in
            [("all", "/"), ("up", ".."), ("sys", "/proc"), ("in", "src"), ("out", "../beside")]
        {
            std::os::unix::fs::symlink(target, root.join(link)).unwrap();
        }
        let (stamps, _) = scan(&LANGUAGES[0], &[root.clone()].into());
        let seen: BTreeSet<_> = stamps.into_iter().map(|(path, _)| path).collect();
        let expected = ["src/a.rs", "in/a.rs", "out/b.rs"].map(|it| root.join(it));
        assert_eq!(seen, expected.into());
    }

    #[test]
    fn a_file_that_is_being_written_is_waited_for() {
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join("written.rs");
        fs::write(&path, "fn before() {}").unwrap();
        let before = Stamp::read(&path).unwrap();
        fs::write(&path, "").unwrap();
        let now = Stamp::read(&path).unwrap();
        assert!(is_emptied(&before, &now) && !is_emptied(&now, &now));
        let settled = std::thread::scope(|scope| {
            scope.spawn(|| fs::write(&path, "fn now() {}").unwrap());
            wait_until_written(vec![(path.clone(), now)])
        });
        assert_eq!(settled[0].1.size, 11);
    }

    #[test]
    fn a_file_may_stay_empty_or_go() {
        let dir = tempfile::tempdir().unwrap();
        let [empty, gone] = ["empty.rs", "gone.rs"].map(|it| dir.path().join(it));
        fs::write(&empty, "").unwrap();
        fs::write(&gone, "").unwrap();
        let files = [&empty, &gone].map(|it| (it.clone(), Stamp::read(it).unwrap()));
        fs::remove_file(&gone).unwrap();
        assert_eq!(wait_until_written(files.to_vec()), files);
    }

    #[test]
    fn sources_and_manifests_are_seen_and_build_output_is_not() {
        let dir = tempfile::tempdir().unwrap();
        let files = [
            "Cargo.toml",
            "base.json",
            "src/a.rs",
            "src/a.txt",
            "target/CACHEDIR.TAG",
            "target/b.rs",
            ".git/c.rs",
        ];
        for file in files.iter().chain(&[".gitignore", "src/generated.rs"]) {
            let path = dir.path().join(file);
            fs::create_dir_all(path.parent().unwrap()).unwrap();
            fs::write(path, "generated.rs").unwrap();
        }
        let folders = [dir.path().to_owned(), dir.path().join("src")].into();
        let mut seen: Vec<_> = scan_and_watch(&LANGUAGES[0], &folders, &mut TreeWatcher::default())
            .into_iter()
            .map(|(path, _)| path.strip_prefix(dir.path()).unwrap().display().to_string())
            .collect();
        seen.sort();
        assert_eq!(seen, ["Cargo.toml", "base.json", "src/a.rs", "src/generated.rs"]);
    }
}
