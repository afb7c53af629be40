//! `dialect stats`: numbers about tools and functions, from the log of calls and the audit log.

mod count;
#[cfg(feature = "otlp")]
mod otlp;
mod prometheus;
mod report;
mod row;

use std::process::ExitCode;

use clap::{Args, ValueEnum};
use component::audit::{Log, LogError};
use source_text::visible_json;

use self::count::Numbers;
use crate::failure::Failure;
use crate::grants::state;
use crate::output::{complain, say, write_out};

#[derive(Debug, Args)]
pub(crate) struct Stats {
    /// Only entries since then: a time such as 2026-11-21T16:00:00Z, or 90m, 24h, 7d before now
    #[arg(long, value_parser = since)]
    since: Option<u64>,
    /// The output format
    #[arg(long, value_enum, default_value_t)]
    format: Format,
    /// Send the numbers to the OpenTelemetry collector that OTEL_EXPORTER_OTLP_ENDPOINT names, and print nothing
    #[cfg(feature = "otlp")]
    #[arg(long, conflicts_with = "format")]
    otlp: bool,
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
    let state = state()?;
    let mut numbers = Numbers::new(arguments.since.unwrap_or_default());
    // Calls first: entries of the audit log count as calls only from before those were measured.
    let calls = Log::of_calls(state.clone()).verify(|entry| numbers.count_measured(&entry));
    let audit = Log::new(state).verify(|entry| numbers.count_audited(&entry));
    print(&numbers, arguments)?;
    Ok(code([calls.err(), audit.err()]))
}

fn print(numbers: &Numbers, arguments: &Stats) -> Result<(), Failure> {
    #[cfg(feature = "otlp")]
    if arguments.otlp {
        return otlp::send(numbers);
    }
    match arguments.format {
        Format::Table if numbers.is_empty() => say("no entries"),
        Format::Table => write_out(&numbers.table()),
        Format::Json => say(&visible_json(&format!("{:#}", numbers.to_json()))),
        Format::Prometheus => write_out(&numbers.prometheus()),
    }
}

/// Reports the logs that are not as they were written. Their numbers are those before the first broken line.
fn code(errors: [Option<LogError>; 2]) -> ExitCode {
    let mut code = ExitCode::SUCCESS;
    for error in errors.into_iter().flatten() {
        complain(&error.to_string());
        code = ExitCode::FAILURE;
    }
    code
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn times_and_durations_are_read() {
        assert_eq!(since("1970-01-01T00:01:00Z"), Ok(60));
        let now = since("0s").unwrap();
        assert!((86_399..=86_401).contains(&(now - since("24h").unwrap())));
        assert!(since("soon").is_err() && since("").is_err() && since("5é").is_err());
    }
}
