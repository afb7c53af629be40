//! Patterns in the syntax of other languages, with the same meaning and without flags.
//!
//! ECMA's syntax is that with the flag `u`, as JSON Schema has patterns.

use std::fmt::Write as _;

use regex_syntax::hir::{Class, ClassUnicode, Hir, HirKind, Look, Repetition};

/// The characters that need escapes everywhere, and `/`, which may have one.
const SYNTAX: &str = "^$\\.*+?()[]{}|/";

/// Returns a pattern without needless escapes, which are mistakes with the flag `u`.
pub(super) fn without_needless_escapes(pattern: &str) -> String {
    let mut out = String::new();
    let mut chars = pattern.chars();
    let mut in_class = false;
    while let Some(char) = chars.next() {
        match char {
            '[' => in_class = true,
            ']' => in_class = false,
            _ => {}
        }
        if char != '\\' {
            out.push(char);
            continue;
        }
        let Some(escaped) = chars.next() else { continue };
        let is_needed =
            escaped.is_ascii_alphanumeric() || SYNTAX.contains(escaped) || in_class && escaped == '-';
        if is_needed {
            out.push('\\');
        }
        out.push(escaped);
    }
    out
}

/// A syntax of patterns in which every character and class can be written out.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum PatternSyntax {
    /// ECMA's, with the flag `u`.
    Ecma,
    /// Python's module `re`, with its flag `ASCII`.
    Python,
    /// Go's package `regexp`.
    Go,
}

/// Writes out a pattern of the crate `regex`, so that it needs no flags.
pub(super) fn written_out(regex: &str, syntax: PatternSyntax) -> String {
    let mut out = String::new();
    write(&read(regex), syntax, &mut out);
    out
}

/// The maximum number of repetitions that are written out.
const MOST_COPIES: u32 = 64;

/// Returns a pattern without captures and without preferences: patterns that differ in their spelling have equal forms.
pub(super) fn normal_form(regex: &str) -> Hir {
    plain(&read(regex))
}

fn plain(hir: &Hir) -> Hir {
    match hir.kind() {
        HirKind::Capture(it) => plain(&it.sub),
        HirKind::Repetition(it) => {
            let (min, max, sub) = (it.min, it.max, plain(&it.sub));
            let is_single = matches!(sub.kind(), HirKind::Class(_) | HirKind::Literal(_));
            if is_single && max == Some(min) && min <= MOST_COPIES {
                return Hir::concat(vec![sub; min as usize]);
            }
            // A lazy repetition matches the same texts.
            Hir::repetition(Repetition { min, max, greedy: true, sub: Box::new(sub) })
        }
        HirKind::Concat(parts) => Hir::concat(parts.iter().map(plain).collect()),
        HirKind::Alternation(parts) => Hir::alternation(parts.iter().map(plain).collect()),
        _ => hir.clone(),
    }
}

fn read(regex: &str) -> Hir {
    regex_syntax::parse(regex).expect("a pattern that was compiled can be read")
}

fn write(hir: &Hir, syntax: PatternSyntax, out: &mut String) {
    match hir.kind() {
        HirKind::Empty => out.push_str("(?:)"),
        HirKind::Literal(literal) => {
            String::from_utf8_lossy(&literal.0).chars().for_each(|it| one(it, SYNTAX, syntax, out));
        }
        HirKind::Class(class) => class_of(&unicode(class), syntax, out),
        HirKind::Look(look) => out.push_str(match (look, syntax) {
            (Look::Start, PatternSyntax::Ecma) => "^",
            (Look::Start, _) => "\\A",
            (Look::End, PatternSyntax::Ecma) => "$",
            (Look::End, PatternSyntax::Python) => "\\Z",
            (Look::End, PatternSyntax::Go) => "\\z",
            _ => "\\b", // the only other one that is portable
        }),
        HirKind::Repetition(it) => repetition(it, syntax, out),
        HirKind::Capture(it) => group(&it.sub, syntax, out),
        HirKind::Concat(parts) => parts.iter().for_each(|part| match part.kind() {
            HirKind::Alternation(_) => group(part, syntax, out),
            _ => write(part, syntax, out),
        }),
        HirKind::Alternation(parts) => {
            for (index, part) in parts.iter().enumerate() {
                out.push_str(if index == 0 { "" } else { "|" });
                write(part, syntax, out);
            }
        }
    }
}

fn unicode(class: &Class) -> ClassUnicode {
    match class {
        Class::Unicode(class) => class.clone(),
        Class::Bytes(class) => class.to_unicode_class().expect("patterns are about characters"),
    }
}

fn group(hir: &Hir, syntax: PatternSyntax, out: &mut String) {
    out.push_str("(?:");
    write(hir, syntax, out);
    out.push(')');
}

fn repetition(it: &Repetition, syntax: PatternSyntax, out: &mut String) {
    let mut repeated = String::new();
    match it.sub.kind() {
        HirKind::Class(_) | HirKind::Capture(_) => write(&it.sub, syntax, &mut repeated),
        _ => group(&it.sub, syntax, &mut repeated),
    }
    let (mut min, mut max) = (it.min, it.max);
    if syntax == PatternSyntax::Go {
        let most = (MOST_IN_GO / repetitions(&it.sub)).max(1);
        while min.max(max.unwrap_or_default()) > most {
            let least = min.min(most);
            let part = max.map_or(least, |max| max.min(most));
            out.push_str(&repeated);
            counted(least, Some(part), it.greedy, out);
            (min, max) = (min - least, max.map(|max| max - part));
        }
    }
    out.push_str(&repeated);
    counted(min, max, it.greedy, out);
}

/// The most repetitions in Go, those of parts multiplied.
const MOST_IN_GO: u32 = 1000;

/// Returns the number of repetitions in a pattern, those in each other multiplied.
fn repetitions(hir: &Hir) -> u32 {
    match hir.kind() {
        HirKind::Repetition(it) => {
            // More than the limit are several in a row.
            let own = it.max.unwrap_or(it.min).clamp(1, MOST_IN_GO);
            own.saturating_mul(repetitions(&it.sub)).min(MOST_IN_GO)
        }
        HirKind::Capture(it) => repetitions(&it.sub),
        HirKind::Concat(parts) | HirKind::Alternation(parts) => {
            parts.iter().map(repetitions).max().unwrap_or(1)
        }
        _ => 1,
    }
}

fn counted(min: u32, max: Option<u32>, greedy: bool, out: &mut String) {
    let _ = match (min, max) {
        (1, Some(1)) => return,
        (0, None) => write!(out, "*"),
        (1, None) => write!(out, "+"),
        (0, Some(1)) => write!(out, "?"),
        (min, None) => write!(out, "{{{min},}}"),
        (min, Some(max)) if min == max => write!(out, "{{{min}}}"),
        (min, Some(max)) => write!(out, "{{{min},{max}}}"),
    };
    if !greedy {
        out.push('?');
    }
}

/// Writes a class, negated if that takes fewer ranges.
fn class_of(class: &ClassUnicode, syntax: PatternSyntax, out: &mut String) {
    let mut other = class.clone();
    other.negate();
    let (open, class) = match (class.ranges().len(), other.ranges().len()) {
        (0, _) => return out.push_str("[^\\s\\S]"),
        (_, 0) => return out.push_str("[\\s\\S]"),
        (ranges, without) if without < ranges => ("[^", &other),
        _ => ("[", class),
    };
    out.push_str(open);
    for range in class.ranges() {
        one(range.start(), "\\]^-[", syntax, out);
        if range.start() < range.end() {
            if u32::from(range.end()) - u32::from(range.start()) > 1 {
                out.push('-');
            }
            one(range.end(), "\\]^-[", syntax, out);
        }
    }
    out.push(']');
}

fn one(char: char, escaped: &str, syntax: PatternSyntax, out: &mut String) {
    if char.is_control() || char == '\u{feff}' || char.is_whitespace() && char != ' ' {
        let _ = match syntax {
            PatternSyntax::Go => write!(out, "\\x{{{:x}}}", u32::from(char)),
            _ => write!(out, "\\u{:04x}", u32::from(char)),
        };
        return;
    }
    if escaped.contains(char) {
        out.push('\\');
    }
    out.push(char);
}

/// The most repetitions in an example.
const MOST_REPETITIONS: u32 = 100;

/// Returns a short text that a pattern of the crate `regex` could match, without regard to `\b`.
pub(super) fn example(regex: &str) -> String {
    let mut out = String::new();
    exemplify(&read(regex), &mut out);
    out
}

fn exemplify(hir: &Hir, out: &mut String) {
    match hir.kind() {
        HirKind::Empty | HirKind::Look(_) => {}
        HirKind::Literal(literal) => out.push_str(&String::from_utf8_lossy(&literal.0)),
        HirKind::Class(class) => out.extend(member(&unicode(class))),
        HirKind::Repetition(it) => (0..it.min.min(MOST_REPETITIONS)).for_each(|_| exemplify(&it.sub, out)),
        HirKind::Capture(it) => exemplify(&it.sub, out),
        HirKind::Concat(parts) => parts.iter().for_each(|part| exemplify(part, out)),
        HirKind::Alternation(parts) => parts.iter().take(1).for_each(|part| exemplify(part, out)),
    }
}

/// Returns a character of a class, a readable one if possible.
fn member(class: &ClassUnicode) -> Option<char> {
    let has = |char: &char| class.ranges().iter().any(|it| (it.start()..=it.end()).contains(char));
    ('a'..='z').chain('0'..='9').chain('A'..='Z').find(has).or_else(|| Some(class.ranges().first()?.start()))
}

#[cfg(test)]
mod tests {
    use super::PatternSyntax;
    use crate::Pattern;

    #[test]
    fn patterns_are_written_out_for_other_languages() {
        let pattern = Pattern::parse(r"^(a|b)\/[\w-]+\n\b$", "").expect("it is portable");
        assert_eq!(pattern.written_out(PatternSyntax::Python), r"\A(?:[ab])\/[\-0-9A-Z_a-z]+\u000a\b\Z");
        assert_eq!(pattern.written_out(PatternSyntax::Go), r"\A(?:[ab])\/[\-0-9A-Z_a-z]+\x{a}\b\z");
        let pattern = Pattern::parse(r"^(ab|c){2}[0-9]{3}é?$", "").expect("it is portable");
        assert_eq!(pattern.example(), "abab000");
    }

    #[test]
    fn go_repeats_at_most_a_thousand_times() {
        for (pattern, expected) in [
            ("^a{1000}$", r"\A(?:a){1000}\z"),
            ("^a{2,1500}$", r"\A(?:a){2,1000}(?:a){0,500}\z"),
            ("^[ab]{1001,}$", r"\A[ab]{1000}[ab]+\z"),
            ("^(?:a{600}b){2}$", r"\A(?:(?:a){600}b)(?:(?:a){600}b)\z"),
            ("^(?:a{100}b){12}$", r"\A(?:(?:a){100}b){10}(?:(?:a){100}b){2}\z"),
        ] {
            let pattern = Pattern::parse(pattern, "").unwrap_or_else(|it| panic!("{pattern}: {it:?}"));
            assert_eq!(pattern.written_out(PatternSyntax::Go), expected);
        }
    }

    #[test]
    fn patterns_stay_as_they_are_but_for_needless_escapes_and_flags() {
        for (pattern, flags, expected) in [
            (r"^[a-z]+\.\/$", "", r"^[a-z]+\.\/$"),
            (r#"^\@\-\"[\-\@a]\d$"#, "", r#"^@-"[\-@a]\d$"#),
            ("^ab-[0-9]$", "i", "^[Aa][Bb]-[0-9]$"),
            (r"^(a|é){2,}?\b.x*$", "i", "^(?:[AaÉé]){2,}?\\b[^\\u000a\\u000d\\u2028\\u2029][Xx]*$"),
        ] {
            let pattern = Pattern::parse(pattern, flags).unwrap_or_else(|it| panic!("{pattern}: {it:?}"));
            assert_eq!(pattern.ecma(), expected);
        }
    }
}
