//! The thread that writes the log of calls: one for the process, which ends with it.

use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::mpsc::{Receiver, SyncSender, TrySendError, sync_channel};
use std::sync::{Arc, OnceLock};
use std::thread::Thread;
use std::time::Duration;

use super::run::RanProgram;
use crate::audit::{Event, Log};

/// The most programs that wait to be written. More are dropped, and counted.
const QUEUE: usize = 256;

/// The most programs that are written at once.
const BATCH: usize = 64;

/// The time that the thread sleeps before it writes, so that calls that follow each other are written together, and not
/// while the next one runs. Who waits for it to be written wakes it.
const LINGER: Duration = Duration::from_millis(200);

/// Something for the thread to do.
pub(super) enum Job {
    Write(Box<(Log, RanProgram)>),
    /// Answers when everything before it is written.
    Flush(SyncSender<()>),
}

impl Job {
    pub(super) fn new(log: Log, ran: RanProgram) -> Self {
        Self::Write(Box::new((log, ran)))
    }
}

struct Writer {
    sender: SyncSender<Job>,
    /// The thread, which sleeps while more may come.
    thread: Thread,
    /// The programs that were dropped since the last one that was written.
    lost: Arc<AtomicU64>,
}

static WRITER: OnceLock<Option<Writer>> = OnceLock::new();

/// Gives the thread something to write. Never waits.
pub(super) fn give(job: Job) {
    if let Some(writer) = WRITER.get_or_init(Writer::start) {
        writer.give(job);
    }
}

/// Waits until every call that has ended is in the log of calls, but not for longer than `patience`. Call this before
/// the process ends. Returns `false` if the time was not enough.
pub fn flush(patience: Duration) -> bool {
    let Some(Some(writer)) = WRITER.get() else { return true };
    let (done, is_done) = sync_channel(1);
    let is_asked = writer.sender.try_send(Job::Flush(done)).is_ok();
    writer.thread.unpark();
    is_asked && is_done.recv_timeout(patience).is_ok()
}

impl Writer {
    /// Starts the thread. Without one, nothing is recorded.
    fn start() -> Option<Self> {
        let (sender, jobs) = sync_channel(QUEUE);
        let lost = Arc::<AtomicU64>::default();
        let lost_there = Arc::clone(&lost);
        let thread = std::thread::Builder::new().name("call-log".to_owned());
        let started = thread.spawn(move || write_all(&jobs, &lost_there));
        if let Err(error) = &started {
            tracing::warn!(%error, "calls are not recorded");
        }
        started.ok().map(|it| Self { sender, thread: it.thread().clone(), lost })
    }

    fn give(&self, job: Job) {
        if let Err(TrySendError::Full(_)) = self.sender.try_send(job) {
            self.lost.fetch_add(1, Ordering::Relaxed);
        }
    }
}

/// Writes what comes until nobody can send more. A panic costs one batch.
fn write_all(jobs: &Receiver<Job>, lost: &AtomicU64) {
    while let Ok(first) = jobs.recv() {
        // Nothing wakes it before: a call that follows has the processors for itself.
        if !matches!(first, Job::Flush(_)) {
            std::thread::park_timeout(LINGER);
        }
        let batch: Vec<Job> = std::iter::once(first).chain(jobs.try_iter().take(BATCH - 1)).collect();
        let written = std::panic::catch_unwind(std::panic::AssertUnwindSafe(|| write(batch, lost)));
        if written.is_err() {
            tracing::error!("the measurements of some calls could not be written");
        }
    }
}

/// Writes a batch, each log with one write, and then answers those who wait for it.
fn write(batch: Vec<Job>, lost: &AtomicU64) {
    let mut logs: Vec<(Log, Vec<Event>)> = Vec::new();
    let mut waiting = Vec::new();
    for job in batch {
        match job {
            Job::Flush(done) => waiting.push(done),
            Job::Write(ran) => {
                let (log, ran) = *ran;
                let event = ran.into_event(lost.swap(0, Ordering::Relaxed));
                match logs.iter_mut().find(|(it, _)| it.path() == log.path()) {
                    Some((_, events)) => events.push(event),
                    None => logs.push((log, vec![event])),
                }
            }
        }
    }
    for (log, events) in logs {
        if let Err(error) = log.append(events) {
            tracing::warn!(%error, "calls are not recorded");
        }
    }
    for done in waiting {
        let _ = done.send(()); // it may have waited long enough
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::call_metrics::CallLog;
    use crate::state::State;

    /// A writer whose thread takes nothing.
    fn stuck() -> (Writer, Receiver<Job>) {
        let (sender, jobs) = sync_channel(2);
        (Writer { sender, thread: std::thread::current(), lost: Arc::default() }, jobs)
    }

    #[test]
    fn a_writer_that_is_stuck_delays_nobody_and_drops_are_counted() {
        let (writer, jobs) = stuck();
        let begun = std::time::Instant::now();
        (0..1_000).for_each(|_| writer.give(Job::Flush(sync_channel(1).0)));
        assert!(begun.elapsed() < Duration::from_secs(5), "it waits for the thread");
        assert_eq!((writer.lost.load(Ordering::Relaxed), jobs.try_iter().count()), (998, 2));
    }

    #[test]
    fn a_log_that_cannot_be_written_is_no_problem_of_the_call() {
        let file = tempfile::NamedTempFile::new().unwrap();
        let log = CallLog::new(Some(&State::at(file.path())), None);
        drop(log.begin("ide_operation", "1"));
        assert!(flush(Duration::from_secs(30)));
    }
}
