//! Refinements → Dialect's.

use dialect::{Pattern, Refinement, Type};

use super::Lowering;
use super::types::TypeContext;
use crate::diagnostic::Code;
use crate::syntax::{self, LiteralKind, RefinementArgument};
use crate::values::number;

impl<'s, 'a> Lowering<'s, 'a> {
    /// Adds refinements to a type; two chains are joined into one. `about` is the type without names around it.
    pub(super) fn refined(
        &mut self,
        base: Type,
        about: &Type,
        refinements: &'a [syntax::Refinement],
        place: &TypeContext<'s, 'a>,
    ) -> Type {
        let (inner, mut all) = match base {
            Type::Refined(inner, all) => (*inner, all),
            base => (base, Vec::new()),
        };
        for refinement in refinements.iter().filter(|it| it.name.text != "default") {
            match lowered(refinement).filter(|lowered| lowered.is_about(about)) {
                Some(lowered) if all.contains(&lowered) => {}
                Some(lowered) => all.push(lowered),
                None => {
                    let message = format!("programs are not held to `.{}`", refinement.name.text);
                    self.warning(place.scope.home, Code::WIDENED, refinement.span, message);
                }
            }
        }
        if all.is_empty() { inner } else { Type::Refined(Box::new(inner), all) }
    }
}

pub(crate) fn lowered(refinement: &syntax::Refinement) -> Option<Refinement> {
    let argument = refinement.arguments.first().and_then(|argument| match argument {
        RefinementArgument::Value { value, .. } => Some(&value.kind),
        RefinementArgument::Declared { .. } => None,
    });
    let number = || match argument {
        Some(LiteralKind::Number(value)) => number(*value),
        _ => None,
    };
    let count = || number().and_then(|it| it.as_u64()).and_then(|it| usize::try_from(it).ok());
    let text = || match argument {
        Some(LiteralKind::Text(text)) => Some(text.clone()),
        _ => None,
    };
    Some(match refinement.name.text.as_str() {
        "min" => Refinement::Min(number()?),
        "max" => Refinement::Max(number()?),
        "multipleOf" => Refinement::MultipleOf(number()?),
        "integer" => Refinement::Integer,
        "positive" => Refinement::Positive,
        "negative" => Refinement::Negative,
        "minLength" => Refinement::MinLength(count()?),
        "maxLength" => Refinement::MaxLength(count()?),
        "nonEmpty" => Refinement::NonEmpty,
        "startsWith" => Refinement::StartsWith(text()?),
        "endsWith" => Refinement::EndsWith(text()?),
        "regex" => Refinement::Regex(pattern(argument?)?),
        "email" => Refinement::Email,
        "url" => Refinement::Url,
        "uuid" => Refinement::Uuid,
        "minItems" => Refinement::MinItems(count()?),
        "maxItems" => Refinement::MaxItems(count()?),
        "unique" => Refinement::Unique,
        _ => return None,
    })
}

fn pattern(literal: &LiteralKind) -> Option<Pattern> {
    let LiteralKind::Regex { pattern, flags } = literal else { return None };
    Pattern::parse(pattern, flags).ok()
}
