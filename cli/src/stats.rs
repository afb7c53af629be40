//! `dialect stats`: numbers about functions and tools, from the audit log.

use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::process::ExitCode;

use clap::{Args, ValueEnum};
use component::audit::{Action, Entry, Log};
use serde_json::{Value, json};

use crate::failure::Failure;
use crate::grants::state;
use crate::output::{complain, say, write_out};

/// The outcomes of programs that did not come to their end. Those that ask back or were refused did.
const FAILURES: [&str; 3] = ["failed", "stopped", "cancelled"];

#[derive(Debug, Args)]
pub(crate) struct Stats {
    /// Only entries since then: a time such as 2026-11-21T16:00:00Z, or 90m, 24h, 7d before now
    #[arg(long, value_parser = since)]
    since: Option<u64>,
    /// The output format
    #[arg(long, value_enum, default_value_t)]
    format: Format,
}

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, ValueEnum)]
enum Format {
    /// A table for people.
    #[default]
    Table,
    /// JSON for programs.
    Json,
    /// The text format of Prometheus.
    Prometheus,
}

pub(crate) fn run(arguments: &Stats) -> Result<ExitCode, Failure> {
    let log = Log::new(state()?);
    let mut numbers = Numbers::default();
    let since = arguments.since.unwrap_or_default();
    let verified = log.verify(|entry| {
        if entry.ts >= since {
            numbers.count(&entry);
        }
    });
    match arguments.format {
        Format::Table if numbers.rows.is_empty() => say("no entries")?,
        Format::Table => write_out(&numbers.table())?,
        Format::Json => say(&format!("{:#}", numbers.to_json()))?,
        Format::Prometheus => write_out(&numbers.prometheus())?,
    }
    Ok(match verified {
        Ok(_) => ExitCode::SUCCESS,
        Err(error) => {
            complain(&error.to_string());
            ExitCode::FAILURE
        }
    })
}

/// Parses a time, or a duration before now, to seconds since the start of 1970.
fn since(text: &str) -> Result<u64, String> {
    let problem = || "expected a time such as 2026-11-21T16:00:00Z, or 90m, 24h, 7d".to_owned();
    if let Ok(time) = text.parse::<jiff::Timestamp>() {
        return Ok(time.as_second().try_into().unwrap_or_default());
    }
    let unit = text.chars().next_back().filter(char::is_ascii).ok_or_else(problem)?;
    let seconds = match unit {
        's' => 1,
        'm' => 60,
        'h' => 3_600,
        'd' => 86_400,
        _ => return Err(problem()),
    };
    let count: u64 = text[..text.len() - 1].parse().map_err(|_| problem())?;
    let now: u64 = jiff::Timestamp::now().as_second().try_into().unwrap_or_default();
    Ok(now.saturating_sub(count.saturating_mul(seconds)))
}

/// A counter: its name, its description, and its value of a row.
type Counter = (&'static str, &'static str, fn(&Row) -> u64);

/// The numbers by function or tool.
#[derive(Debug, Default)]
struct Numbers {
    rows: BTreeMap<String, Row>,
}

/// The numbers of one function or tool.
#[derive(Debug, Default)]
struct Row {
    /// Permitted calls, and programs of the tool `script`.
    runs: u64,
    /// Questions to the user.
    requested: u64,
    granted: u64,
    denied: u64,
    /// Errors that no document declares, and programs that failed.
    failed: u64,
    /// The durations that are recorded, in milliseconds.
    durations: Vec<u64>,
    /// The estimated tokens of the recorded arguments, which are cut if they are long.
    tokens_in: u64,
    /// The time of the last entry, in seconds since the start of 1970.
    last: u64,
}

impl Numbers {
    fn count(&mut self, entry: &Entry) {
        let event = &entry.event;
        let is_own = matches!(event.action, Action::Failed | Action::Ran);
        let names = event.tool.as_deref().filter(|_| !is_own).unwrap_or(&event.capability);
        for name in names.split(',').map(str::trim).filter(|it| !it.is_empty()) {
            let row = self.rows.entry(name.to_owned()).or_default();
            row.last = row.last.max(entry.ts);
            match event.action {
                Action::Requested => row.requested += 1,
                Action::Granted => row.granted += 1,
                Action::Denied => row.denied += 1,
                Action::Failed => row.failed += 1,
                Action::Used => {
                    row.runs += 1;
                    let arguments = event.arguments.as_ref().map(|it| dialect::tokens(&it.to_string()));
                    row.tokens_in += arguments.unwrap_or_default() as u64;
                }
                Action::Ran => {
                    row.runs += 1;
                    row.failed += u64::from(event.reason.as_deref().is_some_and(|it| FAILURES.contains(&it)));
                    let ms = event.arguments.as_ref().and_then(|it| it.get("ms")?.as_u64());
                    row.durations.extend(ms);
                }
                Action::Revoked => {}
            }
        }
    }

    fn to_json(&self) -> Value {
        let rows = self.rows.iter().map(|(name, row)| {
            json!({
                "name": name, "runs": row.runs, "requested": row.requested, "granted": row.granted,
                "denied": row.denied, "failed": row.failed, "errorRate": row.error_rate(),
                "denialRate": row.denial_rate(),
                "durationMs": (!row.durations.is_empty()).then(|| json!({
                    "count": row.durations.len(), "median": row.quantile(0.5), "p95": row.quantile(0.95),
                    "max": row.quantile(1.0),
                })),
                "tokensIn": row.tokens_in, "last": crate::grants::time(row.last),
            })
        });
        json!({"functions": rows.collect::<Vec<_>>()})
    }

    fn table(&self) -> String {
        let width = self.rows.keys().map(|it| it.chars().count()).max().unwrap_or_default().max(8);
        let mut text = format!(
            "{:width$}{:>7}{:>8}{:>8}{:>9}{:>9}{:>10}{:>10}{:>10}{:>11}\n",
            "function", "runs", "denied", "failed", "errors", "denials", "median", "p95", "max", "tokens in"
        );
        let percent = |rate: Option<f64>| rate.map_or("-".to_owned(), |it| format!("{:.1} %", it * 100.0));
        let ms = |it: Option<u64>| it.map_or("-".to_owned(), |it| format!("{it} ms"));
        for (name, row) in &self.rows {
            let _ = writeln!(
                text,
                "{name:width$}{:>7}{:>8}{:>8}{:>9}{:>9}{:>10}{:>10}{:>10}{:>11}",
                row.runs,
                row.denied,
                row.failed,
                percent(row.error_rate()),
                percent(row.denial_rate()),
                ms(row.quantile(0.5)),
                ms(row.quantile(0.95)),
                ms(row.quantile(1.0)),
                row.tokens_in
            );
        }
        text
    }

    /// Returns the numbers in the text format of Prometheus.
    fn prometheus(&self) -> String {
        let mut text = String::new();
        let counters: [Counter; 6] = [
            ("runs", "Permitted calls and programs", |it| it.runs),
            ("requested", "Questions to the user", |it| it.requested),
            ("granted", "Permissions that the user gave", |it| it.granted),
            ("denied", "Permissions that were denied", |it| it.denied),
            ("failed", "Undeclared errors, and programs that failed", |it| it.failed),
            ("tokens_in", "Estimated tokens of recorded arguments", |it| it.tokens_in),
        ];
        for (name, help, value) in counters {
            let _ = writeln!(text, "# HELP dialect_{name}_total {help}\n# TYPE dialect_{name}_total counter");
            for (function, row) in &self.rows {
                let _ =
                    writeln!(text, "dialect_{name}_total{{function=\"{}\"}} {}", label(function), value(row));
            }
        }
        text.push_str(
            "# HELP dialect_duration_seconds Recorded durations\n# TYPE dialect_duration_seconds summary\n",
        );
        for (function, row) in self.rows.iter().filter(|(_, row)| !row.durations.is_empty()) {
            let function = label(function);
            for quantile in [0.5, 0.95, 1.0] {
                let seconds = seconds(row.quantile(quantile).unwrap_or_default());
                let _ = writeln!(
                    text,
                    "dialect_duration_seconds{{function=\"{function}\",quantile=\"{quantile}\"}} {seconds}"
                );
            }
            let sum = seconds(row.durations.iter().sum());
            let _ = writeln!(text, "dialect_duration_seconds_sum{{function=\"{function}\"}} {sum}");
            let _ = writeln!(
                text,
                "dialect_duration_seconds_count{{function=\"{function}\"}} {}",
                row.durations.len()
            );
        }
        text
    }
}

impl Row {
    /// Returns failures by runs; `None` without runs.
    fn error_rate(&self) -> Option<f64> {
        rate(self.failed, self.runs)
    }

    /// Returns denials by denials and runs; `None` without either.
    fn denial_rate(&self) -> Option<f64> {
        rate(self.denied, self.denied + self.runs)
    }

    /// Returns the smallest duration that is at least as long as that part of all; `None` without durations.
    fn quantile(&self, part: f64) -> Option<u64> {
        let mut sorted = self.durations.clone();
        sorted.sort_unstable();
        #[expect(
            clippy::cast_precision_loss,
            clippy::cast_possible_truncation,
            clippy::cast_sign_loss,
            reason = "a count"
        )]
        let rank = (part * sorted.len() as f64).ceil() as usize;
        sorted.get(rank.saturating_sub(1)).copied()
    }
}

#[expect(clippy::cast_precision_loss, reason = "counts are far below 2^53")]
fn rate(part: u64, whole: u64) -> Option<f64> {
    (whole > 0).then(|| part as f64 / whole as f64)
}

#[expect(clippy::cast_precision_loss, reason = "milliseconds are far below 2^53")]
fn seconds(ms: u64) -> f64 {
    ms as f64 / 1_000.0
}

/// Escapes the value of a label.
fn label(text: &str) -> String {
    text.replace('\\', "\\\\").replace('"', "\\\"").replace('\n', "\\n")
}

#[cfg(test)]
mod tests {
    use super::*;

    fn numbers() -> Numbers {
        let mut numbers = Numbers::default();
        let mut add = |action: &str, capability: &str, rest: Value| {
            let mut entry = json!({
                "seq": 1, "prev": "", "ts": 7, "capability": capability, "params": {}, "action": action, "by": "user",
            });
            entry.as_object_mut().unwrap().extend(rest.as_object().unwrap().clone());
            numbers.count(&serde_json::from_value(entry).unwrap());
        };
        add("requested", "files/Write", json!({"tool": "write, erase"}));
        add("granted", "files/Write", json!({"tool": "write, erase"}));
        add("used", "files/Write", json!({"tool": "write", "arguments": {"path": "a.txt"}}));
        add("used", "files/Write", json!({"tool": "write", "arguments": {"path": "b.txt"}}));
        add("denied", "files/Write", json!({"tool": "erase"}));
        add("failed", "write", json!({}));
        for (ms, reason) in [(10, "ok"), (30, "not written"), (20, "failed"), (1_000, "ok")] {
            add("ran", "script", json!({"arguments": {"ms": ms}, "reason": reason}));
        }
        numbers
    }

    #[test]
    fn entries_are_counted_by_function() {
        expect_test::expect![[r#"
            function   runs  denied  failed   errors  denials    median       p95       max  tokens in
            erase         0       1       0        -  100.0 %         -         -         -          0
            script        4       0       1   25.0 %    0.0 %     20 ms   1000 ms   1000 ms          0
            write         2       0       1   50.0 %    0.0 %         -         -         -         12
        "#]]
        .assert_eq(&numbers().table());
        let json = numbers().to_json();
        assert_eq!(
            json["functions"][1]["durationMs"],
            json!({"count": 4, "median": 20, "p95": 1000, "max": 1000})
        );
        assert_eq!(json["functions"][2]["requested"], 1);
    }

    #[test]
    fn prometheus_gets_counters_and_summaries() {
        let text = numbers().prometheus();
        for line in [
            "# TYPE dialect_runs_total counter",
            "dialect_runs_total{function=\"write\"} 2",
            "dialect_duration_seconds{function=\"script\",quantile=\"0.95\"} 1",
            "dialect_duration_seconds_sum{function=\"script\"} 1.06",
            "dialect_duration_seconds_count{function=\"script\"} 4",
        ] {
            assert!(text.lines().any(|it| it == line), "{line} is not in\n{text}");
        }
        assert_eq!(label("a\"b\\c\nd"), "a\\\"b\\\\c\\nd");
    }

    #[test]
    fn times_and_durations_are_read() {
        assert_eq!(since("1970-01-01T00:01:00Z"), Ok(60));
        let now = since("0s").unwrap();
        assert!((86_399..=86_401).contains(&(now - since("24h").unwrap())));
        assert!(since("soon").is_err() && since("").is_err() && since("5é").is_err());
    }
}
