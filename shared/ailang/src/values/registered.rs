//! The registered types that values are checked against.

use std::collections::HashMap;

use dialect::{Parameter, RecordType, Signature, Type, TypeAlias};

/// A checker of JSON values. See [`Interface::values`](crate::Interface::values).
#[derive(Clone, Debug, Default)]
pub struct Values {
    /// The registered types, by name.
    types: HashMap<String, Type>,
    pub(super) ignores_unknown: bool,
}

impl Values {
    /// Registers types by their names.
    pub fn new<'row>(
        types: impl IntoIterator<Item = &'row RecordType>,
        aliases: impl IntoIterator<Item = &'row TypeAlias>,
    ) -> Self {
        // The registry refuses malformed rows; here their names stay unknown.
        let records = types.into_iter().filter_map(|row| Signature::parse(&row.signature).ok());
        let records = records.map(|it| (it.name, Type::Fields(it.parameters)));
        Self::of(records.chain(aliases.into_iter().map(|it| (it.name.clone(), it.ty.clone()))).collect())
    }

    /// Registers types by their names. None may stand for itself without a list or an object between.
    pub fn of(types: HashMap<String, Type>) -> Self {
        Self { types, ignores_unknown: false }
    }

    /// Returns the type behind a name.
    pub(crate) fn behind(&self, name: &str) -> Option<&Type> {
        self.types.get(name)
    }

    /// Returns the fields of a registered struct.
    pub(crate) fn fields_of(&self, name: &str) -> Option<&[Parameter]> {
        match self.behind(name) {
            Some(Type::Fields(fields)) => Some(fields),
            _ => None,
        }
    }

    /// Returns `true` if undeclared fields are ignored.
    pub(crate) fn ignores_unknown(&self) -> bool {
        self.ignores_unknown
    }

    /// Ignores undeclared fields, so that a newer version may return more than was asked for.
    #[must_use]
    pub fn ignoring_unknown_fields(mut self) -> Self {
        self.ignores_unknown = true;
        self
    }
}
