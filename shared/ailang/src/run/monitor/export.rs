//! Measurements as a table, as JSON, and in Prometheus' text format.

use metrics::{Kind, Prometheus, table};

use super::{Metrics, ToolMetrics};

/// A column of the table: its heading, and a tool's text.
type Column = (&'static str, fn(&ToolMetrics) -> String);

const COLUMNS: &[Column] = &[
    ("calls", |it| it.execution_count.to_string()),
    ("errors", |it| it.error_count.to_string()),
    ("refused", |it| it.refused_count.to_string()),
    ("median ms", |it| format!("{:.1}", it.median_duration)),
    ("95 % ms", |it| format!("{:.1}", it.p95_duration)),
    ("max ms", |it| format!("{:.1}", it.max_duration)),
    ("tokens in", |it| it.tokens_in.to_string()),
    ("tokens out", |it| it.tokens_out.to_string()),
];

/// A counter of each tool: its name and help, and a tool's value.
type Series = (&'static str, &'static str, fn(&ToolMetrics) -> u64);

const SERIES: &[Series] = &[
    ("ailang_tool_calls_total", "Finished calls.", |it| it.execution_count),
    ("ailang_tool_errors_total", "Calls that failed.", |it| it.error_count),
    ("ailang_tool_refused_total", "Calls whose arguments were refused.", |it| it.refused_count),
    ("ailang_tool_tokens_in_total", "Estimated tokens of arguments.", |it| it.tokens_in),
    ("ailang_tool_tokens_out_total", "Estimated tokens of results.", |it| it.tokens_out),
];

impl Metrics {
    /// Returns a table, a line for each tool.
    pub fn table(&self) -> String {
        let heading =
            std::iter::once("tool".to_owned()).chain(COLUMNS.iter().map(|it| it.0.to_owned())).collect();
        let tools = self.tool_metrics.iter().map(|(name, tool)| {
            std::iter::once(name.clone()).chain(COLUMNS.iter().map(|column| (column.1)(tool))).collect()
        });
        table(&std::iter::once(heading).chain(tools).collect::<Vec<_>>())
    }

    /// Returns an object with the names of the runtime's document.
    pub fn json(&self) -> serde_json::Value {
        serde_json::to_value(self).expect("numbers and texts are JSON")
    }

    /// Returns the text that Prometheus reads. Durations are summaries in seconds.
    pub fn prometheus(&self) -> String {
        let mut page = Prometheus::default();
        for (name, help, value) in SERIES {
            page.metric(name, help, Kind::Counter);
            for (tool, metrics) in &self.tool_metrics {
                page.sample(name, &[("tool", tool)], value(metrics));
            }
        }
        let name = "ailang_tool_duration_seconds";
        page.metric(name, "Durations of calls.", Kind::Summary);
        for (tool, it) in &self.tool_metrics {
            let quantiles = [(0.5, it.median_duration), (0.95, it.p95_duration)];
            page.summary(name, &[("tool", tool)], &quantiles, it.total_duration, it.execution_count);
        }
        for (name, help, value) in [
            ("ailang_capability_denial_ratio", "Denied capabilities.", self.capability_denial_rate),
            ("ailang_cache_hit_ratio", "Look-ups in caches that found something.", self.cache_hit_rate),
        ] {
            page.metric(name, help, Kind::Gauge);
            page.sample(name, &[], value);
        }
        page.into_text()
    }
}
