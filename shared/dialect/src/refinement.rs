//! What a value must be beyond its form: `number.min(1)`, `string.regex(/^[a-z]+$/)`.

mod ecma;
mod format;
mod pattern;
mod portable;

use std::collections::HashSet;
use std::fmt;

use serde_json::Number;

pub use self::pattern::{Pattern, PatternError};

use crate::number::{compare, integer, is_multiple};
use crate::types::quoted;
use crate::{Type, Value};

/// What a value must be beyond its form. Lengths of texts count Unicode scalar values.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum Refinement {
    /// `.min(1)`: a number of at least that.
    Min(Number),
    /// `.max(10)`: a number of at most that.
    Max(Number),
    /// `.multipleOf(5)`: a number that is so many times a whole number.
    MultipleOf(Number),
    /// `.integer()`: a number without a fraction, that floats can hold exactly.
    Integer,
    /// `.positive()`: a number above 0.
    Positive,
    /// `.negative()`: a number below 0.
    Negative,
    /// `.minLength(1)`: a text of at least so many characters.
    MinLength(usize),
    /// `.maxLength(80)`: a text of at most so many characters.
    MaxLength(usize),
    /// `.nonEmpty()`: a text, list or object with something in it.
    NonEmpty,
    /// `.startsWith("/")`
    StartsWith(String),
    /// `.endsWith(".md")`
    EndsWith(String),
    /// `.regex(/^[a-z]+$/)`: a text in which the pattern is found.
    Regex(Pattern),
    /// `.email()`: ASCII, at most 254 characters, a dot in its domain.
    Email,
    /// `.url()`: an absolute URL without blanks.
    Url,
    /// `.uuid()`: of any version.
    Uuid,
    /// `.minItems(1)`: a list or object of at least so many elements or fields.
    MinItems(usize),
    /// `.maxItems(9)`: a list or object of at most so many elements or fields.
    MaxItems(usize),
    /// `.unique()`: a list no two elements of which are equal.
    Unique,
}

/// What a refinement is about.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Subject {
    Number,
    Text,
    List,
    Container,
    Sized,
}

impl Refinement {
    fn subject(&self) -> Subject {
        match self {
            Self::Min(_)
            | Self::Max(_)
            | Self::MultipleOf(_)
            | Self::Integer
            | Self::Positive
            | Self::Negative => Subject::Number,
            Self::NonEmpty => Subject::Sized,
            Self::MinItems(_) | Self::MaxItems(_) => Subject::Container,
            Self::Unique => Subject::List,
            _ => Subject::Text,
        }
    }

    /// Whether values of a type can have it.
    pub fn is_about(&self, ty: &Type) -> bool {
        ty.alternatives().into_iter().any(|ty| {
            let is_container = matches!(ty, Type::List(_) | Type::Map(_) | Type::Object);
            match self.subject() {
                Subject::Number => *ty == Type::Number,
                Subject::Text => *ty == Type::Text,
                Subject::List => matches!(ty, Type::List(_)),
                Subject::Container => is_container,
                Subject::Sized => is_container || *ty == Type::Text,
            }
        })
    }

    /// Whether it holds. What it is not about it says nothing of.
    pub fn holds(&self, value: &Value) -> bool {
        match value {
            Value::Number(number) => self.holds_of_number(number),
            Value::Text(text) => self.holds_of_text(text),
            Value::List(items) => match self {
                Self::Unique => all_differ(items),
                _ => self.holds_of_count(items.len()),
            },
            value => value.fields().is_none_or(|fields| self.holds_of_count(fields.len())),
        }
    }

    fn holds_of_number(&self, number: &Number) -> bool {
        let zero = Number::from(0);
        match self {
            Self::Min(least) => compare(number, least).is_ge(),
            Self::Max(most) => compare(number, most).is_le(),
            Self::MultipleOf(step) => is_multiple(number, step),
            Self::Integer => integer(number).is_some_and(|it| it.unsigned_abs() < 1 << 53),
            Self::Positive => compare(number, &zero).is_gt(),
            Self::Negative => compare(number, &zero).is_lt(),
            _ => true,
        }
    }

    fn holds_of_text(&self, text: &str) -> bool {
        match self {
            Self::MinLength(least) => text.chars().count() >= *least,
            Self::MaxLength(most) => text.chars().count() <= *most,
            Self::NonEmpty => !text.is_empty(),
            Self::StartsWith(start) => text.starts_with(start),
            Self::EndsWith(end) => text.ends_with(end),
            Self::Regex(pattern) => pattern.regex.is_match(text),
            Self::Email => format::is_email(text),
            Self::Url => format::is_url(text),
            Self::Uuid => format::is_uuid(text),
            _ => true,
        }
    }

    fn holds_of_count(&self, count: usize) -> bool {
        match self {
            Self::MinItems(least) => count >= *least,
            Self::MaxItems(most) => count <= *most,
            Self::NonEmpty => count > 0,
            _ => true,
        }
    }
}

fn all_differ(items: &[Value]) -> bool {
    let mut seen = HashSet::new();
    items.iter().all(|item| seen.insert(canonical(item)))
}

/// The same text for values that are equal.
fn canonical(value: &Value) -> String {
    match value {
        Value::Number(number) => integer(number).map_or(number.to_string(), |it| it.to_string()),
        Value::List(items) => format!("[{}]", items.iter().map(canonical).collect::<Vec<_>>().join(",")),
        Value::Text(text) => quoted(text),
        value => match value.fields() {
            Some(fields) => {
                let field = |(key, value): (&String, &Value)| format!("{}:{}", quoted(key), canonical(value));
                let mut fields: Vec<String> = fields.iter().map(field).collect();
                fields.sort_unstable();
                format!("{{{}}}", fields.join(","))
            }
            None => value.to_json().to_string(),
        },
    }
}

/// As a type spells it.
impl fmt::Display for Refinement {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Min(number) => write!(f, ".min({number})"),
            Self::Max(number) => write!(f, ".max({number})"),
            Self::MultipleOf(number) => write!(f, ".multipleOf({number})"),
            Self::Integer => f.write_str(".integer()"),
            Self::Positive => f.write_str(".positive()"),
            Self::Negative => f.write_str(".negative()"),
            Self::MinLength(count) => write!(f, ".minLength({count})"),
            Self::MaxLength(count) => write!(f, ".maxLength({count})"),
            Self::NonEmpty => f.write_str(".nonEmpty()"),
            Self::StartsWith(text) => write!(f, ".startsWith({})", quoted(text)),
            Self::EndsWith(text) => write!(f, ".endsWith({})", quoted(text)),
            Self::Regex(pattern) => write!(f, ".regex({pattern})"),
            Self::Email => f.write_str(".email()"),
            Self::Url => f.write_str(".url()"),
            Self::Uuid => f.write_str(".uuid()"),
            Self::MinItems(count) => write!(f, ".minItems({count})"),
            Self::MaxItems(count) => write!(f, ".maxItems({count})"),
            Self::Unique => f.write_str(".unique()"),
        }
    }
}
