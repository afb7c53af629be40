//! Permissions that outlive a session, in a file of the user's.

use std::collections::BTreeMap;
use std::io;
use std::path::{Path, PathBuf};

use serde::{Deserialize, Serialize};
use serde_json::Value;

use super::grants::{Grant, Grants};
use crate::state::State;

const VERSION: u64 = 1;

const NAME: &str = "grants.json";

/// The file, for all processes together. Nothing of it is kept in memory, so that what is revoked ends at once.
#[derive(Clone, Debug)]
pub struct Store {
    state: State,
}

/// Why there is nothing to read or to write.
#[derive(Debug, thiserror::Error)]
pub enum StoreError {
    /// The disk refuses.
    #[error("the file of permissions {} cannot be used: {error}", path.display())]
    Io {
        /// The file.
        path: PathBuf,
        /// Why.
        error: io::Error,
    },
    /// What stands there is not what was written.
    #[error(
        "the file of permissions {} cannot be understood ({reason}), so nothing that it grants counts; repair it, or remove it and \
         grant again", path.display()
    )]
    Unreadable {
        /// The file.
        path: PathBuf,
        /// Why.
        reason: String,
    },
}

#[derive(Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct Contents {
    version: u64,
    /// By the path of the workspace.
    workspaces: BTreeMap<String, Grants>,
}

impl Store {
    /// The permissions in that folder, which need not exist.
    pub fn new(state: State) -> Self {
        Self { state }
    }

    /// Where they stand.
    pub fn path(&self) -> PathBuf {
        self.state.file(NAME)
    }

    /// All of them, by workspace, whether or not the record vouches for them.
    ///
    /// # Errors
    /// When the file is there and cannot be read.
    pub(crate) fn all(&self) -> Result<BTreeMap<String, Grants>, StoreError> {
        let path = self.path();
        match std::fs::read(&path) {
            Ok(bytes) => parse(&bytes).map_err(|reason| StoreError::Unreadable { path, reason }),
            Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(BTreeMap::new()),
            Err(error) => Err(StoreError::Io { path, error }),
        }
    }

    /// Those of one workspace, whether or not the record vouches for them.
    ///
    /// # Errors
    /// As [`Store::all`].
    pub(crate) fn of(&self, workspace: &Path) -> Result<Grants, StoreError> {
        Ok(self.all()?.remove(&key(workspace)).unwrap_or_default())
    }

    /// Remembers some for one workspace.
    ///
    /// # Errors
    /// When the file cannot be read or written; then it is as it was.
    pub(crate) fn add(&self, workspace: &Path, grants: Vec<Grant>) -> Result<(), StoreError> {
        self.change(|all| {
            let of = all.entry(key(workspace)).or_default();
            grants.into_iter().for_each(|it| of.add(it));
        })
    }

    /// Forgets every grant of that capability, of one workspace or of all, and gives them with their workspaces.
    ///
    /// # Errors
    /// As for reading and writing.
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
    use super::*;
    use crate::permission::bounds::Bounds;
    use tempfile::TempDir;

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
        assert_eq!(store.of(one).unwrap().iter().count(), 2);
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
            let error = store.of(Path::new("/one")).unwrap_err().to_string();
            assert!(error.contains(problem) && error.contains("grants.json"), "{error}");
            assert!(store.add(Path::new("/one"), vec![grant("d/B")]).is_err());
            assert_eq!(std::fs::read_to_string(store.path()).unwrap(), text);
        }
    }
}
