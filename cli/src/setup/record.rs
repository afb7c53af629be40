//! The record of what was written into settings of others, so that exactly that can be undone.

use std::collections::BTreeMap;
use std::io::Write as _;
use std::path::{Path, PathBuf};

use component::State;
use serde::{Deserialize, Serialize};

use crate::failure::Failure;
use crate::source::read_if_there;

/// A change of a file: the part that was replaced, and the part that stands there since. Nothing else of the file is kept,
/// since settings hold secrets.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(super) struct Change {
    replaced: String,
    inserted: String,
    /// True if there was no file before.
    created: bool,
}

impl Change {
    /// Returns the difference of two texts; `before` is `None` for a file that was not there.
    pub(super) fn between(before: Option<&str>, after: &str) -> Self {
        let old = before.unwrap_or_default();
        let common = |pairs: &mut dyn Iterator<Item = (char, char)>| -> usize {
            pairs.take_while(|(a, b)| a == b).map(|(a, _)| a.len_utf8()).sum()
        };
        let start = common(&mut old.chars().zip(after.chars()));
        let (old_rest, rest) = (&old[start..], &after[start..]);
        let end = common(&mut old_rest.chars().rev().zip(rest.chars().rev()));
        Self {
            replaced: old_rest[..old_rest.len() - end].to_owned(),
            inserted: rest[..rest.len() - end].to_owned(),
            created: before.is_none(),
        }
    }

    /// Returns the text without the change, `Some(None)` if the file goes; `None` if the user has changed that part since.
    pub(super) fn undone(&self, text: &str) -> Option<Option<String>> {
        let mut found = text.match_indices(&self.inserted);
        let (at, _) = found.next()?;
        if self.inserted.is_empty() || found.next().is_some() {
            return None;
        }
        let undone = [&text[..at], &self.replaced, &text[at + self.inserted.len()..]].concat();
        Some(if self.created && undone.trim().is_empty() { None } else { Some(undone) })
    }
}

/// The changes of files, in the user's state.
#[derive(Debug)]
pub(super) struct Changes {
    path: PathBuf,
    changes: BTreeMap<PathBuf, BTreeMap<String, Change>>,
}

impl Changes {
    /// Reads the changes that were made so far.
    ///
    /// # Errors
    /// There is no place for them, or it cannot be read.
    pub(super) fn read() -> Result<Self, Failure> {
        let state = State::of_user()
            .ok_or("neither XDG_STATE_HOME nor HOME names a folder to remember in what is written")?;
        let path = state.folder().join("setup.json");
        let changes = match read_if_there(&path)? {
            Some(text) => {
                serde_json::from_str(&text).map_err(|error| format!("{}: {error}", path.display()))?
            }
            None => BTreeMap::new(),
        };
        Ok(Self { path, changes })
    }

    /// Returns the change of a file for a client.
    pub(super) fn of(&self, file: &Path, client: &str) -> Option<&Change> {
        self.changes.get(file)?.get(client)
    }

    /// Remembers the change of a file for a client, or forgets it.
    ///
    /// # Errors
    /// The state cannot be written.
    pub(super) fn keep(&mut self, file: &Path, client: &str, change: Option<Change>) -> Result<(), Failure> {
        let of_file = self.changes.entry(file.to_owned()).or_default();
        match change {
            Some(change) => drop(of_file.insert(client.to_owned(), change)),
            None => drop(of_file.remove(client)),
        }
        self.changes.retain(|_, it| !it.is_empty());
        replace(&self.path, &(serde_json::to_string_pretty(&self.changes)? + "\n"))
    }
}

/// Gives a file a new text, at once and with the rights that it had; a link stays one. Creates its folder.
///
/// # Errors
/// The disk refuses.
pub(super) fn replace(path: &Path, text: &str) -> Result<(), Failure> {
    let path = path.canonicalize().unwrap_or_else(|_| path.to_owned());
    let folder = path.parent().ok_or("a file has a folder")?;
    let write = || -> std::io::Result<()> {
        std::fs::create_dir_all(folder)?;
        let mut draft = tempfile::NamedTempFile::new_in(folder)?;
        draft.write_all(text.as_bytes())?;
        if let Ok(known) = std::fs::metadata(&path) {
            draft.as_file().set_permissions(known.permissions())?;
        }
        draft.as_file().sync_all()?;
        draft.persist(&path)?;
        Ok(())
    };
    Ok(write().map_err(|error| format!("{}: {error}", path.display()))?)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn exactly_what_was_written_is_undone() {
        for (before, after) in [
            (Some("{}"), "{\"a\": 1}"),
            (Some("{\"a\": {\"b\": 1}}"), "{\"a\": {\"b\": 1, \"c\": {\"d\": 1}}}"),
            (Some("é\n"), "é\nü\n"),
            (Some("a = 1 # old\n"), "a = 2 # new\n"),
            (None, "{\"a\": 1}\n"),
        ] {
            let change = Change::between(before, after);
            assert_eq!(change.undone(after), Some(before.map(str::to_owned)), "{before:?}");
            let edited = format!("# mine\n{after}");
            let undone = change.undone(&edited).unwrap().unwrap();
            assert_eq!(undone, format!("# mine\n{}", before.unwrap_or_default()));
        }
    }

    #[test]
    fn what_the_user_changed_is_not_undone_blindly() {
        let change = Change::between(Some("{}"), "{\"a\": 1}");
        assert_eq!(change.undone("{\"a\": 2}"), None);
        assert_eq!(change.undone("[{\"a\": 1}, {\"a\": 1}]"), None);
        assert_eq!(Change::between(Some("{}"), "{}").undone("{}"), None);
    }
}
