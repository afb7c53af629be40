//! Type inference of members.

use dialect::ast::{Expression, ExpressionKind, Spelled};
use source_text::Severity;

use super::flow::is_result;
use super::{KnownType, Walker};
use crate::diagnostic::Code;
use crate::names::{BoundType, OccurrenceKind, Shape, Symbol};
use crate::syntax::{DefinitionKind, MemberKind, TypeKind};

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
        let of = self.expression(of);
        // A possible `Result` throws its error on access to its value.
        if of.as_ref().is_none_or(|of| is_result(of.ty)) {
            self.runs_unknown();
        }
        self.member_type(&self.opened(&of?), name)
    }

    fn member_type(&mut self, of: &BoundType<'w, 'a>, name: &Spelled) -> KnownType<'w, 'a> {
        match of.view().shape {
            Shape::Struct(members, home) => {
                let Some(member) = members.iter().find(|member| member.name.text == name.text) else {
                    let known: Vec<&str> = members.iter().map(|member| member.name.text.as_str()).collect();
                    self.unknown_member(name, &known);
                    return None;
                };
                self.checker.uses(
                    &name.text,
                    name.span,
                    home.scope.home,
                    &member.name,
                    OccurrenceKind::of_member(&member.kind),
                );
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
