//! Regular expressions, with the syntax of `search`.

use std::sync::{Arc, Mutex};

use unpoisoned::lock;

use dialect::{Failure, Invocation, Work};
use regex::{Regex, RegexBuilder};
use regex_syntax::ParserBuilder;
use regex_syntax::hir::{Class, Hir, HirKind};

use crate::failure::name;
use crate::row::{Code, pure};

/// The maximum size of a compiled pattern, in bytes.
const SIZE: usize = 1 << 20;

/// The maximum size of a pattern as it is written, in bytes.
const LENGTH: usize = 1 << 14;

/// The work of compiling a part of a pattern, in bytes that are looked at.
const COMPILING: usize = 20 << 10;

/// The parts after which a pattern is too big at the latest, so that no more are compiled.
const COMPILED: usize = 1 << 14;

/// The most parts that a class of characters counts for.
const CLASS: usize = 16;

pub(crate) fn code() -> Vec<Code> {
    let last = LastPattern::default();
    vec![pure("matches(text, pattern)", move |it| matches(&last, it))]
}

/// A cache of the last pattern, which is often used for each element of a list.
#[derive(Clone, Default)]
struct LastPattern(Arc<Mutex<Option<(String, Compiled)>>>);

/// A pattern, and the number of its parts.
#[derive(Clone)]
struct Compiled {
    regex: Regex,
    parts: usize,
}

impl Compiled {
    /// Counts the work before it is done: at worst, each part is tried at each byte.
    fn is_match(&self, work: &Work, text: &str) -> Result<bool, Failure> {
        work.spend(text.len().saturating_mul(self.parts.max(1)))?;
        Ok(self.regex.is_match(text))
    }
}

impl LastPattern {
    fn compiled(&self, work: &Work, pattern: &str) -> Result<Compiled, Failure> {
        let mut last = lock(&self.0);
        if let Some((text, compiled)) = &*last
            && text == pattern
        {
            return Ok(compiled.clone());
        }
        refuse_mistake(pattern)?;
        let compiled = compile(work, pattern)?.map_err(|error| refusal(pattern, &error))?;
        *last = Some((pattern.to_owned(), compiled.clone()));
        Ok(compiled)
    }
}

fn matches(last: &LastPattern, invocation: &Invocation) -> Result<dialect::Value, Failure> {
    let (text, pattern) = (invocation.arguments.text("text")?, invocation.arguments.text("pattern")?);
    // It is compared with the last one.
    invocation.work.spend(pattern.len())?;
    Ok(last.compiled(&invocation.work, pattern)?.is_match(&invocation.work, text)?.into())
}

/// Compiles a pattern, and counts the work of that.
fn compile(work: &Work, pattern: &str) -> Result<Result<Compiled, regex::Error>, Failure> {
    if pattern.len() > LENGTH {
        let failure = wrong(format!("the pattern is longer than {LENGTH} bytes"));
        return Err(failure.recovery("Match its parts one after the other, joined by `||`."));
    }
    let parts = ParserBuilder::new().multi_line(true).crlf(true).build().parse(pattern);
    // What cannot be parsed is not compiled either.
    let parts = parts.as_ref().map_or(0, parts_of);
    work.spend(parts.min(COMPILED).saturating_mul(COMPILING))?;
    let mut builder = RegexBuilder::new(pattern);
    let regex = builder.multi_line(true).crlf(true).size_limit(SIZE).dfa_size_limit(SIZE).build();
    Ok(regex.map(|regex| Compiled { regex, parts }))
}

/// Returns the number of parts of a pattern, each repetition of one counted.
fn parts_of(pattern: &Hir) -> usize {
    let sum = |parts: &[Hir]| parts.iter().map(parts_of).fold(1, usize::saturating_add);
    match pattern.kind() {
        HirKind::Empty | HirKind::Look(_) => 1,
        HirKind::Literal(literal) => literal.0.len(),
        HirKind::Class(Class::Unicode(class)) => class.ranges().len().clamp(1, CLASS),
        HirKind::Class(Class::Bytes(class)) => class.ranges().len().clamp(1, CLASS),
        HirKind::Repetition(repetition) => {
            let times = repetition.max.unwrap_or(repetition.min.saturating_add(1)).max(1);
            // At most what `SIZE` admits is compiled.
            parts_of(&repetition.sub).saturating_mul(times as usize).min(SIZE / 8)
        }
        HirKind::Capture(capture) => parts_of(&capture.sub),
        HirKind::Concat(parts) | HirKind::Alternation(parts) => sum(parts),
    }
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

/// Returns the text with each match of a pattern replaced. `$1` and `${name}` in `by` are groups.
pub(crate) fn replaced(
    invocation: &Invocation,
    text: &str,
    pattern: &str,
    by: &str,
) -> Result<dialect::Value, Failure> {
    let work = &invocation.work;
    refuse_mistake(pattern).map_err(|it| it.argument("part"))?;
    let compiled = compile(work, pattern)?.map_err(|error| refusal(pattern, &error).argument("part"))?;
    let Compiled { regex, parts } = compiled;
    work.spend(text.len().saturating_mul(parts.max(1)))?;
    let pieces = pieces(&regex, by)?;
    let mut replaced = String::with_capacity(text.len());
    let mut behind = 0;
    for found in regex.captures_iter(text) {
        let whole = found.get_match();
        replaced.push_str(&text[behind..whole.start()]);
        let parts = pieces.iter().map(|it| match it {
            Piece::Text(text) => *text,
            Piece::Group(group) => found.get(*group).map_or("", |it| it.as_str()),
        });
        // A group may be long, and used often.
        let length = parts.clone().map(str::len).fold(0, usize::saturating_add);
        work.spend(length.saturating_add(pieces.len()))?;
        work.check_room(replaced.len().saturating_add(length))?;
        replaced.extend(parts);
        behind = whole.end();
    }
    replaced.push_str(&text[behind..]);
    Ok(replaced.into())
}

/// A piece of a replacement.
enum Piece<'by> {
    Text(&'by str),
    /// The text of a group.
    Group(usize),
}

/// Reads a replacement: `$1` and `${1}` are groups, `${name}` and `$<name>` named ones, `$&` is the match, and `$$` a
/// dollar. Others are refused, so that none is replaced by nothing.
fn pieces<'by>(regex: &Regex, by: &'by str) -> Result<Vec<Piece<'by>>, Failure> {
    let named = |name: &str| match name.parse::<usize>() {
        Ok(number) => Some(number).filter(|it| *it < regex.captures_len()),
        Err(_) => regex.capture_names().position(|it| it == Some(name)),
    };
    let mut pieces = Vec::new();
    let mut rest = by;
    while let Some(at) = rest.find(['$', '\\']) {
        let (before, special) = rest.split_at(at);
        pieces.push(Piece::Text(before));
        let behind = &special[1..];
        let digits = behind.len() - behind.trim_start_matches(|it: char| it.is_ascii_digit()).len();
        let enclosed =
            |open: char, close: char| behind.strip_prefix(open)?.split_once(close).map(|(name, _)| name);
        let (piece, length) = match (special.as_bytes()[0], enclosed('{', '}').or_else(|| enclosed('<', '>')))
        {
            (b'$', Some(name)) => (named(name).map(Piece::Group), name.len() + 2),
            (b'$', None) if digits > 0 => (named(&behind[..digits]).map(Piece::Group), digits),
            (b'$', None) if behind.starts_with('&') => (Some(Piece::Group(0)), 1),
            (b'$', None) if behind.starts_with('$') => (Some(Piece::Text("$")), 1),
            // `\1` is a group elsewhere.
            (b'\\', _) if digits > 0 => (None, digits),
            (b'\\', _) => (Some(Piece::Text("\\")), 0),
            _ => (Some(Piece::Text("$")), 0),
        };
        let written = &special[..=length];
        pieces.push(piece.ok_or_else(|| no_group(written))?);
        rest = &behind[length..];
    }
    pieces.push(Piece::Text(rest));
    Ok(pieces)
}

fn no_group(written: &str) -> Failure {
    let failure = wrong(format!("`{written}` in `by` is no group of the pattern")).argument("by");
    failure.recovery("Groups are $1 and $<name>; a dollar is $$.")
}

/// Returns `true` if a literal text would match as a pattern.
pub(crate) fn would_match(work: &Work, text: &str, pattern: &str) -> Result<bool, Failure> {
    if pattern.len() > LENGTH || !pattern.contains(['\\', '[', '(', '*', '+', '^', '$', '|', '?']) {
        return Ok(false);
    }
    match compile(work, pattern)? {
        Ok(compiled) => compiled.is_match(work, text),
        Err(_) => Ok(false),
    }
}
