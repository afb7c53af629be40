//! Parts and combinations of lists.

use dialect::{Failure, Interrupt, Invocation, Limit, Value};

use crate::arguments::{self, Sequence, sequence, whole};
use crate::failure::{too_big, wrong, wrong_argument};
use crate::row::{Code, Computed, calling, pure};

pub(crate) fn code() -> Vec<Code> {
    vec![
        calling("count(list, f?)", count),
        pure("take(list, count)", take),
        pure("drop(list, count)", drop),
        pure("first(list)", |it| Ok(it.arguments.list("list")?.first().cloned().unwrap_or_default())),
        pure("last(list)", |it| Ok(it.arguments.list("list")?.last().cloned().unwrap_or_default())),
        pure("reverse(list)", |it| {
            Ok(Value::List(it.arguments.list("list")?.iter().rev().cloned().collect()))
        }),
        pure("flatten(list)", flatten),
        pure("range(start, end?, step?)", range),
    ]
}

async fn count(invocation: Invocation) -> Result<Value, Interrupt> {
    let list = arguments::value(&invocation, "list");
    let count = match (list, arguments::function(&invocation, "f")) {
        (Value::List(items), Some(f)) => {
            f.call_each(items).await?.iter().filter(|it| **it == Value::Bool(true)).count()
        }
        (found, Some(_)) => {
            return Err(wrong_argument("count", "list", "a list, with a function", found).into());
        }
        (Value::List(items), None) => items.len(),
        (Value::Text(text), None) => {
            invocation.work.spend(text.len())?;
            text.chars().count()
        }
        (Value::Object(fields), None) => fields.len(),
        (found, None) => {
            return Err(wrong_argument("count", "list", "a list, a string or an object", found).into());
        }
    };
    Ok(Value::Number(count.into()))
}

/// Returns the number of elements before the cut; a negative `count` counts from the end.
fn cut(length: usize, count: i64) -> usize {
    let distance = usize::try_from(count.unsigned_abs()).unwrap_or(usize::MAX);
    if count < 0 { length.saturating_sub(distance) } else { distance.min(length) }
}

fn take(invocation: &Invocation) -> Computed {
    split("take", invocation, |count| count >= 0)
}

fn drop(invocation: &Invocation) -> Computed {
    split("drop", invocation, |count| count < 0)
}

/// Returns the part before the cut or behind it.
fn split(function: &str, invocation: &Invocation, before: fn(i64) -> bool) -> Computed {
    let sequence = sequence(function, invocation)?;
    let count = whole(function, invocation, "count")?.unwrap_or_default();
    match sequence {
        Sequence::List(items) => {
            let (head, tail) = items.split_at(cut(items.len(), count));
            Ok(if before(count) { head } else { tail }.to_vec().into())
        }
        Sequence::Text(text) => {
            invocation.work.spend(text.len())?;
            let at = cut(text.chars().count(), count);
            let end = text.char_indices().nth(at).map_or(text.len(), |(offset, _)| offset);
            let (head, tail) = text.split_at(end);
            Ok(if before(count) { head } else { tail }.into())
        }
    }
}

fn flatten(invocation: &Invocation) -> Computed {
    let mut flat = Vec::new();
    check_length(invocation)?;
    for item in invocation.arguments.list("list")? {
        match item {
            Value::List(items) => flat.extend(items.iter().cloned()),
            item => flat.push(item.clone()),
        }
    }
    Ok(flat.into())
}

/// Refuses to make a list that is too long. The elements alone would take much memory.
fn check_length(invocation: &Invocation) -> Result<(), Failure> {
    let at_most = invocation.limits.list_length;
    let lengths = invocation.arguments.list("list")?.iter().map(|it| it.as_list().map_or(1, <[Value]>::len));
    if lengths.sum::<usize>() <= at_most { Ok(()) } else { Err(too_big(Limit::ListLength, at_most)) }
}

fn range(invocation: &Invocation) -> Computed {
    let start = whole("range", invocation, "start")?.unwrap_or_default();
    let (start, end) = match whole("range", invocation, "end")? {
        Some(end) => (start, end),
        None => (0, start),
    };
    let step = whole("range", invocation, "step")?.unwrap_or(1);
    if step == 0 {
        return Err(wrong("range", "step", "a whole number but 0", "0"));
    }
    let (start, end, step) = (i128::from(start), i128::from(end), i128::from(step));
    let count = ((end - start).unsigned_abs()).div_ceil(step.unsigned_abs());
    let count = if (end - start).signum() == step.signum() { count } else { 0 };
    let at_most = invocation.limits.list_length;
    let count = usize::try_from(count).ok().filter(|it| *it <= at_most);
    let count = count.ok_or_else(|| too_big(Limit::ListLength, at_most))?;
    let number = |index: usize| {
        let number = i128::try_from(index).expect("an index is small") * step + start;
        Value::Number(i64::try_from(number).expect("it is between start and end").into())
    };
    Ok(Value::List((0..count).map(number).collect()))
}
