//! The numbers in the text format of Prometheus.

use std::fmt::Write as _;

use super::count::Numbers;
use super::row::Row;

/// A counter: its name, its description, and its value of a row.
pub(super) type Counter = (&'static str, &'static str, fn(&Row) -> u64);

/// The counters of tools and functions.
pub(super) const COUNTERS: &[Counter] = &[
    ("calls", "Calls that ran", |it| it.calls),
    ("ambiguities", "Calls that asked which meaning is meant", |it| it.ambiguous),
    ("cancelled", "Calls that were dropped before their end", |it| it.cancelled),
    ("requested", "Questions to the user about permissions", |it| it.requested),
    ("granted", "Permissions that the user gave", |it| it.granted),
    ("denied", "Calls and permissions that were denied", |it| it.denied),
    ("tokens_in", "Estimated tokens of programs and arguments", |it| it.tokens_in),
    ("tokens_out", "Estimated tokens of answers and results", |it| it.tokens_out),
];

impl Numbers {
    /// Returns each row with its kind and its name.
    pub(super) fn rows(&self) -> impl Iterator<Item = (&'static str, &str, &Row)> {
        let tools = self.tools.iter().map(|(name, row)| ("tool", name.as_str(), row));
        tools.chain(self.functions.iter().map(|(name, row)| ("function", name.as_str(), row)))
    }

    /// Returns the counters that are about no single row.
    pub(super) fn totals(&self) -> [(&'static str, &'static str, u64); 3] {
        [
            ("cache_hits", "Answers of language servers that were in the cache", self.cache_hits),
            ("cache_misses", "Answers of language servers that were not in the cache", self.cache_misses),
            ("lost", "Calls of tools that came faster than they were recorded", self.lost),
        ]
    }

    /// Returns the numbers in the text format of Prometheus.
    pub(super) fn prometheus(&self) -> String {
        let mut text = String::new();
        for (name, help, value) in COUNTERS {
            head(&mut text, &format!("dialect_{name}_total"), help, "counter");
            for (kind, function, row) in self.rows() {
                let labels = labels(kind, function);
                let _ = writeln!(text, "dialect_{name}_total{{{labels}}} {}", value(row));
            }
        }
        head(&mut text, "dialect_errors_total", "Calls that failed, by error", "counter");
        for (kind, function, row) in self.rows() {
            for (error, count) in &row.errors {
                let (labels, error) = (labels(kind, function), escaped(error));
                let _ = writeln!(text, "dialect_errors_total{{{labels},error=\"{error}\"}} {count}");
            }
        }
        for (name, help, value) in self.totals() {
            head(&mut text, &format!("dialect_{name}_total"), help, "counter");
            let _ = writeln!(text, "dialect_{name}_total {value}");
        }
        self.durations(&mut text);
        text
    }

    fn durations(&self, text: &mut String) {
        head(text, "dialect_last_call_timestamp_seconds", "The time of the last call", "gauge");
        for (kind, function, row) in self.rows().filter(|it| it.2.last > 0) {
            let labels = labels(kind, function);
            let _ = writeln!(text, "dialect_last_call_timestamp_seconds{{{labels}}} {}", row.last);
        }
        let name = "dialect_duration_seconds";
        head(text, name, "Durations of calls", "summary");
        for (kind, function, row) in self.rows().filter(|it| it.2.durations.count > 0) {
            let labels = labels(kind, function);
            for quantile in [0.5, 0.95, 1.0] {
                let seconds = row.durations.quantile(quantile).unwrap_or_default() / 1_000.0;
                let _ = writeln!(text, "{name}{{{labels},quantile=\"{quantile}\"}} {seconds}");
            }
            let _ = writeln!(text, "{name}_sum{{{labels}}} {}", row.durations.total / 1_000.0);
            let _ = writeln!(text, "{name}_count{{{labels}}} {}", row.durations.count);
        }
    }
}

fn head(text: &mut String, name: &str, help: &str, kind: &str) {
    let _ = writeln!(text, "# HELP {name} {help}\n# TYPE {name} {kind}");
}

fn labels(kind: &str, function: &str) -> String {
    format!("kind=\"{kind}\",function=\"{}\"", escaped(function))
}

/// Escapes the value of a label.
fn escaped(text: &str) -> String {
    text.replace('\\', "\\\\").replace('"', "\\\"").replace('\n', "\\n")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn prometheus_gets_counters_and_summaries() {
        let text = super::super::report::tests::numbers().prometheus();
        for line in [
            "# TYPE dialect_calls_total counter",
            "dialect_calls_total{kind=\"function\",function=\"find\"} 5",
            "dialect_errors_total{kind=\"function\",function=\"find\",error=\"NotFound\"} 1",
            "dialect_duration_seconds{kind=\"tool\",function=\"script\",quantile=\"0.95\"} 0.02",
            "dialect_duration_seconds_sum{kind=\"function\",function=\"find\"} 0.101",
            "dialect_duration_seconds_count{kind=\"function\",function=\"find\"} 5",
            "dialect_cache_hits_total 3",
        ] {
            assert!(text.lines().any(|it| it == line), "{line} is not in\n{text}");
        }
        assert_eq!(escaped("a\"b\\c\nd"), "a\\\"b\\\\c\\nd");
    }
}
