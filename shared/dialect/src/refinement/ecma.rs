//! Patterns in ECMA's syntax with the flag `u`, as JSON Schema has them: without flags and needless escapes.

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

/// Writes out a pattern of the crate `regex`, so that it needs no flags.
pub(super) fn written_out(regex: &str) -> String {
    let hir = regex_syntax::parse(regex).expect("a pattern that was compiled can be read");
    let mut out = String::new();
    write(&hir, &mut out);
    out
}

fn write(hir: &Hir, out: &mut String) {
    match hir.kind() {
        HirKind::Empty => out.push_str("(?:)"),
        HirKind::Literal(literal) => {
            String::from_utf8_lossy(&literal.0).chars().for_each(|it| one(it, SYNTAX, out));
        }
        HirKind::Class(Class::Unicode(class)) => class_of(class, out),
        HirKind::Class(Class::Bytes(class)) => {
            let class = class.to_unicode_class().expect("patterns are about characters");
            class_of(&class, out);
        }
        HirKind::Look(Look::Start) => out.push('^'),
        HirKind::Look(Look::End) => out.push('$'),
        HirKind::Look(_) => out.push_str("\\b"), // the only other one that is portable
        HirKind::Repetition(it) => repetition(it, out),
        HirKind::Capture(it) => group(&it.sub, out),
        HirKind::Concat(parts) => parts.iter().for_each(|part| match part.kind() {
            HirKind::Alternation(_) => group(part, out),
            _ => write(part, out),
        }),
        HirKind::Alternation(parts) => {
            for (index, part) in parts.iter().enumerate() {
                out.push_str(if index == 0 { "" } else { "|" });
                write(part, out);
            }
        }
    }
}

fn group(hir: &Hir, out: &mut String) {
    out.push_str("(?:");
    write(hir, out);
    out.push(')');
}

fn repetition(it: &Repetition, out: &mut String) {
    match it.sub.kind() {
        HirKind::Class(_) | HirKind::Capture(_) => write(&it.sub, out),
        _ => group(&it.sub, out),
    }
    let _ = match (it.min, it.max) {
        (0, None) => write!(out, "*"),
        (1, None) => write!(out, "+"),
        (0, Some(1)) => write!(out, "?"),
        (min, None) => write!(out, "{{{min},}}"),
        (min, Some(max)) if min == max => write!(out, "{{{min}}}"),
        (min, Some(max)) => write!(out, "{{{min},{max}}}"),
    };
    if !it.greedy {
        out.push('?');
    }
}

/// Writes a class, negated if that takes fewer ranges.
fn class_of(class: &ClassUnicode, out: &mut String) {
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
        one(range.start(), "\\]^-[", out);
        if range.start() < range.end() {
            if u32::from(range.end()) - u32::from(range.start()) > 1 {
                out.push('-');
            }
            one(range.end(), "\\]^-[", out);
        }
    }
    out.push(']');
}

fn one(char: char, escaped: &str, out: &mut String) {
    if char.is_control() || matches!(char, '\u{2028}' | '\u{2029}') {
        let _ = write!(out, "\\u{:04x}", u32::from(char));
        return;
    }
    if escaped.contains(char) {
        out.push('\\');
    }
    out.push(char);
}

#[cfg(test)]
mod tests {
    use crate::Pattern;

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
