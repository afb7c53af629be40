//! The types of members.

use dialect::ast::{Expression, ExpressionKind, Spelled};
use source_text::Severity;

use super::flow::is_result;
use super::{Known, Walker};
use crate::diagnostic::Code;
use crate::names::{Bound, Shape, Symbol};
use crate::syntax::{DefinitionKind, MemberKind, TypeKind};

impl<'w, 'a> Walker<'w, '_, 'a> {
    /// A `Result` is opened where something of its value is wanted.
    pub(super) fn opened(&self, bound: &Bound<'w, 'a>) -> Bound<'w, 'a> {
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

    /// `of.name`
    pub(super) fn member(&mut self, of: &'a Expression, name: &'a Spelled) -> Known<'w, 'a> {
        if let ExpressionKind::Name(owner) = &of.kind
            && self.variable(owner).is_none()
            && let Some(symbol) = self.scope.find(owner)
        {
            self.static_member(owner, symbol, name);
            return None;
        }
        let of = self.expression(of);
        // What may be a `Result` throws its error where something of its value is wanted.
        if of.as_ref().is_none_or(|of| is_result(of.ty)) {
            self.runs_unknown();
        }
        self.member_type(&self.opened(&of?), name)
    }

    fn member_type(&mut self, of: &Bound<'w, 'a>, name: &Spelled) -> Known<'w, 'a> {
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

    /// `Size.Big`, `mail.send`
    fn static_member(&mut self, owner: &str, symbol: Symbol<'a>, name: &Spelled) {
        match symbol {
            Symbol::Module(home) if self.scope.world.exported(home, &name.text).is_none() => {
                let message = format!("the module `{owner}` defines no `{}`", name.text);
                self.error(Code::MISSING_EXPORT, name.span, message);
            }
            Symbol::Definition(definition, _) => {
                if let DefinitionKind::Enum(it) = &definition.kind {
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
