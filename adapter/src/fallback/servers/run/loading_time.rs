//! The time that a server took to load a workspace, kept from one start to the next, so that who waits hears how long.

use std::collections::hash_map::DefaultHasher;
use std::convert::Infallible;
use std::fs;
use std::future::pending;
use std::hash::{Hash, Hasher};
use std::path::PathBuf;
use std::sync::Mutex;
use std::time::{Duration, Instant};

use tokio::sync::watch;

use super::readiness::{Phase, Readiness};
use super::server_setup::ServerSetup;
use crate::blocking;
use unpoisoned::lock;

/// A shorter time is not worth a word.
const WORTH: Duration = Duration::from_secs(3);

/// The maximum time for which a server answers before others that wait for its memory have their turn. Who waits for a
/// server gives up after a minute.
const LONGEST_TURN: Duration = Duration::from_secs(30);

/// The time after which a server that is still loading has had its turn.
const LONGEST_LOADING: Duration = Duration::from_secs(180);

/// The time of one server for its projects.
#[derive(Debug)]
pub(crate) struct LoadingTime {
    /// The file of the last time, if times are kept.
    file: Option<PathBuf>,
    began: Mutex<Instant>,
    /// The time that it took, once the server is ready.
    took: Mutex<Option<Duration>>,
}

impl LoadingTime {
    /// Names the file for a server.
    pub(crate) fn of(setup: &ServerSetup) -> Self {
        let mut hasher = DefaultHasher::new();
        (setup.launch.server.name, &setup.folders, setup.level).hash(&mut hasher);
        let file = setup.times.as_ref().map(|it| it.join(format!("{:016x}", hasher.finish())));
        Self { file, began: Mutex::new(Instant::now()), took: Mutex::default() }
    }

    /// Records that the server starts.
    pub(crate) fn begin(&self) {
        *lock(&self.began) = Instant::now();
        *lock(&self.took) = None;
    }

    /// Returns the time for which the server has answered, and for which it may while another waits for its memory: as long
    /// as it took to load, or `shortest` if that is more, so that most of its time is not spent on loading. `None` while it
    /// loads, unless that takes too long.
    pub(crate) fn turn(&self, shortest: Duration) -> Option<(Duration, Duration)> {
        let since = lock(&self.began).elapsed();
        match *lock(&self.took) {
            Some(took) => Some((since.saturating_sub(took), took.min(LONGEST_TURN).max(shortest))),
            None => Some((since, LONGEST_LOADING)).filter(|(since, longest)| since >= longest),
        }
    }

    /// Returns how long it goes on, as the end of a sentence; empty if that is not known. Reads a small file.
    pub(crate) fn outlook(&self) -> String {
        let last = self.file.as_ref().and_then(|it| fs::read_to_string(it).ok()?.trim().parse().ok());
        outlook(last.map(Duration::from_secs), lock(&self.began).elapsed())
    }

    /// Keeps the time once the server is ready, and never ends.
    pub(crate) async fn observe(&self, changes: watch::Receiver<Readiness>) -> Infallible {
        self.keep_when_ready(changes).await;
        pending().await
    }

    async fn keep_when_ready(&self, mut changes: watch::Receiver<Readiness>) {
        let is_ready = changes.wait_for(|it| matches!(it.phase(), Phase::Ready(_))).await.is_ok();
        let took = lock(&self.began).elapsed();
        *lock(&self.took) = is_ready.then_some(took);
        if let Some(file) = self.file.clone().filter(|_| is_ready) {
            blocking::spawn(move || keep(&file, took)).await;
        }
    }
}

fn keep(file: &std::path::Path, took: Duration) {
    let folder = file.parent().map_or(Ok(()), fs::create_dir_all);
    let kept = folder.and_then(|()| fs::write(file, took.as_secs().to_string()));
    if let Err(error) = kept {
        tracing::debug!(%error, "the time of loading is not kept");
    }
}

fn outlook(last: Option<Duration>, passed: Duration) -> String {
    let Some(last) = last.filter(|it| *it >= WORTH) else { return String::new() };
    match last.checked_sub(passed).filter(|left| *left >= Duration::from_secs(1)) {
        Some(left) => {
            format!("; about {} s more, if it takes {} s as last time", left.as_secs(), last.as_secs())
        }
        None => format!("; it takes longer than the {} s of last time", last.as_secs()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_outlook_comes_from_last_time() {
        let seconds = Duration::from_secs;
        for (last, passed, expected) in [
            (None, 40, ""),
            (Some(1), 40, ""),
            (Some(70), 40, "; about 30 s more, if it takes 70 s as last time"),
            (Some(70), 90, "; it takes longer than the 70 s of last time"),
        ] {
            assert_eq!(outlook(last.map(seconds), seconds(passed)), expected);
        }
    }

    #[tokio::test]
    async fn the_time_is_kept_for_the_next_start() {
        let dir = tempfile::tempdir().unwrap();
        let began = Instant::now().checked_sub(Duration::from_secs(60)).unwrap();
        let time = |began| LoadingTime {
            file: Some(dir.path().join("times/it")),
            began: Mutex::new(began),
            took: Mutex::default(),
        };
        assert_eq!(time(began).outlook(), "");
        let mut readiness = Readiness::new(crate::fallback::source::languages::ReadyRule::Holds, 1);
        readiness.handle(super::super::readiness::Signal::Initialized);
        let (_sender, changes) = watch::channel(readiness);
        time(began).keep_when_ready(changes).await;
        let outlook = time(Instant::now()).outlook();
        assert!(outlook.ends_with(" s as last time"), "{outlook:?}");
    }
}
