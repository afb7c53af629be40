//! The file of permissions that outlive a session.

use std::collections::BTreeMap;
use std::io;
use std::path::{Path, PathBuf};

use serde::{Deserialize, Serialize};
use serde_json::Value;

use super::grants::{Grant, Grants};
use crate::state::State;

const VERSION: u64 = 1;

const NAME: &str = "grants.json";

/// The file of permissions, shared by all processes. Nothing is cached, so revoking takes effect at once.
#[derive(Clone, Debug)]
pub struct Store {
    state: State,
}

/// An error that keeps the file from being read or written.
#[derive(Debug, thiserror::Error)]
pub enum StoreError {
    /// The file system refuses.
    #[error("the file of permissions {} cannot be used: {error}", path.display())]
    Io {
        /// The file.
        path: PathBuf,
        /// The error of the file system.
        error: io::Error,
    },
    /// The contents are not what Dialect writes.
    #[error(
        "the file of permissions {} cannot be understood ({reason}), so nothing that it grants counts; repair it, or remove it and \
         grant again", path.display()
    )]
    Unreadable {
        /// The file.
        path: PathBuf,
        /// The reason, in words.
        reason: String,
    },
}

#[derive(Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct Contents {
    version: u64,
    /// The grants, by the path of their workspace.
    workspaces: BTreeMap<String, Grants>,
}

impl Store {
    /// Returns the store of a folder, which need not exist.
    pub fn new(state: State) -> Self {
        Self { state }
    }

    /// Returns the path of the file.
    pub fn path(&self) -> PathBuf {
        self.state.file(NAME)
    }

    /// Returns all grants by workspace, whether or not the audit log confirms them.
    ///
    /// # Errors
    /// The file exists and cannot be read.
    pub(crate) fn all(&self) -> Result<BTreeMap<String, Grants>, StoreError> {
        let path = self.path();
        match std::fs::read(&path) {
            Ok(bytes) => parse(&bytes).map_err(|reason| StoreError::Unreadable { path, reason }),
            Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(BTreeMap::new()),
            Err(error) => Err(StoreError::Io { path, error }),
        }
    }

    /// Returns the grants of one workspace, whether or not the audit log confirms them.
    ///
    /// # Errors
    /// As [`Store::all`].
    pub(crate) fn of_workspace(&self, workspace: &Path) -> Result<Grants, StoreError> {
        Ok(self.all()?.remove(&key(workspace)).unwrap_or_default())
    }

    /// Adds grants to one workspace.
    ///
    /// # Errors
    /// The file cannot be read or written; it stays unchanged then.
    pub(crate) fn add(&self, workspace: &Path, grants: Vec<Grant>) -> Result<(), StoreError> {
        self.change(|all| {
            let grants_of = all.entry(key(workspace)).or_default();
            grants.into_iter().for_each(|it| grants_of.add(it));
        })
    }

    /// Removes every grant of a capability, in one workspace or in all, and returns the grants with their
    /// workspaces.
    ///
    /// # Errors
    /// The file cannot be read or written.
    pub(super) fn revoke(
        &self,
        workspace: Option<&Path>,
        capability: &str,
    ) -> Result<Vec<(String, Grant)>, StoreError> {
        let wanted = workspace.map(key);
        self.change(|all| {
            let mut revoked = Vec::new();
            let chosen = all.iter_mut().filter(|(it, _)| wanted.as_ref().is_none_or(|wanted| wanted == *it));
            for (workspace, grants) in chosen {
                revoked.extend(grants.revoke(capability).into_iter().map(|it| (workspace.clone(), it)));
            }
            all.retain(|_, grants| !grants.is_empty());
            revoked
        })
    }

    fn change<T>(&self, change: impl FnOnce(&mut BTreeMap<String, Grants>) -> T) -> Result<T, StoreError> {
        let refused = |error| StoreError::Io { path: self.path(), error };
        let _locked = self.state.lock().map_err(refused)?;
        let mut workspaces = self.all()?;
        let result = change(&mut workspaces);
        self.state.replace(NAME, &Contents { version: VERSION, workspaces }).map_err(refused)?;
        Ok(result)
    }
}

fn parse(bytes: &[u8]) -> Result<BTreeMap<String, Grants>, String> {
    let value: Value = serde_json::from_slice(bytes).map_err(|error| error.to_string())?;
    match value["version"].as_u64() {
        Some(VERSION) => {}
        Some(other) => return Err(format!("it is of version {other}, this is version {VERSION}")),
        None => return Err("it has no version".to_owned()),
    }
    let contents: Contents = serde_json::from_value(value).map_err(|error| error.to_string())?;
    Ok(contents.workspaces)
}

fn key(workspace: &Path) -> String {
    workspace.to_string_lossy().into_owned()
}

#[cfg(test)]
mod tests {
    use tempfile::TempDir;

    use super::*;
    use crate::permission::bounds::Bounds;

    fn store() -> (TempDir, Store) {
        let folder = TempDir::new().unwrap();
        let store = Store::new(State::at(folder.path().join("state")));
        (folder, store)
    }

    fn grant(capability: &str) -> Grant {
        let (capability, fingerprint) = (capability.to_owned(), "f".to_owned());
        Grant { capability, bounds: Bounds::default(), fingerprint, granted_at: 1, entry: None }
    }

    #[test]
    fn workspaces_have_grants_of_their_own() {
        use std::os::unix::fs::PermissionsExt;
        let (_folder, store) = store();
        let (one, two) = (Path::new("/one"), Path::new("/two"));
        store.add(one, vec![grant("d/A"), grant("d/B")]).unwrap();
        store.add(two, vec![grant("d/A")]).unwrap();
        assert_eq!(store.of_workspace(one).unwrap().iter().count(), 2);
        assert_eq!(store.path().metadata().unwrap().permissions().mode() & 0o777, 0o600);
        assert_eq!(store.revoke(Some(one), "d/A").unwrap().len(), 1);
        assert_eq!(store.revoke(None, "d/A").unwrap(), [("/two".to_owned(), grant("d/A"))]);
        assert!(store.revoke(None, "d/A").unwrap().is_empty());
        assert_eq!(store.all().unwrap().len(), 1);
    }

    #[test]
    fn a_file_that_is_not_understood_grants_nothing_and_is_left_alone() {
        let (_folder, store) = store();
        store.add(Path::new("/one"), vec![grant("d/A")]).unwrap();
        let written = std::fs::read_to_string(store.path()).unwrap();
        for (text, problem) in [
            (written[..written.len() / 2].to_owned(), "EOF"),
            (written.replace("\"version\": 1", "\"version\": 2"), "version 2"),
            (written.replace("\"version\": 1,", ""), "no version"),
            (written.replace("\"fingerprint\"", "\"fingers\""), "unknown field"),
            (String::new(), "EOF"),
            ("[]".to_owned(), "no version"),
        ] {
            std::fs::write(store.path(), &text).unwrap();
            let error = store.of_workspace(Path::new("/one")).unwrap_err().to_string();
            assert!(error.contains(problem) && error.contains("grants.json"), "{error}");
            assert!(store.add(Path::new("/one"), vec![grant("d/B")]).is_err());
            assert_eq!(std::fs::read_to_string(store.path()).unwrap(), text);
        }
    }
}
