//! Threads for calls: as many as calls that run at once, and kept for the next ones.

use std::collections::VecDeque;
use std::io;
use std::sync::{Arc, Condvar, Mutex};
use std::thread;

use unpoisoned::lock;

/// The stack of a call in bytes: values are up to thousands of lists deep.
const STACK: usize = 32 << 20;

type Job = Box<dyn FnOnce() + Send>;

/// The threads, and the calls that wait for one.
#[derive(Default)]
pub(crate) struct Workers {
    queue: Mutex<Queue>,
    ready: Condvar,
}

#[derive(Default)]
struct Queue {
    jobs: VecDeque<Job>,
    /// The threads that wait for a job.
    idle: usize,
}

impl Workers {
    /// Runs a job at once, on a thread that waits or on a new one: another job may wait for this one.
    ///
    /// # Errors
    /// There can be no further thread. The job waits for one of the others.
    pub(crate) fn run(self: &Arc<Self>, job: impl FnOnce() + Send + 'static) -> io::Result<()> {
        let mut queue = lock(&self.queue);
        queue.jobs.push_back(Box::new(job));
        if queue.jobs.len() <= queue.idle {
            self.ready.notify_one();
            return Ok(());
        }
        drop(queue);
        let own = Arc::clone(self);
        thread::Builder::new().stack_size(STACK).spawn(move || own.work()).map(drop)
    }

    fn work(&self) {
        loop {
            let mut queue = lock(&self.queue);
            let job = loop {
                if let Some(job) = queue.jobs.pop_front() {
                    break job;
                }
                queue.idle += 1;
                queue = self.ready.wait(queue).unwrap_or_else(std::sync::PoisonError::into_inner);
                queue.idle -= 1;
            };
            drop(queue);
            job();
        }
    }
}
