//! The plugins of workspaces that the user trusts, each by its path and the hash of its content.

use std::collections::BTreeMap;
use std::fs::File;
use std::io;
use std::path::{Path, PathBuf};

use serde::{Deserialize, Serialize};
use sha2::{Digest, Sha256};

use crate::state::State;

/// The file of the trusted plugins.
const FILE: &str = "plugins.json";

/// The plugins that the user trusts. A plugin whose content has changed is not trusted any more.
#[derive(Clone, Debug)]
pub struct TrustedPlugins(State);

#[derive(Debug, Default, Serialize, Deserialize)]
struct Saved {
    /// The hash of each file's content.
    plugins: BTreeMap<PathBuf, String>,
}

impl TrustedPlugins {
    /// Returns the trusted plugins of a state.
    pub fn of(state: State) -> Self {
        Self(state)
    }

    /// Returns whether a file with that hash is trusted.
    pub fn has(&self, path: &Path, hash: &str) -> bool {
        self.read().is_ok_and(|it| it.plugins.get(path).is_some_and(|trusted| trusted == hash))
    }

    /// Returns all paths, each with its hash.
    ///
    /// # Errors
    /// The file cannot be read.
    pub fn all(&self) -> io::Result<BTreeMap<PathBuf, String>> {
        Ok(self.read()?.plugins)
    }

    /// Trusts the content that a file has now. Returns its hash.
    ///
    /// # Errors
    /// The file cannot be read, or nothing can be saved.
    pub fn trust(&self, path: &Path) -> io::Result<String> {
        let hash = content_hash(path)?;
        self.change(|saved| drop(saved.plugins.insert(path.to_owned(), hash.clone())))?;
        Ok(hash)
    }

    /// Forgets a file. Returns whether it was trusted.
    ///
    /// # Errors
    /// Nothing can be saved.
    pub fn forget(&self, path: &Path) -> io::Result<bool> {
        self.change(|saved| saved.plugins.remove(path).is_some())
    }

    fn change<T>(&self, change: impl FnOnce(&mut Saved) -> T) -> io::Result<T> {
        let _locked = self.0.lock()?;
        let mut saved = self.read()?;
        let result = change(&mut saved);
        self.0.replace(FILE, &saved)?;
        Ok(result)
    }

    fn read(&self) -> io::Result<Saved> {
        match File::open(self.0.file(FILE)) {
            Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(Saved::default()),
            file => Ok(serde_json::from_reader(io::BufReader::new(file?))?),
        }
    }
}

/// Returns the SHA-256 hash of a file's content, in hexadecimal digits.
///
/// # Errors
/// The file cannot be read.
pub fn content_hash(path: &Path) -> io::Result<String> {
    let mut digest = Sha256::new();
    io::copy(&mut File::open(path)?, &mut HashWriter(&mut digest))?;
    Ok(hex::encode(digest.finalize()))
}

struct HashWriter<'a>(&'a mut Sha256);

impl io::Write for HashWriter<'_> {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.0.update(bytes);
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_changed_plugin_is_not_trusted() {
        let folder = tempfile::tempdir().unwrap();
        let (plugin, trusted) =
            (folder.path().join("it"), TrustedPlugins::of(State::at(folder.path().join("s"))));
        std::fs::write(&plugin, "one").unwrap();
        let hash = trusted.trust(&plugin).unwrap();
        assert_eq!(hash, "7692c3ad3540bb803c020b3aee66cd8887123234ea0c6e7143c0add73ff431ed");
        assert!(trusted.has(&plugin, &hash));
        std::fs::write(&plugin, "two").unwrap();
        assert!(!trusted.has(&plugin, &content_hash(&plugin).unwrap()));
        assert_eq!(trusted.all().unwrap().len(), 1);
        assert!(trusted.forget(&plugin).unwrap() && !trusted.forget(&plugin).unwrap());
        assert!(!trusted.has(&plugin, &hash));
    }
}
