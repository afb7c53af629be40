//! Figures of all calls, and the checks of these.

use std::collections::BTreeMap;
use std::fmt;
use std::time::{Duration, SystemTime};

use super::question::{Expected, Question};
use crate::processes::Holding;

/// The growth of memory, in KiB, that is allowed after warming up: what allocators keep.
const SPARE_MEMORY: u64 = 16 * 1024;

/// The allowed growth of threads and descriptors: those of the current sessions and servers.
const SPARE: u64 = 24;

/// The allowed growth of descriptors beside: the idle connections of a session that was opened since, and of another.
const SPARE_IDLE: u64 = 2 * super::IDLE as u64;

/// The bytes of standard error that are allowed at all, and again for each server that was killed.
const WORDS: u64 = 16 * 1024;

/// The outcome of one call.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Outcome {
    Success,
    /// A success that says that it is not complete, or something else worth saying.
    Noted,
    Ambiguity,
    Failure,
    Cancelled,
}

/// The figures of a soak.
#[derive(Debug, Default)]
pub struct Figures {
    outcomes: BTreeMap<(&'static str, Outcome), usize>,
    /// The number of each failure, its numbers and names aside, with its first whole text.
    failures: BTreeMap<String, (usize, String)>,
    slowest: Vec<(Duration, String)>,
    /// Faults: outcomes that must never be.
    wrong: Vec<String>,
    /// The resources of the chain's process after so many calls.
    holdings: Vec<(usize, Holding)>,
    /// The number of bytes that all processes wrote to standard error.
    pub(super) n_words: u64,
    /// The number of processes when the chain itself was killed, after which there was none.
    pub(super) n_left: usize,
    pub(super) killed: Vec<String>,
    pub(super) n_changes: usize,
    pub(super) n_sessions: usize,
    pub(super) took: Duration,
    /// The longest time of a change on disk, during which a file may have been empty.
    longest_write: Duration,
}

impl Figures {
    /// Judges what one turn brought.
    pub(super) fn judge(&mut self, asked: &[Question], said: &[String], is_cancelled: bool, took: Duration) {
        if is_cancelled {
            asked.iter().for_each(|it| self.count(it, Outcome::Cancelled));
            return;
        }
        if said.len() != asked.len() {
            let programs: Vec<_> = asked.iter().map(|it| &it.program).collect();
            self.wrong.push(format!("{programs:?} brought {} answers: {said:?}", said.len()));
        }
        for (question, text) in asked.iter().zip(said) {
            self.judge_one(question, text);
            self.slowest.push((took, question.program.clone()));
        }
        self.slowest.sort_by_key(|(took, _)| std::cmp::Reverse(*took));
        self.slowest.truncate(5);
    }

    fn judge_one(&mut self, question: &Question, text: &str) {
        let outcome = outcome(text);
        self.count(question, outcome);
        if outcome == Outcome::Failure {
            let kind = text.lines().next().unwrap_or_default();
            let (count, _) = self.failures.entry(without_names(kind)).or_insert_with(|| (0, text.to_owned()));
            *count += 1;
        }
        let is_wrong = match &question.expected {
            Expected::Exactly(it) => outcome == Outcome::Success && text.trim() != it,
            Expected::Known => is_unknown(text),
            Expected::Anything => false,
        };
        let is_broken =
            text.starts_with("error ") || text.starts_with("no tool") || text.contains("broke down");
        if is_wrong || is_broken || (question.expected != Expected::Anything && is_unknown(text)) {
            // By then it is found in what a server was told, if somebody wrote that down.
            let at = SystemTime::now().duration_since(SystemTime::UNIX_EPOCH).unwrap_or_default();
            self.wrong.push(format!("{} brought, at {:.3}: {text}", question.program, at.as_secs_f64()));
        }
    }

    fn count(&mut self, question: &Question, outcome: Outcome) {
        *self.outcomes.entry((question.kind, outcome)).or_default() += 1;
    }

    /// A file was changed on disk, which took so long.
    pub(super) fn has_written(&mut self, took: Duration) {
        self.longest_write = self.longest_write.max(took);
    }

    /// Something happened that must not.
    pub(super) fn complain(&mut self, what: String) {
        self.wrong.push(what);
    }

    pub(super) fn remember(&mut self, n_calls: usize, holding: Holding) {
        self.holdings.push((n_calls, holding));
    }

    /// Returns the number of calls that had an outcome.
    pub fn n_outcomes(&self) -> usize {
        self.outcomes.values().sum()
    }

    /// Returns the number of calls that succeeded or offered candidates.
    pub fn n_answered(&self) -> usize {
        let is_answer = |it: &Outcome| matches!(it, Outcome::Success | Outcome::Noted | Outcome::Ambiguity);
        self.outcomes.iter().filter(|((_, it), _)| is_answer(it)).map(|(_, n)| n).sum()
    }

    /// Returns the number of processes that ended with the chain when that itself was killed.
    pub fn n_left(&self) -> usize {
        self.n_left
    }

    /// Returns the number of servers that were killed.
    pub fn n_killed(&self) -> usize {
        self.killed.len()
    }

    /// Returns all faults; none when all is well.
    pub fn complaints(&self) -> Vec<String> {
        let mut all = self.wrong.clone();
        // The first third is for warming up.
        let at = |index: usize| self.holdings.get(index).map(|(_, it)| *it).unwrap_or_default();
        let (warm, end) = (at(self.holdings.len() / 3), at(self.holdings.len().saturating_sub(1)));
        let (before, after) = (warm.allocated, end.allocated);
        if after > before + before / 10 + SPARE_MEMORY {
            all.push(format!("memory grew from {before} to {after} KiB"));
        }
        for (what, before, after, spare) in [
            ("threads", warm.threads, end.threads, SPARE),
            ("descriptors", warm.descriptors, end.descriptors, SPARE + SPARE_IDLE),
        ] {
            if after > before + spare {
                all.push(format!("{before} {what} became {after}"));
            }
        }
        if self.n_words > WORDS * (1 + self.killed.len() as u64) {
            all.push(format!("{} bytes were written to standard error", self.n_words));
        }
        all
    }
}

fn outcome(text: &str) -> Outcome {
    if text.starts_with("failure: ") {
        Outcome::Failure
    } else if text.contains("\nIf you meant ") {
        Outcome::Ambiguity
    } else if text.contains("\n---\n") {
        Outcome::Noted
    } else {
        Outcome::Success
    }
}

/// Returns `true` if the answer claims that there is no such symbol.
fn is_unknown(text: &str) -> bool {
    let failure = text.lines().next().unwrap_or_default();
    failure.contains("no symbol is called") && !failure.contains("as far as is known")
}

/// A failure without what differs from one to the next: places, numbers and names.
fn without_names(failure: &str) -> String {
    let mut parts = failure.split('`');
    let mut text = parts.next().unwrap_or_default().to_owned();
    while let (Some(_), Some(after)) = (parts.next(), parts.next()) {
        text += "`…`";
        text += after;
    }
    text.chars().filter(|it| !it.is_ascii_digit()).collect()
}

impl fmt::Display for Figures {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { killed, n_changes, n_sessions, took, .. } = self;
        let (calls, kills) = (self.n_outcomes(), killed.len());
        writeln!(
            f,
            "{calls} calls in {n_sessions} sessions within {took:.0?}, {n_changes} edits, {kills} kills"
        )?;
        let mut kinds: BTreeMap<&str, Vec<String>> = BTreeMap::new();
        for ((kind, outcome), count) in &self.outcomes {
            kinds.entry(kind).or_default().push(format!("{count} {outcome:?}").to_lowercase());
        }
        kinds.iter().try_for_each(|(kind, counts)| writeln!(f, "  {kind}: {}", counts.join(", ")))?;
        writeln!(f, "failures:")?;
        self.failures.iter().try_for_each(|(kind, (count, _))| writeln!(f, "  {count} × {kind}"))?;
        writeln!(f, "killed: {}", killed.join(", "))?;
        writeln!(f, "longest change on disk: {:.1?}", self.longest_write)?;
        writeln!(f, "slowest:")?;
        self.slowest.iter().try_for_each(|(took, program)| writeln!(f, "  {took:.1?} {program}"))?;
        writeln!(f, "killed itself: {} processes ended with it", self.n_left)?;
        writeln!(f, "standard error: {} bytes", self.n_words)?;
        writeln!(f, "our process after so many calls: MiB allocated, MiB resident, threads, descriptors")?;
        self.holdings.iter().try_for_each(|(calls, it)| {
            let Holding { resident, allocated, threads, descriptors } = it;
            writeln!(f, "  {calls}: {}, {}, {threads}, {descriptors}", allocated / 1024, resident / 1024)
        })
    }
}
