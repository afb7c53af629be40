//! A server's place in the memory that all servers may take: it waits for it, has it, and gives it back.

use std::sync::Arc;
use std::time::Instant;

use tokio::sync::{Notify, watch};

use super::idle_tracker::IdleTracker;

/// The place of one server.
#[derive(Debug)]
pub(crate) struct Admission {
    /// Wakes whoever decides about the memory; `None` where every server may start.
    budget: Option<Arc<Notify>>,
    place: watch::Sender<Place>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Place {
    /// It does not run.
    Outside,
    /// It waits for its start, since then.
    Waiting(Instant),
    /// It starts or runs.
    Inside,
    /// It is told to make room, and has not begun.
    Told(Ending),
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
        Self { budget, place: watch::Sender::new(Place::Outside) }
    }

    /// Returns the place.
    pub(crate) fn place(&self) -> Place {
        *self.place.borrow()
    }

    /// Returns `true` while it waits for memory.
    pub(crate) fn is_waiting(&self) -> bool {
        matches!(self.place(), Place::Waiting(_))
    }

    /// Waits until the server may start. Calls `on_waiting` once it waits.
    pub(crate) async fn wait(&self, demand: &IdleTracker, on_waiting: impl FnOnce()) {
        let Some(budget) = &self.budget else {
            self.place.send_replace(Place::Inside);
            return;
        };
        let mut places = self.place.subscribe();
        self.place.send_replace(Place::Waiting(Instant::now()));
        on_waiting();
        while self.is_waiting() {
            let asked = demand.next();
            budget.notify_one();
            tokio::select! {
                _ = places.wait_for(|it| !matches!(it, Place::Waiting(_))) => {}
                // One that a question waits for comes before others.
                () = asked.come() => {}
            }
        }
    }

    /// Lets a server start that waits.
    pub(crate) fn admit(&self) {
        self.change(|it| matches!(it, Place::Waiting(_)), Place::Inside);
    }

    /// Tells a running server to make room.
    pub(crate) fn end(&self, ending: Ending) {
        self.change(|it| matches!(it, Place::Inside | Place::Told(_)), Place::Told(ending));
    }

    /// Waits until the server is told to make room. It may run on after that.
    pub(crate) async fn told_to_end(&self) -> Ending {
        let mut places = self.place.subscribe();
        loop {
            let place = *places.borrow_and_update(); // not held while it changes
            if let Place::Told(ending) = place {
                self.change(|it| *it == Place::Told(ending), Place::Inside);
                return ending;
            }
            let _as_long_as_the_server = places.changed().await;
        }
    }

    /// Marks that the server ends after its last answers.
    pub(crate) fn begin_to_leave(&self) {
        self.place.send_replace(Place::Leaving);
    }

    /// Gives its memory back.
    pub(crate) fn leave(&self) {
        self.place.send_replace(Place::Outside);
        if let Some(budget) = &self.budget {
            budget.notify_one();
        }
    }

    fn change(&self, from: impl FnOnce(&Place) -> bool, to: Place) {
        self.place.send_if_modified(|it| {
            let changes = from(it);
            *it = if changes { to } else { *it };
            changes
        });
    }
}
