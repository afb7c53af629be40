//! Whether a value that is written out satisfies refinements.

use std::sync::LazyLock;

use regex::Regex;

use super::{Misfit, Value, ValueKind};
use crate::names::{Shape, View};
use crate::pattern::translate;
use crate::syntax::{LiteralKind, Refinement, RefinementArgument};
use crate::validate::refinement::number_argument;

/// Integers beyond this are not exact.
const LARGEST_INTEGER: f64 = 9_007_199_254_740_991.0;

/// Each element of a list that is written out is compared with each; nobody writes more of them.
const MOST_COMPARED: usize = 500;

static EMAIL: LazyLock<Regex> = LazyLock::new(|| {
    let pattern = r"\A[A-Za-z0-9.!#$%&'*+/=?^_`{|}~-]+@[A-Za-z0-9]([A-Za-z0-9-]*[A-Za-z0-9])?(\.[A-Za-z0-9]([A-Za-z0-9-]*[A-Za-z0-9])?)+\z";
    Regex::new(pattern).expect("the pattern is tested")
});

impl Value {
    /// Which refinement it violates.
    pub(super) fn refined(&self, view: &View<'_, '_>) -> Option<Misfit> {
        if let Shape::Number { integer: true } = view.shape
            && !self.is_integer()
        {
            return Some(self.violation("is not whole"));
        }
        view.refinements.iter().find_map(|refinement| {
            let holds = self.satisfies(refinement)?;
            let text = shown(refinement);
            (!holds).then(|| self.violation(&format!("violates `.{text}`")))
        })
    }

    fn violation(&self, what: &str) -> Misfit {
        let message = format!("{what}: it is {}", self.words());
        Misfit { span: self.span, message, violates: true }
    }

    fn is_integer(&self) -> bool {
        !matches!(self.kind, ValueKind::Number(value) if value.fract() != 0.0 || value.abs() > LARGEST_INTEGER)
    }

    /// Whether it satisfies a refinement; `None` when that is not known.
    fn satisfies(&self, refinement: &Refinement) -> Option<bool> {
        let name = refinement.name.text.as_str();
        let number = number_argument(refinement);
        match &self.kind {
            ValueKind::Text(text) => text_satisfies(text, name, number, refinement),
            ValueKind::Number(value) => match name {
                "min" => Some(*value >= number?),
                "max" => Some(*value <= number?),
                "positive" => Some(*value > 0.0),
                "negative" => Some(*value < 0.0),
                "integer" => Some(self.is_integer()),
                "multipleOf" => Some(is_multiple(*value, number?)),
                _ => None,
            },
            ValueKind::List(items) => match name {
                "unique" if items.len() <= MOST_COMPARED => {
                    Some(items.iter().enumerate().all(|(at, item)| {
                        item.kind == ValueKind::Unknown
                            || items[..at].iter().all(|other| other.kind != item.kind)
                    }))
                }
                _ => size_satisfies(items.len(), name, number),
            },
            ValueKind::Object(fields, false) => size_satisfies(fields.len(), name, number),
            _ => None,
        }
    }
}

fn is_multiple(value: f64, of: f64) -> bool {
    let quotient = value / of;
    (quotient - quotient.round()).abs() < 1e-9
}

#[expect(clippy::cast_precision_loss, reason = "sizes are small")]
fn size_satisfies(size: usize, name: &str, number: Option<f64>) -> Option<bool> {
    match name {
        "minItems" => Some(size as f64 >= number?),
        "maxItems" => Some(size as f64 <= number?),
        "nonEmpty" => Some(size > 0),
        _ => None,
    }
}

#[expect(clippy::cast_precision_loss, reason = "lengths are small")]
fn text_satisfies(text: &str, name: &str, number: Option<f64>, refinement: &Refinement) -> Option<bool> {
    let length = || text.chars().count() as f64;
    match name {
        "minLength" => Some(length() >= number?),
        "maxLength" => Some(length() <= number?),
        "nonEmpty" => Some(!text.is_empty()),
        "email" => Some(text.len() <= 254 && EMAIL.is_match(text)),
        "url" => Some(is_url(text)),
        "uuid" => Some(is_uuid(text)),
        "startsWith" => Some(text.starts_with(text_argument(refinement)?)),
        "endsWith" => Some(text.ends_with(text_argument(refinement)?)),
        "regex" => matches_regex(text, refinement),
        _ => None,
    }
}

fn argument(refinement: &Refinement) -> Option<&LiteralKind> {
    match refinement.arguments.first()? {
        RefinementArgument::Value { value, .. } => Some(&value.kind),
        RefinementArgument::Declared { .. } => None,
    }
}

fn text_argument(refinement: &Refinement) -> Option<&str> {
    match argument(refinement)? {
        LiteralKind::Text(text) => Some(text),
        _ => None,
    }
}

fn matches_regex(text: &str, refinement: &Refinement) -> Option<bool> {
    let LiteralKind::Regex { pattern, flags } = argument(refinement)? else { return None };
    let translated = translate(pattern, flags).ok()?;
    Some(Regex::new(&translated).ok()?.is_match(text))
}

/// Absolute, and without blanks.
fn is_url(text: &str) -> bool {
    !text.contains(char::is_whitespace)
        && text.starts_with(|char: char| char.is_ascii_alphabetic())
        && url::Url::parse(text).is_ok()
}

fn is_uuid(text: &str) -> bool {
    let groups: Vec<&str> = text.split('-').collect();
    groups.iter().map(|group| group.len()).eq([8, 4, 4, 4, 12])
        && groups.iter().all(|group| group.bytes().all(|byte| byte.is_ascii_hexdigit()))
}

/// As it is written, but for long patterns.
fn shown(refinement: &Refinement) -> String {
    let argument = match argument(refinement) {
        Some(LiteralKind::Number(number)) => number.to_string(),
        Some(LiteralKind::Text(text)) => format!("\"{text}\""),
        Some(LiteralKind::Regex { pattern, flags }) => format!("/{pattern}/{flags}"),
        _ => String::new(),
    };
    format!("{}({argument})", refinement.name.text)
}
