//! Locks that outlive a panic.

use std::sync::{Mutex, MutexGuard, PoisonError};

/// What is shared, after a panic elsewhere too: what is behind these locks is whole between any two statements.
pub(crate) fn lock<T>(shared: &Mutex<T>) -> MutexGuard<'_, T> {
    shared.lock().unwrap_or_else(PoisonError::into_inner)
}
