//! Test files, recognised by their names and folders.

/// The names and folders of a language's test files.
#[derive(Clone, Copy, Debug)]
pub(crate) struct TestPaths {
    /// Names of folders whose files hold tests: `tests`.
    pub(crate) folders: &'static [&'static str],
    /// Ends of the names of test files, with their extension: `_test.go`.
    pub(crate) ends: &'static [&'static str],
    /// Starts of the names of test files: `test_`.
    pub(crate) starts: &'static [&'static str],
}

impl TestPaths {
    /// Returns true if a file holds test code. `path` is relative to the workspace.
    pub(crate) fn matches(&self, path: &str) -> bool {
        let mut folders: Vec<_> = path.split(['/', '\\']).collect();
        let file = folders.pop().unwrap_or_default();
        folders.iter().any(|it| self.folders.contains(it))
            || self.ends.iter().any(|it| file.ends_with(it))
            || self.starts.iter().any(|it| file.starts_with(it))
    }
}

#[cfg(test)]
mod tests {
    use crate::Language;

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
