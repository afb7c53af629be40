//! Checks and coercions of JSON values against types.

mod check;
mod coerce;
mod number;
mod problem;
mod registered;
mod typed;

use check::Check;
use coerce::Coerce;
pub use coerce::{Coerced, Coercion};
use dialect::Type;
pub use number::number;
pub use problem::{MOST_PROBLEMS, Problem};
pub use registered::Values;
use serde_json::Value;

/// Checks a value against a type without registered names. See [`Values::check`].
///
/// # Errors
/// The mismatches.
pub fn check_value(ty: &Type, value: &Value) -> Result<(), Vec<Problem>> {
    Values::default().check(ty, value)
}

impl Values {
    /// Checks a value against a type, including its refinements, without coercion.
    ///
    /// # Errors
    /// The mismatches in the order of the value, at most [`MOST_PROBLEMS`].
    pub fn check(&self, ty: &Type, value: &Value) -> Result<(), Vec<Problem>> {
        let mut problems = Check::new(self).problems(ty, value);
        problems.truncate(MOST_PROBLEMS);
        if problems.is_empty() { Ok(()) } else { Err(problems) }
    }

    /// Coerces a value to a type. A value of the type stays unchanged.
    ///
    /// Texts become numbers and numbers texts; 0, 1 and texts become booleans. A text in another case becomes
    /// the literal that it spells. A single value becomes a list of one, and null for an optional field is
    /// dropped.
    ///
    /// # Errors
    /// The mismatches that remain after coercion, at most [`MOST_PROBLEMS`].
    pub fn coerce(&self, ty: &Type, value: &Value) -> Result<Coerced, Vec<Problem>> {
        Coerce::new(self).coerced(ty, value).map_err(|mut problems| {
            problems.truncate(MOST_PROBLEMS);
            problems
        })
    }
}
