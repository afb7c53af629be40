//! The table of refinements.

use crate::names::Shape;
use crate::syntax::{LiteralKind, Refinement, RefinementArgument};

/// A known refinement.
#[derive(Debug)]
pub(crate) struct RefinementRule {
    pub(crate) name: &'static str,
    /// The types that it applies to, as words.
    pub(super) bases: &'static str,
    pub(super) argument: Argument,
}

/// The argument of a refinement.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Argument {
    None,
    /// An integer from 0.
    Length,
    Number,
    Text,
    Regex,
    Any,
}

impl Argument {
    pub(super) fn words(self) -> &'static str {
        match self {
            Self::None => "no argument",
            Self::Length => "one whole number from 0",
            Self::Number => "one number",
            Self::Text => "one text",
            Self::Regex => "one regex between slashes",
            Self::Any => "one literal",
        }
    }
}

const TEXTS: &str = "texts";
const NUMBERS: &str = "numbers";
const LISTS: &str = "lists and dictionaries";
const SIZED: &str = "texts, lists and dictionaries";

const fn known(name: &'static str, bases: &'static str, argument: Argument) -> RefinementRule {
    RefinementRule { name, bases, argument }
}

pub(crate) const KNOWN: &[RefinementRule] = &[
    known("minLength", TEXTS, Argument::Length),
    known("maxLength", TEXTS, Argument::Length),
    known("regex", TEXTS, Argument::Regex),
    known("email", TEXTS, Argument::None),
    known("url", TEXTS, Argument::None),
    known("uuid", TEXTS, Argument::None),
    known("startsWith", TEXTS, Argument::Text),
    known("endsWith", TEXTS, Argument::Text),
    known("nonEmpty", SIZED, Argument::None),
    known("min", NUMBERS, Argument::Number),
    known("max", NUMBERS, Argument::Number),
    known("positive", NUMBERS, Argument::None),
    known("negative", NUMBERS, Argument::None),
    known("integer", NUMBERS, Argument::None),
    known("multipleOf", NUMBERS, Argument::Number),
    known("minItems", LISTS, Argument::Length),
    known("maxItems", LISTS, Argument::Length),
    known("unique", LISTS, Argument::None),
    known("default", "every type", Argument::Any),
];

/// Returns the names of all refinements: `minLength`.
pub fn refinements() -> impl Iterator<Item = &'static str> {
    KNOWN.iter().map(|it| it.name)
}

/// Returns `true` if a refinement applies to the type.
pub(crate) fn applies(known: &RefinementRule, shape: &Shape<'_, '_>) -> bool {
    if known.name == "default" {
        return true;
    }
    match shape {
        Shape::Text => matches!(known.bases, TEXTS | SIZED),
        Shape::Number { .. } => known.bases == NUMBERS,
        Shape::List(_) | Shape::AnyList | Shape::Dict(_) => matches!(known.bases, LISTS | SIZED),
        Shape::Option(inner) => applies(known, &inner.view().shape),
        _ => false,
    }
}

/// Returns `true` if a refinement applies to a primitive type of that name.
pub(crate) fn applies_to_primitive(known: &RefinementRule, name: &str) -> bool {
    match name {
        "string" => matches!(known.bases, TEXTS | SIZED),
        "number" | "int" => known.bases == NUMBERS,
        "List" | "Dict" | "Map" => matches!(known.bases, LISTS | SIZED),
        _ => false,
    }
    .max(known.name == "default" && name != "void")
}

impl RefinementRule {
    /// Returns the words for its argument.
    pub(crate) fn words(&self) -> &'static str {
        self.argument.words()
    }
}

/// Returns the numeric argument of a refinement.
pub(in crate::validate) fn number_argument(refinement: &Refinement) -> Option<f64> {
    match refinement.arguments.first()? {
        RefinementArgument::Value { value, .. } => match value.kind {
            LiteralKind::Number(number) => Some(number),
            _ => None,
        },
        RefinementArgument::Declared { .. } => None,
    }
}
