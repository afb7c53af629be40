//! Checks of literal values against refinements.

use source_text::Span;

use super::{Misfit, StaticValue, ValueKind};
use crate::lower::lowered;
use crate::names::{Shape, TypeView};
use crate::syntax::{LiteralKind, Refinement, RefinementArgument};
use crate::values::number;

/// The largest exact integer.
const LARGEST_INTEGER: f64 = 9_007_199_254_740_991.0;

impl StaticValue {
    /// Returns the first violated refinement.
    pub(super) fn refined(&self, view: &TypeView<'_, '_>) -> Option<Misfit> {
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

    /// Returns `true` if the value satisfies a refinement; `None` if that is unknown.
    fn satisfies(&self, refinement: &Refinement) -> Option<bool> {
        let known = lowered(refinement)?;
        let value = match &self.kind {
            // The number of elements is known, even if their values are not.
            ValueKind::List(items) if known != dialect::Refinement::Unique => {
                dialect::Value::from(vec![dialect::Value::Null; items.len()])
            }
            ValueKind::Object(fields, false) => dialect::Value::Object(
                fields.iter().map(|(name, ..)| (name.clone(), dialect::Value::Null)).collect(),
            ),
            _ => self.value()?,
        };
        Some(known.holds(&value))
    }

    /// Returns the value, if all of it is known.
    fn value(&self) -> Option<dialect::Value> {
        Some(match &self.kind {
            ValueKind::Null => dialect::Value::Null,
            ValueKind::Bool(value) => (*value).into(),
            ValueKind::Number(value) => dialect::Value::Number(number(*value)?),
            ValueKind::Text(text) | ValueKind::Name(text) => text.as_str().into(),
            ValueKind::List(items) => items.iter().map(Self::value).collect::<Option<Vec<_>>>()?.into(),
            ValueKind::Object(fields, false) => {
                let field = |(name, _, value): &(String, Span, Self)| Some((name.clone(), value.value()?));
                dialect::Value::Object(fields.iter().map(field).collect::<Option<_>>()?)
            }
            ValueKind::SomeText | ValueKind::Object(_, true) | ValueKind::Unknown => return None,
        })
    }
}

fn argument(refinement: &Refinement) -> Option<&LiteralKind> {
    match refinement.arguments.first()? {
        RefinementArgument::Value { value, .. } => Some(&value.kind),
        RefinementArgument::Declared { .. } => None,
    }
}

/// Prints a refinement with its argument.
fn shown(refinement: &Refinement) -> String {
    let argument = match argument(refinement) {
        Some(LiteralKind::Number(number)) => number.to_string(),
        Some(LiteralKind::Text(text)) => format!("\"{text}\""),
        Some(LiteralKind::Regex { pattern, flags }) => format!("/{pattern}/{flags}"),
        _ => String::new(),
    };
    format!("{}({argument})", refinement.name.text)
}
