//! Watches the folders of a tree, so that unchanged trees are not scanned again.
//!
//! A scan can be reused only if all its folders were watched before it began, so that every later change was
//! reported. A new folder therefore needs a second scan. Links and files with several names, whose changes
//! are not reported there, are checked each time.
//!
//! In doubt the tree never counts as unchanged: overlay and network file systems, links to folders outside,
//! more folders than may be watched, lost events.

use std::collections::{BTreeSet, HashMap, HashSet};
use std::fs::{self, Metadata};
use std::os::unix::fs::MetadataExt;
use std::path::{Path, PathBuf};

use super::stamp::Stamp;
use crate::os::watch::{WatchEvent, WatchId, Watcher};

/// The fraction of the user's watches that one tree may take: one in this many.
const SHARE: usize = 8;

/// The most files that are checked each time.
const RECHECK_LIMIT: usize = 1_000;

/// The watches on one tree, and the state of its last scan.
#[derive(Debug, Default)]
pub(crate) struct TreeWatcher {
    watch: Option<Watcher>,
    /// The number of the scan in which each watch was added.
    since: HashMap<WatchId, u64>,
    look: u64,
    is_unchanged: bool,
    /// The files that are checked each time, with their last stamps.
    rechecked: Vec<(PathBuf, Option<Stamp>)>,
    /// The top folders of the tree, each with its device and inode.
    starts: Vec<(PathBuf, Option<(u64, u64)>)>,
    /// Folders that were skipped because of a marker file in them.
    left_out: HashSet<PathBuf>,
    /// Links to folders that were followed.
    links: HashSet<PathBuf>,
}

/// The paths that a scan of a tree visited.
#[derive(Debug, Default)]
pub(crate) struct TreeScan {
    /// The folders where it began.
    pub(crate) starts: Vec<PathBuf>,
    /// The folders that it entered.
    pub(crate) folders: BTreeSet<PathBuf>,
    /// Folders that it skipped because of a marker file in them.
    pub(crate) left_out: Vec<PathBuf>,
    /// Links to folders that it followed.
    pub(crate) links: Vec<PathBuf>,
    /// Files that need a check each time, because their changes are not reported or they are not sources.
    pub(crate) rechecked: Vec<PathBuf>,
    /// True if something could not be read.
    pub(crate) is_doubtful: bool,
}

impl TreeWatcher {
    /// Begins a scan, and discards the events until now: the scan will see their changes.
    pub(crate) fn begin_scan(&mut self) {
        self.is_unchanged = false;
        self.look += 1;
        if let Some(watch) = &mut self.watch {
            watch.has_events(|_| false);
        }
    }

    /// Ends a scan, and watches what it visited.
    pub(crate) fn end_scan(&mut self, seen: &TreeScan) {
        let is_sound = !seen.is_doubtful && seen.rechecked.len() <= RECHECK_LIMIT && links_lead_inside(seen);
        if !is_sound || !self.are_watched(seen) {
            tracing::debug!(
                folders = seen.folders.len(),
                is_sound,
                "the next scan of a tree cannot be skipped"
            );
            return;
        }
        self.is_unchanged = true;
    }

    /// Returns the number of files that [`is_unchanged`](Self::is_unchanged) looks at.
    pub(crate) fn count(&self) -> usize {
        self.starts.len() + self.rechecked.len()
    }

    /// Returns whether nothing relevant has changed since the last scan began; blocking, briefly.
    ///
    /// `matters` selects the relevant events; its flag is `true` for a folder that was skipped.
    pub(crate) fn is_unchanged(&mut self, matters: impl Fn(WatchEvent<'_>, bool) -> bool) -> bool {
        let Some(watch) = self.watch.as_mut().filter(|_| self.is_unchanged) else { return false };
        let (left_out, links) = (&self.left_out, &self.links);
        let is_news = |it: WatchEvent<'_>| match left_out.contains(it.at) {
            true => matters(it, true),
            false => matters(it, false) || is_link(it, links),
        };
        self.is_unchanged = !watch.has_events(is_news)
            && self.starts.iter().all(|(path, it)| identity(path) == *it)
            && self.rechecked.iter().all(|(path, it)| Stamp::read(path) == *it);
        self.is_unchanged
    }

    /// Watches the visited folders. Returns whether all of them were watched before the scan began, and
    /// report every write.
    fn are_watched(&mut self, seen: &TreeScan) -> bool {
        let paths = || seen.folders.iter().chain(&seen.left_out);
        if seen.folders.len() + seen.left_out.len() > Watcher::limit() / SHARE
            || !all_report_every_write(paths())
        {
            self.watch = None;
            self.since.clear();
            return false;
        }
        self.rechecked = seen.rechecked.iter().map(|it| (it.clone(), Stamp::read(it))).collect();
        self.links = seen.links.iter().cloned().collect();
        self.left_out = seen.left_out.iter().cloned().collect();
        self.starts = seen.starts.iter().map(|it| (it.clone(), identity(it))).collect();
        if self.watch.is_none() {
            self.watch = Watcher::new();
        }
        let Some(watch) = &mut self.watch else { return false };
        let ids: Result<HashSet<WatchId>, _> = paths().map(|it| watch.add(it)).collect();
        let Ok(ids) = ids else { return false };
        watch.retain(&ids);
        self.since.retain(|id, _| ids.contains(id));
        let look = self.look;
        ids.into_iter().fold(true, |all, id| all & (*self.since.entry(id).or_insert(look) < look))
    }
}

/// Returns whether an entry is or was a link, which may lead to a folder.
fn is_link(event: WatchEvent<'_>, links: &HashSet<PathBuf>) -> bool {
    let Some(name) = event.name else { return false };
    let path = event.at.join(name);
    links.contains(&path) || fs::symlink_metadata(path).is_ok_and(|it| it.is_symlink())
}

/// Returns whether every link leads to a folder next to a visited one.
fn links_lead_inside(seen: &TreeScan) -> bool {
    seen.links.iter().all(|link| {
        let target = link.canonicalize().ok();
        target.as_deref().and_then(Path::parent).is_some_and(|it| seen.folders.contains(it))
    })
}

fn all_report_every_write<'a>(folders: impl Iterator<Item = &'a PathBuf>) -> bool {
    let mut known: HashMap<u64, bool> = HashMap::new();
    let mut reports_every_write = |path: &Path| {
        let device = fs::metadata(path).ok()?.dev();
        Some(*known.entry(device).or_insert_with(|| Watcher::reports_every_write(path)))
    };
    let mut folders = folders;
    folders.all(|it| reports_every_write(it).unwrap_or(false))
}

fn identity(path: &Path) -> Option<(u64, u64)> {
    fs::metadata(path).ok().map(|it: Metadata| (it.dev(), it.ino()))
}

#[cfg(test)]
#[path = "tree_watcher_tests.rs"]
mod tests;
