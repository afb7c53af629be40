//! Checks of expressions: known names.

use dialect::ast::{Expression, ExpressionKind, TemplatePart};
use source_text::Severity;

use super::{Bound, KnownType, Walker};
use crate::diagnostic::Code;
use crate::names::{BoundType, OccurrenceKind, Shape, Symbol};
use crate::syntax::DefinitionKind;
use crate::validate::built_in::{BUILT_IN_FUNCTIONS, OBJECTS};
use crate::validate::literal::{StaticValue, ValueKind};

/// The built-in functions that never fail.
pub(super) const HARMLESS: &[&str] = &["print", "now", "wait", "exponentialBackoff", "alert"];

impl<'w, 'a> Walker<'w, '_, 'a> {
    /// Checks an expression, and infers its type.
    pub(super) fn expression(&mut self, expression: &'a Expression) -> KnownType<'w, 'a> {
        match &expression.kind {
            ExpressionKind::Name(name) => self.name(name, expression),
            ExpressionKind::Call(call) => self.call(call, expression),
            ExpressionKind::Member { of, name, .. } => self.member(of, name),
            ExpressionKind::Index { of, index } => self.index(of, index),
            ExpressionKind::Lambda { parameters, body } => {
                self.lambda(parameters, body, None);
                None
            }
            ExpressionKind::Block => {
                if let Some(block) = self.program.lambda_bodies.get(&expression.span.start) {
                    self.block(block);
                }
                None
            }
            ExpressionKind::Template(parts) => {
                for part in parts {
                    if let TemplatePart::Expression(expression) = part {
                        self.expression(expression);
                    }
                }
                None
            }
            ExpressionKind::Binary { operator: "is", left, right } => {
                self.expression(left);
                self.test(right);
                None
            }
            ExpressionKind::Binary { operator: "==" | "===" | "!=" | "!==", left, right } => {
                let types = [self.expression(left), self.expression(right)];
                self.comparison([left, right], types);
                None
            }
            ExpressionKind::Object(fields) => {
                for (key, value) in fields {
                    self.expression(value);
                    self.checker.unresolved_member(&key.text, key.span);
                    if key.span == value.span {
                        self.checker.shorthand(key.span);
                    }
                }
                None
            }
            ExpressionKind::Spread(None) => {
                self.is_sketch = true;
                let message = "what is left out cannot run";
                self.checker.diagnostics.report(Severity::Info, Code::NOT_RUNNABLE, expression.span, message);
                None
            }
            kind => {
                for child in kind.children() {
                    self.expression(child);
                }
                None
            }
        }
    }

    /// Reports a literal that a value of an enum or a choice never has.
    fn comparison(&mut self, sides: [&'a Expression; 2], types: [KnownType<'w, 'a>; 2]) {
        for (literal, of) in [(sides[0], &types[1]), (sides[1], &types[0])] {
            let value = StaticValue::from_expression(literal);
            let Some(of) = of.as_ref().map(|of| self.opened(of)) else { continue };
            let is_choice = match of.view().shape {
                Shape::Enum(..) | Shape::Literal(_) => true,
                Shape::Union(members) => {
                    members.iter().all(|it| matches!(it.view().shape, Shape::Literal(_) | Shape::Tag(_)))
                }
                _ => false,
            };
            if is_choice
                && matches!(value.kind, ValueKind::Text(_) | ValueKind::Number(_))
                && let Some(misfit) = value.misfit(&of)
            {
                let message = format!("these are never equal: this {}", misfit.message);
                self.checker.diagnostics.warning(Code::NEVER_EQUAL, misfit.span, message);
            }
        }
    }

    /// Checks `of[index]`, and infers its type.
    fn index(&mut self, of: &'a Expression, index: &'a Expression) -> KnownType<'w, 'a> {
        self.expression(index);
        let of = self.expression(of);
        if let ExpressionKind::Text(name) = &index.kind {
            self.named(of.as_ref(), name, index.span);
        }
        self.element(&of?)
    }

    /// Returns the type of a variable; `None` if the name is no variable.
    pub(super) fn variable(&self, name: &str) -> Option<KnownType<'w, 'a>> {
        if let Some(bound) = self.bound.iter().rev().find(|bound| bound.name == name) {
            return Some(bound.ty.clone());
        }
        if let Some(ty) = self.types.get(name) {
            return Some(ty.clone());
        }
        self.assigned.contains_key(name).then_some(None)
    }

    fn name(&mut self, name: &'a str, expression: &Expression) -> KnownType<'w, 'a> {
        if let Some(known) = self.variable(name) {
            self.variable_use(name, expression.span);
            return known;
        }
        self.checker.name_use(name, expression.span, self.scope);
        let is_known = self.scope.find(name).is_some()
            || BUILT_IN_FUNCTIONS.contains(&name)
            || OBJECTS.contains(&name)
            || self.scope.has_variant(name);
        if !is_known {
            let names = self.near_variables();
            let span = expression.span;
            self.error(Code::UNKNOWN_VARIABLE, span, format!("`{name}` was never assigned"))
                .nearest(name, span, names);
        }
        None
    }

    /// Returns the variables that an unknown name may mean, for suggestions.
    fn near_variables(&mut self) -> Vec<&'a str> {
        let Some(left) = self.checker.suggestions.checked_sub(1) else { return Vec::new() };
        self.checker.suggestions = left;
        self.assigned.keys().copied().chain(self.bound.iter().map(|bound| bound.name)).collect()
    }

    /// Checks a lambda, whose first parameter has the type `first` if it declares none.
    pub(super) fn lambda(
        &mut self,
        parameters: &'a [dialect::ast::LambdaParameter],
        body: &'a Expression,
        mut first: KnownType<'w, 'a>,
    ) {
        let bound = self.bound.len();
        let returned = self.returned.take();
        for parameter in parameters {
            let ty = parameter.ty.and_then(|span| self.program.lambda_types.get(&span.start));
            if let Some(ty) = ty {
                let none = std::collections::HashSet::new();
                self.checker.ty(ty, self.scope, &none, super::super::types::TypePosition::Value);
            }
            let (name, span) = (parameter.name.text.as_str(), parameter.name.span);
            self.checker.defines_at(name, span, OccurrenceKind::Variable);
            let inferred = first.take();
            let ty = ty.map(|ty| BoundType::new(ty, self.scope)).or(inferred);
            self.bound.push(Bound { name, span: Some(span), kind: OccurrenceKind::Variable, ty });
        }
        self.expression(body);
        self.bound.truncate(bound);
        self.returned = returned;
    }

    /// Checks the operand of `is`: a type, an error or a variant.
    fn test(&mut self, right: &'a Expression) {
        let (name, symbol) = match &right.kind {
            ExpressionKind::Name(name) => {
                self.checker.name_use(name, right.span, self.scope);
                (name.clone(), self.scope.find(name))
            }
            ExpressionKind::Member { of, name, .. } => match &of.kind {
                ExpressionKind::Name(module) => {
                    let text = format!("{module}.{}", name.text);
                    let symbol = match self.scope.find(module) {
                        Some(Symbol::Module(home)) => self.scope.table.exported(home, &name.text),
                        other => other,
                    };
                    self.checker.name_use(module, of.span, self.scope);
                    self.checker.symbol_use(&name.text, name.span, symbol);
                    (text, symbol)
                }
                _ => return,
            },
            _ => return,
        };
        let is_type = match symbol {
            Some(Symbol::Definition(definition, _)) => {
                !matches!(definition.kind, DefinitionKind::Capability(_) | DefinitionKind::Tool(_))
            }
            Some(Symbol::Opaque) => true,
            Some(Symbol::Module(_)) => false,
            None => {
                let primitives = ["string", "number", "int", "bool", "boolean", "null", "List", "Dict"];
                primitives.contains(&name.as_str()) || self.scope.has_variant(&name)
            }
        };
        if is_type {
            return;
        }
        let known = self.checker.known(self.scope, |_| true);
        let span = right.span;
        self.error(Code::UNKNOWN_TEST, span, format!("no type or variant is called `{name}`"))
            .nearest(&name, span, known);
    }
}
