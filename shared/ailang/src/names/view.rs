//! Views of types: aliases expanded, refinements collected.

use std::collections::HashMap;
use std::rc::Rc;

use super::scope::Scope;
use super::symbols::Symbol;
use crate::syntax::{
    Definition, DefinitionKind, Enum, Literal, LiteralKind, Member, Payload, Refinement, Type, TypeKind,
};

/// The maximum length of a chain of aliases.
const LONGEST_CHAIN: usize = 64;

/// A type with the scope of its names.
#[derive(Clone, Debug)]
pub(crate) struct BoundType<'s, 'a> {
    pub(crate) ty: &'a Type,
    pub(crate) scope: Scope<'s, 'a>,
    /// The arguments of the type parameters.
    arguments: Rc<HashMap<&'a str, BoundType<'s, 'a>>>,
}

/// A type without aliases.
#[derive(Clone, Debug)]
pub(crate) struct TypeView<'s, 'a> {
    pub(crate) shape: Shape<'s, 'a>,
    /// The refinements of the chain of aliases, the innermost first.
    pub(crate) refinements: Vec<&'a Refinement>,
}

/// The form of a type, without its refinements.
#[derive(Clone, Debug)]
pub(crate) enum Shape<'s, 'a> {
    Any,
    Null,
    Void,
    Text,
    Number {
        /// `true` for `int`.
        integer: bool,
    },
    Bool,
    List(BoundType<'s, 'a>),
    /// A list with unknown elements.
    AnyList,
    Dict(Option<(BoundType<'s, 'a>, BoundType<'s, 'a>)>),
    Struct(&'a [Member], BoundType<'s, 'a>),
    Enum(&'a Definition, &'a Enum),
    Literal(&'a Literal),
    Union(Vec<BoundType<'s, 'a>>),
    /// `Option<T>`: a value or null, without a tag.
    Option(BoundType<'s, 'a>),
    /// A variant with a payload: `Rect(width: number)`.
    Variant(&'a str, &'a [Payload], BoundType<'s, 'a>),
    Function,
    Error,
    /// A name in a union that is no type: a variant without a payload.
    Tag(&'a str),
    /// An unresolved type, which was reported.
    Unknown,
}

impl<'s, 'a> BoundType<'s, 'a> {
    /// Binds a type to a scope.
    pub(crate) fn new(ty: &'a Type, scope: Scope<'s, 'a>) -> Self {
        Self { ty, scope, arguments: Rc::default() }
    }

    /// Binds a type inside this one.
    pub(crate) fn inner(&self, ty: &'a Type) -> Self {
        Self { ty, scope: self.scope, arguments: Rc::clone(&self.arguments) }
    }

    /// Expands aliases and collects refinements.
    pub(crate) fn view(&self) -> TypeView<'s, 'a> {
        let mut current = self.clone();
        let mut refinements: Vec<&'a [Refinement]> = Vec::new();
        for _ in 0..LONGEST_CHAIN {
            match current.unfold() {
                Unfolded::Refined(base, found) => {
                    refinements.push(found);
                    current = base;
                }
                Unfolded::Alias(target) => current = target,
                Unfolded::Shape(shape) => {
                    let refinements = refinements.into_iter().rev().flatten().collect();
                    return TypeView { shape, refinements };
                }
            }
        }
        TypeView { shape: Shape::Unknown, refinements: Vec::new() }
    }

    fn unfold(&self) -> Unfolded<'s, 'a> {
        Unfolded::Shape(match &self.ty.kind {
            TypeKind::Refined { base, refinements } => {
                return Unfolded::Refined(self.inner(base), refinements);
            }
            TypeKind::Choice(options) => return Unfolded::Alias(self.inner(options)),
            TypeKind::Named { path, arguments } => return self.named(path, arguments),
            TypeKind::Literal(Literal { kind: LiteralKind::Null, .. }) => Shape::Null,
            TypeKind::Literal(literal) => Shape::Literal(literal),
            TypeKind::List(element) => Shape::List(self.inner(element)),
            TypeKind::Struct(members) => Shape::Struct(members, self.clone()),
            TypeKind::Function { .. } => Shape::Function,
            TypeKind::Variant { name, payload } => Shape::Variant(&name.text, payload, self.clone()),
            TypeKind::Union(members) => {
                Shape::Union(members.iter().map(|member| self.inner(member)).collect())
            }
            TypeKind::Broken => Shape::Unknown,
        })
    }

    fn named(&self, path: &'a crate::syntax::Path, arguments: &'a [Type]) -> Unfolded<'s, 'a> {
        let name = path.name.text.as_str();
        if path.qualifiers.is_empty()
            && let Some(bound) = self.arguments.get(name)
        {
            return Unfolded::Alias(bound.clone());
        }
        let argument = |index: usize| arguments.get(index).map(|ty| self.inner(ty));
        match self.scope.find_type(path) {
            Some(Symbol::Definition(definition, home)) => self.defined(definition, home, arguments),
            Some(_) => Unfolded::Shape(Shape::Unknown),
            None if path.qualifiers.is_empty() => Unfolded::Shape(match name {
                "string" => Shape::Text,
                "number" => Shape::Number { integer: false },
                "int" => Shape::Number { integer: true },
                "bool" | "boolean" => Shape::Bool,
                "any" => Shape::Any,
                "void" => Shape::Void,
                "List" => argument(0).map_or(Shape::AnyList, Shape::List),
                "Dict" | "Map" => Shape::Dict(argument(0).zip(argument(1))),
                _ => Shape::Tag(name),
            }),
            None => Unfolded::Shape(Shape::Unknown),
        }
    }

    fn defined(&self, definition: &'a Definition, home: usize, arguments: &'a [Type]) -> Unfolded<'s, 'a> {
        let name = definition.name.text.as_str();
        let is_local = self.scope.local.iter().any(|names| {
            matches!(names.symbols.get(name), Some(Symbol::Definition(found, _)) if std::ptr::eq(*found, definition))
        });
        let scope = if is_local { self.scope } else { Scope::new(self.scope.table, home) };
        match &definition.kind {
            DefinitionKind::Enum(it) => Unfolded::Shape(Shape::Enum(definition, it)),
            DefinitionKind::Error(_) => Unfolded::Shape(Shape::Error),
            DefinitionKind::Type(_) if name == "Option" && home == self.scope.table.prelude_home() => {
                Unfolded::Shape(arguments.first().map_or(Shape::Unknown, |ty| Shape::Option(self.inner(ty))))
            }
            DefinitionKind::Type(it) => {
                let names = it.parameters.iter().map(|name| name.text.as_str());
                let bound = names.zip(arguments.iter().map(|ty| self.inner(ty))).collect();
                Unfolded::Alias(Self { ty: &it.ty, scope, arguments: Rc::new(bound) })
            }
            DefinitionKind::Capability(_) | DefinitionKind::Tool(_) => Unfolded::Shape(Shape::Unknown),
        }
    }
}

/// The result of one step of expansion.
enum Unfolded<'s, 'a> {
    Refined(BoundType<'s, 'a>, &'a [Refinement]),
    Alias(BoundType<'s, 'a>),
    Shape(Shape<'s, 'a>),
}
