//! What becomes of each file by the steps of an edit, in their order, before any text is looked at.

use std::collections::BTreeMap;
use std::path::{Component, Path, PathBuf};

use super::plan::Unplanned;
use crate::fallback::servers::run::convert::workspace_edit::{Existing, RawChange, RawStep, Unfit};
use crate::fallback::workspace::session_folders::SessionFolders;

/// One file by the path that it has before the edit, or that it is created at.
#[derive(Debug, Default)]
pub(super) struct Draft {
    pub(super) changes: Vec<RawChange>,
    pub(super) fate: DraftFate,
}

#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) enum DraftFate {
    #[default]
    Stays,
    Created,
    Moved(PathBuf),
    FolderMoved(PathBuf),
    Deleted,
}

/// The files of one edit, as far as its steps have been taken.
#[derive(Debug)]
pub(super) struct Drafts<'roots> {
    roots: &'roots SessionFolders,
    files: BTreeMap<PathBuf, Draft>,
}

/// What every file comes to, by path; blocking.
///
/// # Errors
/// A step cannot be taken as a whole, or leads out of the workspace.
pub(super) fn drafts(
    roots: &SessionFolders,
    steps: Vec<RawStep>,
) -> Result<BTreeMap<PathBuf, Draft>, Unplanned> {
    let mut drafts = Drafts { roots, files: BTreeMap::new() };
    steps.into_iter().try_for_each(|it| drafts.take(it))?;
    Ok(drafts.files)
}

impl Drafts<'_> {
    fn take(&mut self, step: RawStep) -> Result<(), Unplanned> {
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

    fn create(&mut self, path: PathBuf, existing: Existing) -> Result<(), Unplanned> {
        self.check(&path)?;
        if self.is_kept(&path, existing)? {
            return Ok(());
        }
        self.files.entry(path).or_default().fate = DraftFate::Created;
        Ok(())
    }

    fn move_to(&mut self, from: &Path, to: PathBuf, existing: Existing) -> Result<(), Unplanned> {
        let origin = self.origin(from);
        self.check(&origin)?;
        self.check(&to)?;
        if !self.exists(from) {
            return Err(self.nonsense(format!("it would move `{}`, which is not there", self.spell(from))));
        }
        if to.starts_with(from) {
            return Err(
                self.nonsense(format!("it would move `{}` into itself or onto itself", self.spell(from)))
            );
        }
        if self.is_kept(&to, existing)? {
            return Ok(());
        }
        if self.files.get(&origin).is_some_and(|it| it.fate == DraftFate::Created) {
            let draft = self.files.remove(&origin).unwrap_or_default();
            self.files.insert(to, draft);
            return Ok(());
        }
        let fate = if origin.is_dir() { DraftFate::FolderMoved(to) } else { DraftFate::Moved(to) };
        self.files.entry(origin).or_default().fate = fate;
        Ok(())
    }

    fn delete(&mut self, path: &Path, may_lack: bool) -> Result<(), Unplanned> {
        let origin = self.origin(path);
        self.check(&origin)?;
        match () {
            () if !self.exists(path) && may_lack => {}
            () if !self.exists(path) => {
                let spelling = self.spell(path);
                return Err(self.nonsense(format!("it would delete `{spelling}`, which is not there")));
            }
            () if origin.is_dir() => return Err(Unplanned::Folder(self.spell(path))),
            () if self.files.get(&origin).is_some_and(|it| it.fate == DraftFate::Created) => {
                self.files.remove(&origin);
            }
            () => self.files.entry(origin).or_default().fate = DraftFate::Deleted,
        }
        Ok(())
    }

    /// Whether what is there stays, and the step does nothing.
    fn is_kept(&self, path: &Path, existing: Existing) -> Result<bool, Unplanned> {
        match (self.exists(path), existing) {
            (false, _) => Ok(false),
            (true, Existing::Keep) => Ok(true),
            (true, Existing::Refuse | Existing::Overwrite) => Err(Unplanned::Overwrites(self.spell(path))),
        }
    }

    /// Whether there is a file of that path by now.
    fn exists(&self, path: &Path) -> bool {
        let is_target = |it: &Draft| matches!(&it.fate, DraftFate::Moved(to) | DraftFate::FolderMoved(to) if path.starts_with(to));
        match self.files.get(path).map(|it| &it.fate) {
            Some(DraftFate::Created) => true,
            Some(DraftFate::Moved(_) | DraftFate::FolderMoved(_) | DraftFate::Deleted) => {
                self.files.values().any(is_target)
            }
            Some(DraftFate::Stays) | None => {
                path.symlink_metadata().is_ok()
                    || self.roots.texts().contains_key(path)
                    || self.files.values().any(is_target)
            }
        }
    }

    /// The path that a file had before the edit. One that was moved is known by its old path too: servers mix them.
    fn origin(&self, path: &Path) -> PathBuf {
        let moved = self.files.iter().find_map(|(from, draft)| match &draft.fate {
            DraftFate::Moved(to) | DraftFate::FolderMoved(to) => {
                let rest = path.strip_prefix(to).ok()?;
                Some(if rest.as_os_str().is_empty() { from.clone() } else { from.join(rest) })
            }
            _ => None,
        });
        moved.unwrap_or_else(|| path.to_owned())
    }

    /// Whether a path is one of the workspace's own.
    fn check(&self, path: &Path) -> Result<(), Unplanned> {
        let is_plain = path.components().all(|it| matches!(it, Component::RootDir | Component::Normal(_)));
        if !is_plain || !self.roots.contains(path) || self.roots.folders().iter().any(|it| it == path) {
            return Err(Unplanned::Outside(format!("`{}`", self.spell(path))));
        }
        let is_private = self.roots.folders().iter().filter_map(|it| path.strip_prefix(it).ok());
        if is_private.flat_map(Path::components).any(|it| it.as_os_str() == ".git") {
            return Err(Unplanned::Private(self.spell(path)));
        }
        Ok(())
    }

    fn spell(&self, path: &Path) -> String {
        self.roots.display_path(path)
    }

    #[expect(clippy::unused_self, reason = "said as the other errors are")]
    fn nonsense(&self, what: String) -> Unplanned {
        Unplanned::Unfit(Unfit::Nonsense(what))
    }
}
