//! Type expressions, as signatures spell them.

use std::fmt;
use std::sync::Arc;

use serde_json::Number;

use crate::number::compare;
use crate::print::print_quoted;
use crate::{Parameter, Refinement};

/// A type expression.
///
/// What documents have beyond these is written with them: a variant with a payload is an object with the one field of
/// its name, an enum is a union of texts, and generic types are written out for each use. Types that contain
/// themselves are registered ones.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum Type {
    /// `any`
    Any,
    /// `null`
    Null,
    /// `boolean`
    Bool,
    /// `number`
    Number,
    /// `string`
    Text,
    /// `object`
    Object,
    /// `"none"`, `3`, `true`: that value alone
    Literal(Literal),
    /// `List<string>`
    List(Box<Type>),
    /// `Map<string, number>`: an object whose fields have whatever names, and values of that type
    Map(Box<Type>),
    /// `{path: string, line?: number}`: an object with these fields
    Fields(Vec<Parameter>),
    /// `string?`
    Optional(Box<Type>),
    /// `string | Symbol`: one of these
    Union(Vec<Type>),
    /// `number.min(1).integer()`: with more to it than its form, each of which holds
    Refined(Box<Type>, Vec<Refinement>),
    /// `FileRange`: a registered type
    Named(Arc<str>),
    /// `(item: any) -> boolean`
    Function {
        /// The names and types of what it takes.
        parameters: Vec<(String, Type)>,
        /// What it gives.
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

impl Type {
    /// Reads a type expression.
    ///
    /// # Errors
    /// When the text is none.
    pub fn parse(text: &str) -> Result<Self, crate::SignatureError> {
        crate::signature::read_type(text)
    }

    /// One of these: unions among them are taken apart, and what stands there twice is left out. Of one it is that.
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

    /// The registered type that this is, or is a list or an optional of.
    pub fn named(&self) -> Option<&Arc<str>> {
        match self {
            Self::List(inner) | Self::Optional(inner) | Self::Refined(inner, _) => inner.named(),
            Self::Named(name) => Some(name),
            _ => None,
        }
    }

    /// The types that it is made of.
    pub(crate) fn parts(&self) -> Vec<&Self> {
        match self {
            Self::List(inner) | Self::Map(inner) | Self::Optional(inner) | Self::Refined(inner, _) => {
                vec![inner]
            }
            Self::Union(members) => members.iter().collect(),
            Self::Fields(fields) => fields.iter().map(|it| &it.ty).collect(),
            Self::Function { parameters, returns } => {
                parameters.iter().map(|(_, ty)| ty).chain([&**returns]).collect()
            }
            _ => Vec::new(),
        }
    }

    /// Every registered type that it names.
    pub(crate) fn names(&self) -> Vec<&Arc<str>> {
        match self {
            Self::Named(name) => vec![name],
            ty => ty.parts().into_iter().flat_map(Self::names).collect(),
        }
    }

    /// Its form alone, without refinements.
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

    /// It, or what it is an optional, a refinement or a union of.
    pub(crate) fn alternatives(&self) -> Vec<&Self> {
        match self {
            Self::Optional(inner) | Self::Refined(inner, _) => inner.alternatives(),
            Self::Union(members) => members.iter().flat_map(Self::alternatives).collect(),
            ty => vec![ty],
        }
    }

    /// In parentheses where something follows that holds tighter than it.
    fn tight(&self) -> String {
        match self {
            Self::Union(_) | Self::Function { .. } => format!("({self})"),
            _ => self.to_string(),
        }
    }
}

impl Literal {
    /// Whether it is that value. Numbers are compared by what they are: `3` is `3.0`.
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

fn joined(items: &[impl fmt::Display], separator: &str) -> String {
    items.iter().map(ToString::to_string).collect::<Vec<_>>().join(separator)
}

pub(crate) fn quoted(text: &str) -> String {
    let mut out = String::new();
    print_quoted(&mut out, text);
    out
}
