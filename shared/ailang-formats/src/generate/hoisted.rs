//! Names for the types without names, for languages that declare every struct.

use std::collections::HashSet;

use dialect::{Literal, Parameter, Type};

use super::identifiers::{is_part, pascal};
use super::model::{Model, NamedType};

/// The types that a language cannot write without a name.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Nameless {
    /// Structs and unions of variants.
    Structs,
    /// Structs and all unions.
    Unions,
}

/// Names every struct inside of another type after its place: `OrderItemsItem`.
///
/// Structs are left at the top of named types, as payloads of variants there, and as parameters of tools and errors.
pub(super) fn hoisted(mut model: Model, nameless: Nameless) -> Model {
    let mut names: HashSet<String> = model.types.iter().map(|it| it.name.clone()).collect();
    names.extend(model.errors.iter().map(|it| it.name.clone()));
    let mut hoist = Hoist { nameless, names, made: Vec::new() };
    for it in &mut model.types {
        it.ty = hoist.top(&it.name, &it.ty);
        it.fields = hoist.fields(&it.name, &it.fields);
        for method in &mut it.methods {
            let name = format!("{}{}", it.name, pascal(&method.name));
            method.parameters = hoist.fields(&name, &method.parameters);
            method.returns = hoist.inner(&format!("{name}Result"), &method.returns);
        }
    }
    for error in &mut model.errors {
        error.parameters = error.parameters.take().map(|all| hoist.fields(&error.name, &all));
    }
    for tool in &mut model.tools {
        let name = pascal(&tool.name);
        tool.parameters = tool.parameters.take().map(|all| hoist.fields(&name, &all));
        tool.returns = hoist.inner(&format!("{name}Result"), &tool.returns);
    }
    model.types.extend(hoist.made);
    model.finished()
}

/// Returns the variants of a union of objects with one field each: the tags, and the payloads.
pub(super) fn variants(ty: &Type) -> Option<Vec<(&str, &[Parameter])>> {
    let Type::Union(members) = ty else { return None };
    let all: Vec<(&str, &[Parameter])> = members.iter().map(variant).collect::<Option<_>>()?;
    let mut seen = HashSet::new();
    all.iter().all(|(tag, _)| seen.insert(*tag)).then_some(all)
}

fn variant(member: &Type) -> Option<(&str, &[Parameter])> {
    let Type::Fields(fields) = member else { return None };
    match &fields[..] {
        [Parameter { name, ty: Type::Fields(payload), optional: false, .. }] => Some((name, payload)),
        _ => None,
    }
}

/// Returns a name for a literal, which is the one at the index `at`.
pub(super) fn constant(literal: &Literal, at: usize) -> String {
    match literal {
        Literal::Bool(value) => value.to_string(),
        Literal::Text(text) if text.starts_with(|it: char| is_part(it) && !it.is_ascii_digit()) => {
            text.clone()
        }
        Literal::Number(number) => {
            let spelled = number.to_string().replace('-', "Minus").replace('.', "Point").replace('+', "");
            format!("Value{spelled}")
        }
        Literal::Text(_) => format!("Value{}", at + 1),
    }
}

/// Returns the literals of a type that has nothing else.
pub(super) fn literals(ty: &Type) -> Option<Vec<&Literal>> {
    match ty {
        Type::Union(members) => members.iter().map(literal).collect(),
        ty => literal(ty).map(|it| vec![it]),
    }
}

fn literal(ty: &Type) -> Option<&Literal> {
    if let Type::Literal(literal) = ty { Some(literal) } else { None }
}

struct Hoist {
    nameless: Nameless,
    names: HashSet<String>,
    made: Vec<NamedType>,
}

impl Hoist {
    /// Names what is inside of the type with that name.
    fn top(&mut self, name: &str, ty: &Type) -> Type {
        if let Some(ty) = self.or_null(ty) {
            return self.parts(&format!("{name}Value"), &ty);
        }
        match ty {
            Type::Fields(fields) => Type::Fields(self.fields(name, fields)),
            ty if literals(ty).is_some() => ty.clone(),
            ty if variants(ty).is_some() => {
                let Type::Union(members) = ty else { return ty.clone() };
                let member = |it: &Type| match it {
                    Type::Fields(tag) => {
                        let tag = tag.iter().map(|tag| Parameter {
                            ty: self.top(&format!("{name}{}", pascal(&tag.name)), &tag.ty),
                            ..tag.clone()
                        });
                        Type::Fields(tag.collect())
                    }
                    it => it.clone(),
                };
                Type::Union(members.iter().map(member).collect())
            }
            Type::Union(members) => {
                let (constants, others): (Vec<_>, Vec<_>) =
                    members.iter().cloned().partition(|it| literal(it).is_some());
                let constants = (!constants.is_empty()).then(|| Type::union(constants));
                let all: Vec<Type> = constants.into_iter().chain(others).collect();
                let each = all.iter().enumerate();
                let member = |(at, it): (usize, &Type)| self.inner(&format!("{name}Option{}", at + 1), it);
                Type::Union(each.map(member).collect())
            }
            ty => self.parts(name, ty),
        }
    }

    fn fields(&mut self, owner: &str, fields: &[Parameter]) -> Vec<Parameter> {
        let field = |it: &Parameter| Parameter {
            ty: self.inner(&format!("{owner}{}", pascal(&it.name)), &it.ty),
            ..it.clone()
        };
        fields.iter().map(field).collect()
    }

    /// Returns an optional type for a union with null, if unions have names: the rest alone needs one.
    fn or_null(&self, ty: &Type) -> Option<Type> {
        let Type::Union(members) = ty else { return None };
        if self.nameless != Nameless::Unions || !members.contains(&Type::Null) || members.len() < 2 {
            return None;
        }
        let rest = members.iter().filter(|it| **it != Type::Null).cloned();
        Some(Type::Optional(Box::new(Type::union(rest))))
    }

    /// Names a type that is inside of another.
    fn inner(&mut self, name: &str, ty: &Type) -> Type {
        if let Some(ty) = self.or_null(ty) {
            return self.parts(name, &ty);
        }
        let needs_name = match ty {
            Type::Fields(_) => true,
            Type::Literal(_) => self.nameless == Nameless::Unions,
            Type::Union(_) => self.nameless == Nameless::Unions || variants(ty).is_some(),
            _ => false,
        };
        if !needs_name {
            return self.parts(name, ty);
        }
        let mut unique = name.to_owned();
        while !self.names.insert(unique.clone()) {
            unique.push('X');
        }
        let ty = self.top(&unique, ty);
        self.made.push(NamedType::new(unique.clone(), ty));
        Type::Named(unique.into())
    }

    fn parts(&mut self, name: &str, ty: &Type) -> Type {
        match ty {
            Type::List(inner) => Type::List(Box::new(self.inner(&format!("{name}Item"), inner))),
            Type::Map(inner) => Type::Map(Box::new(self.inner(&format!("{name}Value"), inner))),
            Type::Optional(inner) => Type::Optional(Box::new(self.inner(name, inner))),
            Type::Refined(inner, rules) => Type::Refined(Box::new(self.inner(name, inner)), rules.clone()),
            Type::Union(members) => {
                let each = members.iter().enumerate();
                let member = |(at, it): (usize, &Type)| self.inner(&format!("{name}Option{}", at + 1), it);
                Type::Union(each.map(member).collect())
            }
            ty => ty.clone(),
        }
    }
}
