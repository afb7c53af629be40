//! Rule 4: refinements exist, fit their type, and can be satisfied.

mod interval;
mod known;

use std::collections::HashSet;

use dialect::{Pattern, PatternError};
use interval::is_contradictory;
pub use known::refinements;
use known::{Argument, RefinementRule};
pub(crate) use known::{KNOWN, applies, applies_to_primitive};

use super::Checker;
use super::literal::StaticValue;
use crate::diagnostic::Code;
use crate::names::{BoundType, Scope, Shape};
use crate::syntax::{Literal, LiteralKind, Refinement, RefinementArgument, Type};

impl<'a> Checker<'_, 'a> {
    /// Checks the refinements of `ty`, whose type without them is `base`.
    pub(super) fn refinements(
        &mut self,
        ty: &'a Type,
        base: &'a Type,
        refinements: &'a [Refinement],
        scope: Scope<'_, 'a>,
        parameters: &HashSet<&str>,
    ) {
        let reported = self.diagnostics.len();
        let before = BoundType::new(base, scope).view();
        let is_open = matches!(&before.shape, Shape::Tag(name) if parameters.contains(name));
        let mut seen: HashSet<&str> = HashSet::new();
        for refinement in refinements {
            let name = refinement.name.text.as_str();
            if !seen.insert(name) && name != "regex" {
                self.error(Code::REFINEMENT_TWICE, refinement.span, format!("`{name}` is given twice"));
            }
            self.refinement(refinement, &before.shape, is_open);
        }
        if let Some(default) = ty.default() {
            self.literal_use(default, scope);
            self.literal_keys(default, &BoundType::new(ty, scope));
        }
        if self.diagnostics.len() > reported || is_open {
            return;
        }
        let after = BoundType::new(ty, scope).view();
        if is_contradictory(&after.shape, &after.refinements) {
            if !is_contradictory(&before.shape, &before.refinements) {
                let text = self.document.text(ty.span);
                let message = format!("no value can be `{}`", text.split_whitespace().collect::<String>());
                self.error(Code::CONTRADICTION, ty.span, message);
            }
            return;
        }
        if let Some(default) = ty.default() {
            self.default_value(ty, default, scope);
        }
    }

    fn refinement(&mut self, refinement: &Refinement, base: &Shape<'_, 'a>, is_open: bool) {
        let Some(known) = KNOWN.iter().find(|it| it.name == refinement.name.text) else {
            let span = refinement.name.span;
            let message = format!("no refinement is called `{}`", refinement.name.text);
            let names = KNOWN.iter().filter(|it| applies(it, base)).map(|it| it.name);
            self.error(Code::UNKNOWN_REFINEMENT, span, message).nearest(&refinement.name.text, span, names);
            return;
        };
        let is_unknown = matches!(base, Shape::Unknown | Shape::Tag(_)) || is_open;
        if !is_unknown && !applies(known, base) {
            let message = format!("`.{}` is for {}", known.name, known.bases);
            self.error(Code::REFINEMENT_BASE, refinement.span, message);
            return;
        }
        self.arguments(refinement, known);
    }

    fn arguments(&mut self, refinement: &Refinement, known: &RefinementRule) {
        let wanted = known.argument;
        let count = usize::from(wanted != Argument::None);
        if refinement.arguments.len() != count {
            let message = format!("`.{}` takes {}", known.name, wanted.words());
            self.error(Code::REFINEMENT_ARGUMENT, refinement.span, message);
            return;
        }
        let Some(argument) = refinement.arguments.first() else { return };
        let RefinementArgument::Value { value, .. } = argument else {
            let message = format!("`.{}` takes {}, not a declaration", known.name, wanted.words());
            self.error(Code::REFINEMENT_ARGUMENT, refinement.span, message);
            return;
        };
        self.argument(known, value);
    }

    fn argument(&mut self, known: &RefinementRule, value: &Literal) {
        match (&value.kind, known.argument) {
            (LiteralKind::Broken, _) | (_, Argument::Any | Argument::None) => {}
            (LiteralKind::Number(number), Argument::Length) if *number < 0.0 => {
                self.error(Code::NEGATIVE_LENGTH, value.span, "a length cannot be negative");
            }
            (LiteralKind::Number(number), Argument::Length) if number.fract() == 0.0 => {}
            (LiteralKind::Number(number), Argument::Number)
                if known.name != "multipleOf" || *number > 0.0 => {}
            (LiteralKind::Text(_), Argument::Text) => {}
            (LiteralKind::Regex { pattern, flags }, Argument::Regex) => self.regex(value, pattern, flags),
            _ => {
                let found = self.document.text(value.span);
                let message = format!("`.{}` takes {}, not `{found}`", known.name, known.argument.words());
                self.error(Code::REFINEMENT_ARGUMENT, value.span, message);
            }
        }
    }

    fn regex(&mut self, value: &Literal, pattern: &str, flags: &str) {
        if let Some(flag) = flags.chars().find(|flag| !matches!(flag, 'i' | 'u')) {
            let message = format!("the flag `{flag}` is not taken");
            self.error(Code::REGEX_FLAG, value.span, message).help("the flags are `i` and `u`");
            return;
        }
        match Pattern::parse(pattern, flags) {
            Ok(_) => {}
            Err(PatternError::NotPortable(why)) => {
                self.error(Code::REGEX, value.span, format!("this regex is not portable: {why}"));
            }
            Err(PatternError::Malformed(why)) => {
                self.error(Code::MALFORMED_REGEX, value.span, format!("this is no regex: {why}"));
            }
        }
    }

    fn default_value(&mut self, ty: &'a Type, default: &'a Literal, scope: Scope<'_, 'a>) {
        let Some(misfit) = StaticValue::from_literal(default).misfit(&BoundType::new(ty, scope)) else {
            return;
        };
        let code = if misfit.violates { Code::DEFAULT_VIOLATES } else { Code::DEFAULT_TYPE };
        self.error(code, misfit.span, format!("the default {}", misfit.message));
    }
}
