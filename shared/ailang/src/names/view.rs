//! What a type is, whatever it is called: aliases opened, refinements gathered.

use std::collections::HashMap;
use std::rc::Rc;

use super::scope::Scope;
use super::table::Symbol;
use crate::syntax::{
    Definition, DefinitionKind, Enum, Literal, LiteralKind, Member, Refinement, Type, TypeKind,
};

/// Aliases that are opened one after the other.
const LONGEST_CHAIN: usize = 64;

/// A type with what its names mean where it stands.
#[derive(Clone, Debug)]
pub(crate) struct Bound<'s, 'a> {
    pub(crate) ty: &'a Type,
    pub(crate) scope: Scope<'s, 'a>,
    /// The type parameters.
    arguments: Rc<HashMap<&'a str, Bound<'s, 'a>>>,
}

/// What a type is.
#[derive(Clone, Debug)]
pub(crate) struct View<'s, 'a> {
    pub(crate) shape: Shape<'s, 'a>,
    /// All refinements of the chain of aliases, the innermost first.
    pub(crate) refinements: Vec<&'a Refinement>,
}

/// What a type is, without its refinements.
#[derive(Clone, Debug)]
pub(crate) enum Shape<'s, 'a> {
    Any,
    Null,
    Void,
    Text,
    Number {
        /// `int`
        integer: bool,
    },
    Bool,
    List(Bound<'s, 'a>),
    /// Of lists whose elements are not said.
    AnyList,
    Dict(Option<(Bound<'s, 'a>, Bound<'s, 'a>)>),
    Struct(&'a [Member], Bound<'s, 'a>),
    Enum(&'a Definition, &'a Enum),
    Literal(&'a Literal),
    Union(Vec<Bound<'s, 'a>>),
    /// `Option<T>`: a value or null, without a tag.
    Option(Bound<'s, 'a>),
    /// `Rect(width: number)`
    Variant,
    Function,
    Error,
    /// A name in a union that is no type: a variant without anything in it.
    Tag(&'a str),
    /// What is not known here; reported where it is written.
    Unknown,
}

impl<'s, 'a> Bound<'s, 'a> {
    /// A type that stands in a scope.
    pub(crate) fn new(ty: &'a Type, scope: Scope<'s, 'a>) -> Self {
        Self { ty, scope, arguments: Rc::default() }
    }

    /// A type that stands inside this one.
    pub(crate) fn inner(&self, ty: &'a Type) -> Self {
        Self { ty, scope: self.scope, arguments: Rc::clone(&self.arguments) }
    }

    /// What it is.
    pub(crate) fn view(&self) -> View<'s, 'a> {
        let mut current = self.clone();
        let mut refinements: Vec<&'a [Refinement]> = Vec::new();
        for _ in 0..LONGEST_CHAIN {
            match current.step() {
                Step::Refined(base, found) => {
                    refinements.push(found);
                    current = base;
                }
                Step::Alias(target) => current = target,
                Step::Shape(shape) => {
                    let refinements = refinements.into_iter().rev().flatten().collect();
                    return View { shape, refinements };
                }
            }
        }
        View { shape: Shape::Unknown, refinements: Vec::new() }
    }

    fn step(&self) -> Step<'s, 'a> {
        Step::Shape(match &self.ty.kind {
            TypeKind::Refined { base, refinements } => return Step::Refined(self.inner(base), refinements),
            TypeKind::Choice(options) => return Step::Alias(self.inner(options)),
            TypeKind::Named { path, arguments } => return self.named(path, arguments),
            TypeKind::Literal(Literal { kind: LiteralKind::Null, .. }) => Shape::Null,
            TypeKind::Literal(literal) => Shape::Literal(literal),
            TypeKind::List(element) => Shape::List(self.inner(element)),
            TypeKind::Struct(members) => Shape::Struct(members, self.clone()),
            TypeKind::Function { .. } => Shape::Function,
            TypeKind::Variant { .. } => Shape::Variant,
            TypeKind::Union(members) => {
                Shape::Union(members.iter().map(|member| self.inner(member)).collect())
            }
            TypeKind::Broken => Shape::Unknown,
        })
    }

    fn named(&self, path: &'a crate::syntax::Path, arguments: &'a [Type]) -> Step<'s, 'a> {
        let name = path.name.text.as_str();
        if path.qualifiers.is_empty()
            && let Some(bound) = self.arguments.get(name)
        {
            return Step::Alias(bound.clone());
        }
        let argument = |index: usize| arguments.get(index).map(|ty| self.inner(ty));
        match self.scope.find_type(path) {
            Some(Symbol::Definition(definition, home)) => self.defined(definition, home, arguments),
            Some(_) => Step::Shape(Shape::Unknown),
            None if path.qualifiers.is_empty() => Step::Shape(match name {
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
            None => Step::Shape(Shape::Unknown),
        }
    }

    fn defined(&self, definition: &'a Definition, home: usize, arguments: &'a [Type]) -> Step<'s, 'a> {
        let name = definition.name.text.as_str();
        let is_local = self.scope.local.iter().any(|names| {
            matches!(names.symbols.get(name), Some(Symbol::Definition(found, _)) if std::ptr::eq(*found, definition))
        });
        let scope = if is_local { self.scope } else { Scope::of(self.scope.world, home) };
        match &definition.kind {
            DefinitionKind::Enum(it) => Step::Shape(Shape::Enum(definition, it)),
            DefinitionKind::Error(_) => Step::Shape(Shape::Error),
            DefinitionKind::Type(_) if name == "Option" && home == self.scope.world.prelude_home() => {
                Step::Shape(arguments.first().map_or(Shape::Unknown, |ty| Shape::Option(self.inner(ty))))
            }
            DefinitionKind::Type(it) => {
                let names = it.parameters.iter().map(|name| name.text.as_str());
                let bound = names.zip(arguments.iter().map(|ty| self.inner(ty))).collect();
                Step::Alias(Self { ty: &it.ty, scope, arguments: Rc::new(bound) })
            }
            DefinitionKind::Capability(_) | DefinitionKind::Tool(_) => Step::Shape(Shape::Unknown),
        }
    }
}

/// One step of opening a type.
enum Step<'s, 'a> {
    Refined(Bound<'s, 'a>, &'a [Refinement]),
    Alias(Bound<'s, 'a>),
    Shape(Shape<'s, 'a>),
}
