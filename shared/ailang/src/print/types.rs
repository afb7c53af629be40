//! Types as text, on one line.

use super::Printer;
use super::literal::literal;
use crate::syntax::{Payload, Refinement, RefinementArgument, Type, TypeKind};

impl Printer<'_> {
    pub(crate) fn ty(&self, ty: &Type) -> String {
        match &ty.kind {
            TypeKind::Literal(it) => literal(it),
            TypeKind::Choice(options) => format!("choice({})", self.ty(options)),
            TypeKind::List(element) => format!("[{}]", self.ty(element)),
            TypeKind::Struct(members) => self.members(members),
            TypeKind::Function { parameters, returns } => {
                format!("{} -> {}", self.parameters(parameters), self.ty(returns))
            }
            TypeKind::Variant { name, payload } => {
                let payload: Vec<String> = payload.iter().map(|it| self.payload(it)).collect();
                format!("{}({})", name.text, payload.join(", "))
            }
            TypeKind::Named { path, arguments } if arguments.is_empty() => path.text(),
            TypeKind::Named { path, arguments } => {
                let arguments: Vec<String> = arguments.iter().map(|it| self.ty(it)).collect();
                format!("{}<{}>", path.text(), arguments.join(", "))
            }
            TypeKind::Refined { base, refinements } => {
                let refinements: Vec<String> = refinements.iter().map(|it| self.refinement(it)).collect();
                self.tight(base) + &refinements.concat()
            }
            TypeKind::Union(members) => {
                let members: Vec<String> = members.iter().map(|it| self.tight(it)).collect();
                members.join(" | ")
            }
            TypeKind::Broken => "any".to_owned(),
        }
    }

    /// Prints a type, in parentheses if the text behind it binds tighter.
    fn tight(&self, ty: &Type) -> String {
        match ty.kind {
            TypeKind::Union(_) | TypeKind::Function { .. } => format!("({})", self.ty(ty)),
            _ => self.ty(ty),
        }
    }

    fn payload(&self, it: &Payload) -> String {
        match &it.name {
            Some(name) => format!("{}{}: {}", name.text, mark(it.optional), self.ty(&it.ty)),
            None => self.ty(&it.ty),
        }
    }

    fn refinement(&self, refinement: &Refinement) -> String {
        let argument = |argument: &RefinementArgument| match argument {
            RefinementArgument::Value { name: Some(name), value } => {
                format!("{} = {}", name.text, literal(value))
            }
            RefinementArgument::Value { name: None, value } => literal(value),
            RefinementArgument::Declared { name, ty } => format!("{}: {}", name.text, self.ty(ty)),
        };
        let arguments: Vec<String> = refinement.arguments.iter().map(argument).collect();
        format!(".{}({})", refinement.name.text, arguments.join(", "))
    }
}

pub(super) fn mark(optional: bool) -> &'static str {
    if optional { "?" } else { "" }
}
