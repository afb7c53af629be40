//! Measurements of calls: counts, durations, errors, permissions and tokens.
//!
//! Counting never waits. An observer sees each event when it happens.

use std::collections::BTreeMap;
use std::sync::{Arc, Mutex, MutexGuard};

use unpoisoned::lock;

use futures::future::BoxFuture;
use metrics::{Durations, mean, rate};
use serde::Serialize;
use serde_json::Value;

mod export;

/// Something that happened in a runtime.
#[derive(Clone, Debug, PartialEq)]
pub enum Event {
    /// A tool is called.
    Started {
        /// The tool.
        tool: String,
        /// The arguments by name.
        arguments: Value,
        /// The time, in seconds since the Unix epoch.
        at: f64,
    },
    /// A tool returned.
    Completed {
        /// The tool.
        tool: String,
        /// The result.
        result: Value,
        /// The duration.
        milliseconds: f64,
    },
    /// A tool failed.
    Failed {
        /// The tool.
        tool: String,
        /// The error: see [`Interface::thrown`](crate::Interface::thrown).
        error: Value,
        /// The duration.
        milliseconds: f64,
    },
    /// A capability was asked for.
    Capability {
        /// The tool that needs it.
        tool: String,
        /// The id of the capability.
        capability: String,
        /// The decision.
        action: CapabilityAction,
    },
}

/// The decision about a capability.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum CapabilityAction {
    /// It was granted.
    Granted,
    /// It was denied.
    Denied,
    /// It was not checked.
    Unchecked,
}

/// An observer of calls. A call waits until its events are observed, so that what observers do stays in the order of
/// calls.
pub trait Observer: Send + Sync {
    /// Looks at an event. The call goes on whatever goes wrong in it; a panic is logged.
    fn observe(&self, event: Event) -> BoxFuture<'_, ()>;
}

/// The measurements of a runtime. A clone is the same monitor.
#[derive(Clone, Debug, Default)]
pub struct Monitor(Arc<Mutex<Counts>>);

#[derive(Debug, Default)]
struct Counts {
    tools: BTreeMap<String, ToolCounts>,
    requests: u64,
    denials: u64,
    cache_hits: u64,
    cache_misses: u64,
}

#[derive(Clone, Debug, Default)]
struct ToolCounts {
    calls: u64,
    errors: u64,
    refused: u64,
    durations: Durations,
    tokens_in: u64,
    tokens_out: u64,
    last: f64,
}

/// A snapshot of all measurements. Rates are fractions from 0 to 1.
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct Metrics {
    /// The finished calls of all tools.
    pub total_tool_executions: u64,
    /// The mean duration, in milliseconds.
    pub average_execution_time: f64,
    /// The fraction of calls that failed.
    pub error_rate: f64,
    /// The fraction of asked capabilities that were denied.
    pub capability_denial_rate: f64,
    /// The fraction of look-ups in caches that found something.
    pub cache_hit_rate: f64,
    /// The measurements by tool.
    pub tool_metrics: BTreeMap<String, ToolMetrics>,
}

/// The measurements of one tool. Durations are in milliseconds.
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct ToolMetrics {
    /// The finished calls.
    pub execution_count: u64,
    /// The sum of all durations.
    pub total_duration: f64,
    /// The mean duration.
    pub average_duration: f64,
    /// The median duration.
    pub median_duration: f64,
    /// The duration that 95 % of the calls did not exceed.
    pub p95_duration: f64,
    /// The longest duration.
    pub max_duration: f64,
    /// The calls that failed.
    pub error_count: u64,
    /// The calls that were refused before they ran, because of their arguments.
    pub refused_count: u64,
    /// The estimated tokens of all arguments.
    pub tokens_in: u64,
    /// The estimated tokens of all results and errors.
    pub tokens_out: u64,
    /// The time of the last call, in seconds since the Unix epoch.
    pub last_executed_at: f64,
}

impl Monitor {
    /// Makes a monitor without measurements.
    pub fn new() -> Self {
        Self::default()
    }

    /// Counts an event.
    pub fn record(&self, event: &Event) {
        self.counts().add(event);
    }

    /// Counts a call whose arguments were refused.
    pub(super) fn refused(&self, tool: &str) {
        self.counts().tools.entry(tool.to_owned()).or_default().refused += 1;
    }

    /// Counts a look-up in a cache.
    pub fn cache_lookup(&self, is_hit: bool) {
        let mut counts = self.counts();
        if is_hit {
            counts.cache_hits += 1;
        } else {
            counts.cache_misses += 1;
        }
    }

    /// Returns the measurements so far.
    pub fn metrics(&self) -> Metrics {
        self.counts().metrics()
    }

    fn counts(&self) -> MutexGuard<'_, Counts> {
        lock(&self.0)
    }
}

impl Counts {
    fn add(&mut self, event: &Event) {
        match event {
            Event::Started { tool, arguments, at } => {
                let tool = self.tools.entry(tool.clone()).or_default();
                tool.last = *at;
                tool.tokens_in += tokens(arguments);
            }
            Event::Completed { tool, result, milliseconds } => {
                self.finished(tool, result, *milliseconds, false);
            }
            Event::Failed { tool, error, milliseconds } => self.finished(tool, error, *milliseconds, true),
            Event::Capability { action, .. } => {
                self.requests += 1;
                self.denials += u64::from(*action == CapabilityAction::Denied);
            }
        }
    }

    fn finished(&mut self, tool: &str, result: &Value, milliseconds: f64, is_error: bool) {
        let tool = self.tools.entry(tool.to_owned()).or_default();
        tool.calls += 1;
        tool.errors += u64::from(is_error);
        tool.durations.record(milliseconds);
        tool.tokens_out += tokens(result);
    }

    fn metrics(&self) -> Metrics {
        let tools = self.tools.values();
        let calls: u64 = tools.clone().map(|it| it.calls).sum();
        let errors: u64 = tools.clone().map(|it| it.errors).sum();
        let total: f64 = tools.map(|it| it.durations.total()).sum();
        let rate = |part: u64, whole: u64| rate(part, whole).unwrap_or_default();
        Metrics {
            total_tool_executions: calls,
            average_execution_time: mean(total, calls).unwrap_or_default(),
            error_rate: rate(errors, calls),
            capability_denial_rate: rate(self.denials, self.requests),
            cache_hit_rate: rate(self.cache_hits, self.cache_hits + self.cache_misses),
            tool_metrics: self.tools.iter().map(|(name, tool)| (name.clone(), tool.metrics())).collect(),
        }
    }
}

impl ToolCounts {
    fn metrics(&self) -> ToolMetrics {
        let durations = &self.durations;
        ToolMetrics {
            execution_count: self.calls,
            total_duration: durations.total(),
            average_duration: durations.mean().unwrap_or_default(),
            median_duration: durations.quantile(0.5).unwrap_or_default(),
            p95_duration: durations.quantile(0.95).unwrap_or_default(),
            max_duration: durations.longest().unwrap_or_default(),
            error_count: self.errors,
            refused_count: self.refused,
            tokens_in: self.tokens_in,
            tokens_out: self.tokens_out,
            last_executed_at: self.last,
        }
    }
}

fn tokens(value: &Value) -> u64 {
    u64::try_from(dialect::tokens(&value.to_string())).unwrap_or(u64::MAX)
}
