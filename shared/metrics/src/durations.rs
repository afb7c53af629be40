//! Durations of many calls in bounded memory.

use hdrhistogram::Histogram;

use crate::mean;

/// Durations in milliseconds. Quantiles are exact to a thousandth.
#[derive(Clone, Debug)]
pub struct Durations {
    /// In microseconds.
    buckets: Histogram<u64>,
    count: u64,
    total: f64,
    longest: f64,
}

impl Default for Durations {
    fn default() -> Self {
        let buckets = Histogram::new(3).expect("three digits are allowed");
        Self { buckets, count: 0, total: 0.0, longest: 0.0 }
    }
}

impl Durations {
    /// Adds one call.
    pub fn record(&mut self, milliseconds: f64) {
        self.add(1, milliseconds, milliseconds, &[milliseconds], 1);
    }

    /// Adds `count` calls of `total` milliseconds together, some of which took `sampled`. Each of these stands for
    /// `each`.
    pub fn add(&mut self, count: u64, total: f64, longest: f64, sampled: &[f64], each: u64) {
        for milliseconds in sampled {
            // Fails only without memory for another bucket; then the quantiles lack one sample.
            let _ = self.buckets.record_n(microseconds(*milliseconds), each);
        }
        self.count += count;
        self.total += total;
        self.longest = self.longest.max(longest);
    }

    /// Returns the number of calls.
    pub fn count(&self) -> u64 {
        self.count
    }

    /// Returns the sum of all durations in milliseconds.
    pub fn total(&self) -> f64 {
        self.total
    }

    /// Returns the longest duration in milliseconds; `None` without durations.
    pub fn longest(&self) -> Option<f64> {
        (self.count > 0).then_some(self.longest)
    }

    /// Returns the duration in milliseconds that this part of the calls did not exceed; `None` without durations.
    pub fn quantile(&self, part: f64) -> Option<f64> {
        #[expect(clippy::cast_precision_loss, reason = "microseconds are far below 2^53")]
        let milliseconds = || self.buckets.value_at_quantile(part) as f64 / 1_000.0;
        (!self.buckets.is_empty()).then(|| milliseconds().min(self.longest))
    }

    /// Returns the mean duration in milliseconds; `None` without durations.
    pub fn mean(&self) -> Option<f64> {
        mean(self.total, self.count)
    }

    /// Returns durations in milliseconds with the number of calls that took about as long.
    pub fn buckets(&self) -> impl Iterator<Item = (f64, u64)> {
        #[expect(clippy::cast_precision_loss, reason = "microseconds are far below 2^53")]
        let each = |it: hdrhistogram::iterators::IterationValue<u64>| {
            (it.value_iterated_to() as f64 / 1_000.0, it.count_at_value())
        };
        self.buckets.iter_recorded().map(each)
    }
}

fn microseconds(milliseconds: f64) -> u64 {
    const LONGEST: f64 = 1e15; // what a broken line could claim; a year has 3e13
    #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "it is in these bounds")]
    let microseconds = (milliseconds * 1_000.0).clamp(0.0, LONGEST).round() as u64;
    microseconds
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn quantiles_are_those_of_all_calls() {
        let mut durations = Durations::default();
        assert_eq!((durations.quantile(0.5), durations.mean()), (None, None));
        let each: Vec<f64> = (1..=100).map(|it| f64::from(it) / 10.0).collect();
        durations.add(100, each.iter().sum(), 10.0, &each, 1);
        durations.add(100, 100_000.0, 1_500.0, &[1_000.0], 100);
        let about = |part: f64, expected: f64| {
            let found = durations.quantile(part).unwrap();
            assert!((found - expected).abs() <= expected / 1_000.0, "{found} is not {expected}");
        };
        about(0.25, 5.0);
        about(0.95, 1_000.0);
        assert_eq!((durations.longest(), durations.mean()), (Some(1_500.0), Some(502.525)));
    }
}
