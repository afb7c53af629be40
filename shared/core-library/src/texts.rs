//! Texts.

use std::borrow::Cow;

use dialect::{Failure, Invocation, Limit, Value, show};
use source_text::shorten;

use crate::arguments::value;
use crate::failure::{name, too_big, wrong_argument, wrong_element};
use crate::pattern;
use crate::row::{Code, Computed, pure};

pub(crate) fn code() -> Vec<Code> {
    vec![
        pure("join(list, separator)", join),
        pure("split(text, separator?)", split),
        pure("replace(text, part, by, regex?)", replace),
        pure("startsWith(text, part)", |it| compare_part(it, |text, part| text.starts_with(part))),
        pure("endsWith(text, part)", |it| compare_part(it, |text, part| text.ends_with(part))),
        pure("lower(text)", |it| Ok(cased(it)?.to_lowercase().into())),
        pure("upper(text)", |it| Ok(cased(it)?.to_uppercase().into())),
        pure("trim(text)", |it| {
            let text = it.arguments.text("text")?;
            it.work.spend(text.len())?;
            Ok(text.trim().into())
        }),
        pure("toText(value)", to_text),
    ]
}

/// Returns a text whose case is changed, which may make it longer.
fn cased(invocation: &Invocation) -> Result<&str, Failure> {
    /// The most bytes of one byte in another case.
    const LONGER: usize = 3;
    let text = invocation.arguments.text("text")?;
    invocation.work.check_room(text.len().saturating_mul(LONGER))?;
    Ok(text)
}

/// Compares a part of a text with a place of it.
fn compare_part(invocation: &Invocation, is_there: fn(&str, &str) -> bool) -> Computed {
    let (text, part) = (invocation.arguments.text("text")?, invocation.arguments.text("part")?);
    invocation.work.spend(text.len().min(part.len()))?;
    Ok(is_there(text, part).into())
}

fn join(invocation: &Invocation) -> Computed {
    let (list, separator) = (invocation.arguments.list("list")?, invocation.arguments.text("separator")?);
    // Each element is shown, and then copied.
    invocation.work.spend(value(invocation, "list").bytes().saturating_mul(4))?;
    let mut parts: Vec<Cow<'_, str>> = Vec::with_capacity(list.len());
    for (index, item) in list.iter().enumerate() {
        parts.push(match item {
            Value::Text(text) => (&**text).into(),
            Value::Number(_) | Value::Bool(_) => show(item).into(),
            found => {
                let failure = wrong_element("join", "strings, numbers and booleans", index, found);
                return Err(
                    failure.recovery("Make strings of them: list.map(x => toText(x)).join(…), or x.name")
                );
            }
        });
    }
    let length = parts.iter().map(|it| it.len() + separator.len()).sum::<usize>();
    invocation.work.check_room(length)?;
    Ok(parts.join(separator).into())
}

fn split(invocation: &Invocation) -> Computed {
    let text = invocation.arguments.text("text")?;
    check_parts(invocation, text)?;
    let parts: Vec<Value> = match value(invocation, "separator") {
        Value::Text(separator) if separator.is_empty() => {
            text.chars().map(|it| it.to_string().into()).collect()
        }
        Value::Text(separator) => text.split(&**separator).map(Value::from).collect(),
        _ => text.split_whitespace().map(Value::from).collect(),
    };
    Ok(parts.into())
}

fn replace(invocation: &Invocation) -> Computed {
    let arguments = &invocation.arguments;
    let (text, part, by) = (arguments.text("text")?, arguments.text("part")?, arguments.text("by")?);
    if part.is_empty() {
        return Err(Failure::thrown(name::EMPTY_PART, []).argument("part"));
    }
    if arguments.get("regex") == Some(&Value::Bool(true)) {
        return pattern::replaced(invocation, text, part, by);
    }
    invocation.work.spend(searched(text))?;
    let count = text.matches(part).count();
    if count == 0 && pattern::would_match(&invocation.work, text, part)? {
        invocation.notes.add(format!(
            "`replace` takes its part literally, and there is no {}; with regex=true it is a pattern, which matches.",
            shown_part(part)
        ));
    }
    invocation.work.check_room(text.len().saturating_add(count.saturating_mul(by.len())))?;
    Ok(text.replace(part, by).into())
}

/// Returns the work of searching a text, in bytes that are looked at.
pub(crate) fn searched(text: &str) -> usize {
    text.len().saturating_mul(8)
}

/// Returns the part for a sentence about it.
fn shown_part(part: &str) -> String {
    const LONGEST: usize = 200;
    format!("`{}`", shorten(part, LONGEST))
}

/// Refuses to split a text into more parts than a list has, which would take much memory.
fn check_parts(invocation: &Invocation, text: &str) -> Result<(), Failure> {
    invocation.work.spend(searched(text))?;
    let count = match value(invocation, "separator") {
        Value::Text(separator) if separator.is_empty() => text.chars().count(),
        Value::Text(separator) => text.matches(&**separator).count() + 1,
        _ => text.split_whitespace().count(),
    };
    let at_most = invocation.limits.list_length;
    if count <= at_most { Ok(()) } else { Err(too_big(Limit::ListLength, at_most)) }
}

fn to_text(invocation: &Invocation) -> Computed {
    match value(invocation, "value") {
        text @ Value::Text(_) => Ok(text.clone()),
        found @ Value::Function(_) => Err(wrong_argument("toText", "value", "data", found)),
        other => {
            invocation.work.check_room(other.bytes())?;
            Ok(show(other).into())
        }
    }
}
