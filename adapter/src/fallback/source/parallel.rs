//! A parallel map with a deadline.

use std::num::NonZero;
use std::sync::Mutex;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::thread;
use std::time::Instant;

use unpoisoned::lock;

/// Returns the number of threads that a request may use.
pub(crate) fn threads() -> usize {
    thread::available_parallelism().map_or(2, NonZero::get).min(8)
}

/// Maps items in order on `n_threads` threads; blocking. The results have no order. No item is started after
/// `until`.
pub(crate) fn map<T: Sync, U: Send>(
    items: &[T],
    n_threads: usize,
    until: Instant,
    make: impl Fn(&T) -> Option<U> + Sync,
) -> Vec<U> {
    let (next, made) = (AtomicUsize::new(0), Mutex::new(Vec::new()));
    let make_some = || {
        while let Some(item) = items.get(next.fetch_add(1, Ordering::Relaxed))
            && Instant::now() < until
        {
            if let Some(it) = make(item) {
                lock(&made).push(it);
            }
        }
    };
    match n_threads.min(items.len()) {
        0 | 1 => make_some(),
        several => thread::scope(|scope| (0..several).for_each(|_| drop(scope.spawn(make_some)))),
    }
    unpoisoned::into_inner(made)
}
