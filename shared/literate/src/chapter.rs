//! Chapters: Markdown files of cases.

#![expect(clippy::disallowed_methods, reason = "this is what reads the files of tests")]

use std::path::{Path, PathBuf};

use libtest_mimic::Trial;

use crate::{Actual, Case, cases, trial};

/// A file of cases.
#[derive(Clone, Debug)]
pub struct Chapter {
    /// The name, with which its tests' names start: `calls`.
    pub name: String,
    path: PathBuf,
    markdown: String,
}

/// Reads the chapters of a folder, in the order of their names.
///
/// # Panics
/// If the folder or a file in it cannot be read, or is not a Markdown file.
pub fn chapters(folder: &Path) -> Vec<Chapter> {
    let entries = std::fs::read_dir(folder).expect("there is a folder of chapters");
    let mut paths: Vec<PathBuf> = entries.map(|entry| entry.expect("it can be read").path()).collect();
    paths.sort();
    let chapter = |path: PathBuf| {
        assert!(path.extension().is_some_and(|it| it == "md"), "{} is no chapter", path.display());
        let name = path.file_stem().expect("a chapter has a name").to_string_lossy().into_owned();
        Chapter::read(name, path)
    };
    paths.into_iter().map(chapter).collect()
}

impl Chapter {
    /// Reads the chapter in a file.
    ///
    /// # Panics
    /// If the file cannot be read.
    pub fn read(name: impl Into<String>, path: impl Into<PathBuf>) -> Self {
        let path = path.into();
        let markdown = std::fs::read_to_string(&path)
            .unwrap_or_else(|error| panic!("the chapter {}: {error}", path.display()));
        Self { name: name.into(), path, markdown }
    }

    /// Returns its cases, as [`cases`] reads them.
    pub fn cases(&self) -> Vec<Case> {
        cases(&self.markdown)
    }

    /// Makes a test of each case, called `chapter: heading / heading`; `run` returns the outcome of a case.
    ///
    /// If `UPDATE_EXPECT` is set, a different outcome is written into the file instead of failing.
    pub fn trials(self, run: impl Fn(&Case) -> Actual + Clone + Send + 'static) -> Vec<Trial> {
        let Self { name, path, markdown } = self;
        let write = std::env::var_os("UPDATE_EXPECT").map(|_| {
            move |blessed: &str| std::fs::write(&path, blessed).expect("the chapter can be written")
        });
        trial::trials(&name, markdown, run, write)
    }
}
