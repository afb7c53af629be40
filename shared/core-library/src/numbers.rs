//! Numbers.

use dialect::{Failure, FailureKind, Invocation, Value};
use serde_json::Number;

use crate::arguments::value;
use crate::failure::wrong_element;
use crate::row::{Code, Computed, pure};

pub(crate) fn code() -> Vec<Code> {
    vec![
        pure("sum(list)", sum),
        pure("toNumber(value)", |it| Ok(value(it, "value").clone())),
        pure("truncate(value)", truncate),
    ]
}

fn truncate(invocation: &Invocation) -> Computed {
    /// The bound below which an integer fits 64 bits.
    const INTEGERS: f64 = 9e18;
    let found = value(invocation, "value");
    let Value::Number(number) = found else { return Ok(found.clone()) };
    // An integer is exact, also where no float is.
    let float = number.as_f64().filter(|_| number.is_f64()).map(f64::trunc);
    #[expect(clippy::cast_possible_truncation, reason = "within the integers")]
    let integer = float.filter(|it| it.abs() < INTEGERS).map(|it| Number::from(it as i64));
    Ok(integer.map_or_else(|| found.clone(), Value::Number))
}

fn sum(invocation: &Invocation) -> Computed {
    let list = invocation.arguments.list("list")?;
    invocation.work.spend(value(invocation, "list").bytes())?;
    let mut integers = Some(0_i128);
    let mut floats = 0.0;
    for (index, item) in list.iter().enumerate() {
        let Value::Number(number) = item else {
            let recovery = match item {
                Value::Text(_) => "If they spell numbers: sum(list.map(x => toNumber(x)))",
                Value::List(_) => "To count what is in them: sum(list.map(x => x.length))",
                _ => "Name a number of each: sum(list.map(x => …))",
            };
            return Err(wrong_element("sum", "numbers", index, item).recovery(recovery));
        };
        let both = integers.zip(number.as_i128());
        integers = both.and_then(|(sum, number)| sum.checked_add(number));
        floats += number.as_f64().expect("every number is a float, if not exactly");
    }
    let whole = integers.map(|sum| {
        let signed = i64::try_from(sum).ok().map(Number::from);
        signed.or_else(|| u64::try_from(sum).ok().map(Number::from))
    });
    let sum = whole.unwrap_or_else(|| Number::from_f64(floats));
    sum.map(Value::Number).ok_or_else(|| Failure::from(FailureKind::DoesNotFit).argument("list"))
}
