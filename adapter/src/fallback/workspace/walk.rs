//! Walks the files of a folder by ripgrep's rules, but honours `.gitignore` outside of repositories too, and enters no
//! other work tree.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex};

use ignore::{WalkBuilder, WalkState};
use unpoisoned::lock;

use crate::fallback::source::languages::Language;
use crate::fallback::source::parallel::threads;
use crate::fallback::trust::work_trees;
use crate::fallback::workspace::walk;

/// The other work trees that walks came to and did not enter. Clones share them.
#[derive(Clone, Debug, Default)]
pub(crate) struct TreesLeftOut(Arc<Mutex<BTreeSet<PathBuf>>>);

impl TreesLeftOut {
    fn add(&self, tree: &Path) {
        lock(&self.0).insert(tree.to_owned());
    }

    /// Returns those below a folder that are still there, those in hidden folders only on request.
    pub(crate) fn below(&self, folder: &Path, with_hidden: bool) -> Vec<PathBuf> {
        let mut trees = lock(&self.0);
        trees.retain(|it| work_trees::is_tree(it));
        let is_hidden = |below: &Path| below.iter().any(|it| it.as_encoded_bytes().starts_with(b"."));
        let is_meant = |tree: &Path| {
            let below = tree.strip_prefix(folder).ok().filter(|it| !it.as_os_str().is_empty());
            below.is_some_and(|it| with_hidden || !is_hidden(it))
        };
        trees.iter().filter(|it| is_meant(it)).cloned().collect()
    }
}

/// Returns the folders that no walk of another one of them enters, each once.
pub(crate) fn outermost<'a>(
    folders: impl IntoIterator<Item = &'a PathBuf>,
) -> impl Iterator<Item = &'a PathBuf> {
    // In this order a folder precedes everything in it.
    let sorted: BTreeSet<_> = folders.into_iter().collect();
    let mut last: Option<&PathBuf> = None;
    sorted.into_iter().filter(move |it| {
        let is_inner =
            last.is_some_and(|outer| it.starts_with(outer) && work_trees::apart(it, outer).is_none());
        if !is_inner {
            last = Some(it);
        }
        !is_inner
    })
}

/// The most entries that a walk visits.
pub(crate) const ENTRY_LIMIT: usize = 50_000;

/// Visits every file below `start` on several threads, each with its own visitor, until one returns `false`.
pub(crate) fn visit<'v>(
    start: &Path,
    root: &Path,
    left_out: &TreesLeftOut,
    visitor: &(dyn Fn() -> Box<dyn FnMut(&Path) -> bool + Send + 'v> + Sync + 'v),
) {
    let mut walk = builder_noting(start, root, left_out);
    walk.threads(threads());
    walk.build_parallel().run(|| {
        let mut visit = visitor();
        Box::new(move |entry| {
            let file = entry.ok().filter(|it| it.file_type().is_some_and(|it| it.is_file()));
            match file.is_none_or(|it| visit(it.path())) {
                true => WalkState::Continue,
                false => WalkState::Quit,
            }
        })
    });
}

/// Configures a walk of `start`, which is `root` or lies below it. It skips hidden and ignored files, follows no links,
/// and does not enter other work trees ([`work_trees::is_other`]).
///
/// Ignore rules above `root` count only if `root` lies in a repository. Otherwise a `.gitignore` of `*` in a
/// home folder would hide every project below.
pub(crate) fn builder(start: &Path, root: &Path) -> WalkBuilder {
    builder_noting(start, root, &TreesLeftOut::default())
}

/// Configures a walk as [`builder`], which records the other trees that it comes to.
pub(crate) fn builder_noting(start: &Path, root: &Path, left_out: &TreesLeftOut) -> WalkBuilder {
    let in_repository = work_trees::around(root).is_some();
    let mut builder = WalkBuilder::new(start);
    builder.require_git(false).parents(in_repository || start != root);
    let (left_out, root) = (left_out.clone(), root.to_owned());
    builder.filter_entry(move |entry| {
        let is_folder = entry.depth() > 0 && entry.file_type().is_some_and(|it| it.is_dir());
        let is_tree = is_folder && work_trees::is_tree(entry.path());
        let is_other = is_tree && work_trees::is_other(entry.path(), &root);
        if is_other {
            left_out.add(entry.path());
        }
        !is_other && (entry.depth() == 0 || entry.file_name() != ".git")
    });
    builder
}

/// The files of a language at a place, in order; blocking.
pub(crate) fn files(language: &Language, start: &Path, root: &Path, left_out: &TreesLeftOut) -> Vec<PathBuf> {
    let entries =
        walk::builder_noting(start, root, left_out).build().filter_map(Result::ok).take(walk::ENTRY_LIMIT);
    let files = entries.filter(|it| it.file_type().is_some_and(|it| it.is_file()));
    let mut files: Vec<_> = files.map(|it| it.into_path()).filter(|it| language.owns(it)).collect();
    files.sort();
    files
}
