//! Whether a tree is still as it was when it was looked at: leave to look no further, where nothing is in doubt.
//!
//! Folders are watched. A look counts for later only when every folder that it came to was watched before it began,
//! so that whatever changed since was told; the first look after a folder appeared is therefore followed by a second.
//! What is not told where it is seen (a link, a file with several names) is looked at each time. Where anything is
//! doubtful, the tree is never called still, and whoever asks looks at all of it: file systems in layers or over
//! networks, links to folders outside, more folders than may be watched, changes too many to be told.

use std::collections::{BTreeSet, HashMap, HashSet};
use std::fs::{self, Metadata};
use std::os::unix::fs::MetadataExt;
use std::path::{Path, PathBuf};

use super::file_scan;
use super::stamp::Stamp;
use crate::os::watch::{Happening, Id, Watch};

/// Of all watches that the user may have, one in so many for one tree.
const SHARE: usize = 8;

/// How many files are looked at each time.
const ODD_LIMIT: usize = 1_000;

/// Watches over one tree.
#[derive(Debug, Default)]
pub(crate) struct Vigil {
    watch: Option<Watch>,
    /// In which look each watch was begun.
    since: HashMap<Id, u64>,
    look: u64,
    is_still: bool,
    /// What is looked at each time, as it was.
    odd: Vec<(PathBuf, Option<Stamp>)>,
    /// The folders where the tree begins, and which they were.
    starts: Vec<(PathBuf, Option<(u64, u64)>)>,
    /// Folders that were left out for what lies in them.
    left_out: HashSet<PathBuf>,
    /// Links that were followed to folders.
    links: HashSet<PathBuf>,
}

/// What a look at a tree came to.
#[derive(Debug, Default)]
pub(crate) struct Seen {
    /// Where it began.
    pub(crate) starts: Vec<PathBuf>,
    /// The folders that it went into.
    pub(crate) folders: BTreeSet<PathBuf>,
    /// Folders that it left out for what lies in them.
    pub(crate) left_out: Vec<PathBuf>,
    /// Links that it followed to folders.
    pub(crate) links: Vec<PathBuf>,
    /// Files beside those that it was about, or whose changes are not told where they are.
    pub(crate) odd: Vec<PathBuf>,
    /// Whether something could not be looked at.
    pub(crate) is_doubtful: bool,
}

impl Vigil {
    /// A look begins: what was told until now is a part of what it will see.
    pub(crate) fn begin(&mut self) {
        self.is_still = false;
        self.look += 1;
        if let Some(watch) = &mut self.watch {
            watch.has_heard(|_| false);
        }
    }

    /// A look has ended.
    pub(crate) fn end(&mut self, seen: &Seen) {
        let is_sound = !seen.is_doubtful && seen.odd.len() <= ODD_LIMIT && lead_inside(seen);
        if !is_sound || !self.are_watched(seen) {
            tracing::debug!(folders = seen.folders.len(), is_sound, "a tree is not watched, or not yet");
            return;
        }
        self.is_still = true;
    }

    /// Whether nothing that matters has changed since the last look began; blocking, a moment. The flag tells of what
    /// happens in a folder that was left out.
    pub(crate) fn is_still(&mut self, matters: impl Fn(Happening<'_>, bool) -> bool) -> bool {
        let Some(watch) = self.watch.as_mut().filter(|_| self.is_still) else { return false };
        let (left_out, links) = (&self.left_out, &self.links);
        let is_news = |it: Happening<'_>| match left_out.contains(it.at) {
            true => matters(it, true),
            false => matters(it, false) || is_link(it, links),
        };
        self.is_still = !watch.has_heard(is_news)
            && self.starts.iter().all(|(path, it)| identity(path) == *it)
            && self.odd.iter().all(|(path, it)| file_scan::stamp(path) == *it);
        self.is_still
    }

    /// Watches what was seen. Whether all of it was watched before the look began, and is told of.
    fn are_watched(&mut self, seen: &Seen) -> bool {
        let paths = || seen.folders.iter().chain(&seen.left_out);
        if seen.folders.len() + seen.left_out.len() > Watch::limit() / SHARE || !are_told_of(paths()) {
            self.watch = None;
            self.since.clear();
            return false;
        }
        self.odd = seen.odd.iter().map(|it| (it.clone(), file_scan::stamp(it))).collect();
        self.links = seen.links.iter().cloned().collect();
        self.left_out = seen.left_out.iter().cloned().collect();
        self.starts = seen.starts.iter().map(|it| (it.clone(), identity(it))).collect();
        if self.watch.is_none() {
            self.watch = Watch::new();
        }
        let Some(watch) = &mut self.watch else { return false };
        let ids: Result<HashSet<Id>, _> = paths().map(|it| watch.add(it)).collect();
        let Ok(ids) = ids else { return false };
        watch.retain(&ids);
        self.since.retain(|id, _| ids.contains(id));
        let look = self.look;
        ids.into_iter().fold(true, |all, id| all & (*self.since.entry(id).or_insert(look) < look))
    }
}

/// Whether something is or was a link, whatever it is called: it may lead to a folder.
fn is_link(happening: Happening<'_>, links: &HashSet<PathBuf>) -> bool {
    let Some(name) = happening.name else { return false };
    let path = happening.at.join(name);
    links.contains(&path) || fs::symlink_metadata(path).is_ok_and(|it| it.is_symlink())
}

/// Whether every link leads to a folder that is in sight beside it.
fn lead_inside(seen: &Seen) -> bool {
    seen.links.iter().all(|link| {
        let target = link.canonicalize().ok();
        target.as_deref().and_then(Path::parent).is_some_and(|it| seen.folders.contains(it))
    })
}

fn are_told_of<'a>(folders: impl Iterator<Item = &'a PathBuf>) -> bool {
    let mut known: HashMap<u64, bool> = HashMap::new();
    let mut is_told_of = |path: &Path| {
        let device = fs::metadata(path).ok()?.dev();
        Some(*known.entry(device).or_insert_with(|| Watch::is_told_of(path)))
    };
    let mut folders = folders;
    folders.all(|it| is_told_of(it).unwrap_or(false))
}

fn identity(path: &Path) -> Option<(u64, u64)> {
    fs::metadata(path).ok().map(|it: Metadata| (it.dev(), it.ino()))
}

#[cfg(test)]
#[path = "tree_watcher_tests.rs"]
mod tests;
