//! The check of refinements: the types that they apply to, and the values that they hold for.

use std::collections::HashSet;

use serde_json::Number;

use crate::number::{compare, integer, is_multiple};
use crate::quote::quoted;
use crate::refinement::format;
use crate::{Refinement, Type, Value};

/// The kinds of value that a refinement applies to.
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

    /// Returns `true` if it applies to values of a type.
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

    /// Returns `true` if it holds for a value, or does not apply to it.
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

/// Returns the same text for equal values.
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
