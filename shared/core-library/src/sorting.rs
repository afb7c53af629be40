//! Sorting, minimum and maximum.

use std::cmp::Ordering;

use dialect::{Failure, Interrupt, Invocation, List, Value};

use crate::arguments;
use crate::failure::{wrong_element, wrong_result};
use crate::order::{Unordered, compare, ordered};
use crate::row::{Code, Computed, calling, pure};

pub(crate) fn code() -> Vec<Code> {
    vec![
        pure("sort(list, descending?)", sort),
        calling("sortBy(list, f, descending?)", sort_by),
        calling("min(list, f?)", |it| extreme("min", Ordering::Less, it)),
        calling("max(list, f?)", |it| extreme("max", Ordering::Greater, it)),
    ]
}

fn sort(invocation: &Invocation) -> Computed {
    let list = invocation.arguments.list("list")?;
    spend(invocation, list.len(), arguments::value(invocation, "list"))?;
    check("sort", list, list)?;
    Ok(sorted(list, list, arguments::flag(invocation, "descending")))
}

async fn sort_by(invocation: Invocation) -> Result<Value, Interrupt> {
    let (list, f) = (invocation.arguments.list("list")?, invocation.arguments.function("f")?);
    let keys = List::from(f.call_each(list).await?);
    spend(&invocation, list.len(), &Value::List(keys.clone()))?;
    check("sortBy", list, &keys)?;
    Ok(sorted(list, &keys, arguments::flag(&invocation, "descending")))
}

/// Counts the work of sorting: each key is compared with the logarithm of their number.
fn spend(invocation: &Invocation, length: usize, keys: &Value) -> Result<(), Failure> {
    let comparisons = length.checked_ilog2().unwrap_or_default() as usize + 2;
    invocation.work.spend(keys.bytes().saturating_mul(comparisons))
}

/// Sorts elements by their keys.
fn sorted(list: &[Value], keys: &[Value], descending: bool) -> Value {
    let mut both: Vec<(&Value, &Value)> = keys.iter().zip(list).collect();
    both.sort_by(|(left, _), (right, _)| {
        let order = compare(left, right);
        if descending { order.reverse() } else { order }
    });
    Value::List(both.into_iter().map(|(_, item)| item.clone()).collect())
}

async fn extreme(
    function: &'static str,
    wanted: Ordering,
    invocation: Invocation,
) -> Result<Value, Interrupt> {
    let list = invocation.arguments.list("list")?;
    let keys = match arguments::function(&invocation, "f") {
        Some(f) => f.call_each(list).await?,
        None => list.to_vec(),
    };
    let keys = List::from(keys);
    invocation.work.spend(Value::List(keys.clone()).bytes().saturating_mul(2))?;
    check(function, list, &keys)?;
    let mut best = 0;
    for index in 1..keys.len() {
        if compare(&keys[index], &keys[best]) == wanted {
            best = index;
        }
    }
    Ok(list.get(best).cloned().unwrap_or_default())
}

/// Refuses keys without an order; without a function the elements are the keys.
fn check(function: &str, list: &[Value], keys: &[Value]) -> Result<(), Failure> {
    let Err(unordered) = ordered(keys) else { return Ok(()) };
    let by_element = std::ptr::eq(list, keys) || list == keys;
    let (index, wanted) = match unordered {
        Unordered::Element(index) => (index, "numbers, strings, booleans, or lists of them"),
        Unordered::Kind(index) => (index, "values of one kind"),
    };
    let recovery = match (&keys[index], by_element) {
        (Value::Null, _) => format!("Say where null goes: {}, x => x ?? …)", called(function)),
        (Value::Object(_) | Value::Record(_), true) => {
            format!("Say by what: {}, x => x.…)", called(function))
        }
        _ => format!("Make them alike: {}, x => toNumber(x)), or toText(x)", called(function)),
    };
    let refusal = if by_element { wrong_element } else { wrong_result };
    Err(refusal(function, wanted, index, &keys[index]).recovery(recovery))
}

fn called(function: &str) -> String {
    let function = if function == "sort" { "sortBy" } else { function };
    format!("{function}(list")
}
