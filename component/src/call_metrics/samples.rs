//! The durations of many calls in little space: all of them, or every n-th.

/// The most durations that are kept. The log keeps them too, so that percentiles over programs can be computed.
const MOST: usize = 64;

/// Durations in milliseconds.
#[derive(Clone, Debug)]
pub(super) struct Samples {
    pub(super) kept: Vec<f64>,
    /// The calls that one of them stands for; a power of two.
    pub(super) each: u64,
    pub(super) seen: u64,
    pub(super) total: f64,
    pub(super) longest: f64,
}

impl Default for Samples {
    fn default() -> Self {
        Self { kept: Vec::new(), each: 1, seen: 0, total: 0.0, longest: 0.0 }
    }
}

impl Samples {
    pub(super) fn add(&mut self, milliseconds: f64) {
        if self.seen.is_multiple_of(self.each) {
            self.kept.push(milliseconds);
        }
        self.seen += 1;
        self.total += milliseconds;
        self.longest = self.longest.max(milliseconds);
        if self.kept.len() > MOST {
            let mut index = 0;
            self.kept.retain(|_| {
                index += 1;
                index % 2 == 1
            });
            self.each *= 2;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn few_are_kept_and_many_are_thinned_evenly() {
        let mut samples = Samples::default();
        (0..5).for_each(|it| samples.add(f64::from(it)));
        assert_eq!((samples.kept.len(), samples.each, samples.seen), (5, 1, 5));
        (5..1_000).for_each(|it| samples.add(f64::from(it)));
        assert_eq!((samples.seen, samples.longest, samples.total), (1_000, 999.0, 499_500.0));
        assert!(samples.kept.len() <= MOST && samples.each == 16, "{samples:?}");
        let expected: Vec<f64> = (0..1_000).step_by(16).map(f64::from).collect();
        assert_eq!(samples.kept, expected);
    }
}
