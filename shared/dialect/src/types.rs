//! Type expressions, as signatures spell them.

use std::fmt;
use std::sync::Arc;

/// A type expression.
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
    /// `List<string>`
    List(Box<Type>),
    /// `string?`
    Optional(Box<Type>),
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

impl Type {
    /// The registered type that this is, or is a list or an optional of.
    pub fn named(&self) -> Option<&Arc<str>> {
        match self {
            Self::List(inner) | Self::Optional(inner) => inner.named(),
            Self::Named(name) => Some(name),
            _ => None,
        }
    }

    /// Every registered type that it names.
    pub(crate) fn names(&self) -> Vec<&Arc<str>> {
        match self {
            Self::List(inner) | Self::Optional(inner) => inner.names(),
            Self::Named(name) => vec![name],
            Self::Function { parameters, returns } => {
                parameters.iter().flat_map(|(_, ty)| ty.names()).chain(returns.names()).collect()
            }
            _ => Vec::new(),
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
            Self::List(inner) => write!(f, "List<{inner}>"),
            Self::Optional(inner) => write!(f, "{inner}?"),
            Self::Named(name) => f.write_str(name),
            Self::Function { parameters, returns } => {
                f.write_str("(")?;
                for (index, (name, ty)) in parameters.iter().enumerate() {
                    let separator = if index == 0 { "" } else { ", " };
                    write!(f, "{separator}{name}: {ty}")?;
                }
                write!(f, ") -> {returns}")
            }
        }
    }
}
