//! Floats as JSON numbers.

use serde_json::Number;

/// Converts a float to a number of JSON, to an integer if it is whole; `None` if it is not finite.
pub fn number(value: f64) -> Option<Number> {
    const EXACT: f64 = 9_007_199_254_740_992.0;
    #[expect(clippy::cast_possible_truncation, reason = "it is whole, and small enough to be exact")]
    if value.fract() == 0.0 && value.abs() < EXACT {
        return Some(Number::from(value as i64));
    }
    Number::from_f64(value)
}
