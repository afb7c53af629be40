//! The text format of Prometheus.

use std::fmt::{Display, Write as _};

/// The kind of a metric.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    /// A number that only grows.
    Counter,
    /// A number that grows and falls.
    Gauge,
    /// Quantiles, a sum and a count.
    Summary,
}

/// A page of metrics, in the order in which they are added.
#[derive(Clone, Debug, Default)]
pub struct Prometheus {
    text: String,
}

impl Prometheus {
    /// Begins a metric, whose samples follow. `help` is one line.
    pub fn metric(&mut self, name: &str, help: &str, kind: Kind) {
        let kind = match kind {
            Kind::Counter => "counter",
            Kind::Gauge => "gauge",
            Kind::Summary => "summary",
        };
        self.line(format_args!("# HELP {name} {help}\n# TYPE {name} {kind}"));
    }

    /// Adds a sample. The values of labels are any text; their names are not escaped.
    pub fn sample(&mut self, name: &str, labels: &[(&str, &str)], value: impl Display) {
        let labels: Vec<String> =
            labels.iter().map(|(name, value)| format!("{name}=\"{}\"", escaped(value))).collect();
        match labels.as_slice() {
            [] => self.line(format_args!("{name} {value}")),
            labels => self.line(format_args!("{name}{{{}}} {value}", labels.join(","))),
        }
    }

    /// Adds the samples of durations in seconds: some quantiles, each with its part from 0 to 1, the sum, and the count.
    /// The arguments are in milliseconds.
    pub fn summary(
        &mut self,
        name: &str,
        labels: &[(&str, &str)],
        quantiles: &[(f64, f64)],
        total: f64,
        count: u64,
    ) {
        for (part, milliseconds) in quantiles {
            let part = part.to_string();
            let labels: Vec<_> = labels.iter().copied().chain([("quantile", part.as_str())]).collect();
            self.sample(name, &labels, milliseconds / 1_000.0);
        }
        self.sample(&format!("{name}_sum"), labels, total / 1_000.0);
        self.sample(&format!("{name}_count"), labels, count);
    }

    /// Returns the page.
    pub fn into_text(self) -> String {
        self.text
    }

    fn line(&mut self, line: std::fmt::Arguments<'_>) {
        writeln!(self.text, "{line}").expect("a string takes everything");
    }
}

/// Escapes the value of a label.
fn escaped(label: &str) -> String {
    label.replace('\\', "\\\\").replace('"', "\\\"").replace('\n', "\\n")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn labels_are_any_text() {
        let mut page = Prometheus::default();
        page.metric("calls_total", "Calls.", Kind::Counter);
        page.sample("calls_total", &[("function", "a\"b\\c\nd"), ("kind", "tool")], 3);
        page.sample("calls_total", &[], 0.5);
        page.summary("seconds", &[("kind", "tool")], &[(0.95, 20.0), (1.0, 30.0)], 50.0, 2);
        let expected = "# HELP calls_total Calls.\n# TYPE calls_total counter\n\
            calls_total{function=\"a\\\"b\\\\c\\nd\",kind=\"tool\"} 3\ncalls_total 0.5\n\
            seconds{kind=\"tool\",quantile=\"0.95\"} 0.02\nseconds{kind=\"tool\",quantile=\"1\"} 0.03\n\
            seconds_sum{kind=\"tool\"} 0.05\nseconds_count{kind=\"tool\"} 2\n";
        assert_eq!(page.into_text(), expected);
    }
}
