//! Contradictions between refinements.

use super::known::number_argument;
use crate::names::Shape;
use crate::syntax::Refinement;

/// A range of values. Its bounds are inclusive, unless they are open.
struct Interval {
    low: f64,
    high: f64,
    is_low_open: bool,
    is_high_open: bool,
    is_whole: bool,
}

impl Interval {
    fn at_least(&mut self, low: f64, is_open: bool) {
        if low > self.low || low == self.low && is_open {
            (self.low, self.is_low_open) = (low, is_open);
        }
    }

    fn at_most(&mut self, high: f64, is_open: bool) {
        if high < self.high || high == self.high && is_open {
            (self.high, self.is_high_open) = (high, is_open);
        }
    }

    fn is_empty(&self) -> bool {
        let (mut low, mut high) = (self.low, self.high);
        let (mut is_low_open, mut is_high_open) = (self.is_low_open, self.is_high_open);
        if self.is_whole {
            low = if is_low_open && low.fract() == 0.0 { low + 1.0 } else { low.ceil() };
            high = if is_high_open && high.fract() == 0.0 { high - 1.0 } else { high.floor() };
            (is_low_open, is_high_open) = (false, false);
        }
        low > high || low == high && (is_low_open || is_high_open)
    }
}

/// Returns `true` if no value satisfies all refinements.
pub(super) fn is_contradictory(shape: &Shape<'_, '_>, refinements: &[&Refinement]) -> bool {
    match shape {
        Shape::Number { integer } => numbers(*integer, refinements).is_empty(),
        Shape::Text => sizes(refinements, "minLength", "maxLength").is_empty(),
        Shape::List(_) | Shape::AnyList | Shape::Dict(_) => {
            sizes(refinements, "minItems", "maxItems").is_empty()
        }
        _ => false,
    }
}

fn numbers(integer: bool, refinements: &[&Refinement]) -> Interval {
    let mut interval = Interval {
        low: f64::MIN,
        high: f64::MAX,
        is_low_open: false,
        is_high_open: false,
        is_whole: integer,
    };
    for refinement in refinements {
        match (refinement.name.text.as_str(), number_argument(refinement)) {
            ("min", Some(low)) => interval.at_least(low, false),
            ("max", Some(high)) => interval.at_most(high, false),
            ("positive", _) => interval.at_least(0.0, true),
            ("negative", _) => interval.at_most(0.0, true),
            ("integer", _) => interval.is_whole = true,
            _ => {}
        }
    }
    interval
}

fn sizes(refinements: &[&Refinement], min: &str, max: &str) -> Interval {
    let mut interval =
        Interval { low: 0.0, high: f64::MAX, is_low_open: false, is_high_open: false, is_whole: true };
    for refinement in refinements {
        match (refinement.name.text.as_str(), number_argument(refinement)) {
            ("nonEmpty", _) => interval.at_least(1.0, false),
            (name, Some(low)) if name == min => interval.at_least(low, false),
            (name, Some(high)) if name == max => interval.at_most(high, false),
            _ => {}
        }
    }
    interval
}
