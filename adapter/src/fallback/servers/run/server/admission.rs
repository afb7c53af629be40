//! A server's place in the memory that all servers may take: it waits for it, has it, and gives it back.

use std::future::pending;
use std::sync::{Arc, Mutex};
use std::time::Instant;

use tokio::sync::Notify;

use super::idle_tracker::IdleTracker;
use unpoisoned::lock;

/// The place of one server.
#[derive(Debug, Default)]
pub(crate) struct Admission {
    /// Wakes whoever decides about the memory; `None` where every server may start.
    budget: Option<Arc<Notify>>,
    place: Mutex<Place>,
    admitted: Notify,
    told: Mutex<Option<Ending>>,
    is_told: Notify,
}

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) enum Place {
    /// It does not run.
    #[default]
    Outside,
    /// It waits for its start, since then.
    Waiting(Instant),
    /// It starts or runs.
    Inside,
    /// It ends.
    Leaving,
}

/// The way in which a server makes room.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Ending {
    /// It ends if it does not work.
    Rest,
    /// It ends after the answers under way.
    Yield,
}

impl Admission {
    /// Creates the place of a server that does not run yet.
    pub(crate) fn new(budget: Option<Arc<Notify>>) -> Self {
        Self { budget, ..Self::default() }
    }

    /// Returns the place.
    pub(crate) fn place(&self) -> Place {
        *lock(&self.place)
    }

    /// Waits until the server may start. Calls `on_waiting` once it waits.
    pub(crate) async fn wait(&self, demand: &IdleTracker, on_waiting: impl FnOnce()) {
        let Some(budget) = &self.budget else {
            *lock(&self.place) = Place::Inside;
            return;
        };
        let mut asked = demand.changes();
        *lock(&self.place) = Place::Waiting(Instant::now());
        on_waiting();
        while matches!(self.place(), Place::Waiting(_)) {
            budget.notify_one();
            tokio::select! {
                () = self.admitted.notified() => {}
                // One that a question waits for comes before others.
                _ = asked.changed() => {}
            }
        }
    }

    /// Lets a server start that waits.
    pub(crate) fn admit(&self) {
        let mut place = lock(&self.place);
        if matches!(*place, Place::Waiting(_)) {
            *place = Place::Inside;
            *lock(&self.told) = None;
            self.admitted.notify_one();
        }
    }

    /// Tells a running server to make room.
    pub(crate) fn end(&self, ending: Ending) {
        *lock(&self.told) = Some(ending);
        self.is_told.notify_one();
    }

    /// Waits until the server is told to make room.
    pub(crate) async fn told_to_end(&self) -> Ending {
        if self.budget.is_none() {
            return pending().await;
        }
        loop {
            self.is_told.notified().await;
            let told = lock(&self.told).take();
            if let Some(ending) = told {
                return ending;
            }
        }
    }

    /// Marks that the server ends after its last answers.
    pub(crate) fn begin_to_leave(&self) {
        *lock(&self.place) = Place::Leaving;
    }

    /// Gives its memory back.
    pub(crate) fn leave(&self) {
        *lock(&self.place) = Place::Outside;
        if let Some(budget) = &self.budget {
            budget.notify_one();
        }
    }
}
