//! Checks of literal values against types.

mod refined;

use std::cell::Cell;

use dialect::ast::{Expression, ExpressionKind};
use source_text::Span;

use crate::limits::DEEPEST_VALUE;
use crate::lower::payload_name;
use crate::names::{BoundType, Shape};
use crate::syntax::{Literal, LiteralKind, Member, MemberKind, Payload};

/// The maximum number of types that one value is checked against.
const MOST_STEPS: usize = 100_000;

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
        self.misfit_of(bound, &Steps { left: Cell::new(MOST_STEPS), depth: Cell::new(0) })
    }

    fn misfit_of(&self, bound: &BoundType<'_, '_>, steps: &Steps) -> Option<Misfit> {
        if self.kind == ValueKind::Unknown || !steps.enter() {
            return None;
        }
        let misfit = self.misfit_of_shape(bound, steps);
        steps.depth.update(|it| it - 1);
        misfit
    }

    fn misfit_of_shape(&self, bound: &BoundType<'_, '_>, steps: &Steps) -> Option<Misfit> {
        let view = bound.view();
        let misfit = match (&view.shape, &self.kind) {
            (Shape::Any | Shape::Unknown | Shape::Tag(_) | Shape::Error, _) => None,
            (Shape::Variant(name, payload, home), _) => {
                self.misfit_of_variant(name, Some((payload, home)), steps)
            }
            (Shape::Option(_), ValueKind::Null) => None,
            (Shape::Option(inner), _) => self.misfit_of(inner, steps),
            (Shape::Union(members), _) => self.misfit_of_union(members, steps),
            (Shape::Enum(definition, it), _) => self.misfit_of_enum(&definition.name.text, it),
            (Shape::Literal(literal), _) => self.misfit_of_literal(literal),
            (Shape::Null | Shape::Void, ValueKind::Null)
            | (Shape::Text, ValueKind::Text(_) | ValueKind::SomeText)
            | (Shape::Number { .. }, ValueKind::Number(_))
            | (Shape::Bool, ValueKind::Bool(_))
            | (Shape::AnyList, ValueKind::List(_))
            | (Shape::Dict(None), ValueKind::Object(..)) => None,
            (Shape::List(element), ValueKind::List(items)) => {
                items.iter().find_map(|item| item.misfit_of(element, steps))
            }
            (Shape::Dict(Some((_, value))), ValueKind::Object(fields, _)) => {
                fields.iter().find_map(|(_, _, field)| field.misfit_of(value, steps))
            }
            (Shape::Struct(members, home), ValueKind::Object(fields, is_open)) => {
                self.misfit_of_struct((members, home), fields, *is_open, steps)
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
    fn misfit_of_union(&self, members: &[BoundType<'_, '_>], steps: &Steps) -> Option<Misfit> {
        let shapes: Vec<Shape<'_, '_>> = members.iter().map(|it| it.view().shape).collect();
        let has_payload = shapes.iter().any(|it| matches!(it, Shape::Variant(..)));
        let misfit = |(member, shape): (&BoundType<'_, '_>, &Shape<'_, '_>)| match shape {
            Shape::Tag(name) if has_payload => self.misfit_of_variant(name, None, steps),
            _ => self.misfit_of(member, steps),
        };
        let misfits: Option<Vec<Misfit>> = members.iter().zip(&shapes).map(misfit).collect();
        let misfits = misfits?;
        if let Some(violation) = misfits.iter().find(|misfit| misfit.violates || misfit.span != self.span) {
            return Some(violation.clone());
        }
        let options: Vec<String> = shapes
            .iter()
            .filter_map(|shape| match shape {
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

    /// Checks against a variant, which is an object of one field with the name of the variant. Defaults may be the name
    /// alone.
    fn misfit_of_variant(
        &self,
        name: &str,
        payload: Option<(&[Payload], &BoundType<'_, '_>)>,
        steps: &Steps,
    ) -> Option<Misfit> {
        let wrong = || Some(self.wrong(&format!("the variant `{name}`")));
        match &self.kind {
            ValueKind::Name(given) if given == name => {
                let (parts, _) = payload?;
                let missing = parts.iter().position(is_required)?;
                let message = format!("lacks the field `{}`", payload_field(parts, missing));
                Some(Misfit { span: self.span, message, violates: false })
            }
            // The rest of an open object is not known.
            ValueKind::Object(_, true) => None,
            ValueKind::Object(fields, false) => match fields.as_slice() {
                [(given, _, value)] if given == name => value.misfit_of_payload(payload, steps),
                _ => wrong(),
            },
            _ => wrong(),
        }
    }

    fn misfit_of_payload(
        &self,
        payload: Option<(&[Payload], &BoundType<'_, '_>)>,
        steps: &Steps,
    ) -> Option<Misfit> {
        let (parts, home) = payload.map_or((&[][..], None), |(parts, home)| (parts, Some(home)));
        let (fields, is_open) = match &self.kind {
            ValueKind::Object(fields, is_open) => (fields, *is_open),
            ValueKind::Unknown => return None,
            _ => return Some(self.wrong("an object")),
        };
        for (name, span, value) in fields {
            let found = (0..parts.len()).find(|at| payload_field(parts, *at) == *name);
            let (Some(at), Some(home)) = (found, home) else {
                let message = format!("has no field `{name}`");
                return Some(Misfit { span: *span, message, violates: false });
            };
            let part = &parts[at];
            if !(part.optional && value.kind == ValueKind::Null)
                && let Some(misfit) = value.misfit_of(&home.inner(&part.ty), steps)
            {
                return Some(misfit);
            }
        }
        let is_given = |at: &usize| fields.iter().any(|(name, ..)| *name == payload_field(parts, *at));
        let mut required = (0..parts.len()).filter(|at| is_required(&parts[*at]));
        let missing = required.find(|at| !is_given(at)).filter(|_| !is_open)?;
        let message = format!("lacks the field `{}`", payload_field(parts, missing));
        Some(Misfit { span: self.span, message, violates: false })
    }

    fn misfit_of_struct<'a>(
        &self,
        (members, home): (&'a [Member], &BoundType<'_, 'a>),
        fields: &[(String, Span, StaticValue)],
        is_open: bool,
        steps: &Steps,
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
                && let Some(misfit) = value.misfit_of(&home.inner(ty), steps)
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

/// The steps of one check. A type that stands for itself, which is an error of its own, would take any number.
struct Steps {
    left: Cell<usize>,
    depth: Cell<usize>,
}

impl Steps {
    /// Counts a step into a type; returns `false` if there were too many, so that nothing is known.
    fn enter(&self) -> bool {
        let is_left = self.left.get() > 0 && self.depth.get() < DEEPEST_VALUE;
        if is_left {
            self.left.update(|it| it - 1);
            self.depth.update(|it| it + 1);
        }
        is_left
    }
}

/// Returns the name of a part of a payload.
fn payload_field(parts: &[Payload], at: usize) -> String {
    parts[at].name.as_ref().map_or_else(|| payload_name(at), |name| name.text.clone())
}

fn is_required(part: &Payload) -> bool {
    !part.optional && part.ty.default().is_none()
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
