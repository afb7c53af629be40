//! The files that belong to a package.

use std::io::Read as _;
use std::path::Path;

use ailang::{Code, Manifest};
use cap_std::ambient_authority;
use cap_std::fs::Dir;
use globset::{Glob, GlobBuilder, GlobMatcher};

use crate::archive::ArchiveLimits;
use crate::error::PackageError;
use crate::listing::paths;

/// Files that are never published: npm's manifest is made of ours.
const NEVER: [&str; 2] = ["package.json", "package-lock.json"];

/// The starts of names that are always published, in any case.
const ALWAYS: [&str; 3] = ["readme", "license", "licence"];

/// A file that belongs into the archive of a package.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct PackageFile {
    /// The path in the package, with `/`.
    pub(crate) path: String,
    pub(crate) bytes: Vec<u8>,
}

/// Returns the files of a package that its `files` select, or all, sorted by path. Hidden files, links and
/// dependencies are never among them; the manifest, the main document, README and licence always are.
///
/// # Errors
/// A file cannot be read, or there are more or larger ones than an archive may have.
pub(crate) fn package_files(folder: &Path, manifest: &Manifest) -> Result<Vec<PackageFile>, PackageError> {
    let problem = |path: &str, error: &dyn std::fmt::Display| {
        PackageError::new(Code::PACKAGE_PATH, format!("{}: {error}", folder.join(path).display()))
    };
    let dir = Dir::open_ambient_dir(folder, ambient_authority()).map_err(|error| problem("", &error))?;
    let selection = Selection::of(manifest)?;
    let limits = ArchiveLimits::default();
    let mut left = limits.unpacked;
    let mut files = Vec::new();
    for path in paths(&dir).map_err(|error| problem("", &error))? {
        if !selection.contains(&path) {
            continue;
        }
        let mut bytes = Vec::new();
        let file = dir.open(&path).map_err(|error| problem(&path, &error))?;
        file.take(left + 1).read_to_end(&mut bytes).map_err(|error| problem(&path, &error))?;
        left = left
            .checked_sub(bytes.len() as u64)
            .ok_or_else(|| problem(&path, &"the package is too large"))?;
        files.push(PackageFile { path, bytes });
    }
    if files.len() > limits.entries {
        return Err(problem("", &format!("the package has more than {} files", limits.entries)));
    }
    Ok(files)
}

/// The selection of `files` in a manifest.
struct Selection {
    main: String,
    /// The patterns with whether they select, in order; the last that matches decides.
    patterns: Vec<(GlobMatcher, bool)>,
}

impl Selection {
    fn of(manifest: &Manifest) -> Result<Self, PackageError> {
        let main = manifest.main.as_ref().map_or_else(String::new, |it| it.value.clone());
        let mut patterns = Vec::new();
        for file in &manifest.files {
            let (text, selects) = match file.value.strip_prefix('!') {
                Some(text) => (text, false),
                None => (file.value.as_str(), true),
            };
            let text = text.trim_start_matches("./").trim_end_matches('/');
            // A folder means all that is below it.
            for text in [text.to_owned(), format!("{text}/**")] {
                let glob = glob(&text)
                    .map_err(|error| PackageError::new(Code::MANIFEST_FIELD, error.to_string()))?;
                patterns.push((glob.compile_matcher(), selects));
            }
        }
        Ok(Self { main, patterns })
    }

    fn contains(&self, path: &str) -> bool {
        if path == Manifest::FILE || path == self.main {
            return true;
        }
        let name = path.to_lowercase();
        if NEVER.contains(&path) {
            return false;
        }
        if !path.contains('/') && ALWAYS.iter().any(|it| name.starts_with(it)) {
            return true;
        }
        let selects = self.patterns.iter().rev().find(|(glob, _)| glob.is_match(path));
        selects.map_or(self.patterns.iter().all(|(_, selects)| !selects), |(_, selects)| *selects)
    }
}

fn glob(text: &str) -> Result<Glob, globset::Error> {
    GlobBuilder::new(text).literal_separator(true).build()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_manifest_selects() {
        let folder = tempfile::tempdir().unwrap();
        for path in [
            "ailang.json",
            "package.json",
            "main.md",
            "README.md",
            "licence.txt",
            "lib/a.md",
            "lib/secret/b.md",
            "notes.txt",
            "examples/use.md",
            ".env",
            ".git/config",
            "ailang_modules/x/main.md",
            "ailang.lock",
        ] {
            let path = folder.path().join(path);
            std::fs::create_dir_all(path.parent().unwrap()).unwrap();
            std::fs::write(path, "x").unwrap();
        }
        std::os::unix::fs::symlink("/etc/passwd", folder.path().join("link.md")).unwrap();
        let selected = |files: &str| {
            let manifest =
                Manifest::parse(format!("{{\"name\":\"a\",\"main\":\"main.md\",\"files\":[{files}]}}"));
            let files = package_files(folder.path(), &manifest).unwrap();
            files.into_iter().map(|it| it.path).collect::<Vec<_>>().join(" ")
        };
        let always = "README.md ailang.json";
        assert_eq!(
            selected(""),
            format!("{always} examples/use.md lib/a.md lib/secret/b.md licence.txt main.md notes.txt")
        );
        assert_eq!(selected(r#""lib", "!lib/secret""#), format!("{always} lib/a.md licence.txt main.md"));
        assert_eq!(selected(r#""*.txt""#), format!("{always} licence.txt main.md notes.txt"));
        assert_eq!(
            selected(r#""!**/*.txt""#),
            format!("{always} examples/use.md lib/a.md lib/secret/b.md licence.txt main.md")
        );
    }
}
