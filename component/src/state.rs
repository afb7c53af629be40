//! The folder of everything that outlives a process: permissions and the audit log.

use std::fs::{DirBuilder, File, OpenOptions};
use std::io::{self, Write as _};
use std::os::unix::fs::{DirBuilderExt, OpenOptionsExt};
use std::path::{Path, PathBuf};

use serde::Serialize;

use crate::os;

/// A folder of this user, shared by all processes.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct State {
    folder: PathBuf,
}

/// A lock of the folder; other processes wait until this is dropped.
#[derive(Debug)]
pub(crate) struct Locked(#[expect(dead_code, reason = "the lock ends with it")] File);

impl State {
    /// Returns `$XDG_STATE_HOME/dialect`, by default `~/.local/state/dialect`. `None` when the user has no home.
    pub fn of_user() -> Option<Self> {
        let absolute = |name: &str| std::env::var_os(name).map(PathBuf::from).filter(|it| it.is_absolute());
        let home = || Some(absolute("HOME")?.join(".local/state"));
        Some(Self::at(absolute("XDG_STATE_HOME").or_else(home)?.join("dialect")))
    }

    /// Returns the state in a folder, which need not exist.
    pub fn at(folder: impl Into<PathBuf>) -> Self {
        Self { folder: folder.into() }
    }

    /// Returns the path of the folder.
    pub fn folder(&self) -> &Path {
        &self.folder
    }

    /// Returns the path of a file in the folder, whether or not it exists.
    pub(crate) fn file(&self, name: &str) -> PathBuf {
        self.folder.join(name)
    }

    /// Replaces a file atomically. Only this user can read it.
    ///
    /// # Errors
    /// The file cannot be written.
    pub(crate) fn replace(&self, name: &str, contents: &impl Serialize) -> io::Result<()> {
        let mut text = serde_json::to_vec_pretty(contents)?;
        text.push(b'\n');
        let mut file = tempfile::NamedTempFile::new_in(&self.folder)?;
        file.write_all(&text)?;
        file.as_file().sync_all()?;
        file.persist(self.file(name))?;
        Ok(())
    }

    /// Waits until no other process reads or writes here. Creates the folder, for this user alone.
    ///
    /// # Errors
    /// The folder cannot be created or locked.
    pub(crate) fn lock(&self) -> io::Result<Locked> {
        self.lock_as("lock")
    }

    /// Waits for a lock of that name, which leaves the rest of the folder to others.
    ///
    /// # Errors
    /// The folder cannot be created or locked.
    pub(crate) fn lock_as(&self, name: &str) -> io::Result<Locked> {
        DirBuilder::new().recursive(true).mode(0o700).create(&self.folder)?;
        let file =
            private(OpenOptions::new().create(true).truncate(false).write(true)).open(self.file(name))?;
        os::lock(&file)?;
        Ok(Locked(file))
    }
}

/// Restricts a file to this user when it is created.
pub(crate) fn private(options: &mut OpenOptions) -> &mut OpenOptions {
    options.mode(0o600)
}
