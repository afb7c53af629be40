//! Methods of texts.

use dialect::{Failure, Function, Invocation, Value};

use super::row::{pure, range, whole};
use crate::run::halt::mistake;

/// The most bytes of a text that `repeat` makes.
const LONGEST: usize = 16 << 20;

pub(super) fn rows() -> Vec<Function> {
    vec![
        pure(
            "Text.indexOf(text: string, part: string) -> number",
            "Returns where a part starts, -1 without it as in TypeScript; Dialect has no such function.",
            index_of,
        ),
        pure(
            "Text.slice(text: string, start?: int, end?: int) -> string",
            "Returns the characters from start to before end; Dialect writes `drop` and `take`.",
            |it| part(it, range),
        ),
        pure(
            "Text.substring(text: string, start: int, end?: int) -> string",
            "Returns the characters between two places; a negative one is 0, as in TypeScript.",
            |it| part(it, between),
        ),
        pure(
            "Text.replace(text: string, part: string, by: string) -> string",
            "Replaces the first occurrence, as in TypeScript; Dialect replaces each, as `replaceAll` does.",
            |it| {
                let [text, part, by] = [text(it)?, it.arguments.text("part")?, it.arguments.text("by")?];
                it.work.spend(text.len())?;
                it.work.check_room(text.len().saturating_add(by.len()))?;
                Ok(text.replacen(part, by, 1).into())
            },
        ),
        pure(
            "Text.repeat(text: string, times: int.min(0)) -> string",
            "Repeats the text; Dialect has no such function.",
            repeat,
        ),
    ]
}

fn text(invocation: &Invocation) -> Result<&str, Failure> {
    invocation.arguments.text("text")
}

fn index_of(invocation: &Invocation) -> Result<Value, Failure> {
    let (text, part) = (text(invocation)?, invocation.arguments.text("part")?);
    invocation.work.spend(text.len())?;
    let found = text.find(part).map(|at| text[..at].chars().count());
    Ok(found.map_or_else(|| Value::Number((-1).into()), Value::from))
}

/// Returns the characters in a range of their number.
fn part(
    invocation: &Invocation,
    range: fn(&Invocation, usize) -> Result<std::ops::Range<usize>, Failure>,
) -> Result<Value, Failure> {
    let text = text(invocation)?;
    invocation.work.spend(text.len())?;
    let range = range(invocation, text.chars().count())?;
    Ok(text.chars().skip(range.start).take(range.len()).collect::<String>().into())
}

/// Returns the range between two places in either order.
fn between(invocation: &Invocation, length: usize) -> Result<std::ops::Range<usize>, Failure> {
    let at = |number: Option<i64>, otherwise: usize| {
        number.map_or(otherwise, |it| usize::try_from(it.max(0)).map_or(length, |it| it.min(length)))
    };
    let (start, end) = (at(whole(invocation, "start")?, 0), at(whole(invocation, "end")?, length));
    Ok(start.min(end)..start.max(end))
}

fn repeat(invocation: &Invocation) -> Result<Value, Failure> {
    let (text, times) = (text(invocation)?, whole(invocation, "times")?.unwrap_or_default());
    let times = usize::try_from(times).unwrap_or_default();
    match times.checked_mul(text.len()) {
        Some(bytes) if bytes <= LONGEST => {
            invocation.work.check_room(bytes)?;
            Ok(text.repeat(times).into())
        }
        _ => Err(mistake(format!("the text would have more than {LONGEST} bytes"))),
    }
}
