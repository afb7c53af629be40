//! Outputs that were shortened, to be read later.

use std::collections::VecDeque;
use std::sync::{Arc, Mutex};

use unpoisoned::lock;

/// The number of outputs that are kept.
const KEPT: usize = 8;

/// The latest outputs that were shortened, with their ids.
#[derive(Debug, Default)]
pub(super) struct Outputs(Mutex<VecDeque<(u64, Arc<str>)>>);

impl Outputs {
    /// Keeps an output; returns how to read it.
    pub(super) fn keep(&self, text: String) -> String {
        let mut outputs = lock(&self.0);
        let id = outputs.back().map_or(1, |it| it.0 + 1);
        let lines = text.lines().count();
        outputs.push_back((id, text.into()));
        while outputs.len() > KEPT {
            outputs.pop_front();
        }
        format!("(shortened; `await dialect.output({id}, FIRST, LAST)` has its {lines} lines)")
    }

    /// Returns lines of an output, from 1 and inclusive.
    pub(super) fn lines(&self, id: u64, first: usize, last: usize) -> Result<String, String> {
        let outputs = lock(&self.0);
        match outputs.iter().find(|it| it.0 == id) {
            Some((_, text)) => {
                let count = last.saturating_sub(first.max(1)) + 1;
                Ok(text.lines().skip(first.max(1) - 1).take(count).collect::<Vec<_>>().join("\n"))
            }
            None if outputs.is_empty() => Err("no output was shortened, so that none is kept".to_owned()),
            None => {
                let ids: Vec<String> = outputs.iter().map(|it| it.0.to_string()).collect();
                Err(format!("no output {id} is kept; there are: {}", ids.join(", ")))
            }
        }
    }
}
