//! The rows of a registry: callables, types and conversions with parsed signatures.

use std::fmt;
use std::sync::Arc;

use foldhash::fast::RandomState;
use indexmap::IndexMap;

use crate::{
    DeclaredFailure, Effect, ErrorTemplate, Function, Handler, Object, RecordType, Requirement, Signature,
    Type, TypeAlias, Value,
};

/// A function or a constructor.
#[derive(Debug)]
pub(crate) struct Callable {
    /// The name of its library.
    pub(crate) library: Arc<str>,
    pub(crate) signature: Arc<Signature>,
    /// The signature with type variables, if it has any.
    pub(crate) generic: Option<Arc<Signature>>,
    pub(crate) effect: Effect,
    pub(crate) requires: Vec<Requirement>,
    /// `true` if its first parameter takes lists as they are.
    pub(crate) takes_list: bool,
    pub(crate) code: CallableCode,
}

/// The code that a call of a callable runs.
pub(crate) enum CallableCode {
    /// The row of a function.
    Function(Box<Function>),
    /// The arguments become a record of the type that the signature returns.
    Constructor(Arc<RegisteredType>),
}

/// A function of the values of one type: `Plan.cost(plan: Plan) -> number`.
#[derive(Clone, Debug)]
pub(crate) struct Method {
    /// The type.
    pub(crate) of: Arc<str>,
    pub(crate) callable: Arc<Callable>,
}

/// A record type with its parsed signature.
#[derive(Debug)]
pub(crate) struct RegisteredType {
    pub(crate) name: Arc<str>,
    pub(crate) signature: Arc<Signature>,
    pub(crate) row: RecordType,
}

/// All registered types, by name.
#[derive(Clone, Debug, Default)]
pub(crate) struct RegisteredTypes {
    pub(super) records: IndexMap<Arc<str>, Arc<RegisteredType>, RandomState>,
    pub(super) aliases: IndexMap<Arc<str>, Arc<TypeAlias>, RandomState>,
}

/// A conversion with its parsed signature.
pub(crate) struct RegisteredConversion {
    /// The name of its library.
    pub(crate) library: Arc<str>,
    pub(crate) signature: Arc<Signature>,
    /// The description, in a sentence.
    pub(crate) description: String,
    pub(crate) effect: Effect,
    pub(crate) requires: Vec<Requirement>,
    pub(crate) fails: Vec<DeclaredFailure>,
    pub(crate) error_template: Option<ErrorTemplate>,
    pub(crate) code: Arc<dyn Handler>,
}

impl Callable {
    /// Returns the signature that says the most about types.
    pub(crate) fn precise(&self) -> &Arc<Signature> {
        self.generic.as_ref().unwrap_or(&self.signature)
    }

    /// Returns its name and its aliases.
    pub(crate) fn names(&self) -> impl Iterator<Item = &str> {
        let aliases: &[String] = match &self.code {
            CallableCode::Function(row) => &row.aliases,
            CallableCode::Constructor(_) => &[],
        };
        std::iter::once(self.signature.name.as_str()).chain(aliases.iter().map(String::as_str))
    }
}

impl RegisteredType {
    /// Describes a value to a reader, if the type has labels.
    pub(crate) fn label(&self, fields: &Object) -> Option<String> {
        self.row.label.map(|label| label(fields))
    }

    /// Returns a shorter value that stands for this one, if there is one.
    pub(crate) fn stand_in(&self, fields: &Object) -> Option<Value> {
        self.row.stand_in.and_then(|stand_in| stand_in(fields))
    }
}

impl RegisteredTypes {
    /// Returns the record type of that name.
    pub(crate) fn get(&self, name: &str) -> Option<&Arc<RegisteredType>> {
        self.records.get(name)
    }

    /// Returns the type of that name that is no record.
    pub(crate) fn alias(&self, name: &str) -> Option<&TypeAlias> {
        self.aliases.get(name).map(|it| &**it)
    }

    /// Returns `true` if a name is that of no type, so that it is a variable where signatures may have them.
    pub(crate) fn is_variable(&self, name: &str) -> bool {
        self.get(name).is_none() && self.alias(name).is_none()
    }

    /// Returns the type behind all aliases around it.
    pub(crate) fn resolved<'t>(&'t self, ty: &'t Type) -> &'t Type {
        let mut ty = ty;
        // An alias never leads back to itself without a list, an object or a function between.
        while let Type::Named(name) = ty
            && let Some(alias) = self.alias(name)
        {
            ty = &alias.ty;
        }
        ty
    }

    /// Returns the alternatives of a type, without optionals, refinements and aliases around them.
    pub(crate) fn alternatives<'t>(&'t self, ty: &'t Type) -> Vec<&'t Type> {
        match self.resolved(ty) {
            Type::Optional(inner) | Type::Refined(inner, _) => self.alternatives(inner),
            Type::Union(members) => members.iter().flat_map(|it| self.alternatives(it)).collect(),
            ty => vec![ty],
        }
    }

    /// Returns `true` if a value of that type may be a list.
    pub(crate) fn takes_list(&self, ty: &Type) -> bool {
        self.alternatives(ty).into_iter().any(|it| matches!(it, Type::List(_) | Type::Any))
    }
}

/// Returns `fileRange` for `FileRange`.
pub(crate) fn constructor_name(type_name: &str) -> String {
    let mut chars = type_name.chars();
    chars.next().into_iter().flat_map(char::to_lowercase).chain(chars).collect()
}

impl fmt::Debug for CallableCode {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Function(_) => "Function",
            Self::Constructor(_) => "Constructor",
        })
    }
}

impl fmt::Debug for RegisteredConversion {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}", self.signature)
    }
}
