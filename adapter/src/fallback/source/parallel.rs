//! Work on several threads at once.

use std::num::NonZero;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Mutex, PoisonError};
use std::thread;
use std::time::Instant;

use crate::lock::lock;

/// How many threads a question may take.
pub(crate) fn threads() -> usize {
    thread::available_parallelism().map_or(2, NonZero::get).min(8)
}

/// What is made of each item, in no order, by that many threads; blocking. Items are taken in order, and none once it
/// is too late.
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
    made.into_inner().unwrap_or_else(PoisonError::into_inner)
}
