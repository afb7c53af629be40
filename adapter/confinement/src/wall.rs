//! The wall as data.

use std::path::PathBuf;

use serde::{Deserialize, Serialize};

use crate::folders;

/// Everything that a confined process may reach. Its own network, other processes and new privileges are never part of it.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub struct Wall {
    /// Files and folders, with all below, that it may read and execute.
    pub read: Vec<PathBuf>,
    /// Folders, with all below, that it may read, execute and change.
    pub write: Vec<PathBuf>,
    /// Its shares of the machine.
    pub limits: Limits,
    /// Leaves namespaces out, so that a test can see that the rest holds alone.
    #[serde(default)]
    pub without_namespaces: bool,
}

/// The most that one confined process may take.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub struct Limits {
    /// Bytes of private memory, for each process; 0 is no limit.
    pub memory: u64,
    /// Processes and threads beyond those that the user has already.
    pub processes: u64,
    /// Files that one process may have open.
    pub files: u64,
}

impl Default for Limits {
    /// The share of a language server: no limit of memory, which its adapter watches.
    fn default() -> Self {
        Self { memory: 0, processes: 2048, files: 16_384 }
    }
}

impl Wall {
    /// A wall around a process that may read the operating system's own programs and libraries, and nothing else yet.
    pub fn system() -> Self {
        Self { read: folders::system(), ..Self::default() }
    }

    /// Adds files and folders that may be read. Those that are not there are left out when it is built.
    #[must_use]
    pub fn reading(mut self, paths: impl IntoIterator<Item = PathBuf>) -> Self {
        self.read.extend(paths);
        self
    }

    /// Adds folders that may be changed.
    #[must_use]
    pub fn writing(mut self, paths: impl IntoIterator<Item = PathBuf>) -> Self {
        self.write.extend(paths);
        self
    }

    /// Sorts the paths and drops those that lie in others, so that equal walls are equal.
    #[must_use]
    pub fn tidied(mut self) -> Self {
        for paths in [&mut self.read, &mut self.write] {
            paths.sort();
            paths.dedup();
            let mut kept: Vec<PathBuf> = Vec::new();
            for path in paths.drain(..) {
                if !kept.iter().any(|it| path.starts_with(it)) {
                    kept.push(path);
                }
            }
            *paths = kept;
        }
        self
    }
}
