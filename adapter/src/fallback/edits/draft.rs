//! The result of an edit's steps for each file, in their order, before any text is read.

use std::collections::BTreeMap;
use std::path::{Component, Path, PathBuf};

use source_text::is_of_version_control;

use super::plan_error::PlanError;
use crate::fallback::servers::run::convert::workspace_edit::{Existing, RawChange, RawStep, UnsupportedEdit};
use crate::fallback::workspace::session_folders::SessionFolders;

/// One file, by its path before the edit, or where it is created.
#[derive(Debug, Default)]
pub(super) struct Draft {
    pub(super) changes: Vec<RawChange>,
    pub(super) fate: DraftOperation,
}

#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) enum DraftOperation {
    #[default]
    Stays,
    Created,
    Moved(PathBuf),
    FolderMoved(PathBuf),
    Deleted,
}

/// The files of one edit, after the steps so far.
#[derive(Debug)]
pub(super) struct Drafts<'roots> {
    roots: &'roots SessionFolders,
    files: BTreeMap<PathBuf, Draft>,
}

/// Computes the operation and the changes of every file, by path; blocking.
///
/// # Errors
/// A step cannot be applied as a whole, or leaves the workspace.
pub(super) fn drafts(
    roots: &SessionFolders,
    steps: Vec<RawStep>,
) -> Result<BTreeMap<PathBuf, Draft>, PlanError> {
    let mut drafts = Drafts { roots, files: BTreeMap::new() };
    steps.into_iter().try_for_each(|it| drafts.take(it))?;
    Ok(drafts.files)
}

impl Drafts<'_> {
    fn take(&mut self, step: RawStep) -> Result<(), PlanError> {
        match step {
            RawStep::Change(change) => {
                let path = self.origin(&change.at.path);
                self.check(&path)?;
                self.files.entry(path).or_default().changes.push(change);
                Ok(())
            }
            RawStep::Create { path, existing } => self.create(path, existing),
            RawStep::Move { from, to, existing } => self.move_to(&from, to, existing),
            RawStep::Delete { path, may_lack } => self.delete(&path, may_lack),
        }
    }

    fn create(&mut self, path: PathBuf, existing: Existing) -> Result<(), PlanError> {
        self.check(&path)?;
        if self.is_kept(&path, existing)? {
            return Ok(());
        }
        self.files.entry(path).or_default().fate = DraftOperation::Created;
        Ok(())
    }

    fn move_to(&mut self, from: &Path, to: PathBuf, existing: Existing) -> Result<(), PlanError> {
        let origin = self.origin(from);
        self.check(&origin)?;
        self.check(&to)?;
        if !self.exists(from) {
            return Err(
                self.nonsense(format!("it would move `{}`, which is not there", self.display_path(from)))
            );
        }
        if to.starts_with(from) {
            return Err(self.nonsense(format!(
                "it would move `{}` into itself or onto itself",
                self.display_path(from)
            )));
        }
        if self.is_kept(&to, existing)? {
            return Ok(());
        }
        if self.files.get(&origin).is_some_and(|it| it.fate == DraftOperation::Created)
            && let Some(draft) = self.files.remove(&origin)
        {
            self.files.insert(to, draft);
            return Ok(());
        }
        let fate = if origin.is_dir() { DraftOperation::FolderMoved(to) } else { DraftOperation::Moved(to) };
        self.files.entry(origin).or_default().fate = fate;
        Ok(())
    }

    fn delete(&mut self, path: &Path, may_lack: bool) -> Result<(), PlanError> {
        let origin = self.origin(path);
        self.check(&origin)?;
        match () {
            () if !self.exists(path) && may_lack => {}
            () if !self.exists(path) => {
                let spelling = self.display_path(path);
                return Err(self.nonsense(format!("it would delete `{spelling}`, which is not there")));
            }
            () if origin.is_dir() => return Err(PlanError::Folder(self.display_path(path))),
            () if self.files.get(&origin).is_some_and(|it| it.fate == DraftOperation::Created) => {
                self.files.remove(&origin);
            }
            () => self.files.entry(origin).or_default().fate = DraftOperation::Deleted,
        }
        Ok(())
    }

    /// Returns `true` if the existing file stays, and the step does nothing.
    fn is_kept(&self, path: &Path, existing: Existing) -> Result<bool, PlanError> {
        match (self.exists(path), existing) {
            (false, _) => Ok(false),
            (true, Existing::Keep) => Ok(true),
            (true, Existing::Refuse | Existing::Overwrite) => {
                Err(PlanError::Overwrites(self.display_path(path)))
            }
        }
    }

    /// Returns `true` if the path exists after the steps so far.
    fn exists(&self, path: &Path) -> bool {
        let is_target = |it: &Draft| matches!(&it.fate, DraftOperation::Moved(to) | DraftOperation::FolderMoved(to) if path.starts_with(to));
        match self.files.get(path).map(|it| &it.fate) {
            Some(DraftOperation::Created) => true,
            Some(DraftOperation::Moved(_) | DraftOperation::FolderMoved(_) | DraftOperation::Deleted) => {
                self.files.values().any(is_target)
            }
            Some(DraftOperation::Stays) | None => {
                path.symlink_metadata().is_ok()
                    || self.roots.texts().contains_key(path)
                    || self.files.values().any(is_target)
            }
        }
    }

    /// Returns the path that a file had before the edit. A moved file is known by its old path too: servers
    /// mix them.
    fn origin(&self, path: &Path) -> PathBuf {
        let moved = self.files.iter().find_map(|(from, draft)| match &draft.fate {
            DraftOperation::Moved(to) | DraftOperation::FolderMoved(to) => {
                let rest = path.strip_prefix(to).ok()?;
                Some(if rest.as_os_str().is_empty() { from.clone() } else { from.join(rest) })
            }
            _ => None,
        });
        moved.unwrap_or_else(|| path.to_owned())
    }

    fn check(&self, path: &Path) -> Result<(), PlanError> {
        check(self.roots, path)
    }

    fn display_path(&self, path: &Path) -> String {
        self.roots.display_path(path)
    }

    #[expect(clippy::unused_self, reason = "said as the other errors are")]
    fn nonsense(&self, what: String) -> PlanError {
        PlanError::UnsupportedEdit(UnsupportedEdit::Nonsense(what))
    }
}

/// Checks that a path belongs to the workspace.
pub(super) fn check(roots: &SessionFolders, path: &Path) -> Result<(), PlanError> {
    let is_plain = path.components().all(|it| matches!(it, Component::RootDir | Component::Normal(_)));
    if !is_plain || !roots.contains(path) || roots.folders().iter().any(|it| it == path) {
        return Err(PlanError::Outside(format!("`{}`", roots.display_path(path))));
    }
    let is_private = roots.folders().iter().filter_map(|it| path.strip_prefix(it).ok());
    if is_private
        .flat_map(Path::components)
        .any(|it| is_of_version_control(&it.as_os_str().to_string_lossy()))
    {
        return Err(PlanError::Private(roots.display_path(path)));
    }
    Ok(())
}
