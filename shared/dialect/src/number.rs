//! Numbers, compared and calculated mathematically, whatever their spelling.

use std::cmp::Ordering;

use serde_json::Number;

/// Compares two numbers mathematically, also integers that floats cannot represent.
pub(crate) fn compare(left: &Number, right: &Number) -> Ordering {
    match (integer(left), integer(right)) {
        (Some(left), Some(right)) => left.cmp(&right),
        (Some(left), None) => compare_float(left, float(right)),
        (None, Some(right)) => compare_float(right, float(left)).reverse(),
        (None, None) => float(left).partial_cmp(&float(right)).expect("numbers are finite"),
    }
}

/// Compares an integer with a float that has a fraction, or is beyond all integers.
fn compare_float(integer: i128, float: f64) -> Ordering {
    #[expect(clippy::cast_possible_truncation, reason = "saturates, which keeps the order")]
    let floor = float.floor() as i128;
    if integer <= floor { Ordering::Less } else { Ordering::Greater }
}

/// Returns the number as an integer if it is one, `3.0` included.
pub(crate) fn integer(number: &Number) -> Option<i128> {
    if let Some(integer) = number.as_i128() {
        return Some(integer);
    }
    let float = float(number);
    #[expect(clippy::cast_possible_truncation, reason = "within i128")]
    (float.fract() == 0.0 && float.abs() < 1e38).then_some(float as i128)
}

fn float(number: &Number) -> f64 {
    number.as_f64().expect("every number is a float, if not exactly")
}

/// Returns `true` if a number is a multiple of `step`, both as they are written in decimal digits.
pub(crate) fn is_multiple(number: &Number, step: &Number) -> bool {
    let (Some((number, exponent)), Some((step, least))) = (decimal(number), decimal(step)) else {
        return false;
    };
    if step == 0 || number == 0 {
        return step != 0;
    }
    let by = exponent - least;
    if by >= 0 {
        // Of a power of ten only the rest counts.
        return (0..by).fold(number % step, |rest, _| rest * 10 % step) == 0;
    }
    let power = (0..-by).try_fold(step, |step: u128, _| step.checked_mul(10));
    power.is_some_and(|step| number % step == 0)
}

/// Returns the digits of a number without its sign, and the power of ten by which they are to be multiplied.
fn decimal(number: &Number) -> Option<(u128, i32)> {
    let written = number.to_string();
    let (digits, exponent) = written.split_once(['e', 'E']).unwrap_or((&written, "0"));
    let (whole, fraction) =
        digits.trim_start_matches('-').split_once('.').unwrap_or((digits.trim_start_matches('-'), ""));
    let fraction = fraction.trim_end_matches('0');
    let value = format!("{whole}{fraction}").parse().ok()?;
    Some((value, exponent.parse::<i32>().ok()?.checked_sub(i32::try_from(fraction.len()).ok()?)?))
}

pub(crate) fn negate(number: &Number) -> Option<Number> {
    match number.as_i128() {
        Some(integer) => of_integer(-integer),
        None => Number::from_f64(-float(number)),
    }
}

/// Returns the result, or `None` if it does not fit or divides by zero.
pub(crate) fn calculate(operator: &str, left: &Number, right: &Number) -> Option<Number> {
    match (left.as_i128(), right.as_i128()) {
        (Some(left), Some(right)) => calculate_integers(operator, left, right),
        _ => {
            let (left, right) = (float(left), float(right));
            Number::from_f64(match operator {
                "+" => left + right,
                "-" => left - right,
                "*" => left * right,
                "/" => left / right,
                _ => left % right,
            })
        }
    }
}

fn calculate_integers(operator: &str, left: i128, right: i128) -> Option<Number> {
    match operator {
        "+" => of_integer(left.checked_add(right)?),
        "-" => of_integer(left.checked_sub(right)?),
        "*" => of_integer(left.checked_mul(right)?),
        "/" if left.checked_rem(right)? == 0 => of_integer(left / right),
        #[expect(clippy::cast_precision_loss, reason = "a fraction is a float")]
        "/" => Number::from_f64(left as f64 / right as f64),
        _ => of_integer(left.checked_rem(right)?),
    }
}

/// Returns the number if it fits 64 bits.
fn of_integer(integer: i128) -> Option<Number> {
    let signed = i64::try_from(integer).ok().map(Number::from);
    signed.or_else(|| u64::try_from(integer).ok().map(Number::from))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn number(text: &str) -> Number {
        text.parse().unwrap()
    }

    #[test]
    fn order_is_exact_where_floats_are_not() {
        let ascending = [
            "-1e300",
            "-2.5",
            "-2",
            "0",
            "0.5",
            "1",
            "9007199254740992",
            "9007199254740993",
            "18446744073709551615",
            "1e300",
        ];
        for (index, left) in ascending.iter().enumerate() {
            for (other, right) in ascending.iter().enumerate() {
                assert_eq!(compare(&number(left), &number(right)), index.cmp(&other), "{left} and {right}");
            }
        }
        assert_eq!(compare(&number("3"), &number("3.0")), Ordering::Equal);
        assert_eq!(compare(&number("-0.0"), &number("0")), Ordering::Equal);
    }

    #[test]
    fn multiples_are_those_of_the_digits() {
        for (value, step, expected) in [
            ("5000000.005", "0.01", false),
            ("4999999.005", "0.01", false),
            ("5000000.01", "0.01", true),
            ("19.99", "0.01", true),
            ("4.35", "0.01", true),
            ("-0.07", "0.01", true),
            ("0.075", "0.01", false),
            ("0", "0.01", true),
            ("1", "0", false),
            ("0", "0", false),
            ("7.5", "-2.5", true),
            ("30.0", "3", true),
            ("1e300", "3", false),
            ("1e300", "8", true),
            ("1e-300", "1e-301", true),
            ("1e-301", "1e-300", false),
            ("18446744073709551615", "5", true),
            ("18446744073709551615", "18446744073709551614", false),
        ] {
            assert_eq!(is_multiple(&number(value), &number(step)), expected, "{value} of {step}");
        }
    }

    #[test]
    fn what_does_not_fit_is_no_number() {
        for (left, operator, right) in [
            ("18446744073709551615", "+", "1"),
            ("-9223372036854775808", "-", "1"),
            ("1", "/", "0"),
            ("1.5", "/", "0"),
            ("1", "%", "0"),
            ("1e308", "*", "10"),
        ] {
            assert_eq!(calculate(operator, &number(left), &number(right)), None, "{left} {operator} {right}");
        }
        assert_eq!(calculate("/", &number("4"), &number("2")), Some(number("2")));
        assert_eq!(calculate("/", &number("5"), &number("2")), Some(number("2.5")));
    }
}
