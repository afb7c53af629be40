//! The numbers in the text format of Prometheus.

use metrics::{Kind, Prometheus};

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
        let mut page = Prometheus::default();
        for (name, help, value) in COUNTERS {
            let name = format!("dialect_{name}_total");
            page.metric(&name, help, Kind::Counter);
            for (kind, function, row) in self.rows() {
                page.sample(&name, &[("kind", kind), ("function", function)], value(row));
            }
        }
        let name = "dialect_errors_total";
        page.metric(name, "Calls that failed, by error", Kind::Counter);
        for (kind, function, row) in self.rows() {
            for (error, count) in &row.errors {
                page.sample(name, &[("kind", kind), ("function", function), ("error", error)], count);
            }
        }
        for (name, help, value) in self.totals() {
            let name = format!("dialect_{name}_total");
            page.metric(&name, help, Kind::Counter);
            page.sample(&name, &[], value);
        }
        self.durations(&mut page);
        page.into_text()
    }

    fn durations(&self, page: &mut Prometheus) {
        let name = "dialect_last_call_timestamp_seconds";
        page.metric(name, "The time of the last call", Kind::Gauge);
        for (kind, function, row) in self.rows().filter(|it| it.2.last > 0) {
            page.sample(name, &[("kind", kind), ("function", function)], row.last);
        }
        let name = "dialect_duration_seconds";
        page.metric(name, "Durations of calls", Kind::Summary);
        for (kind, function, Row { durations, .. }) in self.rows().filter(|it| it.2.durations.count() > 0) {
            let quantile = |part: f64| (part, durations.quantile(part).unwrap_or_default());
            let labels = [("kind", kind), ("function", function)];
            let quantiles = [0.5, 0.95, 1.0].map(quantile);
            page.summary(name, &labels, &quantiles, durations.total(), durations.count());
        }
    }
}

#[cfg(test)]
mod tests {

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
    }
}
