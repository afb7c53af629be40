//! The entries of both logs as numbers.

use std::collections::BTreeMap;

use component::audit::{Action, Ending, Entry, FunctionCalls};
use metrics::rate;

use super::row::Row;

/// The outcomes of scripts in the audit log that did not come to their end. Those that ask back or were refused did.
const FAILURES: [&str; 3] = ["failed", "stopped", "cancelled"];

/// The numbers of all tools and functions. Functions run inside of tools, so neither is counted with the other.
#[derive(Debug)]
pub(super) struct Numbers {
    since: u64,
    /// The time from which on calls are measured. Before it, the audit log is all that tells of them.
    measured_from: u64,
    pub(super) tools: BTreeMap<String, Row>,
    pub(super) functions: BTreeMap<String, Row>,
    /// The permissions that functions used.
    used: u64,
    denied: u64,
    pub(super) cache_hits: u64,
    pub(super) cache_misses: u64,
    pub(super) lost: u64,
}

impl Numbers {
    /// Makes numbers of the entries since then, in seconds since the start of 1970.
    pub(super) fn new(since: u64) -> Self {
        Self {
            since,
            measured_from: u64::MAX,
            tools: BTreeMap::new(),
            functions: BTreeMap::new(),
            used: 0,
            denied: 0,
            cache_hits: 0,
            cache_misses: 0,
            lost: 0,
        }
    }

    pub(super) fn is_empty(&self) -> bool {
        self.tools.is_empty() && self.functions.is_empty()
    }

    /// Counts an entry of the log of calls.
    pub(super) fn count_measured(&mut self, entry: &Entry) {
        let Some(measured) = &entry.event.measured else { return };
        #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "it saturates")]
        let seconds = (measured.ms / 1_000.0).ceil() as u64;
        self.measured_from = self.measured_from.min(entry.ts.saturating_sub(seconds));
        if entry.ts < self.since {
            return;
        }
        let program = FunctionCalls {
            function: entry.event.capability.clone(),
            outcome: measured.outcome,
            error: measured.error.clone(),
            calls: 1,
            total_ms: measured.ms,
            max_ms: measured.ms,
            ms: vec![measured.ms],
            each: 1,
            tokens_in: measured.tokens_in,
            tokens_out: measured.tokens_out,
            uncounted: 0,
        };
        self.tools.entry(program.function.clone()).or_default().add(&program, entry.ts);
        for calls in &measured.functions {
            self.functions.entry(calls.function.clone()).or_default().add(calls, entry.ts);
        }
        self.cache_hits += measured.cache_hits;
        self.cache_misses += measured.cache_misses;
        self.lost += measured.lost;
    }

    /// Counts an entry of the audit log.
    pub(super) fn count_audited(&mut self, entry: &Entry) {
        if entry.ts < self.since {
            return;
        }
        let event = &entry.event;
        match event.action {
            Action::Used => self.used += 1,
            Action::Denied => self.denied += 1,
            _ => {}
        }
        let is_only_here = entry.ts < self.measured_from;
        match event.action {
            Action::Revoked => {}
            Action::Ran if is_only_here => self.count_script(entry),
            Action::Failed if is_only_here => {
                let function = event.capability.rsplit('/').next().unwrap_or_default();
                let row = self.functions.entry(function.to_owned()).or_default();
                *row.errors.entry("undeclared".to_owned()).or_default() += 1;
            }
            Action::Ran | Action::Failed | Action::Loaded => {}
            Action::Requested | Action::Granted | Action::Denied | Action::Used => {
                self.count_permission(entry, is_only_here);
            }
        }
    }

    fn count_permission(&mut self, entry: &Entry, is_only_here: bool) {
        let event = &entry.event;
        let names = event.tool.as_deref().unwrap_or(&event.capability);
        for name in names.split(',').map(str::trim).filter(|it| !it.is_empty()) {
            let row = self.functions.entry(name.to_owned()).or_default();
            match event.action {
                Action::Requested => row.requested += 1,
                Action::Granted => row.granted += 1,
                Action::Denied => row.denied += 1,
                Action::Used if is_only_here => {
                    let arguments = event.arguments.as_ref().map(|it| dialect::tokens(&it.to_string()));
                    row.tokens_in += arguments.unwrap_or_default() as u64;
                    row.count(Ending::Success, None, 1);
                    row.last = row.last.max(entry.ts);
                }
                _ => {}
            }
        }
    }

    /// Counts a script of a Dialect that did not measure calls.
    fn count_script(&mut self, entry: &Entry) {
        let event = &entry.event;
        let row = self.tools.entry(event.capability.clone()).or_default();
        match event.reason.as_deref().unwrap_or_default() {
            "cancelled" => row.count(Ending::Cancelled, None, 1),
            word if FAILURES.contains(&word) => row.count(Ending::Failure, Some(word), 1),
            _ => row.count(Ending::Success, None, 1),
        }
        if let Some(ms) = event.arguments.as_ref().and_then(|it| it.get("ms")?.as_f64()) {
            row.durations.record(ms);
        }
        row.last = row.last.max(entry.ts);
    }

    /// Returns the sum of a number over all tools.
    pub(super) fn sum(&self, number: impl Fn(&Row) -> u64) -> u64 {
        self.tools.values().map(number).sum()
    }

    /// Returns failed calls of tools by all; `None` without calls.
    pub(super) fn error_rate(&self) -> Option<f64> {
        rate(self.sum(Row::failed), self.sum(|it| it.calls))
    }

    /// Returns denied permissions by those and used ones; `None` without either.
    pub(super) fn denial_rate(&self) -> Option<f64> {
        rate(self.denied, self.denied + self.used)
    }

    /// Returns cached answers by look-ups; `None` without look-ups.
    pub(super) fn cache_hit_rate(&self) -> Option<f64> {
        rate(self.cache_hits, self.cache_hits + self.cache_misses)
    }
}
