//! A workspace for a test: files in a temporary folder.

use std::path::{Path, PathBuf};

use anyhow::{Context, Result, bail};
use tempfile::TempDir;

/// A folder that is gone when this is dropped.
#[derive(Debug)]
pub struct Workspace {
    root: PathBuf,
    _folder: TempDir,
}

impl Workspace {
    /// With these files, by their paths in it.
    ///
    /// # Errors
    /// When the disk refuses, or a path would leave the folder.
    pub fn new<'a>(files: impl IntoIterator<Item = (&'a str, &'a str)>) -> Result<Self> {
        let folder = TempDir::with_prefix("conformance-")?;
        let root = folder.path().canonicalize()?;
        let workspace = Self { root, _folder: folder };
        files.into_iter().try_for_each(|(path, text)| workspace.write(path, text))?;
        Ok(workspace)
    }

    /// Writes a standard library with next to nothing in it, and returns a folder of settings with which rust-analyzer
    /// reads that one. The real one takes seconds to load.
    ///
    /// # Errors
    /// When the disk refuses.
    pub fn without_std(&self) -> Result<TempDir> {
        for (path, text) in [("core", "#![no_core]\n"), ("alloc", "#![no_std]\n"), ("std", "//\n")] {
            self.write(&format!(".library/{path}/src/lib.rs"), text)?;
        }
        let settings = TempDir::with_prefix("settings-")?;
        let library = self.root.join(".library");
        let options = format!("[languages.rust]\noptions = {{ cargo = {{ sysrootSrc = {library:?} }} }}\n");
        std::fs::create_dir_all(settings.path().join("dialect"))?;
        std::fs::write(settings.path().join("dialect/config.toml"), options)?;
        Ok(settings)
    }

    pub fn root(&self) -> &Path {
        &self.root
    }

    /// Writes a file, and the folders that it stands in.
    ///
    /// # Errors
    /// When the disk refuses, or the path would leave the folder.
    pub fn write(&self, path: &str, text: &str) -> Result<()> {
        if Path::new(path).is_absolute() || path.contains("..") {
            bail!("`{path}` is not a path inside the workspace");
        }
        let path = self.root.join(path);
        std::fs::create_dir_all(path.parent().unwrap_or(&self.root))?;
        std::fs::write(&path, text).with_context(|| path.display().to_string())
    }
}
