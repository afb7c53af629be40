//! Types → Dialect's.
//!
//! Names are expanded, except for structs, which are registered. Variants with a payload become objects of
//! one field, and enums become unions of texts. Generic types are expanded for each use.

use std::collections::HashMap;
use std::rc::Rc;

use dialect::{Literal, Parameter, Type};
use source_text::Span;

use super::Lowering;
use super::registered::is_record;
use crate::diagnostic::Code;
use crate::names::{Scope, Symbol};
use crate::syntax::{
    self, Definition, DefinitionKind, Enum, LiteralKind, Member, MemberKind, Parameters, Path, Payload,
    TypeKind,
};
use crate::values::number;

/// The maximum nesting of types; a signature can be read to a depth of 100.
const DEEPEST: usize = 60;

/// The maximum number of types in a signature, so that mutual uses do not grow without bounds.
const LARGEST: usize = 4_000;

/// The context of a type: its scope and its type arguments.
#[derive(Clone, Debug)]
pub(super) struct TypeContext<'s, 'a> {
    pub(super) scope: Scope<'s, 'a>,
    /// The type parameters with their arguments.
    pub(super) arguments: Rc<HashMap<&'a str, Type>>,
    depth: usize,
}

impl<'s, 'a> TypeContext<'s, 'a> {
    pub(super) fn new(scope: Scope<'s, 'a>) -> Self {
        Self { scope, arguments: Rc::default(), depth: 0 }
    }

    fn deeper(&self) -> Self {
        Self { depth: self.depth + 1, ..self.clone() }
    }
}

impl<'s, 'a> Lowering<'s, 'a> {
    /// Resets the counters for another signature.
    pub(super) fn reset(&mut self) {
        self.made = 0;
        self.open.clear();
    }

    /// Returns the type of a definition, with `any` for its type parameters.
    pub(crate) fn defined_type(&mut self, definition: &'a Definition, home: usize) -> Type {
        let DefinitionKind::Type(it) = &definition.kind else { return Type::Any };
        self.reset();
        if home != self.table.prelude_home() && is_record(it) {
            return Type::Named(definition.name.text.as_str().into());
        }
        let arguments = it.parameters.iter().map(|name| (name.text.as_str(), Type::Any)).collect();
        let place = TypeContext { arguments: Rc::new(arguments), ..TypeContext::new(self.scope(home)) };
        self.open.push(definition);
        self.ty(&it.ty, &place)
    }

    pub(super) fn ty(&mut self, ty: &'a syntax::Type, place: &TypeContext<'s, 'a>) -> Type {
        self.made += 1;
        if place.depth > DEEPEST || self.made > LARGEST {
            return self.widened(place, ty.span, "it is too large to be written out");
        }
        let inside = place.deeper();
        match &ty.kind {
            TypeKind::Literal(literal) => self.literal_type(literal, place),
            TypeKind::Choice(options) => self.ty(options, &inside),
            TypeKind::List(element) => Type::List(Box::new(self.ty(element, &inside))),
            TypeKind::Struct(members) => self.members(members, ty.span, &inside),
            TypeKind::Function { parameters, returns } => self.function_type(parameters, returns, &inside),
            TypeKind::Variant { name, payload } => self.variant(&name.text, payload, &inside),
            TypeKind::Named { path, arguments } => self.named(path, arguments, &inside),
            TypeKind::Refined { base, refinements } => {
                let about = self.keeps_all().then(|| self.expanded(|this| this.ty(base, &inside)));
                let base = self.ty(base, &inside);
                let about = about.unwrap_or_else(|| self.unnamed(base.clone()));
                self.refined(base, &about, refinements, place)
            }
            TypeKind::Union(members) => {
                let members: Vec<Type> = members.iter().map(|member| self.ty(member, &inside)).collect();
                Type::union(members)
            }
            TypeKind::Broken => Type::Any,
        }
    }

    /// Returns `any` with a warning, because the type cannot be expressed.
    fn widened(&mut self, place: &TypeContext<'_, '_>, span: Span, why: &str) -> Type {
        let message = format!("programs may give anything here: {why}");
        self.warning(place.scope.home, Code::WIDENED, span, message);
        Type::Any
    }

    fn literal_type(&mut self, literal: &'a syntax::Literal, place: &TypeContext<'s, 'a>) -> Type {
        match &literal.kind {
            LiteralKind::Null => Type::Null,
            LiteralKind::Bool(value) => Type::Literal(Literal::Bool(*value)),
            LiteralKind::Number(value) => match number(*value) {
                Some(number) => Type::Literal(Literal::Number(number)),
                None => Type::Number,
            },
            LiteralKind::Text(text) => Type::Literal(Literal::Text(text.clone())),
            _ => self.widened(place, literal.span, "this literal is no type"),
        }
    }

    /// Returns the fields of a struct; `None` if it has methods.
    pub(super) fn fields(
        &mut self,
        members: &'a [Member],
        place: &TypeContext<'s, 'a>,
    ) -> Option<Vec<Parameter>> {
        let field = |member: &'a Member| match &member.kind {
            MemberKind::Field { optional, ty } => {
                Some(self.parameter(&member.name.text, *optional, Some(ty), place))
            }
            MemberKind::Method { .. } => None,
        };
        members.iter().map(field).collect()
    }

    fn members(&mut self, members: &'a [Member], span: Span, place: &TypeContext<'s, 'a>) -> Type {
        match self.fields(members, place) {
            Some(fields) => Type::Fields(fields),
            None => self.widened(place, span, "what has methods cannot be written as a value"),
        }
    }

    /// Converts a name with a type to a parameter.
    pub(super) fn parameter(
        &mut self,
        name: &str,
        optional: bool,
        ty: Option<&'a syntax::Type>,
        place: &TypeContext<'s, 'a>,
    ) -> Parameter {
        let lowered = ty.map_or(Type::Any, |ty| self.ty(ty, place));
        let default = ty.and_then(|ty| Some(super::literal::value(ty.default()?, ty, place.scope)));
        let optional = optional || default.is_some();
        Parameter { name: name.to_owned(), ty: lowered, optional, default, aliases: Vec::new() }
    }

    fn function_type(
        &mut self,
        parameters: &'a Parameters,
        returns: &'a syntax::Type,
        place: &TypeContext<'s, 'a>,
    ) -> Type {
        if self.has_only_data() {
            return self.widened(place, parameters.span, "a function is no data");
        }
        if parameters.elided {
            return self.widened(place, parameters.span, "the parameters are left out");
        }
        let parameter = |it: &'a syntax::Parameter| {
            let ty = it.ty.as_ref().map_or(Type::Any, |ty| self.ty(ty, place));
            let ty = if it.is_required() { ty } else { Type::Optional(Box::new(ty)) };
            (it.name.text.clone(), ty)
        };
        let parameters = parameters.list.iter().map(parameter).collect();
        Type::Function { parameters, returns: Box::new(self.ty(returns, place)) }
    }

    /// Converts a variant: `{Rect: {width: number, height: number}}`.
    fn variant(&mut self, name: &str, payload: &'a [Payload], place: &TypeContext<'s, 'a>) -> Type {
        let mut fields = Vec::new();
        for (index, part) in payload.iter().enumerate() {
            let name = part.name.as_ref().map_or_else(|| payload_name(index), |name| name.text.clone());
            fields.push(self.parameter(&name, part.optional, Some(&part.ty), place));
        }
        tagged(name, fields)
    }

    fn named(&mut self, path: &'a Path, arguments: &'a [syntax::Type], place: &TypeContext<'s, 'a>) -> Type {
        let name = path.name.text.as_str();
        if path.qualifiers.is_empty()
            && let Some(argument) = place.arguments.get(name)
        {
            self.made += size(argument);
            return argument.clone();
        }
        match place.scope.find_type(path) {
            Some(Symbol::Definition(definition, home)) => {
                self.defined(definition, home, path, arguments, place)
            }
            Some(_) => self.widened(place, path.span(), "its definition is not here"),
            None if path.qualifiers.is_empty() => self.built_in(name, arguments, place),
            None => self.widened(place, path.span(), "its definition is not here"),
        }
    }

    fn built_in(&mut self, name: &str, arguments: &'a [syntax::Type], place: &TypeContext<'s, 'a>) -> Type {
        let argument =
            |this: &mut Self, index: usize| arguments.get(index).map_or(Type::Any, |ty| this.ty(ty, place));
        match name {
            "string" => Type::Text,
            "number" => Type::Number,
            "int" => Type::Refined(Box::new(Type::Number), vec![dialect::Refinement::Integer]),
            "bool" | "boolean" => Type::Bool,
            "any" => Type::Any,
            "void" => Type::Null,
            "List" => Type::List(Box::new(argument(self, 0))),
            "Dict" | "Map" => self.map(arguments, place),
            // A name in a union that is no type is a variant without a payload.
            tag => tagged(tag, Vec::new()),
        }
    }

    /// Converts a dictionary. Keys are texts; those of an enum become optional fields.
    fn map(&mut self, arguments: &'a [syntax::Type], place: &TypeContext<'s, 'a>) -> Type {
        let [keys, values] = arguments else { return Type::Object };
        let value = self.ty(values, place);
        match self.expanded(|this| this.ty(keys, place)) {
            Type::Text => {}
            Type::Union(members)
                if members.iter().all(|it| matches!(it, Type::Literal(Literal::Text(_)))) =>
            {
                return keyed(&members, &value);
            }
            _ => {
                let message = "programs may give any keys here: only enums of texts are told apart";
                self.warning(place.scope.home, Code::WIDENED, keys.span, message);
            }
        }
        if value == Type::Any { Type::Object } else { Type::Map(Box::new(value)) }
    }

    fn defined(
        &mut self,
        definition: &'a Definition,
        home: usize,
        path: &'a Path,
        arguments: &'a [syntax::Type],
        place: &TypeContext<'s, 'a>,
    ) -> Type {
        let is_prelude = home == self.table.prelude_home();
        match &definition.kind {
            DefinitionKind::Enum(it) => {
                self.kept_name(definition, home, Vec::new()).unwrap_or_else(|| enumerated(it))
            }
            DefinitionKind::Error(_) => error_value(&definition.name.text),
            DefinitionKind::Type(_) if is_prelude && definition.name.text == "Option" => {
                let inner = arguments.first().map_or(Type::Any, |ty| self.ty(ty, place));
                Type::Optional(Box::new(inner))
            }
            DefinitionKind::Type(it) if !self.keeps_all() && !is_prelude && is_record(it) => {
                Type::Named(definition.name.text.as_str().into())
            }
            DefinitionKind::Type(it) => {
                let names = it.parameters.iter().map(|name| name.text.as_str());
                let given: Vec<Type> = arguments.iter().map(|ty| self.ty(ty, place)).collect();
                if let Some(name) = self.kept_name(definition, home, given.clone()) {
                    return name;
                }
                if self.open.iter().any(|open| std::ptr::eq(*open, definition)) {
                    return self.widened(place, path.span(), "it leads to ever larger types");
                }
                let there = TypeContext {
                    scope: self.scope(home),
                    arguments: Rc::new(names.zip(given).collect()),
                    depth: place.depth,
                };
                self.open.push(definition);
                let ty = self.ty(&it.ty, &there);
                self.open.pop();
                ty
            }
            DefinitionKind::Capability(_) | DefinitionKind::Tool(_) => Type::Any,
        }
    }
}

/// Returns the name of an unnamed payload: `value`, `value2`.
pub(crate) fn payload_name(index: usize) -> String {
    if index == 0 { "value".to_owned() } else { format!("value{}", index + 1) }
}

/// Returns an object of one field, whose name is the tag.
fn tagged(name: &str, fields: Vec<Parameter>) -> Type {
    Type::Fields(vec![field(name, Type::Fields(fields))])
}

fn field(name: &str, ty: Type) -> Parameter {
    Parameter { name: name.to_owned(), ty, optional: false, default: None, aliases: Vec::new() }
}

fn optional(name: &str, ty: Type) -> Parameter {
    Parameter { optional: true, ..field(name, ty) }
}

fn keyed(keys: &[Type], value: &Type) -> Type {
    let key = |key: &Type| match key {
        Type::Literal(Literal::Text(text)) => Some(optional(text, value.clone())),
        _ => None,
    };
    Type::Fields(keys.iter().filter_map(key).collect())
}

pub(super) fn enumerated(it: &Enum) -> Type {
    let variant = |variant: &syntax::EnumVariant| match wire_value(variant) {
        serde_json::Value::Number(number) => Type::Literal(Literal::Number(number)),
        serde_json::Value::String(text) => Type::Literal(Literal::Text(text)),
        _ => Type::Number,
    };
    Type::union(it.variants.iter().map(variant))
}

/// Returns the JSON of a variant of an enum; null for a number that JSON cannot have.
pub fn wire_value(variant: &syntax::EnumVariant) -> serde_json::Value {
    match variant.value.as_ref().map(|value| &value.kind) {
        Some(LiteralKind::Number(value)) => number(*value).map_or(serde_json::Value::Null, Into::into),
        Some(LiteralKind::Text(text)) => text.as_str().into(),
        _ => variant.name.text.as_str().into(),
    }
}

/// Returns the type of an error as a value.
fn error_value(name: &str) -> Type {
    Type::Fields(vec![
        field("error", Type::Literal(Literal::Text(name.to_owned()))),
        field("message", Type::Text),
        optional("params", Type::Object),
        optional("recovery", Type::Text),
        optional("retryable", Type::Bool),
        optional("retryAfter", Type::Number),
        optional("userMessage", Type::Text),
        optional("maxRetries", Type::Number),
    ])
}

/// Counts the types in a type.
fn size(ty: &Type) -> usize {
    1 + ty.parts().into_iter().map(size).sum::<usize>()
}
