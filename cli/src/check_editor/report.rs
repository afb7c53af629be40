//! The report of a check: what holds of each operation.

use std::collections::BTreeMap;
use std::fmt;

use ide_protocol::Operation;
use serde_json::{Value, json};

use crate::deviation::Deviation;

/// The outcomes of all operations of an editor.
#[derive(Debug)]
pub(super) struct Report {
    /// The editor's name and version, by its own word.
    pub(super) client: Value,
    pub(super) outcomes: BTreeMap<Operation, Outcome>,
}

/// The outcome of one operation.
#[derive(Debug, Default)]
pub(super) struct Outcome {
    /// The number of questions that were asked.
    pub(super) asked: usize,
    broken: Vec<Broken>,
    absent: Option<String>,
}

/// A promise that an answer did not keep.
#[derive(Debug)]
pub(super) struct Broken {
    promise: String,
    deviation: Deviation,
}

impl Outcome {
    pub(super) fn absent(reason: &str) -> Self {
        Self { absent: Some(reason.to_owned()), ..Self::default() }
    }

    pub(super) fn is_absent(&self) -> bool {
        self.absent.is_some()
    }

    /// Adds the verdict about an answer.
    pub(super) fn add(&mut self, promise: &str, verdict: Result<(), Deviation>) {
        self.asked += 1;
        let broken = verdict.err().map(|deviation| Broken { promise: promise.to_owned(), deviation });
        self.broken.extend(broken);
    }

    /// Notes a question that could not be asked.
    pub(super) fn skip(&mut self, promise: &str, reason: &str) {
        let expected = "an answer that this question is made of".to_owned();
        self.add(promise, Err(Deviation { sent: String::new(), came: reason.to_owned(), expected }));
    }

    fn verdict(&self) -> &'static str {
        match (&self.absent, self.broken.is_empty()) {
            (Some(_), _) => "absent",
            (None, true) => "passed",
            (None, false) => "failed",
        }
    }
}

impl Report {
    /// Returns true if the editor has operations and none of them failed.
    pub(super) fn is_passed(&self) -> bool {
        self.count("failed") == 0 && self.count("passed") > 0
    }

    fn count(&self, verdict: &str) -> usize {
        self.outcomes.values().filter(|it| it.verdict() == verdict).count()
    }

    /// Returns the report as data.
    pub(super) fn to_json(&self) -> Value {
        let operations = self.outcomes.iter().map(|(operation, outcome)| {
            let failures = outcome.broken.iter().map(|Broken { promise, deviation }| {
                let Deviation { sent, came, expected } = deviation;
                json!({"promise": promise, "sent": sent, "came": came, "expected": expected})
            });
            let mut said = json!({"operation": operation.name(), "verdict": outcome.verdict()});
            match (&outcome.absent, outcome.broken.is_empty()) {
                (Some(reason), _) => said["reason"] = json!(reason),
                (None, false) => said["failures"] = failures.collect(),
                (None, true) => {}
            }
            said
        });
        json!({"passed": self.is_passed(), "client": self.client, "operations": operations.collect::<Value>()})
    }
}

impl fmt::Display for Report {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (operation, outcome) in &self.outcomes {
            match &outcome.absent {
                Some(reason) => writeln!(f, "absent   {operation}: {reason}")?,
                None if outcome.broken.is_empty() => writeln!(f, "passed   {operation}")?,
                None => writeln!(f, "FAILED   {operation}")?,
            }
            for Broken { promise, deviation } in &outcome.broken {
                let Deviation { sent, came, expected } = deviation;
                writeln!(f, "         {promise}")?;
                for (name, words) in [("sent", sent), ("came", came), ("expected", expected)] {
                    if !words.is_empty() {
                        writeln!(f, "           {name}: {words}")?;
                    }
                }
            }
        }
        let [passed, failed, absent] = ["passed", "failed", "absent"].map(|it| self.count(it));
        write!(f, "{passed} passed, {failed} failed, {absent} absent")
    }
}
