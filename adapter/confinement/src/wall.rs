//! The wall as data.

use std::path::PathBuf;

use serde::{Deserialize, Serialize};

use crate::folders;

/// The files, folders and limits of a confined process. Other processes and new privileges are never part of it, and
/// the network only where it says so.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub struct Wall {
    /// The files and folders, with everything below, that may be read and executed.
    pub read: Vec<PathBuf>,
    /// The folders, with everything below, that may be read, executed and changed.
    pub write: Vec<PathBuf>,
    /// `true` if internet addresses can be connected to. Sockets of this machine's services stay out of reach.
    #[serde(default)]
    pub network: bool,
    /// The limits of the process.
    pub limits: Limits,
    /// A writable folder of Dialect's own whose size the supervisor watches: at the limit it ends the processes, and
    /// empties the folder.
    #[serde(default)]
    pub watched: Option<PathBuf>,
    /// `true` to leave namespaces out, so that tests can check the rest alone.
    #[serde(default)]
    pub without_namespaces: bool,
}

/// The most that one confined process may take.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub struct Limits {
    /// The maximum private memory of each process, in bytes; 0 is no limit.
    pub memory: u64,
    /// The maximum number of processes and threads beyond those that the user has already; 0 is no limit.
    pub processes: u64,
    /// The maximum number of open files of one process.
    pub files: u64,
    /// The maximum size of each file that it writes, and of the watched folder, in bytes; 0 is no limit.
    #[serde(default)]
    pub disk: u64,
}

impl Default for Limits {
    /// Returns the limits of a language server: none for memory, which the adapter watches.
    fn default() -> Self {
        Self { memory: 0, processes: 2048, files: 16_384, disk: 16 * 1024 * 1024 * 1024 }
    }
}

impl Wall {
    /// Returns a wall that allows reading the programs and libraries of the operating system alone.
    pub fn system() -> Self {
        Self { read: folders::system(), ..Self::default() }
    }

    /// Adds files and folders that may be read. Missing ones are skipped when the wall is built.
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

    /// Adds a folder that may be changed, and is emptied when it takes more of the disk than the limit.
    #[must_use]
    pub fn watching(self, folder: PathBuf) -> Self {
        Self { watched: Some(folder.clone()), ..self.writing([folder]) }
    }

    /// Allows connections to internet addresses, and reading what they need: name servers and certificates.
    #[must_use]
    pub fn with_network(self) -> Self {
        let files = folders::NETWORK.iter().map(PathBuf::from);
        Self { network: true, ..self.reading(files) }
    }

    /// Sorts the paths and drops those inside of others, so that equivalent walls are equal.
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
