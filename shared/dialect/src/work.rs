//! The work of one run, counted in steps, and the bytes of its values.

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use crate::{Failure, FailureKind, Limit, Limits};

/// The bytes of values that are looked at in one step: about thirty numbers, or a page of text.
const STEP: usize = 1024;

/// The steps and bytes of one run. Clones count together.
#[derive(Clone, Debug)]
pub struct Work(Arc<Counter>);

#[derive(Debug)]
struct Counter {
    steps: AtomicUsize,
    bytes: AtomicUsize,
    limits: Limits,
}

impl Work {
    /// Starts to count for a run with these limits.
    #[must_use]
    pub fn new(limits: &Limits) -> Self {
        let (steps, bytes) = (AtomicUsize::new(0), AtomicUsize::new(0));
        Self(Arc::new(Counter { steps, bytes, limits: *limits }))
    }

    /// Counts the work of code that looks at so many bytes of values, as [`Value::bytes`](crate::Value::bytes)
    /// tells them. Code counts before it works, unless its work is a few steps.
    ///
    /// # Errors
    /// If the run has no steps left.
    pub fn spend(&self, bytes: usize) -> Result<(), Failure> {
        self.steps(bytes / STEP)
    }

    /// Counts one step.
    ///
    /// # Errors
    /// If the run has no steps left.
    pub fn step(&self) -> Result<(), Failure> {
        self.steps(1)
    }

    fn steps(&self, steps: usize) -> Result<(), Failure> {
        if self.spend_steps(steps) {
            return Ok(());
        }
        Err(FailureKind::LimitReached { limit: Limit::Steps, at_most: self.0.limits.steps }.into())
    }

    /// Checks that a value of so many bytes can still be made. Code that makes much out of little checks
    /// beforehand; the evaluator counts what it made.
    ///
    /// # Errors
    /// If the values of the run would have more bytes than the limit.
    pub fn check_room(&self, bytes: usize) -> Result<(), Failure> {
        self.room(self.0.bytes.load(Ordering::Relaxed).saturating_add(bytes))
    }

    /// Counts the bytes of a value.
    pub(crate) fn count_bytes(&self, bytes: usize) -> Result<(), Failure> {
        // Bounded, so that the counter never overflows.
        let bytes = bytes.min(self.0.limits.value_bytes.saturating_add(1));
        self.room(self.0.bytes.fetch_add(bytes, Ordering::Relaxed).saturating_add(bytes))
    }

    fn room(&self, bytes: usize) -> Result<(), Failure> {
        let at_most = self.0.limits.value_bytes;
        if bytes <= at_most {
            return Ok(());
        }
        Err(FailureKind::LimitReached { limit: Limit::ValueBytes, at_most }.into())
    }

    /// Counts steps, and returns `true` if they were left.
    pub(crate) fn spend_steps(&self, steps: usize) -> bool {
        let counter = &*self.0;
        // At the limit nothing is added, so that the counter never overflows.
        let at_most = counter.limits.steps;
        if counter.steps.load(Ordering::Relaxed) > at_most {
            return false;
        }
        let steps = steps.min(at_most.saturating_add(1));
        counter.steps.fetch_add(steps, Ordering::Relaxed).saturating_add(steps) <= at_most
    }
}
