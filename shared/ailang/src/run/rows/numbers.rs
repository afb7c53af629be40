//! Functions of numbers.

use dialect::{Failure, Function, Invocation, Value};

use super::row::{further, pure};
use crate::run::halt::mistake;

/// A function of one number: its name, its summary and its code.
type OfOne = (&'static str, &'static str, fn(f64) -> f64);

/// A function that combines numbers.
type OfSome = (&'static str, &'static str, fn(f64, f64) -> f64);

pub(super) fn rows() -> Vec<Function> {
    let of_one: [OfOne; 5] = [
        ("Math.floor", "Rounds down; Dialect has `truncate`.", f64::floor),
        ("Math.ceil", "Rounds up; Dialect has `truncate`.", f64::ceil),
        ("Math.round", "Rounds, a half up as in TypeScript; Dialect has `truncate`.", |it| {
            (it + 0.5).floor()
        }),
        ("Math.abs", "Drops the sign; Dialect writes `x < 0 ? -x : x`.", f64::abs),
        ("Math.sqrt", "Returns the square root; Dialect has no such function.", f64::sqrt),
    ];
    let of_one = of_one.map(|(name, summary, code)| {
        pure(&format!("{name}(number: number) -> number"), summary, move |it| {
            value(code(number(it.arguments.get("number"))?))
        })
    });
    let of_some: [OfSome; 2] = [
        ("Math.min", "Returns the smallest of its arguments; Dialect takes a list of them.", f64::min),
        ("Math.max", "Returns the largest of its arguments; Dialect takes a list of them.", f64::max),
    ];
    let of_some = of_some.map(|(name, summary, code)| {
        pure(&format!("{name}(number: number, ...) -> number"), summary, move |it| {
            let first = number(it.arguments.get("number"))?;
            let rest = further(&it.arguments)?.iter().map(|other| number(Some(other)));
            value(rest.collect::<Result<Vec<f64>, _>>()?.into_iter().fold(first, code))
        })
    });
    let power = pure(
        "Math.pow(base: number, exponent: number) -> number",
        "Returns a power; Dialect has no such function.",
        |it: &Invocation| {
            let (base, exponent) = (it.arguments.get("base"), it.arguments.get("exponent"));
            value(number(base)?.powf(number(exponent)?))
        },
    );
    of_one.into_iter().chain(of_some).chain([power]).collect()
}

fn number(given: Option<&Value>) -> Result<f64, Failure> {
    match given {
        Some(Value::Number(number)) => Ok(number.as_f64().unwrap_or_default()),
        _ => Err(mistake("a number is expected here")),
    }
}

/// Returns a number as a value; integers without a fraction.
pub(crate) fn value(number: f64) -> Result<Value, Failure> {
    crate::values::number(number).map(Value::Number).ok_or_else(|| mistake("the number does not fit"))
}
