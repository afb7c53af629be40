//! The work of one run, counted in steps.

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use crate::{Failure, FailureKind, Limit, Limits};

/// The bytes of values that are looked at in one step: about thirty numbers, or a page of text.
const STEP: usize = 1024;

/// The steps of one run. Clones count together.
#[derive(Clone, Debug)]
pub struct Work(Arc<Counter>);

#[derive(Debug)]
struct Counter {
    steps: AtomicUsize,
    at_most: usize,
}

impl Work {
    /// Starts to count for a run with these limits.
    #[must_use]
    pub fn new(limits: &Limits) -> Self {
        Self(Arc::new(Counter { steps: AtomicUsize::new(0), at_most: limits.steps }))
    }

    /// Counts the work of code that looks at so many bytes of values, as [`Value::bytes`](crate::Value::bytes)
    /// tells them. Code counts before it works, unless its work is a few steps.
    ///
    /// # Errors
    /// If the run has no steps left.
    pub fn spend(&self, bytes: usize) -> Result<(), Failure> {
        if self.spend_steps(bytes / STEP) {
            return Ok(());
        }
        Err(FailureKind::LimitReached { limit: Limit::Steps, at_most: self.0.at_most }.into())
    }

    /// Counts steps, and returns `true` if they were left.
    pub(crate) fn spend_steps(&self, steps: usize) -> bool {
        let counter = &*self.0;
        // At the limit nothing is added, so that the counter never overflows.
        if counter.steps.load(Ordering::Relaxed) > counter.at_most {
            return false;
        }
        let steps = steps.min(counter.at_most.saturating_add(1));
        counter.steps.fetch_add(steps, Ordering::Relaxed).saturating_add(steps) <= counter.at_most
    }
}
