//! The tightness of the parts of expressions, for what writes programs: a looser part stands in brackets.

use serde_json::Number;

use crate::parse::{is_comparison, precedence};

pub(crate) const LAMBDA: usize = 0;
pub(crate) const CONDITIONAL: usize = 1;
/// The loosest binary operator; the others are up to [`UNARY`].
pub(crate) const OPERATORS: usize = 2;
/// An operand of a comparison.
const COMPARED: usize = OPERATORS + 5;
pub(crate) const UNARY: usize = 20;
pub(crate) const MEMBER: usize = 21;
pub(crate) const WHOLE: usize = 22;

/// Returns the tightness of a binary operation.
pub(crate) fn of_operator(operator: &str) -> usize {
    OPERATORS + precedence(operator).unwrap_or(0)
}

/// Returns what the left and the right operand have to be at least.
pub(crate) fn of_operands(operator: &str) -> (usize, usize) {
    let own = of_operator(operator);
    if is_comparison(operator) { (COMPARED, COMPARED) } else { (own, own + 1) }
}

/// Returns the tightness of a number. One below zero starts with an operator.
pub(crate) fn of_number(number: &Number) -> usize {
    if number.to_string().starts_with('-') { UNARY } else { WHOLE }
}
