//! The part of a value's type that is certain.

use std::sync::Arc;

use super::is_field;
use crate::node::LambdaNode;
use crate::registry::{Callable, RegisteredType};
use crate::types::Literal;
use crate::{Type, Value};

/// The most alternatives that are kept apart.
const ALTERNATIVES: usize = 16;

/// The knowledge of a value.
#[derive(Clone, Debug)]
pub(super) enum Known {
    Unknown,
    Null,
    Bool,
    Number,
    Text,
    List(Arc<Self>),
    /// An object with any fields, whose values have this type.
    Map(Arc<Self>),
    /// An object with these fields alone.
    Object(Arc<[(String, Self)]>),
    /// An object with at least these fields.
    Fields(Arc<[(String, Self)]>),
    Record(Arc<RegisteredType>),
    /// One of these, or null.
    OneOf(Arc<[Self]>),
    /// A lambda of the program, with the types of the names that are bound around it.
    Lambda(Arc<LambdaNode>, Arc<[Self]>),
    /// A function of the registry.
    Callable(Arc<Callable>),
}

/// The knowledge of a member.
pub(super) enum Member {
    /// The member may be there, and then has this type.
    Known(Known),
    /// No value of the type has it.
    Absent {
        /// The type.
        found: String,
        /// The members that it has.
        members: Vec<String>,
    },
}

impl Known {
    pub(super) fn list(of: Self) -> Self {
        Self::List(of.into())
    }

    pub(super) fn of_value(value: &Value) -> Self {
        match value {
            Value::Null => Self::Null,
            Value::Bool(_) => Self::Bool,
            Value::Number(_) => Self::Number,
            Value::Text(_) => Self::Text,
            _ => Self::Unknown,
        }
    }

    pub(super) fn of_literal(literal: &Literal) -> Self {
        match literal {
            Literal::Bool(_) => Self::Bool,
            Literal::Number(_) => Self::Number,
            Literal::Text(_) => Self::Text,
        }
    }

    /// Joins alternatives. Null beside others is dropped: null has no members, so it allows none.
    pub(super) fn one_of(all: impl IntoIterator<Item = Self>) -> Self {
        let mut found: Vec<Self> = Vec::new();
        let mut has_null = false;
        for known in all {
            let parts = match known {
                Self::Unknown => return Self::Unknown,
                Self::Null => {
                    has_null = true;
                    continue;
                }
                Self::OneOf(parts) => parts.to_vec(),
                known => vec![known],
            };
            for part in parts {
                if !found.iter().any(|it| it.is_same(&part)) {
                    found.push(part);
                }
            }
            if found.len() > ALTERNATIVES {
                return Self::Unknown;
            }
        }
        match found.len() {
            0 if has_null => Self::Null,
            0 => Self::Unknown,
            1 => found.remove(0),
            _ => Self::OneOf(found.into()),
        }
    }

    fn is_same(&self, other: &Self) -> bool {
        match (self, other) {
            (Self::Bool, Self::Bool) | (Self::Number, Self::Number) | (Self::Text, Self::Text) => true,
            (Self::List(one), Self::List(other)) | (Self::Map(one), Self::Map(other)) => one.is_same(other),
            (Self::Record(one), Self::Record(other)) => Arc::ptr_eq(one, other),
            (Self::Unknown, Self::Unknown) => true,
            _ => false,
        }
    }

    /// Returns what is known of the member `name`. `known` translates the types of fields.
    pub(super) fn member(&self, name: &str, known: &impl Fn(&Type) -> Self) -> Member {
        match self {
            Self::Unknown | Self::Null | Self::Lambda(..) | Self::Callable(_) => Member::Known(Self::Unknown),
            Self::Text | Self::List(_) if name == "length" => Member::Known(Self::Number),
            Self::Bool | Self::Number | Self::Text => self.without(Vec::new()),
            // A list of one element has the members of that element.
            Self::List(inner) => inner.member(name, known),
            Self::Map(inner) => Member::Known(Self::clone(inner)),
            Self::Fields(fields) => {
                let field = fields.iter().find(|(field, _)| field == name);
                Member::Known(field.map_or(Self::Unknown, |(_, it)| it.clone()))
            }
            Self::Object(fields) => match fields.iter().find(|(field, _)| field == name) {
                Some((_, known)) => Member::Known(known.clone()),
                None => self.without(fields.iter().map(|(field, _)| field.clone()).collect()),
            },
            Self::Record(shape) => {
                let fields = &shape.signature.parameters;
                match fields.iter().find(|it| is_field(&it.name, name)) {
                    Some(field) => Member::Known(known(&field.ty)),
                    None => self.without(fields.iter().map(|it| it.name.clone()).collect()),
                }
            }
            Self::OneOf(all) => {
                let mut there = Vec::new();
                let mut absent = None;
                for member in all.iter().map(|it| it.member(name, known)) {
                    match member {
                        Member::Known(known) => there.push(known),
                        Member::Absent { .. } => absent = absent.or(Some(member)),
                    }
                }
                match absent {
                    Some(absent) if there.is_empty() => absent,
                    _ => Member::Known(Self::one_of(there)),
                }
            }
        }
    }

    fn without(&self, members: Vec<String>) -> Member {
        Member::Absent { found: self.type_name().unwrap_or_default(), members }
    }

    /// Returns the name of the type, as it is in messages.
    fn type_name(&self) -> Option<String> {
        Some(match self {
            Self::Bool => "boolean".to_owned(),
            Self::Number => "number".to_owned(),
            Self::Text => "string".to_owned(),
            Self::List(_) => "List".to_owned(),
            Self::Map(_) | Self::Object(_) | Self::Fields(_) => "object".to_owned(),
            Self::Record(shape) => shape.name.to_string(),
            _ => return None,
        })
    }

    /// Returns the name of the type, if no value of it is the result of a function that returns `ty`.
    pub(super) fn wrong_for(&self, ty: &Type) -> Option<String> {
        let is_wrong = match ty {
            Type::Bool => !matches!(self, Self::Bool),
            _ => false,
        };
        self.type_name().filter(|_| is_wrong)
    }
}
