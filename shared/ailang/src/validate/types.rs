//! Rule 1: named types are defined, and fit their position.

use std::collections::HashSet;

use source_text::Span;

use super::Checker;
use super::name::define_or_import;
use crate::diagnostic::Code;
use crate::names::{BoundType, OccurrenceKind, PRIMITIVES, Scope, Shape, Symbol, arity_of_primitive};
use crate::syntax::{
    DefinitionKind, Literal, LiteralKind, Member, MemberKind, Path, Payload, Type, TypeKind,
};

/// The position of a type.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum TypePosition {
    /// A position that requires a value.
    Value,
    /// A result, including `Result<void, E>`, where `void` is allowed.
    Result,
    /// A member of a union, where a name may be a variant; `true` if another member has a payload.
    Union(bool),
}

impl<'a> Checker<'_, 'a> {
    /// Checks a type; `parameters` are the type parameters in scope.
    pub(super) fn ty(
        &mut self,
        ty: &'a Type,
        scope: Scope<'_, 'a>,
        parameters: &HashSet<&str>,
        place: TypePosition,
    ) {
        match &ty.kind {
            TypeKind::Literal(_) | TypeKind::Broken => {}
            TypeKind::Choice(options) => self.choice(options, scope, parameters),
            TypeKind::List(element) => self.ty(element, scope, parameters, TypePosition::Value),
            TypeKind::Struct(members) => self.members(members, scope, parameters),
            TypeKind::Function { parameters: taken, returns } => {
                self.parameters(taken, scope, parameters);
                self.ty(returns, scope, parameters, TypePosition::Result);
            }
            TypeKind::Variant { name, payload } => {
                self.capital_initial(name, "variant");
                self.defines(name, OccurrenceKind::Variant);
                self.payload(payload, scope, parameters);
            }
            TypeKind::Named { path, arguments } => {
                self.named(ty.span, path, arguments, scope, parameters, place);
            }
            TypeKind::Refined { base, refinements } => {
                self.ty(base, scope, parameters, place);
                self.refinements(ty, base, refinements, scope, parameters);
            }
            TypeKind::Union(members) => self.union(members, scope, parameters),
        }
    }

    fn members(&mut self, members: &'a [Member], scope: Scope<'_, 'a>, parameters: &HashSet<&str>) {
        self.no_duplicates(members.iter().map(|member| &member.name), Code::DUPLICATE_MEMBER, "field");
        for member in members {
            let is_quoted = self.document.text(member.name.span).starts_with(['"', '\'', '`']);
            if !is_quoted {
                self.field_initial(&member.name, members);
            }
            self.defines(&member.name, OccurrenceKind::of_member(&member.kind));
            match &member.kind {
                MemberKind::Field { ty, .. } => self.ty(ty, scope, parameters, TypePosition::Value),
                MemberKind::Method { parameters: taken, returns } => {
                    self.parameters(taken, scope, parameters);
                    if let Some(returns) = returns {
                        self.ty(returns, scope, parameters, TypePosition::Result);
                    }
                }
            }
        }
    }

    fn payload(&mut self, payload: &'a [Payload], scope: Scope<'_, 'a>, parameters: &HashSet<&str>) {
        self.no_duplicates(
            payload.iter().filter_map(|part| part.name.as_ref()),
            Code::DUPLICATE_MEMBER,
            "field",
        );
        for part in payload {
            part.name.iter().for_each(|name| self.defines(name, OccurrenceKind::Field));
            self.ty(&part.ty, scope, parameters, TypePosition::Value);
        }
    }

    fn union(&mut self, members: &'a [Type], scope: Scope<'_, 'a>, parameters: &HashSet<&str>) {
        let has_payload = members.iter().any(|member| matches!(member.kind, TypeKind::Variant { .. }));
        if members.iter().all(|member| is_literal_union(&member.kind)) {
            self.repeats(members);
        }
        let variants = members.iter().filter_map(|member| match &member.kind {
            TypeKind::Variant { name, .. } => Some(name),
            TypeKind::Named { path, arguments } if has_payload && arguments.is_empty() => Some(&path.name),
            _ => None,
        });
        self.no_duplicates(variants, Code::DUPLICATE_VARIANT, "variant");
        for member in members {
            self.ty(member, scope, parameters, TypePosition::Union(has_payload));
        }
    }

    fn choice(&mut self, options: &'a Type, scope: Scope<'_, 'a>, parameters: &HashSet<&str>) {
        let members = match &options.kind {
            TypeKind::Union(members) => members.as_slice(),
            _ => std::slice::from_ref(options),
        };
        for member in members {
            if !matches!(member.kind, TypeKind::Literal(_) | TypeKind::Broken) {
                self.error(Code::CHOICE_OF_TYPES, member.span, "a choice is between literals")
                    .help("to join types, write `A | B` without `choice`");
                self.ty(member, scope, parameters, TypePosition::Value);
            }
        }
        self.repeats(members);
    }

    /// Reports duplicate literals.
    fn repeats(&mut self, members: &[Type]) {
        let mut seen: HashSet<String> = HashSet::new();
        for member in members {
            if let TypeKind::Literal(Literal { kind, span }) = &member.kind
                && *kind != LiteralKind::Broken
                && !seen.insert(format!("{kind:?}"))
            {
                let message = format!("`{}` is there twice", self.document.text(*span));
                self.error(Code::CHOICE_REPEATS, *span, message);
            }
        }
    }

    fn named(
        &mut self,
        span: Span,
        path: &'a Path,
        arguments: &'a [Type],
        scope: Scope<'_, 'a>,
        parameters: &HashSet<&str>,
        place: TypePosition,
    ) {
        let name = path.text();
        let in_result = name == "Result";
        for argument in arguments {
            self.ty(
                argument,
                scope,
                parameters,
                if in_result { TypePosition::Result } else { TypePosition::Value },
            );
        }
        if name == "void" && !matches!(place, TypePosition::Result) && scope.find("void").is_none() {
            self.error(Code::VOID, span, "`void` is no value")
                .help("it may stand behind `->` and in `Result<void, E>`");
        }
        if path.qualifiers.is_empty() && parameters.contains(name.as_str()) {
            self.type_parameter_use(&path.name);
            return self.arity(span, &name, 0, arguments.len());
        }
        self.path_use(path, scope.find_type(path), scope);
        match scope.find_type(path) {
            Some(Symbol::Opaque) => {}
            Some(Symbol::Module(_)) => {
                let message = format!("`{name}` is a module, not a type");
                self.error(Code::NOT_A_TYPE, path.span(), message).help(format!("write `{name}.Type`"));
            }
            Some(Symbol::Definition(definition, _)) => match &definition.kind {
                DefinitionKind::Type(it) => self.arity(span, &name, it.parameters.len(), arguments.len()),
                DefinitionKind::Enum(_) | DefinitionKind::Error(_) => {
                    self.arity(span, &name, 0, arguments.len());
                }
                kind => {
                    let message = format!("`{name}` is a {}, not a type", kind.keyword());
                    self.error(Code::NOT_A_TYPE, path.span(), message);
                }
            },
            None => self.primitive(span, path, arguments, scope, parameters, place),
        }
        if matches!(name.as_str(), "Dict" | "Map") && arguments.len() == 2 {
            self.key(&arguments[0], scope, parameters);
        }
    }

    fn primitive(
        &mut self,
        span: Span,
        path: &'a Path,
        arguments: &[Type],
        scope: Scope<'_, 'a>,
        parameters: &HashSet<&str>,
        place: TypePosition,
    ) {
        let name = path.text();
        if let Some(arity) = arity_of_primitive(&name) {
            return self.arity(span, &name, arity, arguments.len());
        }
        let starts_with_capital = name.starts_with(|char: char| char.is_ascii_uppercase());
        if place == TypePosition::Union(true)
            && arguments.is_empty()
            && path.qualifiers.is_empty()
            && starts_with_capital
        {
            self.defines(&path.name, OccurrenceKind::Variant);
            return;
        }
        let known = self.known(scope, is_type).into_iter();
        let primitives = PRIMITIVES.iter().map(|(name, _)| *name);
        let all: Vec<&str> = known.chain(primitives).chain(parameters.iter().copied()).collect();
        let span = path.span();
        let diagnostic = self.unknown(Code::UNKNOWN_TYPE, span, format!("no type is called `{name}`"));
        if matches!(place, TypePosition::Union(false)) && starts_with_capital {
            diagnostic.help("for names that carry nothing write an `enum`");
        } else {
            diagnostic.help(define_or_import(&format!("type {name} = …"), &name, &["type", "enum"]));
        }
        diagnostic.nearest(&name, span, all);
    }

    fn arity(&mut self, span: Span, name: &str, takes: usize, given: usize) {
        if takes == given {
            return;
        }
        let arguments = match takes {
            0 => "no arguments".to_owned(),
            1 => "one argument".to_owned(),
            takes => format!("{takes} arguments"),
        };
        self.error(Code::TYPE_ARITY, span, format!("`{name}` takes {arguments}, and has {given}"));
    }

    /// Checks the keys of a dictionary, which are texts on the wire.
    fn key(&mut self, ty: &'a Type, scope: Scope<'_, 'a>, parameters: &HashSet<&str>) {
        if let TypeKind::Named { path, .. } = &ty.kind
            && parameters.contains(path.text().as_str())
        {
            return;
        }
        let fits = match BoundType::new(ty, scope).view().shape {
            Shape::Text | Shape::Number { .. } | Shape::Enum(..) | Shape::Unknown | Shape::Tag(_) => true,
            Shape::Literal(literal) => is_text(literal),
            Shape::Union(members) => members
                .iter()
                .all(|member| matches!(member.view().shape, Shape::Literal(literal) if is_text(literal))),
            _ => false,
        };
        if !fits {
            self.error(Code::KEY_TYPE, ty.span, "keys are texts, numbers, enums or choices");
        }
    }
}

fn is_text(literal: &Literal) -> bool {
    matches!(literal.kind, LiteralKind::Text(_) | LiteralKind::Number(_))
}

/// Returns `true` for a name that may stand for a type.
fn is_type(symbol: &Symbol<'_>) -> bool {
    match symbol {
        Symbol::Definition(definition, _) => matches!(
            definition.kind,
            DefinitionKind::Type(_) | DefinitionKind::Enum(_) | DefinitionKind::Error(_)
        ),
        Symbol::Module(_) | Symbol::Opaque => false,
    }
}

/// Returns `true` for a literal or a union of literals.
fn is_literal_union(kind: &TypeKind) -> bool {
    match kind {
        TypeKind::Union(members) => members.iter().all(|member| matches!(member.kind, TypeKind::Literal(_))),
        kind => matches!(kind, TypeKind::Literal(_)),
    }
}
