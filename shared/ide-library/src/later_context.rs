//! The code around the hits of searches, asked for where they are shown. It costs parsing their files, so that a program
//! which does not look at it gets hits without, and what its answer shows is completed afterwards.

use std::collections::HashMap;
use std::sync::Mutex;
use std::sync::atomic::{AtomicBool, Ordering};

use dialect::{Costly, Effect, Program, Reading, Taker};
use ide_protocol::{FileRange, Point, SearchQuestion, SearchResult};
use unpoisoned::lock;

/// The code around hits: what may look at it. A function that is not named here looks at it.
const HITS: Costly<'_> = Costly {
    function: "search",
    libraries: &["ide", "core"],
    other_fields: &["path", "start", "end", "text", "external", "groups", "line", "column", "length"],
    takers: &[
        ("map", Taker::Results),
        ("filter", Taker::Elements),
        ("find", Taker::Elements),
        ("any", Taker::Other),
        ("all", Taker::Other),
        ("count", Taker::Other),
        ("take", Taker::Elements),
        ("drop", Taker::Elements),
        ("first", Taker::Elements),
        ("last", Taker::Elements),
        ("reverse", Taker::Elements),
        ("flatten", Taker::Elements),
        ("sortBy", Taker::Elements),
        ("groupBy", Taker::Groups),
        ("brief", Taker::Other),
        ("source", Taker::Other),
    ],
};

/// The path, start and end of a hit.
type Place = (String, Point, Point);

/// The hits of one run whose code around them was left out.
#[derive(Debug, Default)]
pub struct LaterContext {
    is_on: AtomicBool,
    /// The path of the search that gave each of them.
    hits: Mutex<HashMap<Place, String>>,
}

impl LaterContext {
    /// Leaves the code around hits out for a program that does not look at it. Nothing may outlive its run but what it
    /// answers. A program that changes something cannot be run again with the code around hits, which failures may show.
    pub fn begin(&self, program: &Program) {
        let is_repeatable = program.effect() != Effect::Writes && program.needs().is_empty();
        let leaves_out = is_repeatable && program.reading(&HITS) != Reading::MayLook;
        self.is_on.store(leaves_out, Ordering::Relaxed);
    }

    /// Returns whether something was left out, and leaves nothing out from now on.
    pub fn end(&self) -> bool {
        self.is_on.store(false, Ordering::Relaxed);
        !std::mem::take(&mut *lock(&self.hits)).is_empty()
    }

    /// Returns whether the code around hits is left out.
    pub fn is_on(&self) -> bool {
        self.is_on.load(Ordering::Relaxed)
    }

    /// Keeps the hits of an answer that came without.
    pub(crate) fn keep(&self, question: &SearchQuestion, answer: &SearchResult) {
        let Some(with) = answer.with_context else { return };
        let without = answer.hits.iter().skip(usize::try_from(with).unwrap_or(usize::MAX));
        lock(&self.hits).extend(without.map(|it| (place(it), question.path.clone())));
    }

    /// Returns the path of the search that gave a hit without the code around it.
    pub(crate) fn searched(&self, hit: &FileRange) -> Option<String> {
        lock(&self.hits).get(&place(hit)).cloned()
    }
}

fn place(hit: &FileRange) -> Place {
    (hit.path.clone(), hit.start, hit.end)
}

#[cfg(test)]
#[path = "later_context_tests.rs"]
mod tests;
