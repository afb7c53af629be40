//! Types, as signatures spell them.

use std::fmt;
use std::sync::Arc;

use serde_json::Number;

use crate::Refinement;
use crate::name::is_same_name;
use crate::number::compare;
use crate::quote::{is_plain_key, quoted};

/// A type of values, of programs and of documents.
///
/// Other types of documents are expressed by these: a variant with a payload is an object with one field, an
/// enum is a union of texts. A generic type is written out for each use. Recursive types are registered ones.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum Type {
    /// `any`: every value, null included.
    Any,
    /// `null`: null alone.
    Null,
    /// `boolean`: `true` or `false`.
    Bool,
    /// `number`: an integer or a finite float.
    Number,
    /// `string`
    Text,
    /// `object`: an object of any fields.
    Object,
    /// `"none"`, `3`, `true`: that value alone
    Literal(Literal),
    /// `List<string>`
    List(Box<Type>),
    /// `Map<string, number>`: an object with any keys, and values of that type
    Map(Box<Type>),
    /// `{path: string, line?: number}`: an object with these fields
    Fields(Vec<Parameter>),
    /// `string?`
    Optional(Box<Type>),
    /// `string | Symbol`: one of these
    Union(Vec<Type>),
    /// `number.min(1).integer()`: a type with rules that must all hold
    Refined(Box<Type>, Vec<Refinement>),
    /// `FileRange`: a registered type
    Named(Arc<str>),
    /// `(item: any) -> boolean`
    Function {
        /// The names and types of what it takes.
        parameters: Vec<(String, Type)>,
        /// The type of the result.
        returns: Box<Type>,
    },
}

/// The value of a type that has only one.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum Literal {
    /// `true`
    Bool(bool),
    /// `3`
    Number(Number),
    /// `"none"`
    Text(String),
}

/// A declared parameter, or a field of an object's type.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Parameter {
    /// The name, by which arguments may be given: `pattern=…`.
    pub name: String,
    /// The type that it takes.
    pub ty: Type,
    /// `true` if it may be left out: `extension?: string`, `first: number = 1`.
    pub optional: bool,
    /// The value if it is left out: `first: number = 1`.
    pub default: Option<serde_json::Value>,
    /// Other names by which arguments may be given; a signature's text does not show them.
    pub aliases: Vec<String>,
}

impl Type {
    /// Returns the types directly inside this one, in the order in which they are written. The type that a name stands
    /// for is not one of them.
    pub fn parts(&self) -> Vec<&Self> {
        match self {
            Self::List(inner) | Self::Map(inner) | Self::Optional(inner) | Self::Refined(inner, _) => {
                vec![inner]
            }
            Self::Union(members) => members.iter().collect(),
            Self::Fields(fields) => fields.iter().map(|field| &field.ty).collect(),
            Self::Function { parameters, returns } => {
                parameters.iter().map(|(_, ty)| ty).chain([&**returns]).collect()
            }
            _ => Vec::new(),
        }
    }

    /// Makes a union without duplicates. Unions among the members are flattened, and a single member stands
    /// for itself.
    pub fn union(members: impl IntoIterator<Item = Self>) -> Self {
        let mut flat = Vec::new();
        for member in members {
            let parts = if let Self::Union(parts) = member { parts } else { vec![member] };
            for part in parts {
                if !flat.contains(&part) {
                    flat.push(part);
                }
            }
        }
        if flat.len() == 1 { flat.remove(0) } else { Self::Union(flat) }
    }

    /// Returns the registered type that this is, or is a list, an optional or a refinement of.
    pub fn named(&self) -> Option<&Arc<str>> {
        match self {
            Self::List(inner) | Self::Optional(inner) | Self::Refined(inner, _) => inner.named(),
            Self::Named(name) => Some(name),
            _ => None,
        }
    }

    /// Returns every registered type that it names, in the order in which they are written.
    pub fn names(&self) -> Vec<&Arc<str>> {
        match self {
            Self::Named(name) => vec![name],
            ty => ty.parts().into_iter().flat_map(Self::names).collect(),
        }
    }

    /// Returns the type with the names of registered types that `rename` gives.
    #[must_use]
    pub fn renamed(&self, rename: &dyn Fn(&str) -> String) -> Self {
        let boxed = |inner: &Self| Box::new(inner.renamed(rename));
        match self {
            Self::Named(name) => Self::Named(rename(name).into()),
            Self::Refined(inner, rules) => Self::Refined(boxed(inner), rules.clone()),
            Self::List(inner) => Self::List(boxed(inner)),
            Self::Map(inner) => Self::Map(boxed(inner)),
            Self::Optional(inner) => Self::Optional(boxed(inner)),
            Self::Union(members) => Self::Union(members.iter().map(|it| it.renamed(rename)).collect()),
            Self::Fields(fields) => Self::Fields(fields.iter().map(|it| it.renamed(rename)).collect()),
            Self::Function { parameters, returns } => {
                let parameters = parameters.iter().map(|(name, ty)| (name.clone(), ty.renamed(rename)));
                Self::Function { parameters: parameters.collect(), returns: boxed(returns) }
            }
            ty => ty.clone(),
        }
    }

    /// Returns the type without its refinements, at any depth.
    pub(crate) fn plain(&self) -> Self {
        let boxed = |inner: &Self| Box::new(inner.plain());
        match self {
            Self::Refined(inner, _) => inner.plain(),
            Self::List(inner) => Self::List(boxed(inner)),
            Self::Map(inner) => Self::Map(boxed(inner)),
            Self::Optional(inner) => Self::Optional(boxed(inner)),
            Self::Union(members) => Self::union(members.iter().map(Self::plain)),
            Self::Fields(fields) => Self::Fields(fields.iter().map(Parameter::plain).collect()),
            Self::Function { parameters, returns } => {
                let parameters = parameters.iter().map(|(name, ty)| (name.clone(), ty.plain()));
                Self::Function { parameters: parameters.collect(), returns: boxed(returns) }
            }
            ty => ty.clone(),
        }
    }

    /// Returns its alternatives, without optionals and refinements around them.
    pub(crate) fn alternatives(&self) -> Vec<&Self> {
        match self {
            Self::Optional(inner) | Self::Refined(inner, _) => inner.alternatives(),
            Self::Union(members) => members.iter().flat_map(Self::alternatives).collect(),
            ty => vec![ty],
        }
    }

    /// Returns `true` if a function is one of its alternatives.
    pub(crate) fn takes_function(&self) -> bool {
        self.alternatives().into_iter().any(|it| matches!(it, Self::Function { .. }))
    }

    /// Returns it in parentheses, if a postfix would bind only to its last part.
    fn tight(&self) -> String {
        match self {
            Self::Union(_) | Self::Function { .. } => format!("({self})"),
            _ => self.to_string(),
        }
    }
}

impl Parameter {
    /// Returns the parameter with the names of registered types that `rename` gives.
    #[must_use]
    pub fn renamed(&self, rename: &dyn Fn(&str) -> String) -> Self {
        Self { ty: self.ty.renamed(rename), ..self.clone() }
    }

    /// Returns the parameter without refinements.
    pub(crate) fn plain(&self) -> Self {
        Self { ty: self.ty.plain(), ..self.clone() }
    }

    /// Returns `true` if an argument of that name is for it, ignoring case and underscores.
    pub(crate) fn is_called(&self, name: &str) -> bool {
        std::iter::once(&self.name).chain(&self.aliases).any(|it| is_same_name(it, name))
    }
}

impl Literal {
    /// Returns `true` if it is that value. Numbers are compared mathematically: `3` is `3.0`.
    pub fn is(&self, value: &serde_json::Value) -> bool {
        use serde_json::Value;
        match (self, value) {
            (Self::Bool(literal), Value::Bool(value)) => literal == value,
            (Self::Number(literal), Value::Number(value)) => compare(literal, value).is_eq(),
            (Self::Text(literal), Value::String(value)) => literal == value,
            _ => false,
        }
    }
}

/// As a signature spells it.
impl fmt::Display for Type {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Any => f.write_str("any"),
            Self::Null => f.write_str("null"),
            Self::Bool => f.write_str("boolean"),
            Self::Number => f.write_str("number"),
            Self::Text => f.write_str("string"),
            Self::Object => f.write_str("object"),
            Self::Literal(literal) => write!(f, "{literal}"),
            Self::List(inner) => write!(f, "List<{inner}>"),
            Self::Map(inner) => write!(f, "Map<string, {inner}>"),
            Self::Fields(fields) => write!(f, "{{{}}}", joined(fields, ", ")),
            Self::Optional(inner) => write!(f, "{}?", inner.tight()),
            Self::Union(members) => {
                let each: Vec<String> = members.iter().map(Self::tight).collect();
                f.write_str(&each.join(" | "))
            }
            Self::Refined(inner, refinements)
                if **inner == Self::Number && refinements.first() == Some(&Refinement::Integer) =>
            {
                write!(f, "int{}", joined(&refinements[1..], ""))
            }
            Self::Refined(inner, refinements) => write!(f, "{}{}", inner.tight(), joined(refinements, "")),
            Self::Named(name) => f.write_str(name),
            Self::Function { parameters, returns } => {
                let each: Vec<String> = parameters.iter().map(|(name, ty)| format!("{name}: {ty}")).collect();
                write!(f, "({}) -> {returns}", each.join(", "))
            }
        }
    }
}

impl fmt::Display for Literal {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Bool(bool) => write!(f, "{bool}"),
            Self::Number(number) => write!(f, "{number}"),
            Self::Text(text) => f.write_str(&quoted(text)),
        }
    }
}

impl fmt::Display for Parameter {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mark = if self.optional && self.default.is_none() { "?" } else { "" };
        let is_plain = self.name.split('.').all(is_plain_key);
        let name = if is_plain { self.name.clone() } else { quoted(&self.name) };
        write!(f, "{name}{mark}: {}", self.ty)?;
        self.default.as_ref().map_or(Ok(()), |default| write!(f, " = {default}"))
    }
}

fn joined(items: &[impl fmt::Display], separator: &str) -> String {
    items.iter().map(ToString::to_string).collect::<Vec<_>>().join(separator)
}
