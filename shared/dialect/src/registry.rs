//! Registries: all names that a program can use, made of libraries and checked once.

mod binding;
mod error;
mod rows;
mod tables;

use std::fmt;
use std::sync::Arc;

pub use self::binding::{Binding, Row};
pub use self::error::RegistryError;
pub(crate) use self::rows::{
    Callable, CallableCode, Method, RegisteredConversion, RegisteredType, RegisteredTypes, constructor_name,
};
use self::tables::Tables;
use crate::name::{akin, folded, nearest, slip};
use crate::shape::default;
use crate::{
    Effect, ErrorTemplate, FailureKind, ForeignIdiom, Function, Interrupt, Invocation, Library, RecordType,
    Requirement, Signature, TypeAlias, Value,
};

/// All names that a program can use. A clone is cheap.
///
/// Invariant: every signature parses, no two callables have the same (folded) name, and every type that a
/// signature names is registered.
#[derive(Clone, Default)]
pub struct Registry {
    tables: Arc<Tables>,
    /// The code between programs and rows, if the registry is bound.
    binding: Option<Arc<dyn Binding>>,
}

impl Registry {
    /// Checks the tables of all libraries together.
    ///
    /// # Errors
    /// The first row that does not fit: see [`RegistryError`].
    pub fn new(libraries: impl IntoIterator<Item = Library>) -> Result<Self, RegistryError> {
        let mut tables = Tables::default();
        for library in libraries {
            tables.add(library)?;
        }
        Self { tables: Arc::new(tables), binding: None }.with_defaults_checked()
    }

    /// Returns the registry with one more library, which may arrive while a session runs. Its signatures may
    /// name types that are there already.
    ///
    /// # Errors
    /// The first row that does not fit: see [`RegistryError`].
    pub fn with(&self, library: Library) -> Result<Self, RegistryError> {
        let mut tables = Tables::clone(&self.tables);
        tables.add(library)?;
        Self { tables: Arc::new(tables), binding: self.binding.clone() }.with_defaults_checked()
    }

    /// Checks defaults at the end, since their types may be added after them.
    fn with_defaults_checked(self) -> Result<Self, RegistryError> {
        for callable in self.callables() {
            let defaults = callable.signature.parameters.iter().filter(|it| it.default.is_some());
            if let Some(parameter) = { defaults }.find(|it| default(self.types(), it).is_none()) {
                return Err(RegistryError::Default {
                    library: callable.library.to_string(),
                    signature: callable.signature.to_string(),
                    parameter: parameter.name.clone(),
                });
            }
        }
        Ok(self)
    }

    /// Returns the signatures of all callables; in each library functions come before constructors.
    pub fn signatures(&self) -> impl Iterator<Item = &Signature> {
        self.tables.callables.iter().map(|it| &*it.signature)
    }

    /// Returns the effect of each callable, in the same order.
    pub fn effects(&self) -> impl Iterator<Item = Effect> {
        self.tables.callables.iter().map(|it| it.effect)
    }

    /// Returns every function with the name of its library, in the order in which they are shown.
    pub fn functions(&self) -> impl Iterator<Item = (&str, &Signature, &Function)> {
        self.tables.callables.iter().filter_map(|it| match &it.code {
            CallableCode::Function(row) => Some((&*it.library, &*it.signature, &**row)),
            CallableCode::Constructor(_) => None,
        })
    }

    /// Returns every registered type, with its fields as parameters.
    pub fn record_types(&self) -> impl Iterator<Item = (&Signature, &RecordType)> {
        self.tables.types.records.values().map(|it| (&*it.signature, &it.row))
    }

    /// Returns every registered type that is no record.
    pub fn type_aliases(&self) -> impl Iterator<Item = &TypeAlias> {
        self.tables.types.aliases.values().map(|it| &**it)
    }

    /// Returns the signature of every conversion; it has one parameter.
    pub fn conversion_signatures(&self) -> impl Iterator<Item = &Signature> {
        self.tables.conversions.iter().map(|it| &*it.signature)
    }

    /// Returns the permissions that a program can need, those of functions before those of conversions.
    pub fn requirements(&self) -> impl Iterator<Item = &Requirement> {
        let functions = self.tables.callables.iter().flat_map(|it| &it.requires);
        functions.chain(self.tables.conversions.iter().flat_map(|it| &it.requires))
    }

    pub(crate) fn callables(&self) -> impl Iterator<Item = &Callable> {
        self.tables.callables.iter().map(|it| &**it)
    }

    pub(crate) fn callable(&self, name: &str) -> Option<&Arc<Callable>> {
        folded(name, |name| self.tables.by_name.get(name))
    }

    /// Returns the callable for a name, or for a foreign name.
    pub(crate) fn callable_or_foreign(&self, name: &str) -> Option<&Arc<Callable>> {
        folded(name, |name| self.tables.by_name.get(name).or_else(|| self.tables.foreign.get(name)))
    }

    /// Returns the methods for `x.name()`, for any type of `x`.
    pub(crate) fn methods(&self, name: &str) -> &[Method] {
        folded(name, |name| self.tables.methods.get(name)).map_or(&[], Vec::as_slice)
    }

    /// Returns the methods of a type, each as `m()`.
    pub(crate) fn methods_of<'r>(&'r self, of: &'r str) -> impl Iterator<Item = String> + 'r {
        let methods = self.tables.methods.values().flatten().filter(move |it| *it.of == *of);
        methods.map(|it| {
            let name = &it.callable.signature.name;
            format!("{}()", name.rsplit_once('.').map_or(name.as_str(), |(_, last)| last))
        })
    }

    pub(crate) fn foreign_idioms(&self, name: &str) -> &[ForeignIdiom] {
        folded(name, |name| self.tables.foreign_idioms.get(name)).map_or(&[], Vec::as_slice)
    }

    /// Makes the failure for a call of an unknown function.
    pub(crate) fn unknown_function(&self, name: String) -> FailureKind {
        let callables = self.tables.callables.iter();
        let functions = || callables.clone().filter(|it| matches!(it.code, CallableCode::Function(_)));
        let mut names = nearest(&name, callables.clone().flat_map(|it| it.names()));
        if names.is_empty() {
            names = akin(&name, functions().flat_map(|it| it.names()));
        }
        let mut near: Vec<Arc<Signature>> = Vec::new();
        for name in names {
            let found = self.callable(name).expect("its own name finds it");
            if !near.contains(&found.signature) {
                near.push(found.signature.clone());
            }
        }
        let all = if near.is_empty() { self.function_names() } else { Vec::new() };
        FailureKind::UnknownFunction { name, nearest: near, all }
    }

    pub(crate) fn function_names(&self) -> Vec<String> {
        let functions =
            self.tables.callables.iter().filter(|it| matches!(it.code, CallableCode::Function(_)));
        functions.map(|it| it.signature.name.clone()).collect()
    }

    /// Returns `true` if a name resembles a callable's, by its letters or by its words.
    pub(crate) fn resembles_callable(&self, name: &str) -> bool {
        let names = || self.tables.callables.iter().flat_map(|it| it.names());
        !nearest(name, names()).is_empty() || !akin(name, names()).is_empty()
    }

    /// Returns the callable's name that this is probably a slip of.
    pub(crate) fn slip(&self, name: &str) -> Option<&str> {
        slip(name, self.tables.callables.iter().flat_map(|it| it.names()))
    }

    pub(crate) fn types(&self) -> &RegisteredTypes {
        &self.tables.types
    }

    pub(crate) fn registered_type(&self, name: &str) -> Option<&Arc<RegisteredType>> {
        self.tables.types.get(name)
    }

    /// Returns the same tables, with every call going through `binding`.
    #[must_use]
    pub fn bound(&self, binding: impl Binding + 'static) -> Self {
        Self { tables: Arc::clone(&self.tables), binding: Some(Arc::new(binding)) }
    }

    /// Calls a row, and gives its failures the words of their declarations.
    pub(crate) async fn call(
        &self,
        row: Row<'_>,
        error_template: Option<&ErrorTemplate>,
        invocation: Invocation,
    ) -> Result<Value, Interrupt> {
        let called = match &self.binding {
            Some(binding) => binding.call(row, invocation),
            None => row.code.call(invocation),
        };
        called.await.map_err(|it| {
            // Only its own failures: a function that it called may have been stopped.
            let (error_template, failure) = match (error_template, it) {
                (Some(error_template), Interrupt::Failure(failure)) => (error_template, failure),
                (_, other) => return other,
            };
            let failure = error_template(failure);
            self.binding.iter().for_each(|it| it.failed(row, &failure));
            Interrupt::Failure(failure)
        })
    }

    pub(crate) fn conversions(&self) -> &[Arc<RegisteredConversion>] {
        &self.tables.conversions
    }
}

impl fmt::Debug for Registry {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Registry").field("tables", &self.tables).finish_non_exhaustive()
    }
}
