//! Whether a file holds test code, by its name and its folders.

use crate::Language;

/// Which of a language's files hold tests.
#[derive(Clone, Copy, Debug)]
pub(crate) struct TestPaths {
    /// Folders whose files do: `tests`.
    pub(crate) folders: &'static [&'static str],
    /// Ends of the names of files that do, with their extension: `_test.go`.
    pub(crate) ends: &'static [&'static str],
    /// Starts of the names of files that do: `test_`.
    pub(crate) starts: &'static [&'static str],
}

impl Language {
    /// Whether a file of this language holds test code by where it is and what it is called. `path` is relative to
    /// the workspace: folders above it say nothing.
    pub fn is_test_path(self, path: &str) -> bool {
        let rule = &self.row().tests;
        let mut folders: Vec<_> = path.split(['/', '\\']).collect();
        let file = folders.pop().unwrap_or_default();
        folders.iter().any(|it| rule.folders.contains(it))
            || rule.ends.iter().any(|it| file.ends_with(it))
            || rule.starts.iter().any(|it| file.starts_with(it))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn files_hold_tests_by_their_names_and_folders() {
        for (path, is_test) in [
            ("test.c", true),
            ("src/tests.cpp", true),
            ("src/jq_test.c", true),
            ("test_list.c", true),
            ("tests/list.c", true),
            ("src/testing.c", false),
            ("src/latest.c", false),
        ] {
            let language = Language::of_path(path).expect("it is known");
            assert_eq!(language.is_test_path(path), is_test, "{path}");
        }
    }
}
