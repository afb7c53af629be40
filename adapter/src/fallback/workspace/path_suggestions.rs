//! Suggests existing paths for one that does not exist.

use std::path::{Path, PathBuf};

use super::walk;

/// The most suggestions.
const SHOWN: usize = 8;

/// Returns files with the same or a similar name under `root`, otherwise the entries of the deepest existing
/// folder.
///
/// `missing` lies under `root`; both are absolute.
pub(crate) fn suggest(missing: &Path, root: &Path) -> Vec<PathBuf> {
    let mut near = similar_names(missing, root);
    if near.is_empty() {
        near = siblings(missing);
    }
    near.truncate(SHOWN);
    near
}

/// Returns the files under `root` whose paths end with these components; none if there are too many files to tell.
pub(crate) fn ending(end: &Path, root: &Path) -> Vec<PathBuf> {
    let (mut found, mut seen) = (Vec::new(), 0);
    for entry in walk::builder(root, root).build().filter_map(Result::ok) {
        seen += 1;
        if seen > walk::ENTRY_LIMIT {
            return Vec::new();
        }
        if entry.path().ends_with(end) && entry.file_type().is_some_and(|it| it.is_file()) {
            found.push(entry.into_path());
        }
    }
    found
}

fn similar_names(missing: &Path, root: &Path) -> Vec<PathBuf> {
    let name = name_of(missing);
    let budget = (name.chars().count() / 4).clamp(1, 3);
    let mut found: Vec<_> = walk::builder(root, root)
        .build()
        .filter_map(Result::ok)
        .take(walk::ENTRY_LIMIT)
        .filter(|entry| entry.depth() > 0)
        .map(|entry| (strsim::damerau_levenshtein(&name_of(entry.path()), &name), entry.into_path()))
        .filter(|(distance, _)| *distance <= budget)
        .collect();
    found.sort();
    found.into_iter().map(|(_, path)| path).collect()
}

fn siblings(missing: &Path) -> Vec<PathBuf> {
    let Some(folder) = missing.ancestors().skip(1).find(|it| it.is_dir()) else { return Vec::new() };
    let mut entries: Vec<_> = walk::builder(folder, folder)
        .max_depth(Some(1))
        .build()
        .filter_map(Result::ok)
        .filter(|entry| entry.depth() == 1)
        .map(ignore::DirEntry::into_path)
        .collect();
    entries.sort();
    entries
}

fn name_of(path: &Path) -> String {
    // Only a root has no name; it is never suggested.
    path.file_name().unwrap_or_default().to_string_lossy().to_lowercase()
}
