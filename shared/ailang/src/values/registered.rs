//! The registered types that values are checked against.

use std::collections::HashMap;

use dialect::{Parameter, RecordType, Signature};

/// A checker of JSON values. See [`Interface::values`](crate::Interface::values).
#[derive(Clone, Debug, Default)]
pub struct Values {
    /// The fields of the registered types, by name.
    pub(super) records: HashMap<String, Vec<Parameter>>,
    pub(super) ignores_unknown: bool,
}

impl Values {
    /// Registers types by their names.
    pub fn new<'row>(types: impl IntoIterator<Item = &'row RecordType>) -> Self {
        // The registry refuses malformed rows; here their names stay unknown.
        let each = types.into_iter().filter_map(|row| Signature::parse(&row.signature).ok());
        Self { records: each.map(|it| (it.name, it.parameters)).collect(), ignores_unknown: false }
    }

    /// Registers types by their names and fields.
    pub fn of(records: HashMap<String, Vec<Parameter>>) -> Self {
        Self { records, ignores_unknown: false }
    }

    /// Returns the fields of a registered type.
    pub(crate) fn fields_of(&self, name: &str) -> Option<&[Parameter]> {
        self.records.get(name).map(Vec::as_slice)
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
