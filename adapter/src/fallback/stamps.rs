//! Looks at the files of a project on disk: which there are, and whether they changed.

use std::collections::BTreeSet;
use std::fs::{self, Metadata};
use std::os::unix::fs::MetadataExt;
use std::path::{Path, PathBuf};
use std::time::{Duration, SystemTime};

use ignore::{DirEntry, WalkBuilder};

use super::documents::Stamp;
use super::languages::Language;
use super::walk::outermost;

/// The sources and manifests of a language under these folders, and what servers may ask to be told about beside
/// them, with their stamps; blocking.
///
/// Files that git ignores count: servers read generated sources too.
pub(crate) fn survey(language: &Language, folders: &BTreeSet<PathBuf>) -> Vec<(PathBuf, Stamp)> {
    let files = outermost(folders).flat_map(|folder| walk(folder).build().filter_map(Result::ok));
    let counts = |it: &DirEntry| is_source(language, it.path()) || may_be_watched(it.path());
    files.filter(counts).filter_map(stamped).collect()
}

fn walk(folder: &Path) -> WalkBuilder {
    let mut builder = WalkBuilder::new(folder);
    // As servers do: links are followed, a hidden folder or a build's output is not theirs.
    builder.standard_filters(false).follow_links(true);
    builder.filter_entry(|entry| entry.depth() == 0 || !is_hidden_folder(entry) && !is_output(entry));
    builder
}

fn is_hidden_folder(entry: &DirEntry) -> bool {
    let is_folder = entry.file_type().is_some_and(|it| it.is_dir());
    is_folder && entry.file_name().as_encoded_bytes().starts_with(b".")
}

fn is_output(entry: &DirEntry) -> bool {
    let is_folder = entry.file_type().is_some_and(|it| it.is_dir());
    is_folder && (entry.file_name() == "node_modules" || is_marked(entry.path()))
}

/// Whether a folder says that tools made it: a build's output, a virtual environment.
fn is_marked(folder: &Path) -> bool {
    ["CACHEDIR.TAG", "pyvenv.cfg"].iter().any(|it| folder.join(it).exists())
}

/// Whether a server reads the file: a source, or what describes the project.
pub(crate) fn is_source(language: &Language, path: &Path) -> bool {
    language.owns(path) || is_manifest(language, path)
}

/// What the names of files end with that say how a project is built, or are read by code as data.
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

/// Whether servers are known to ask to be told about such files.
fn may_be_watched(path: &Path) -> bool {
    path.extension().and_then(|it| it.to_str()).is_some_and(|it| WATCHED.contains(&it))
}

/// Whether the file describes the project.
pub(crate) fn is_manifest(language: &Language, path: &Path) -> bool {
    path.file_name().and_then(|it| it.to_str()).is_some_and(|it| language.manifests.contains(&it))
}

fn stamped(entry: DirEntry) -> Option<(PathBuf, Stamp)> {
    let metadata = entry.metadata().ok().filter(Metadata::is_file)?;
    Some((entry.into_path(), stamp_of(&metadata)))
}

/// The stamp of one file, if it is there.
pub(crate) fn stamp(path: &Path) -> Option<Stamp> {
    fs::metadata(path).ok().filter(Metadata::is_file).map(|it| stamp_of(&it))
}

fn stamp_of(metadata: &Metadata) -> Stamp {
    let seconds = u64::try_from(metadata.ctime()).unwrap_or_default();
    let nanoseconds = u32::try_from(metadata.ctime_nsec()).unwrap_or_default();
    Stamp {
        changed: SystemTime::UNIX_EPOCH + Duration::new(seconds, nanoseconds),
        modified: metadata.modified().unwrap_or(SystemTime::UNIX_EPOCH),
        size: metadata.len(),
        inode: metadata.ino(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::fallback::languages::LANGUAGES;

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
        let mut seen: Vec<_> = survey(&LANGUAGES[0], &folders)
            .into_iter()
            .map(|(path, _)| path.strip_prefix(dir.path()).unwrap().display().to_string())
            .collect();
        seen.sort();
        assert_eq!(seen, ["Cargo.toml", "base.json", "src/a.rs", "src/generated.rs"]);
    }
}
