//! Type inference of members.

use dialect::ast::{Expression, ExpressionKind, Spelled};
use source_text::{Severity, Span};

use super::flow::is_result;
use super::{KnownType, Walker};
use crate::diagnostic::Code;
use crate::names::{BoundType, OccurrenceKind, Shape, Symbol};
use crate::syntax::{DefinitionKind, MemberKind, TypeKind};
use crate::validate::built_in::OBJECTS;
use crate::validate::member::Members;

impl<'w, 'a> Walker<'w, '_, 'a> {
    /// Unwraps a `Result` or an `Option` to the type of its value.
    pub(super) fn opened(&self, bound: &BoundType<'w, 'a>) -> BoundType<'w, 'a> {
        match &bound.ty.kind {
            TypeKind::Named { arguments, .. } if is_result(bound.ty) && arguments.len() == 2 => {
                bound.inner(&arguments[0])
            }
            _ => match bound.view().shape {
                Shape::Option(inner) => inner,
                _ => bound.clone(),
            },
        }
    }

    /// Checks a member access such as `of.name`, and infers its type.
    pub(super) fn member(&mut self, of: &'a Expression, name: &'a Spelled) -> KnownType<'w, 'a> {
        if let ExpressionKind::Name(owner) = &of.kind
            && self.variable(owner).is_none()
            && let Some(symbol) = self.scope.find(owner)
        {
            self.checker.name_use(owner, of.span, self.scope);
            self.static_member(owner, symbol, name);
            return None;
        }
        let is_built_in = matches!(&of.kind, ExpressionKind::Name(owner) if self.is_built_in(owner));
        let literal = self.literal(of);
        let of = self.expression(of);
        if of.is_none() {
            self.checker.probe_literal(literal, name.span);
        }
        if !is_built_in {
            self.named(of.as_ref(), &name.text, name.span);
        }
        // A possible `Result` throws its error on access to its value.
        if of.as_ref().is_none_or(|of| is_result(of.ty)) {
            self.runs_unknown();
        }
        self.member_type(&self.opened(&of?), name)
    }

    /// Returns the members of a literal, or of a variable that was assigned one.
    pub(super) fn literal(&self, expression: &Expression) -> Members<'a> {
        match &expression.kind {
            ExpressionKind::List(_) => Members::List,
            ExpressionKind::Text(_) | ExpressionKind::Template(_) => Members::Text,
            ExpressionKind::Object(_) => Members::Dict,
            ExpressionKind::Name(name) if self.bound.iter().all(|it| it.name != name) => {
                self.literals.get(name.as_str()).copied().unwrap_or_default()
            }
            _ => Members::Unknown,
        }
    }

    /// Returns `true` for a name whose members are not those of types: a built-in object, and the `error` of a catch.
    fn is_built_in(&self, name: &str) -> bool {
        match self.bound.iter().rev().find(|bound| bound.name == name) {
            Some(bound) => bound.span.is_none(),
            None => self.variable(name).is_none() && OBJECTS.contains(&name),
        }
    }

    /// Records a member of a value: a field, a method or a key.
    pub(super) fn named(&mut self, of: Option<&BoundType<'w, 'a>>, name: &'a str, span: Span) {
        let Some(of) = of.map(|of| self.opened(of)) else {
            return self.checker.unresolved_member(name, span);
        };
        self.checker.probe_members(&of, span);
        match of.view().shape {
            Shape::Struct(members, home) => {
                if let Some(member) = members.iter().find(|member| member.name.text == name) {
                    let kind = OccurrenceKind::of_member(&member.kind);
                    self.checker.uses(name, span, home.scope.home, &member.name, kind);
                }
            }
            Shape::Any | Shape::Unknown | Shape::Union(_) | Shape::Variant(..) | Shape::Tag(_) => {
                self.checker.unresolved_member(name, span);
            }
            _ => {}
        }
    }

    fn member_type(&mut self, of: &BoundType<'w, 'a>, name: &Spelled) -> KnownType<'w, 'a> {
        match of.view().shape {
            Shape::Struct(members, home) => {
                let Some(member) = members.iter().find(|member| member.name.text == name.text) else {
                    let known: Vec<&str> = members.iter().map(|member| member.name.text.as_str()).collect();
                    self.unknown_member(name, &known);
                    return None;
                };
                match &member.kind {
                    MemberKind::Field { ty, .. } => Some(home.inner(ty)),
                    MemberKind::Method { .. } => None,
                }
            }
            _ => None,
        }
    }

    /// Checks a member of an enum or a module: `Size.Big`, `mail.send`.
    fn static_member(&mut self, owner: &str, symbol: Symbol<'a>, name: &Spelled) {
        match symbol {
            Symbol::Module(home) if self.scope.table.exported(home, &name.text).is_none() => {
                let message = format!("the module `{owner}` defines no `{}`", name.text);
                self.error(Code::MISSING_EXPORT, name.span, message);
            }
            Symbol::Module(home) => {
                let symbol = self.scope.table.exported(home, &name.text);
                self.checker.symbol_use(&name.text, name.span, symbol);
            }
            Symbol::Definition(definition, home) => {
                if let DefinitionKind::Enum(it) = &definition.kind {
                    if let Some(variant) = it.variants.iter().find(|variant| variant.name.text == name.text) {
                        let kind = OccurrenceKind::Variant;
                        self.checker.uses(&name.text, name.span, home, &variant.name, kind);
                    }
                    let known: Vec<&str> =
                        it.variants.iter().map(|variant| variant.name.text.as_str()).collect();
                    if !known.contains(&name.text.as_str()) {
                        self.unknown_member(name, &known);
                    }
                }
            }
            _ => {}
        }
    }

    fn unknown_member(&mut self, name: &Spelled, known: &[&str]) {
        let message = format!("there is no member `{}`", name.text);
        self.checker.diagnostics.report(Severity::Warning, Code::UNKNOWN_MEMBER, name.span, message).nearest(
            &name.text,
            name.span,
            known.iter().copied(),
        );
    }
}
