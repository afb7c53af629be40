//! Measurements of calls: durations with their percentiles in bounded memory, and the forms in which numbers are shown:
//! aligned tables, and the text format of Prometheus.

#![warn(missing_docs)]

mod durations;
mod prometheus;
mod table;

pub use durations::Durations;
pub use prometheus::{Kind, Prometheus};
pub use table::table;

/// Returns a fraction from 0 to 1; `None` of nothing.
#[expect(clippy::cast_precision_loss, reason = "counts are far below 2^53")]
pub fn rate(part: u64, whole: u64) -> Option<f64> {
    mean(part as f64, whole)
}

/// Returns the mean of `count` numbers with that sum; `None` of nothing.
#[expect(clippy::cast_precision_loss, reason = "counts are far below 2^53")]
pub fn mean(total: f64, count: u64) -> Option<f64> {
    (count > 0).then(|| total / count as f64)
}
