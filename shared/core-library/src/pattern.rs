//! Regular expressions, with the syntax of `search`.

use std::sync::{Arc, Mutex, PoisonError};

use dialect::{Failure, Invocation};
use regex::{Regex, RegexBuilder};

use crate::failure::name;
use crate::row::{Code, pure};

/// The maximum size of a compiled pattern, in bytes.
const SIZE: usize = 1 << 20;

pub(crate) fn code() -> Vec<Code> {
    let last = LastPattern::default();
    vec![pure("matches(text, pattern)", move |it| matches(&last, it))]
}

/// A cache of the last pattern, which is often used for each element of a list.
#[derive(Clone, Default)]
struct LastPattern(Arc<Mutex<Option<(String, Regex)>>>);

impl LastPattern {
    fn compiled(&self, pattern: &str) -> Result<Regex, Failure> {
        let mut last = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some((text, regex)) = &*last
            && text == pattern
        {
            return Ok(regex.clone());
        }
        let regex = compile(pattern).map_err(|error| refusal(pattern, &error))?;
        *last = Some((pattern.to_owned(), regex.clone()));
        Ok(regex)
    }
}

fn matches(last: &LastPattern, invocation: &Invocation) -> Result<dialect::Value, Failure> {
    let (text, pattern) = (invocation.arguments.text("text")?, invocation.arguments.text("pattern")?);
    refuse_mistake(pattern)?;
    Ok(last.compiled(pattern)?.is_match(text).into())
}

fn compile(pattern: &str) -> Result<Regex, regex::Error> {
    RegexBuilder::new(pattern).multi_line(true).crlf(true).size_limit(SIZE).dfa_size_limit(SIZE).build()
}

/// Refuses control characters, which come from `\b` or `\f` in a quoted string.
fn refuse_mistake(pattern: &str) -> Result<(), Failure> {
    if pattern.contains(['\u{8}', '\u{c}']) {
        let raw = pattern.replace('\u{8}', r"\b").replace('\u{c}', r"\f");
        let message =
            "the pattern holds a control character: in quotes, \\b is a backspace and \\f a form feed";
        let failure = wrong(message.to_owned());
        return Err(failure.recovery(format!("Between backticks a backslash is a backslash: `{raw}`")));
    }
    Ok(())
}

fn wrong(message: String) -> Failure {
    Failure::thrown(name::WRONG_PATTERN, [("problem", message.into())]).argument("pattern")
}

/// Creates a failure with the place of the error and a replacement.
fn refusal(pattern: &str, error: &regex::Error) -> Failure {
    if let regex::Error::CompiledTooBig(_) = error {
        let message = "the pattern is too big: what it repeats, it holds as often".to_owned();
        return wrong(message).recovery("Repeat less: `+` instead of `{1,1000}`.");
    }
    let (place, cause) = match regex_syntax::parse(pattern) {
        Err(regex_syntax::Error::Parse(error)) => (Some(error.span().start), error.kind().to_string()),
        Err(regex_syntax::Error::Translate(error)) => (Some(error.span().start), error.kind().to_string()),
        _ => (None, error.to_string()),
    };
    let place = place.map_or(String::new(), |it| match it.line {
        1 => format!(" at character {}", it.column),
        line => format!(" at line {line}, character {}", it.column),
    });
    let message = format!("the pattern `{pattern}` is no regular expression{place}: {cause}");
    wrong(message).recovery(advice(pattern, &cause))
}

fn advice(pattern: &str, cause: &str) -> String {
    if cause.contains("look-around") || cause.contains("backreferences") {
        return "Look-around and backreferences are not supported: match the plain parts, joined by `&&` and `!`.".to_owned();
    }
    format!("To match this very text: contains(text, {})", quoted(pattern))
}

fn quoted(pattern: &str) -> String {
    if pattern.contains('`') { dialect::show(&pattern) } else { format!("`{pattern}`") }
}

/// Returns `true` if a literal text would match as a pattern.
pub(crate) fn would_match(text: &str, pattern: &str) -> bool {
    pattern.contains(['\\', '[', '(', '*', '+', '^', '$', '|', '?'])
        && compile(pattern).is_ok_and(|it| it.is_match(text))
}
