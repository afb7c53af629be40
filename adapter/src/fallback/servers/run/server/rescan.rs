//! Rescan of the files of a server's projects, skipped while nothing has changed.

use std::collections::BTreeSet;
use std::path::PathBuf;
use std::sync::Arc;

use super::Server;
use crate::blocking;
use crate::fallback::servers::run::documents::Documents;
use crate::fallback::servers::run::server_process::ServerProcess;
use crate::fallback::workspace::buffers::Buffers;
use crate::fallback::workspace::file_scan;
use crate::fallback::workspace::stamp::Stamp;
use unpoisoned::lock;

/// The result of looking at the files of a server.
#[derive(Debug)]
pub(crate) enum Rescan {
    /// They are unchanged since the last comparison.
    Still,
    /// All files with their current stamps.
    Seen(Vec<(PathBuf, Stamp)>),
}

impl Server {
    /// Scans its files, unless the watcher knows that they are unchanged.
    pub(crate) async fn look(
        &self,
        process: &ServerProcess,
        buffers: &Buffers,
        documents: &Documents,
    ) -> Rescan {
        let (language, folders, open_stamps) =
            (self.setup.language, self.setup.watched(), documents.open_stamps());
        let outside = documents.outside();
        let (buffers, watcher) = (buffers.clone(), Arc::clone(&process.watcher));
        let is_doubted = process.was_doubted();
        // While its files are scanned, the watcher is not free.
        let watched = watcher.try_lock().map_or(usize::MAX, |it| it.count());
        let count = watched.saturating_add(open_stamps.len() + outside.len());
        let look = move || {
            buffers.drop_outdated();
            let is_still = !is_doubted
                && file_scan::is_unchanged(language, &mut lock(&watcher))
                && open_stamps.iter().all(|(path, it)| Stamp::read(path) == Some(*it))
                && outside.iter().all(|(path, it)| Stamp::read(path) == *it);
            (!is_still).then_some((watcher, outside))
        };
        let Some((watcher, outside)) = blocking::in_place_for(count, look).await else {
            process.unscanned.notify_one();
            return Rescan::Still;
        };
        let scan = blocking::spawn(move || {
            let mut seen = file_scan::scan_and_watch(language, &folders, &mut lock(&watcher));
            let known: BTreeSet<_> = seen.iter().map(|(path, _)| path.clone()).collect();
            let outside = outside.into_iter().map(|(path, _)| path).filter(|it| !known.contains(it));
            seen.extend(outside.filter_map(|path| Some((path.clone(), Stamp::read(&path)?))));
            seen
        });
        settled(scan.await, documents).await
    }
}

/// Waits until files that are being written are complete.
async fn settled(seen: Vec<(PathBuf, Stamp)>, documents: &Documents) -> Rescan {
    let is_emptied = |(path, now): &(PathBuf, Stamp)| {
        documents.stamp(path).is_some_and(|it| file_scan::is_emptied(&it, now))
    };
    let (emptied, mut seen): (Vec<_>, Vec<_>) = seen.into_iter().partition(is_emptied);
    if !emptied.is_empty() {
        seen.extend(blocking::spawn(move || file_scan::wait_until_written(emptied)).await);
    }
    Rescan::Seen(seen)
}
