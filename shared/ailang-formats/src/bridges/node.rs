//! Nodes of the syntax tree that no text stands behind.

use ailang::syntax::{
    CapabilityExpression, CapabilityTerm, Documentation, GrantArgument, Literal, LiteralKind, Member,
    MemberKind, Name, Path, Refinement, RefinementArgument, Type, TypeKind,
};
use source_text::Span;

pub(super) fn name(text: &str) -> Name {
    Name { text: text.to_owned(), span: Span::default() }
}

pub(super) fn path(text: &str) -> Path {
    Path { name: name(text), qualifiers: Vec::new() }
}

pub(super) fn literal(kind: LiteralKind) -> Literal {
    Literal { kind, span: Span::default() }
}

pub(super) fn text(text: &str) -> Literal {
    literal(LiteralKind::Text(text.to_owned()))
}

pub(super) fn ty(kind: TypeKind) -> Type {
    Type { kind, span: Span::default() }
}

pub(super) fn named(text: &str) -> Type {
    generic(text, Vec::new())
}

pub(super) fn generic(text: &str, arguments: Vec<Type>) -> Type {
    ty(TypeKind::Named { path: path(text), arguments })
}

pub(super) fn refinement(text: &str, argument: Option<LiteralKind>) -> Refinement {
    let value = |kind| RefinementArgument::Value { name: None, value: literal(kind) };
    Refinement {
        name: name(text),
        arguments: argument.map(value).into_iter().collect(),
        span: Span::default(),
    }
}

/// Adds refinements to a type.
pub(super) fn refined(base: Type, mut added: Vec<Refinement>) -> Type {
    if added.is_empty() {
        return base;
    }
    match base.kind {
        TypeKind::Refined { base, mut refinements } => {
            refinements.append(&mut added);
            ty(TypeKind::Refined { base, refinements })
        }
        _ => ty(TypeKind::Refined { base: Box::new(base), refinements: added }),
    }
}

pub(super) fn field(key: &str, optional: bool, ty: Type, documentation: Documentation) -> Member {
    let kind = MemberKind::Field { optional, ty };
    Member { name: name(key), kind, documentation, span: Span::default() }
}

/// Returns a requirement of one capability.
pub(super) fn requirement(capability: &str, arguments: Vec<(String, Vec<String>)>) -> CapabilityExpression {
    let argument = |(parameter, values): (String, Vec<String>)| GrantArgument {
        name: Some(name(&parameter)),
        value: literal(LiteralKind::List(values.iter().map(|it| text(it)).collect())),
    };
    let arguments = arguments.into_iter().map(argument).collect();
    let term = CapabilityTerm::Named { path: path(capability), arguments };
    CapabilityExpression { terms: vec![term], span: Span::default() }
}
