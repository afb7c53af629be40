//! File names with wildcards, for shells that leave them to programs.

use std::path::{Path, PathBuf};

use glob::{MatchOptions, Pattern, glob_with};

use super::folder::MOST_DOCUMENTS;
use crate::failure::Failure;

/// The rules of shells: `*` matches no hidden file.
const OPTIONS: MatchOptions =
    MatchOptions { case_sensitive: true, require_literal_separator: true, require_literal_leading_dot: true };

/// Returns `true` for a name with wildcards which no file has.
pub(super) fn is_pattern(path: &Path) -> bool {
    path.to_string_lossy().contains(['*', '?', '[']) && !path.exists()
}

/// Returns the files that a path means: those that match it, sorted, or itself if it has no wildcards.
pub(super) fn matching(path: &Path) -> Result<Vec<PathBuf>, Failure> {
    if !is_pattern(path) {
        return Ok(vec![path.to_path_buf()]);
    }
    let pattern = path.to_string_lossy();
    Pattern::new(&pattern).map_err(|error| format!("{pattern}: {error}"))?;
    let found = glob_with(&pattern, OPTIONS)?.take(MOST_DOCUMENTS + 1);
    let files: Vec<PathBuf> = found.collect::<Result<_, _>>()?;
    match files.len() {
        0 => Err(format!("no file matches {pattern}").into()),
        count if count > MOST_DOCUMENTS => {
            Err(format!("{pattern} matches more than {MOST_DOCUMENTS} files").into())
        }
        _ => Ok(files),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn wildcards_match_as_in_shells() {
        let folder = tempfile::tempdir().unwrap();
        std::fs::create_dir(folder.path().join("sub")).unwrap();
        for name in ["b.md", "a.md", ".hidden.md", "[x].md", "sub/c.md"] {
            std::fs::write(folder.path().join(name), "").unwrap();
        }
        let names = |pattern: &str| {
            let found = matching(&folder.path().join(pattern)).map_err(|error| error.to_string())?;
            let name = |path: &PathBuf| path.strip_prefix(folder.path()).unwrap().display().to_string();
            Ok::<_, String>(found.iter().map(name).collect::<Vec<_>>())
        };
        assert_eq!(names("?.md").unwrap(), ["a.md", "b.md"]);
        assert_eq!(names("**/*.md").unwrap(), ["[x].md", "a.md", "b.md", "sub/c.md"]);
        assert_eq!(names("[x].md").unwrap(), ["[x].md"], "a file of that very name comes first");
        assert_eq!(names("none.md").unwrap(), ["none.md"]);
        assert!(names("*.txt").unwrap_err().starts_with("no file matches "));
        assert!(names("[.md").unwrap_err().contains("Pattern syntax error"), "{:?}", names("[.md"));
    }
}
