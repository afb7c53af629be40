//! The rows that documents declare.

use std::collections::HashMap;
use std::fmt;
use std::sync::Arc;

use dialect::{Conversion, Function, RecordType, TypeAlias};

use crate::capability::Capability;
use crate::throwable::Throwable;
use crate::values::Values;

/// The callables, types, errors and capabilities that documents declare. See [`Interface::load`] and
/// [`Interface::library`].
#[derive(Clone, Debug, Default)]
pub struct Interface {
    pub(super) types: Vec<RecordType>,
    pub(super) aliases: Vec<TypeAlias>,
    pub(super) functions: Vec<Function>,
    pub(super) conversions: Vec<Conversion>,
    pub(super) capabilities: Vec<Capability>,
    pub(super) throwables: Vec<Throwable>,
    /// The errors that each tool throws.
    pub(super) throws: HashMap<String, Vec<Throwable>>,
    pub(super) clock: Option<Clock>,
    pub(super) warnings: Vec<String>,
}

/// A clock, in seconds since the Unix epoch.
#[derive(Clone)]
pub(super) struct Clock(pub(super) Arc<dyn Fn() -> f64 + Send + Sync>);

impl fmt::Debug for Clock {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Clock")
    }
}

impl Interface {
    /// Returns the rows of all tools except conversions, in the order of the documents. They have no code:
    /// calls fail.
    pub fn functions(&self) -> &[Function] {
        &self.functions
    }

    /// Returns the errors that a tool throws.
    pub(crate) fn thrown_by(&self, tool: &str) -> &[Throwable] {
        self.throws.get(tool).map_or(&[], Vec::as_slice)
    }

    /// Returns the errors that the documents declare.
    pub(crate) fn throwables(&self) -> &[Throwable] {
        &self.throwables
    }

    /// Returns the registered types.
    pub fn types(&self) -> &[RecordType] {
        &self.types
    }

    /// Returns the registered types that are no records: those that contain themselves.
    pub fn aliases(&self) -> &[TypeAlias] {
        &self.aliases
    }

    /// Returns the declared capabilities.
    pub fn capabilities(&self) -> &[Capability] {
        &self.capabilities
    }

    /// Sets the clock, in seconds since the Unix epoch, for errors with a retry delay.
    #[must_use]
    pub fn with_clock(mut self, clock: impl Fn() -> f64 + Send + Sync + 'static) -> Self {
        self.clock = Some(Clock(Arc::new(clock)));
        self
    }

    /// Returns the checker of values for the declared types.
    pub fn values(&self) -> Values {
        Values::new(self.types(), self.aliases())
    }

    /// Returns the warnings with their places: types that programs cannot express, missing advice.
    pub fn warnings(&self) -> impl Iterator<Item = &str> {
        self.warnings.iter().map(String::as_str)
    }
}
