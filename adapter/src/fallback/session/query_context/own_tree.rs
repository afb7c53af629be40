//! Leaves out what a server says about other work trees and hidden folders: servers index every folder below a project.

use std::collections::{BTreeSet, HashMap};
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex};

use ide_protocol::{IdeError, Listing, Reason};
use serde_json::Value;

use super::QueryContext;
use crate::fallback::edits::PlanError;
use crate::fallback::servers::run::convert::workspace_edit::RawStep;
use crate::fallback::servers::run::convert::{RawRange, workspace_edit};
use unpoisoned::lock;

/// The most hidden files that a remark names.
const HIDDEN_NAMED: usize = 3;

/// The folders that places of an answer were in, with whether they belong to another tree, for targets and for others.
#[derive(Debug, Default)]
pub(super) struct KnownFolders(Mutex<HashMap<(PathBuf, bool), bool>>);

/// The hidden files that an answer leaves out.
#[derive(Debug, Default)]
pub(super) struct HiddenPlaces(Mutex<BTreeSet<PathBuf>>);

impl QueryContext {
    /// Leaves out what lies in other trees or is hidden.
    pub(super) fn own<T>(&self, mut places: Vec<T>, path: impl Fn(&T) -> &Path) -> Vec<T> {
        places.retain(|it| self.is_shown(path(it)));
        places
    }

    /// Leaves out uses that lie in other trees or are hidden.
    pub(super) fn own_uses(&self, uses: Arc<Vec<RawRange>>) -> Arc<Vec<RawRange>> {
        match uses.iter().all(|it| self.is_shown(&it.path)) {
            true => uses,
            false => Arc::new(self.own(uses.to_vec(), |it| &it.path)),
        }
    }

    /// Leaves out targets of names that lie in other trees, but not those in other repositories.
    pub(super) fn own_targets<T>(&self, mut places: Vec<T>, path: impl Fn(&T) -> &Path) -> Vec<T> {
        places.retain(|it| self.is_own(path(it), true));
        places
    }

    /// Converts an edit of the server to steps, without those in other trees. Hidden files are changed: they would not
    /// fit what the edit changes.
    ///
    /// # Errors
    /// It is no edit that can be made.
    pub(crate) fn steps(&self, edit: &Value) -> Result<Vec<RawStep>, IdeError> {
        let mut steps = workspace_edit::steps(edit).map_err(PlanError::from).map_err(IdeError::from)?;
        steps.retain(|it| match it {
            RawStep::Change(change) => self.is_own(&change.at.path, false),
            RawStep::Create { path, .. } | RawStep::Delete { path, .. } => self.is_own(path, false),
            RawStep::Move { from, .. } => self.is_own(from, false),
        });
        Ok(steps)
    }

    /// Returns the remarks on files that the answer names and may not show, and on hidden ones that it leaves out.
    pub(crate) fn left_unsaid(&self) -> impl Iterator<Item = Reason> {
        self.unread().into_iter().chain(self.hidden_remark())
    }

    fn hidden_remark(&self) -> Option<Reason> {
        let hidden = lock(&self.hidden.0);
        let paths = Listing::of(hidden.iter().map(|it| self.roots.display_path(it)), HIDDEN_NAMED);
        (!paths.is_empty()).then_some(Reason::HiddenLeftOut { paths })
    }

    fn is_shown(&self, path: &Path) -> bool {
        if !self.is_own(path, false) {
            return false;
        }
        let is_hidden = !self.sees_hidden && self.roots.is_hidden(path);
        if is_hidden {
            lock(&self.hidden.0).insert(path.to_owned());
        }
        !is_hidden
    }

    fn is_own(&self, path: &Path, is_target: bool) -> bool {
        let Some(folder) = path.parent() else { return true };
        let key = (folder.to_owned(), is_target);
        if let Some(is_elsewhere) = lock(&self.known_folders.0).get(&key) {
            return !is_elsewhere;
        }
        // Servers name files by the links that they followed.
        let canonical = folder.canonicalize();
        let is_elsewhere = self.roots.is_elsewhere(canonical.as_deref().unwrap_or(folder), is_target);
        lock(&self.known_folders.0).insert(key, is_elsewhere);
        !is_elsewhere
    }
}
