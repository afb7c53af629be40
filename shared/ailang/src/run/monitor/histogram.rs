//! Durations in bounded memory.

use hdrhistogram::Histogram as Buckets;

/// The longest duration that is told apart from longer ones, in microseconds: a day.
const LONGEST: u64 = 24 * 60 * 60 * 1_000_000;

/// The durations of calls. Quantiles are exact to two digits.
#[derive(Clone, Debug)]
pub struct Histogram {
    /// In microseconds.
    buckets: Buckets<u64>,
    total: f64,
    longest: f64,
}

impl Default for Histogram {
    fn default() -> Self {
        let buckets =
            Buckets::new_with_bounds(1, LONGEST, 2).expect("the bounds are in order, and two digits are few");
        Self { buckets, total: 0.0, longest: 0.0 }
    }
}

impl Histogram {
    /// Adds a duration in milliseconds.
    pub fn record(&mut self, milliseconds: f64) {
        #[expect(
            clippy::cast_possible_truncation,
            clippy::cast_sign_loss,
            reason = "saturates, and is not negative"
        )]
        let microseconds = (milliseconds.max(0.0) * 1_000.0).round() as u64;
        self.buckets.saturating_record(microseconds);
        self.total += milliseconds;
        self.longest = self.longest.max(milliseconds);
    }

    /// Returns the sum of all durations, in milliseconds.
    pub fn total(&self) -> f64 {
        self.total
    }

    /// Returns the longest duration, in milliseconds.
    pub fn longest(&self) -> f64 {
        self.longest
    }

    /// Returns the duration in milliseconds that this fraction of the calls did not exceed; 0 without calls.
    pub fn quantile(&self, fraction: f64) -> f64 {
        if self.buckets.is_empty() {
            return 0.0;
        }
        #[expect(clippy::cast_precision_loss, reason = "a day in microseconds is far below 2^53")]
        let milliseconds = self.buckets.value_at_quantile(fraction) as f64 / 1_000.0;
        milliseconds.min(self.longest)
    }
}
