//! Measurements as a table, as JSON, and in Prometheus' text format.

use std::fmt::Write as _;

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

/// A series for each tool: its name, type and help, and a tool's value.
type Series = (&'static str, &'static str, &'static str, fn(&ToolMetrics) -> f64);

#[expect(clippy::cast_precision_loss, reason = "counts are far below 2^53")]
const SERIES: &[Series] = &[
    ("ailang_tool_calls_total", "counter", "Finished calls.", |it| it.execution_count as f64),
    ("ailang_tool_errors_total", "counter", "Calls that failed.", |it| it.error_count as f64),
    ("ailang_tool_refused_total", "counter", "Calls whose arguments were refused.", |it| {
        it.refused_count as f64
    }),
    ("ailang_tool_tokens_in_total", "counter", "Estimated tokens of arguments.", |it| it.tokens_in as f64),
    ("ailang_tool_tokens_out_total", "counter", "Estimated tokens of results.", |it| it.tokens_out as f64),
];

impl Metrics {
    /// Returns a table, a line for each tool.
    pub fn table(&self) -> String {
        let heading =
            std::iter::once("tool".to_owned()).chain(COLUMNS.iter().map(|it| it.0.to_owned())).collect();
        let tools = self.tool_metrics.iter().map(|(name, tool)| {
            std::iter::once(name.clone()).chain(COLUMNS.iter().map(|column| (column.1)(tool))).collect()
        });
        let rows: Vec<Vec<String>> = std::iter::once(heading).chain(tools).collect();
        let width =
            |column: usize| rows.iter().map(|row| row[column].chars().count()).max().unwrap_or_default();
        let mut text = String::new();
        for row in &rows {
            let mut line = format!("{:<1$}", row[0], width(0));
            for (column, cell) in row.iter().enumerate().skip(1) {
                let _ = write!(line, "  {cell:>0$}", width(column));
            }
            text.push_str(line.trim_end());
            text.push('\n');
        }
        text
    }

    /// Returns an object with the names of the runtime's document.
    pub fn json(&self) -> serde_json::Value {
        serde_json::to_value(self).expect("numbers and texts are JSON")
    }

    /// Returns the text that Prometheus reads. Durations are summaries in seconds.
    pub fn prometheus(&self) -> String {
        let mut text = String::new();
        for (name, kind, help, value) in SERIES {
            let _ = writeln!(text, "# HELP {name} {help}\n# TYPE {name} {kind}");
            for (tool, metrics) in &self.tool_metrics {
                let _ = writeln!(text, "{name}{{tool=\"{}\"}} {}", escaped(tool), value(metrics));
            }
        }
        self.durations(&mut text);
        for (name, help, value) in [
            ("ailang_capability_denial_ratio", "Denied capabilities.", self.capability_denial_rate),
            ("ailang_cache_hit_ratio", "Look-ups in caches that found something.", self.cache_hit_rate),
        ] {
            let _ = writeln!(text, "# HELP {name} {help}\n# TYPE {name} gauge\n{name} {value}");
        }
        text
    }

    fn durations(&self, text: &mut String) {
        let name = "ailang_tool_duration_seconds";
        let _ = writeln!(text, "# HELP {name} Durations of calls.\n# TYPE {name} summary");
        for (tool, it) in &self.tool_metrics {
            let tool = escaped(tool);
            for (quantile, milliseconds) in [("0.5", it.median_duration), ("0.95", it.p95_duration)] {
                let seconds = milliseconds / 1_000.0;
                let _ = writeln!(text, "{name}{{tool=\"{tool}\",quantile=\"{quantile}\"}} {seconds}");
            }
            let _ = writeln!(text, "{name}_sum{{tool=\"{tool}\"}} {}", it.total_duration / 1_000.0);
            let _ = writeln!(text, "{name}_count{{tool=\"{tool}\"}} {}", it.execution_count);
        }
    }
}

/// Escapes the value of a label.
fn escaped(label: &str) -> String {
    label.replace('\\', "\\\\").replace('"', "\\\"").replace('\n', "\\n")
}
