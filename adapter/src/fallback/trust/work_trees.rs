//! The work trees of git's repositories, by their files. Git is not run: a repository can make it run programs.
//!
//! The files of a hostile workspace say anything. So a folder is a work tree of a repository only if both sides say so:
//! its file `.git` names an entry of the repository, and that entry names this file. All paths are canonical when they
//! are compared, so that no link leads elsewhere.

use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};

use source_text::linked_git_folder;

use super::ownership;

/// The largest file of git that is read.
const LARGEST: u64 = 64 * 1024;

/// Returns true for the top of a work tree: a folder with an entry `.git`, whatever that is.
pub(crate) fn is_tree(folder: &Path) -> bool {
    folder.join(".git").symlink_metadata().is_ok()
}

/// Returns true for a work tree that says that it is linked to a repository, as `git worktree add` makes them. A submodule
/// is none.
pub(crate) fn is_linked(tree: &Path) -> bool {
    let text = read(&tree.join(".git"));
    text.is_some_and(|it| {
        linked_git_folder(&it).is_some_and(|it| it.replace('\\', "/").contains("/worktrees/"))
    })
}

/// Returns the top of the innermost work tree that holds a path.
pub(crate) fn around(path: &Path) -> Option<&Path> {
    path.ancestors().find(|it| is_tree(it))
}

/// Returns the top of the innermost work tree that holds a path and lies below a folder.
pub(crate) fn below<'path>(path: &'path Path, folder: &Path) -> Option<&'path Path> {
    trees_below(path, folder).next()
}

/// Returns the tops of the work trees that hold a path and lie below a folder, the innermost first.
fn trees_below<'path>(path: &'path Path, folder: &Path) -> impl Iterator<Item = &'path Path> {
    let inner = path.ancestors().take_while(move |it| *it != folder && it.starts_with(folder));
    inner.filter(|it| is_tree(it))
}

/// Returns the top of the innermost work tree that holds a path, lies below a folder, and is another tree than that of the
/// folder. A folder outside of repositories is one tree with those in it, but for linked work trees, which are copies.
pub(crate) fn apart<'path>(path: &'path Path, folder: &Path) -> Option<&'path Path> {
    trees_below(path, folder).find(|it| is_other(it, folder))
}

/// Returns true if the work tree with this top, below a folder, is another tree than that of the folder.
pub(crate) fn is_other(tree: &Path, folder: &Path) -> bool {
    is_linked(tree) || own_tree(folder).is_some()
}

/// Returns the top of the innermost work tree around a folder, unless it holds the user's home folder.
fn own_tree(folder: &Path) -> Option<&Path> {
    around(folder).filter(|it| !ownership::bounds(&[]).holds_home(it))
}

/// A repository, which may have several work trees.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Repository {
    /// The canonical folder that its work trees share, `.git` of the main one.
    shared: PathBuf,
}

impl Repository {
    /// Returns the repository of the work tree with this canonical top; `None` unless both sides say so.
    pub(crate) fn of(tree: &Path) -> Option<Self> {
        let git = tree.join(".git");
        if git.symlink_metadata().ok()?.is_dir() {
            return Some(Self { shared: git });
        }
        let own = linked_folder(&git)?;
        linked_to(&own, &git)
            .or_else(|| is_module_of(&own, tree).then_some(own))
            .map(|shared| Self { shared })
    }

    /// Returns the repository of the innermost work tree around a canonical folder, with the top of that tree. A tree that
    /// holds the user's home folder does not count.
    pub(crate) fn around(folder: &Path) -> Option<(Self, PathBuf)> {
        let tree = own_tree(folder)?;
        Some((Self::of(tree)?, tree.to_owned()))
    }

    /// Returns true if a canonical path lies in one of the work trees of this repository.
    pub(crate) fn holds(&self, path: &Path) -> bool {
        let bounds = ownership::bounds(&[]);
        let mut trees = path.ancestors().filter(|it| is_tree(it));
        trees.any(|it| Self::of(it).as_ref() == Some(self) && !bounds.holds_home(it))
    }

    /// Returns the tops of all work trees, the main one first.
    fn trees(&self) -> Vec<PathBuf> {
        let entries = fs::read_dir(self.shared.join("worktrees")).into_iter().flatten().flatten();
        let linked = entries.filter_map(|it| {
            let git = it.path().join(read(&it.path().join("gitdir"))?.trim());
            git.parent()?.canonicalize().ok()
        });
        let linked: BTreeSet<_> = linked.filter(|it| Self::of(it).as_ref() == Some(self)).collect();
        self.main_tree().map(Path::to_owned).into_iter().chain(linked).collect()
    }

    /// Returns the top of the main work tree, if there is one.
    pub(crate) fn main_tree(&self) -> Option<&Path> {
        self.shared.parent().filter(|it| Self::of(it).as_ref() == Some(self))
    }
}

/// Returns the folders at the same place in the other work trees of the repository around a canonical folder.
pub(crate) fn same_folders(folder: &Path) -> Vec<PathBuf> {
    let Some((repository, own)) = Repository::around(folder) else { return Vec::new() };
    let others = repository.trees().into_iter().filter(|it| *it != own);
    // A path that is joined with nothing ends with a slash.
    others.filter_map(|it| Some(it.join(folder.strip_prefix(&own).ok()?).components().collect())).collect()
}

/// Returns the folder in which git keeps what a work tree shares with others, without asking whether both sides say so.
pub(crate) fn claimed_shared_folder(tree: &Path) -> Option<PathBuf> {
    let git = tree.join(".git");
    if git.is_dir() {
        return Some(git);
    }
    let own = linked_folder(&git)?;
    Some(read(&own.join("commondir")).map_or_else(|| own.clone(), |shared| own.join(shared.trim())))
}

/// Returns the shared folder, if a work tree's own folder of the repository is an entry there and names this file `.git`.
fn linked_to(own: &Path, git: &Path) -> Option<PathBuf> {
    let shared = own.parent().filter(|it| it.ends_with("worktrees"))?.parent()?;
    let said = own.join(read(&own.join("commondir"))?.trim()).canonicalize().ok()?;
    let named = own.join(read(&own.join("gitdir"))?.trim());
    let names_back = is_same(&named, git);
    (said == shared && names_back).then_some(said)
}

/// Returns true if the configuration in a folder of git names the work tree, as submodules have it.
fn is_module_of(own: &Path, tree: &Path) -> bool {
    let config = read(&own.join("config"));
    let lines = config.iter().flat_map(|it| it.lines()).map(str::trim);
    let mut core = lines.skip_while(|it| *it != "[core]").skip(1).take_while(|it| !it.starts_with('['));
    let named = core.find_map(|it| it.strip_prefix("worktree")?.trim_start().strip_prefix('='));
    named.is_some_and(|it| own.join(it.trim()).canonicalize().is_ok_and(|it| it == tree))
}

/// Returns true if both are the same regular file, reached without a link at its end.
fn is_same(named: &Path, git: &Path) -> bool {
    let is_file = named.symlink_metadata().is_ok_and(|it| it.is_file());
    is_file && named.canonicalize().ok() == git.canonicalize().ok()
}

/// Returns the canonical folder that a file `.git` names.
fn linked_folder(git: &Path) -> Option<PathBuf> {
    let text = read(git)?;
    git.parent()?.join(linked_git_folder(&text)?).canonicalize().ok()
}

/// Reads a small regular file that is no link.
fn read(file: &Path) -> Option<String> {
    let is_plain = file.symlink_metadata().ok().is_some_and(|it| it.is_file() && it.len() <= LARGEST);
    is_plain.then(|| fs::read_to_string(file).ok()).flatten()
}

#[cfg(test)]
#[path = "work_trees_tests.rs"]
mod tests;
