//! Walks the files of a folder by ripgrep's rules, but honours `.gitignore` outside of repositories too.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

use ignore::{WalkBuilder, WalkState};

use crate::fallback::source::languages::Language;
use crate::fallback::source::parallel::threads;
use crate::fallback::workspace::walk;

/// Returns the folders that lie in no other one of them, each once.
pub(crate) fn outermost<'a>(
    folders: impl IntoIterator<Item = &'a PathBuf>,
) -> impl Iterator<Item = &'a PathBuf> {
    // In this order a folder precedes everything in it.
    let sorted: BTreeSet<_> = folders.into_iter().collect();
    let mut last: Option<&PathBuf> = None;
    sorted.into_iter().filter(move |it| {
        let is_inner = last.is_some_and(|outer| it.starts_with(outer));
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
    visitor: &(dyn Fn() -> Box<dyn FnMut(&Path) -> bool + Send + 'v> + Sync + 'v),
) {
    let mut walk = builder(start, root);
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

/// Configures a walk of `start`, which is `root` or lies below it. It skips hidden and ignored files, and
/// follows no links.
///
/// Ignore rules above `root` count only if `root` lies in a repository. Otherwise a `.gitignore` of `*` in a
/// home folder would hide every project below.
pub(crate) fn builder(start: &Path, root: &Path) -> WalkBuilder {
    let in_repository = root.ancestors().any(|it| it.join(".git").exists());
    let mut builder = WalkBuilder::new(start);
    builder.require_git(false).parents(in_repository || start != root);
    builder
}

/// The files of a language at a place, in order; blocking.
pub(crate) fn files(language: &Language, start: &Path, root: &Path) -> Vec<PathBuf> {
    let entries = walk::builder(start, root).build().filter_map(Result::ok).take(walk::ENTRY_LIMIT);
    let files = entries.filter(|it| it.file_type().is_some_and(|it| it.is_file()));
    let mut files: Vec<_> = files.map(|it| it.into_path()).filter(|it| language.owns(it)).collect();
    files.sort();
    files
}
