//! Checks of literal values against types.

mod refined;

use dialect::ast::{Expression, ExpressionKind};
use source_text::Span;

use crate::names::{BoundType, Shape};
use crate::syntax::{Literal, LiteralKind, Member, MemberKind};

/// A value as far as its code determines it.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct StaticValue {
    pub(super) kind: ValueKind,
    pub(super) span: Span,
}

/// The known part of a value.
#[derive(Clone, Debug, PartialEq)]
pub(super) enum ValueKind {
    Null,
    Bool(bool),
    Number(f64),
    Text(String),
    /// A text that is computed at run time.
    SomeText,
    List(Vec<StaticValue>),
    /// Fields; `true` if there may be more.
    Object(Vec<(String, Span, StaticValue)>, bool),
    /// A name that may be a variant.
    Name(String),
    /// Any value.
    Unknown,
}

/// The reason for which a value does not fit a type.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Misfit {
    pub(super) span: Span,
    /// The predicate of a message that starts with "the default" or "the argument".
    pub(super) message: String,
    /// `true` if only a refinement is violated.
    pub(super) violates: bool,
}

impl StaticValue {
    /// Converts a literal.
    pub(super) fn from_literal(literal: &Literal) -> Self {
        let kind = match &literal.kind {
            LiteralKind::Null => ValueKind::Null,
            LiteralKind::Bool(value) => ValueKind::Bool(*value),
            LiteralKind::Number(value) => ValueKind::Number(*value),
            LiteralKind::Text(value) => ValueKind::Text(value.clone()),
            LiteralKind::Name(path) => ValueKind::Name(path.name.text.clone()),
            LiteralKind::List(items) => ValueKind::List(items.iter().map(Self::from_literal).collect()),
            LiteralKind::Object(fields) => {
                let field = |(name, value): &(crate::syntax::Name, Literal)| {
                    (name.text.clone(), name.span, Self::from_literal(value))
                };
                ValueKind::Object(fields.iter().map(field).collect(), false)
            }
            LiteralKind::Regex { .. } | LiteralKind::Broken => ValueKind::Unknown,
        };
        Self { kind, span: literal.span }
    }

    /// Converts the known part of an expression.
    pub(super) fn from_expression(expression: &Expression) -> Self {
        let kind = match &expression.kind {
            ExpressionKind::Null => ValueKind::Null,
            ExpressionKind::Bool(value) => ValueKind::Bool(*value),
            ExpressionKind::Number(value) => value.as_f64().map_or(ValueKind::Unknown, ValueKind::Number),
            ExpressionKind::Text(value) => ValueKind::Text(value.clone()),
            ExpressionKind::Template(_) => ValueKind::SomeText,
            ExpressionKind::Unary { operator: "-", of } => match Self::from_expression(of).kind {
                ValueKind::Number(value) => ValueKind::Number(-value),
                _ => ValueKind::Unknown,
            },
            ExpressionKind::List(elements) if elements.iter().all(|element| !element.spread) => {
                ValueKind::List(
                    elements.iter().map(|element| Self::from_expression(&element.value)).collect(),
                )
            }
            ExpressionKind::Object(fields) => {
                let is_spread = |value: &Expression| matches!(value.kind, ExpressionKind::Spread(_));
                let is_open = fields.iter().any(|(_, value)| is_spread(value));
                let known = fields.iter().filter(|(_, value)| !is_spread(value));
                let known =
                    known.map(|(name, value)| (name.text.clone(), name.span, Self::from_expression(value)));
                ValueKind::Object(known.collect(), is_open)
            }
            _ => ValueKind::Unknown,
        };
        Self { kind, span: expression.span }
    }

    /// Returns the mismatch with a type, if there certainly is one.
    pub(super) fn misfit(&self, bound: &BoundType<'_, '_>) -> Option<Misfit> {
        if self.kind == ValueKind::Unknown {
            return None;
        }
        let view = bound.view();
        let misfit = match (&view.shape, &self.kind) {
            (Shape::Any | Shape::Unknown | Shape::Tag(_) | Shape::Variant | Shape::Error, _) => None,
            (Shape::Option(_), ValueKind::Null) => None,
            (Shape::Option(inner), _) => self.misfit(inner),
            (Shape::Union(members), _) => self.misfit_of_union(members),
            (Shape::Enum(definition, it), _) => self.misfit_of_enum(&definition.name.text, it),
            (Shape::Literal(literal), _) => self.misfit_of_literal(literal),
            (Shape::Null | Shape::Void, ValueKind::Null)
            | (Shape::Text, ValueKind::Text(_) | ValueKind::SomeText)
            | (Shape::Number { .. }, ValueKind::Number(_))
            | (Shape::Bool, ValueKind::Bool(_))
            | (Shape::AnyList, ValueKind::List(_))
            | (Shape::Dict(None), ValueKind::Object(..)) => None,
            (Shape::List(element), ValueKind::List(items)) => {
                items.iter().find_map(|item| item.misfit(element))
            }
            (Shape::Dict(Some((_, value))), ValueKind::Object(fields, _)) => {
                fields.iter().find_map(|(_, _, field)| field.misfit(value))
            }
            (Shape::Struct(members, home), ValueKind::Object(fields, is_open)) => {
                self.misfit_of_struct(members, home, fields, *is_open)
            }
            (shape, _) => Some(self.wrong(expected(shape))),
        };
        misfit.or_else(|| self.refined(&view))
    }

    /// Creates the mismatch with another type.
    fn wrong(&self, expected: &str) -> Misfit {
        let message = format!("is {}, not {expected}", self.words());
        Misfit { span: self.span, message, violates: false }
    }

    fn words(&self) -> String {
        match &self.kind {
            ValueKind::Null => "null".to_owned(),
            ValueKind::Bool(value) => format!("`{value}`"),
            ValueKind::Number(value) => format!("the number {value}"),
            ValueKind::Text(text) if text.len() <= 40 => format!("the text {text:?}"),
            ValueKind::Text(_) | ValueKind::SomeText => "a text".to_owned(),
            ValueKind::List(_) => "a list".to_owned(),
            ValueKind::Object(..) => "an object".to_owned(),
            ValueKind::Name(name) => format!("`{name}`"),
            ValueKind::Unknown => "something".to_owned(),
        }
    }

    /// Checks against a union. Of several mismatches, a violated refinement is the most helpful.
    fn misfit_of_union(&self, members: &[BoundType<'_, '_>]) -> Option<Misfit> {
        let misfits: Option<Vec<Misfit>> = members.iter().map(|member| self.misfit(member)).collect();
        let misfits = misfits?;
        if let Some(violation) = misfits.iter().find(|misfit| misfit.violates || misfit.span != self.span) {
            return Some(violation.clone());
        }
        let options: Vec<String> = members
            .iter()
            .filter_map(|member| match member.view().shape {
                Shape::Literal(literal) => Some(format!("`{}`", shown(literal))),
                _ => None,
            })
            .collect();
        if options.len() == members.len() {
            return Some(self.wrong(&options.join(" or ")));
        }
        Some(self.wrong("of any type of the union"))
    }

    fn misfit_of_enum(&self, name: &str, it: &crate::syntax::Enum) -> Option<Misfit> {
        let fits = it.variants.iter().any(|variant| match (&self.kind, &variant.value) {
            (ValueKind::Name(name), _) => variant.name.text == *name,
            (ValueKind::Text(text), Some(Literal { kind: LiteralKind::Text(wire), .. })) => wire == text,
            (ValueKind::Number(number), Some(Literal { kind: LiteralKind::Number(wire), .. })) => {
                wire == number
            }
            (ValueKind::Text(text), _) => variant.name.text == *text,
            (ValueKind::SomeText, _) => true,
            _ => false,
        });
        (!fits).then(|| self.wrong(&format!("a variant of `{name}`")))
    }

    fn misfit_of_literal(&self, literal: &Literal) -> Option<Misfit> {
        let fits = match (&self.kind, &literal.kind) {
            (ValueKind::Text(value), LiteralKind::Text(wanted)) => value == wanted,
            (ValueKind::Number(value), LiteralKind::Number(wanted)) => value == wanted,
            (ValueKind::Bool(value), LiteralKind::Bool(wanted)) => value == wanted,
            (ValueKind::SomeText, LiteralKind::Text(_)) | (_, LiteralKind::Broken) => true,
            _ => false,
        };
        (!fits).then(|| self.wrong(&format!("`{}`", shown(literal))))
    }

    fn misfit_of_struct<'a>(
        &self,
        members: &'a [Member],
        home: &BoundType<'_, 'a>,
        fields: &[(String, Span, StaticValue)],
        is_open: bool,
    ) -> Option<Misfit> {
        for (name, span, value) in fields {
            let Some(member) = members.iter().find(|member| member.name.text == *name) else {
                return Some(Misfit {
                    span: *span,
                    message: format!("has no field `{name}`"),
                    violates: false,
                });
            };
            if let MemberKind::Field { ty, optional } = &member.kind
                && !(*optional && value.kind == ValueKind::Null)
                && let Some(misfit) = value.misfit(&home.inner(ty))
            {
                return Some(misfit);
            }
        }
        let is_missing = |member: &&Member| {
            let is_required =
                matches!(&member.kind, MemberKind::Field { ty, optional: false } if ty.default().is_none());
            is_required && !fields.iter().any(|(name, ..)| *name == member.name.text)
        };
        let missing = members.iter().find(is_missing).filter(|_| !is_open)?;
        let message = format!("lacks the field `{}`", missing.name.text);
        Some(Misfit { span: self.span, message, violates: false })
    }
}

fn shown(literal: &Literal) -> String {
    match &literal.kind {
        LiteralKind::Text(text) => format!("\"{text}\""),
        LiteralKind::Number(number) => number.to_string(),
        LiteralKind::Bool(value) => value.to_string(),
        _ => "null".to_owned(),
    }
}

fn expected(shape: &Shape<'_, '_>) -> &'static str {
    match shape {
        Shape::Text => "a text",
        Shape::Number { integer: true } => "a whole number",
        Shape::Number { .. } => "a number",
        Shape::Bool => "true or false",
        Shape::Null | Shape::Void => "null",
        Shape::List(_) | Shape::AnyList => "a list",
        Shape::Dict(_) | Shape::Struct(..) => "an object",
        Shape::Function => "a function",
        _ => "what is wanted",
    }
}
