//! Remarks on what a conversion did not carry over.

use std::fmt;

use serde_json::{Value, json};

/// A difference between a document and its conversion.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Remark {
    /// The kind of difference.
    pub kind: RemarkKind,
    /// The place in the original: `12:3` (line and column) in documents, a JSON Pointer in JSON.
    pub place: String,
    /// The part that differs, in a few words.
    pub what: String,
    /// The reason.
    pub why: String,
}

/// The kinds of differences.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum RemarkKind {
    /// The result does not have it.
    Lost,
    /// The result has something else in its place.
    Changed,
    /// The original does not have it.
    Added,
}

impl RemarkKind {
    /// Returns the kind as reports spell it.
    pub fn name(self) -> &'static str {
        match self {
            Self::Lost => "lost",
            Self::Changed => "changed",
            Self::Added => "added",
        }
    }
}

impl Remark {
    /// Returns the remark for programs.
    pub fn to_json(&self) -> Value {
        json!({"kind": self.kind.name(), "place": self.place, "what": self.what, "why": self.why})
    }
}

impl fmt::Display for Remark {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let place = if self.place.is_empty() { "the whole" } else { &self.place };
        write!(f, "{}: {} {}: {}", self.kind.name(), place, self.what, self.why)
    }
}

/// The maximum number of remarks; hostile documents could give one for every byte.
const MOST: usize = 2_000;

/// The remarks so far.
#[derive(Clone, Debug, Default)]
pub(super) struct Remarks {
    all: Vec<Remark>,
    /// The number of remarks beyond the maximum.
    others: usize,
}

impl Remarks {
    pub(super) fn lost(&mut self, place: &str, what: impl Into<String>, why: impl Into<String>) {
        self.add(RemarkKind::Lost, place, what, why);
    }

    pub(super) fn changed(&mut self, place: &str, what: impl Into<String>, why: impl Into<String>) {
        self.add(RemarkKind::Changed, place, what, why);
    }

    pub(super) fn added(&mut self, place: &str, what: impl Into<String>, why: impl Into<String>) {
        self.add(RemarkKind::Added, place, what, why);
    }

    fn add(&mut self, kind: RemarkKind, place: &str, what: impl Into<String>, why: impl Into<String>) {
        if self.all.len() >= MOST {
            self.others += 1;
            return;
        }
        let remark = Remark { kind, place: place.to_owned(), what: what.into(), why: why.into() };
        if !self.all.contains(&remark) {
            self.all.push(remark);
        }
    }

    pub(super) fn into_all(mut self) -> Vec<Remark> {
        if self.others > 0 {
            let what = format!("{} more differences", self.others);
            let why = format!("only the first {MOST} are listed");
            self.all.push(Remark { kind: RemarkKind::Lost, place: String::new(), what, why });
        }
        self.all
    }
}
