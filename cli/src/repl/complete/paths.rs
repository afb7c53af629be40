//! Completion of paths of the workspace.

use std::path::{Component, Path};

/// The number of entries of a folder that are looked at.
const MOST: usize = 5_000;

/// Returns the paths that begin like `typed`, sorted; those of folders end with a slash. Hidden ones are there only when
/// the name begins with a dot.
pub(super) fn complete(workspace: &Path, typed: &str) -> Vec<String> {
    let (folder, begin) = typed.rsplit_once('/').map_or(("", typed), |(folder, name)| (folder, name));
    let is_inside = |it: Component<'_>| matches!(it, Component::Normal(_) | Component::CurDir);
    if typed.starts_with('/') || !Path::new(folder).components().all(is_inside) {
        return Vec::new();
    }
    let Ok(entries) = std::fs::read_dir(workspace.join(folder)) else { return Vec::new() };
    let before = &typed[..typed.len() - begin.len()];
    let mut found = Vec::new();
    for entry in entries.take(MOST).flatten() {
        let Ok(name) = entry.file_name().into_string() else { continue };
        if name.starts_with(begin) && (!name.starts_with('.') || begin.starts_with('.')) {
            let slash = if entry.path().is_dir() { "/" } else { "" };
            found.push(format!("{before}{name}{slash}"));
        }
    }
    found.sort();
    found
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn hidden_files_are_there_when_asked_for() {
        let folder = tempfile::tempdir().unwrap();
        for name in [".git", "a", "ab"] {
            std::fs::create_dir(folder.path().join(name)).unwrap();
        }
        assert_eq!(complete(folder.path(), ""), ["a/", "ab/"]);
        assert_eq!(complete(folder.path(), "./a"), ["./a/", "./ab/"]);
        assert_eq!(complete(folder.path(), ".g"), [".git/"]);
        assert!(complete(folder.path(), "/").is_empty() && complete(folder.path(), "a/../").is_empty());
    }
}
