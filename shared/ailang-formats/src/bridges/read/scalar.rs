//! Texts, numbers and constants.

use ailang::plain;
use ailang::schema::text;
use ailang::syntax::{LiteralKind, Refinement, Type, TypeKind};
use dialect::{Pattern, PatternError};
use serde_json::{Value, json};

use super::SchemaReader;
use super::facets::Facets;
use super::keyword::{Keywords, null};
use crate::bridges::node::{self, literal, named, refined, refinement, ty};

/// The length that `.email()` allows.
const LONGEST_EMAIL: f64 = 254.0;

#[expect(clippy::cast_precision_loss, reason = "it is the largest that does not lose any")]
const LARGEST_INTEGER: f64 = ailang::schema::LARGEST_INTEGER as f64;

impl<'v> SchemaReader<'v> {
    pub(super) fn text(&mut self, facets: &mut Facets<'v>, at: &str) -> Type {
        let mut rules = Vec::new();
        let patterns: Vec<&str> = facets.values("pattern").into_iter().filter_map(Value::as_str).collect();
        let mut most: Vec<f64> = facets.values("maxLength").into_iter().filter_map(Value::as_f64).collect();
        for pattern in patterns {
            let rule = self.pattern(pattern, &rules, at);
            if rule.as_ref().is_some_and(|it| it.name.text == "email")
                && let Some(index) = most.iter().position(|it| *it == LONGEST_EMAIL)
            {
                most.remove(index);
            }
            rules.extend(rule);
        }
        for format in facets.values("format") {
            rules.extend(self.format(format.as_str().unwrap_or_default(), at));
        }
        match facets.largest("minLength") {
            Some(0.0) | None => {}
            Some(1.0) => rules.push(refinement("nonEmpty", None)),
            Some(least) => rules.push(refinement("minLength", Some(LiteralKind::Number(least)))),
        }
        if let Some(most) = most.into_iter().reduce(f64::min) {
            rules.push(refinement("maxLength", Some(LiteralKind::Number(most))));
        }
        refined(named("string"), self.each_once(rules, at))
    }

    /// Drops rules of the same name, except patterns.
    fn each_once(&mut self, rules: Vec<Refinement>, at: &str) -> Vec<Refinement> {
        let mut kept: Vec<Refinement> = Vec::new();
        for rule in rules {
            let is_known = kept.iter().any(|it| it.name.text == rule.name.text && it.name.text != "regex");
            if !is_known {
                kept.push(rule);
            } else if !kept.contains(&rule) {
                self.remarks.lost(at, format!("a second `.{}`", rule.name.text), "a type has one of each");
            }
        }
        kept
    }

    fn pattern(&mut self, pattern: &str, before: &[Refinement], at: &str) -> Option<Refinement> {
        // A type has one refinement of a name, but any number of patterns.
        let is_free = |it: &Refinement| before.iter().all(|other| other.name != it.name || other == it);
        if let Some(rule) = known_pattern(pattern).filter(is_free) {
            return Some(rule);
        }
        let written = between_slashes(pattern);
        match Pattern::parse(&written, "") {
            Ok(_) if written.is_empty() => None,
            Ok(_) => {
                let kind = LiteralKind::Regex { pattern: written, flags: String::new() };
                Some(refinement("regex", Some(kind)))
            }
            Err(PatternError::NotPortable(why) | PatternError::Malformed(why)) => {
                self.remarks.lost(at, format!("the pattern {}", plain(pattern, 60)), plain(&why, 200));
                None
            }
        }
    }

    fn format(&mut self, format: &str, at: &str) -> Option<Refinement> {
        let what = format!("the format `{}`", plain(format, 40));
        let name = match format {
            "email" => "email",
            "uri" | "url" => "url",
            "uuid" => "uuid",
            _ => {
                self.remarks.lost(at, what, "no refinement has that meaning");
                return None;
            }
        };
        // Most validators take formats as comments.
        self.remarks.changed(at, what, format!("it is `.{name}()`, which is a rule and always checked"));
        Some(refinement(name, None))
    }

    pub(super) fn number(&mut self, facets: &mut Facets<'v>, is_integer: bool, at: &str) -> Type {
        let steps = facets.values("multipleOf").into_iter().filter_map(Value::as_f64);
        let noted = facets.values("$comment").into_iter().filter_map(ailang::schema::step_of);
        let steps: Vec<f64> = steps.collect::<Vec<_>>().into_iter().chain(noted).collect();
        let is_bounded = is_bounded(facets);
        if is_integer && !is_bounded {
            let why = format!("`int` ends at {LARGEST_INTEGER} on both sides; beyond, floats skip some");
            self.remarks.changed("", "integers without bounds", why);
        }
        let is_integer = is_integer || is_bounded && steps.contains(&1.0);
        let steps = steps.into_iter().filter(|it| !is_integer || *it != 1.0);
        let mut rules = Vec::new();
        let number = |name, value: f64| refinement(name, Some(LiteralKind::Number(value)));
        let mut least = facets.largest("minimum").filter(|it| !is_integer || *it > -LARGEST_INTEGER);
        let mut most = facets.smallest("maximum").filter(|it| !is_integer || *it < LARGEST_INTEGER);
        let above = self.exclusive(facets, "exclusiveMinimum", &mut least, f64::max);
        let below = self.exclusive(facets, "exclusiveMaximum", &mut most, f64::min);
        match above {
            Some(0.0) => rules.push(refinement("positive", None)),
            Some(bound) => {
                let bound = self.inclusive(bound, 1.0, is_integer, at);
                least = Some(least.map_or(bound, |it| it.max(bound)));
            }
            None => {}
        }
        match below {
            Some(0.0) => rules.push(refinement("negative", None)),
            Some(bound) => {
                let bound = self.inclusive(bound, -1.0, is_integer, at);
                most = Some(most.map_or(bound, |it| it.min(bound)));
            }
            None => {}
        }
        rules.extend(least.map(|it| number("min", it)));
        rules.extend(most.map(|it| number("max", it)));
        rules.extend(steps.map(|it| number("multipleOf", it)));
        for format in facets.values("format").into_iter().filter_map(Value::as_str) {
            let what = format!("the format `{}`", plain(format, 40));
            self.remarks.lost(at, what, "numbers have bounds and no size");
        }
        refined(named(if is_integer { "int" } else { "number" }), self.each_once(rules, at))
    }

    /// Returns an exclusive bound. A flag, as OpenAPI 3.0 has it, takes the inclusive one.
    fn exclusive(
        &mut self,
        facets: &mut Facets<'v>,
        key: &'static str,
        inclusive: &mut Option<f64>,
        narrower: fn(f64, f64) -> f64,
    ) -> Option<f64> {
        let values = facets.values(key);
        if values.contains(&&Value::Bool(true)) {
            return inclusive.take();
        }
        values.into_iter().filter_map(Value::as_f64).reduce(narrower)
    }

    /// Returns the inclusive bound that is nearest to an exclusive one.
    fn inclusive(&mut self, bound: f64, step: f64, is_integer: bool, at: &str) -> f64 {
        if !is_integer {
            self.remarks.changed(at, format!("the exclusive bound {bound}"), "bounds are inclusive");
            return bound;
        }
        if step > 0.0 { bound.floor() + 1.0 } else { bound.ceil() - 1.0 }
    }

    pub(super) fn constant(&mut self, value: &Value, at: &str) -> Type {
        match value {
            Value::Null => null(),
            Value::Array(_) | Value::Object(_) => {
                self.remarks.lost(at, "a constant", "lists and objects are no literal types");
                named(if value.is_array() { "JSONValue" } else { "JSONObject" })
            }
            value => {
                if is_inexact(value) {
                    self.remarks.changed(
                        at,
                        format!("the number {value}"),
                        "literals are floats, which round it",
                    );
                }
                match literal_of(value, 1) {
                    Some(kind) => ty(TypeKind::Literal(literal(kind))),
                    None => named("any"),
                }
            }
        }
    }
}

/// Returns `true` if the bounds are within the range of `int`.
fn is_bounded(facets: &mut Facets<'_>) -> bool {
    let lowest = [facets.largest("minimum"), facets.largest("exclusiveMinimum")];
    let highest = [facets.smallest("maximum"), facets.smallest("exclusiveMaximum")];
    lowest.into_iter().flatten().any(|it| it >= -LARGEST_INTEGER)
        && highest.into_iter().flatten().any(|it| it <= LARGEST_INTEGER)
}

/// Returns `true` for a whole number that no float is equal to.
fn is_inexact(value: &Value) -> bool {
    let whole = value.as_i64().map(i128::from).or_else(|| value.as_u64().map(i128::from));
    #[expect(clippy::cast_possible_truncation, reason = "floats of whole numbers of 64 bits fit")]
    let float = value.as_f64().map(|it| it as i128);
    whole.is_some() && whole != float
}

/// Returns `true` if a number anywhere in a value is one that no float is equal to.
pub(super) fn is_rounded(value: &Value) -> bool {
    match value {
        Value::Array(items) => items.iter().any(is_rounded),
        Value::Object(fields) => fields.values().any(is_rounded),
        value => is_inexact(value),
    }
}

/// Returns the refinement that our own schemas express by that pattern.
fn known_pattern(pattern: &str) -> Option<Refinement> {
    if pattern == text::email() {
        return Some(refinement("email", None));
    }
    if pattern == text::url() {
        return Some(refinement("url", None));
    }
    if pattern == text::UUID {
        return Some(refinement("uuid", None));
    }
    let start = pattern.strip_prefix('^').and_then(unescaped);
    let end = pattern.strip_suffix('$').and_then(unescaped);
    let (name, words) = start.map(|it| ("startsWith", it)).or_else(|| Some(("endsWith", end?)))?;
    Some(refinement(name, Some(LiteralKind::Text(words))))
}

/// Returns the text that a pattern spells out; `None` if it is empty or more than a text.
fn unescaped(pattern: &str) -> Option<String> {
    let words = pattern.replace('\\', "");
    (!words.is_empty() && !words.contains(char::is_control) && text::escaped(&words) == pattern)
        .then_some(words)
}

/// Returns `true` if the `not` of a schema belongs to `.url()`.
pub(super) fn is_url(keywords: &Keywords) -> bool {
    let without_host = json!({"type": "string", "pattern": text::WITHOUT_HOST});
    keywords.get("not") == Some(&without_host)
}

/// Escapes slashes and line breaks, so that a pattern can stand between slashes.
fn between_slashes(pattern: &str) -> String {
    let (mut out, mut escaped, mut in_class) = (String::new(), false, false);
    for char in pattern.chars() {
        match char {
            '\n' => out.push_str("\\n"),
            '\r' => out.push_str("\\r"),
            '/' if !escaped && !in_class => out.push_str("\\/"),
            char => out.push(char),
        }
        match char {
            '\\' => escaped = !escaped,
            _ if escaped => escaped = false,
            '[' => in_class = true,
            ']' => in_class = false,
            _ => {}
        }
    }
    out
}

/// Returns a literal with that value; `None` if it nests too deeply.
pub(super) fn literal_of(value: &Value, depth: usize) -> Option<LiteralKind> {
    let inside = |value: &Value| literal_of(value, depth.checked_sub(1)?);
    Some(match value {
        Value::Null => LiteralKind::Null,
        Value::Bool(value) => LiteralKind::Bool(*value),
        Value::Number(number) => LiteralKind::Number(number.as_f64()?),
        Value::String(text) => LiteralKind::Text(text.clone()),
        Value::Array(items) => {
            let items: Option<Vec<_>> = items.iter().map(|it| Some(literal(inside(it)?))).collect();
            LiteralKind::List(items?)
        }
        Value::Object(fields) => {
            let field = |(key, value): (&String, &Value)| Some((node::name(key), literal(inside(value)?)));
            LiteralKind::Object(fields.iter().map(field).collect::<Option<_>>()?)
        }
    })
}
