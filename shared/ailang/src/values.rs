//! Values: whether JSON is of a type, and how it becomes so.

mod check;
mod coerce;
mod problem;

use std::collections::HashMap;

use dialect::{Parameter, RecordType, Signature, Type};
use serde_json::Value;

pub use coerce::{Coerced, Coercion};
pub use problem::{MOST_PROBLEMS, Problem};

use crate::Interface;
use check::Check;
use coerce::Coerce;

/// How deep values and types may be.
pub(crate) const DEEPEST: usize = 200;

/// Tells whether JSON is of a type. See [`Interface::values`].
#[derive(Clone, Debug, Default)]
pub struct Values {
    /// The fields of registered types.
    records: HashMap<String, Vec<Parameter>>,
    ignores_unknown: bool,
}

impl Interface {
    /// What is told about values of the types that the documents declare.
    pub fn values(&self) -> Values {
        Values::new(self.types())
    }
}

/// Whether a value is of a type that names no registered one. See [`Values::check`].
///
/// # Errors
/// What is wrong with it.
pub fn check_value(ty: &Type, value: &Value) -> Result<(), Vec<Problem>> {
    Values::default().check(ty, value)
}

impl Values {
    /// With these types for the names of types.
    pub fn new<'row>(types: impl IntoIterator<Item = &'row RecordType>) -> Self {
        // Rows that cannot be read are refused by registries; here nothing is known of their names.
        let each = types.into_iter().filter_map(|row| Signature::parse(&row.signature).ok());
        Self { records: each.map(|it| (it.name, it.parameters)).collect(), ignores_unknown: false }
    }

    /// The fields of a registered type.
    pub(crate) fn fields_of(&self, name: &str) -> Option<&[Parameter]> {
        self.records.get(name).map(Vec::as_slice)
    }

    /// Whether fields that nobody declared are passed over.
    pub(crate) fn ignores_unknown(&self) -> bool {
        self.ignores_unknown
    }

    /// The same for results: fields that nobody declared are passed over, so that who answers may know more than who
    /// asks.
    #[must_use]
    pub fn of_results(mut self) -> Self {
        self.ignores_unknown = true;
        self
    }

    /// Whether the value is of that type as it is: exactly, in form and in everything that its type says beyond it.
    ///
    /// # Errors
    /// Everything that is wrong with it, up to [`MOST_PROBLEMS`], in the order of the value.
    pub fn check(&self, ty: &Type, value: &Value) -> Result<(), Vec<Problem>> {
        let mut problems = Check::new(self).problems(ty, value);
        problems.truncate(MOST_PROBLEMS);
        if problems.is_empty() { Ok(()) } else { Err(problems) }
    }

    /// The value as one of that type. One that is of it stays as it is. Else texts of numbers become numbers and the
    /// other way round, 0, 1 and texts of truth values truth values, texts their only spelling that is allowed but for
    /// capitals, one thing a list of it, and null for what may be left out is left out.
    ///
    /// # Errors
    /// What is wrong with it, after all of that.
    pub fn coerce(&self, ty: &Type, value: &Value) -> Result<Coerced, Vec<Problem>> {
        Coerce::new(self).coerced(ty, value).map_err(|mut problems| {
            problems.truncate(MOST_PROBLEMS);
            problems
        })
    }
}
