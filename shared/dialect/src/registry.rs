//! Everything that a program can name, made of libraries and checked once.

mod binding;
mod tables;

use std::fmt;
use std::sync::Arc;

use crate::name::{akin, folded, nearest, slip};
use crate::shape::default;
use crate::{
    Call, DeclaredFailure, Effect, FailureKind, Function, Habit, Library, Object, RecordType, Requirement,
    Signature, SignatureError, Telling, Value,
};

pub use binding::{Binding, Row};
use tables::Tables;

/// Everything that a program can name. A clone is cheap.
///
/// Invariant: every signature parses, no two callables have the same (folded) name, and every type that a
/// signature names is registered.
#[derive(Clone, Default)]
pub struct Registry {
    tables: Arc<Tables>,
    /// What stands between programs and code.
    binding: Option<Arc<dyn Binding>>,
}

/// Why tables do not make a registry.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum RegistryError {
    /// A row's signature does not parse.
    #[error("library `{library}`: {error}")]
    Signature {
        /// Who brings the row.
        library: String,
        /// What is wrong with it.
        error: SignatureError,
    },
    /// Two callables have names that a program could not tell apart.
    #[error("library `{library}`: the name `{name}` is taken by `{other}`")]
    Clash {
        /// Who brings the second one.
        library: String,
        /// Its name or alias.
        name: String,
        /// The signature of the first.
        other: String,
    },
    /// A callable has a name that means something of the language itself.
    #[error("library `{library}`: the name `{name}` belongs to the language")]
    Reserved {
        /// Who brings it.
        library: String,
        /// Its name or alias.
        name: String,
    },
    /// A signature names a type that no library registers.
    #[error("library `{library}`: `{signature}` names the type `{ty}`, which nobody registers")]
    UnknownType {
        /// Who brings the row.
        library: String,
        /// The row.
        signature: String,
        /// The missing type.
        ty: String,
    },
    /// A default that is nothing its parameter takes.
    #[error("library `{library}`: `{parameter}` of `{signature}` does not take its own default")]
    Default {
        /// Who brings the row.
        library: String,
        /// The row.
        signature: String,
        /// The parameter's name.
        parameter: String,
    },
    /// A conversion that does not take exactly one thing.
    #[error("library `{library}`: the conversion `{signature}` must have one required parameter")]
    Conversion {
        /// Who brings the row.
        library: String,
        /// The row.
        signature: String,
    },
}

/// Something that a program can call.
#[derive(Debug)]
pub(crate) struct Callable {
    /// Who brings it.
    pub(crate) library: Arc<str>,
    pub(crate) signature: Arc<Signature>,
    pub(crate) effect: Effect,
    pub(crate) requires: Vec<Requirement>,
    pub(crate) code: Code,
}

/// What happens when it is called.
pub(crate) enum Code {
    /// A function's row runs.
    Function(Box<Function>),
    /// The arguments become a record of the type that the signature returns.
    Constructor(Arc<Shape>),
}

/// A function of the values of one type: `Plan.cost(plan: Plan) -> number`.
#[derive(Clone, Debug)]
pub(crate) struct Method {
    /// The type.
    pub(crate) of: Arc<str>,
    pub(crate) callable: Arc<Callable>,
}

/// A registered type.
#[derive(Debug)]
pub(crate) struct Shape {
    pub(crate) name: Arc<str>,
    pub(crate) signature: Arc<Signature>,
    pub(crate) row: RecordType,
}

/// A registered conversion.
pub(crate) struct Route {
    /// Who brings it.
    pub(crate) library: Arc<str>,
    pub(crate) signature: Arc<Signature>,
    /// What it comes to, in a sentence.
    pub(crate) description: String,
    pub(crate) effect: Effect,
    pub(crate) requires: Vec<Requirement>,
    pub(crate) fails: Vec<DeclaredFailure>,
    pub(crate) telling: Option<Telling>,
    pub(crate) code: Arc<dyn Call>,
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

    /// The same registry with one more library, for those that arrive while a session runs. Its signatures
    /// may name types that are there already.
    ///
    /// # Errors
    /// The first row that does not fit: see [`RegistryError`].
    pub fn with(&self, library: Library) -> Result<Self, RegistryError> {
        let mut tables = Tables::clone(&self.tables);
        tables.add(library)?;
        Self { tables: Arc::new(tables), binding: self.binding.clone() }.with_defaults_checked()
    }

    /// Defaults may be of types that stand behind them in the tables, so they are checked at the end.
    fn with_defaults_checked(self) -> Result<Self, RegistryError> {
        for callable in self.callables() {
            let defaults = callable.signature.parameters.iter().filter(|it| it.default.is_some());
            if let Some(parameter) = { defaults }.find(|it| default(&self, it).is_none()) {
                return Err(RegistryError::Default {
                    library: callable.library.to_string(),
                    signature: callable.signature.to_string(),
                    parameter: parameter.name.clone(),
                });
            }
        }
        Ok(self)
    }

    /// The signatures of everything callable, functions before constructors of each library.
    pub fn signatures(&self) -> impl Iterator<Item = &Signature> {
        self.tables.callables.iter().map(|it| &*it.signature)
    }

    /// What each callable does to the world, in the same order.
    pub fn effects(&self) -> impl Iterator<Item = Effect> {
        self.tables.callables.iter().map(|it| it.effect)
    }

    /// The permissions that a program of this registry can need, those of functions before those of conversions.
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

    /// What a call by that name means: a callable has it, or other languages do.
    pub(crate) fn called(&self, name: &str) -> Option<&Arc<Callable>> {
        folded(name, |name| self.tables.by_name.get(name).or_else(|| self.tables.foreign.get(name)))
    }

    /// What `x.name()` may mean, whatever type `x` has.
    pub(crate) fn methods(&self, name: &str) -> &[Method] {
        folded(name, |name| self.tables.methods.get(name)).map_or(&[], Vec::as_slice)
    }

    pub(crate) fn habits(&self, name: &str) -> &[Habit] {
        folded(name, |name| self.tables.habits.get(name)).map_or(&[], Vec::as_slice)
    }

    /// The failure of a program that calls something which is not there.
    pub(crate) fn unknown(&self, name: String) -> FailureKind {
        let callables = self.tables.callables.iter();
        let functions = || callables.clone().filter(|it| matches!(it.code, Code::Function(_)));
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
        let functions = self.tables.callables.iter().filter(|it| matches!(it.code, Code::Function(_)));
        functions.map(|it| it.signature.name.clone()).collect()
    }

    /// Whether a name is like that of a function, by its letters or by its words.
    pub(crate) fn resembles(&self, name: &str) -> bool {
        let names = || self.tables.callables.iter().flat_map(|it| it.names());
        !nearest(name, names()).is_empty() || !akin(name, names()).is_empty()
    }

    /// The callable whose name this is, but for a slip of the finger.
    pub(crate) fn slip(&self, name: &str) -> Option<&str> {
        slip(name, self.tables.callables.iter().flat_map(|it| it.names()))
    }

    pub(crate) fn shape(&self, name: &str) -> Option<&Arc<Shape>> {
        self.tables.types.get(name)
    }

    pub(crate) fn conversions(&self) -> &[Arc<Route>] {
        &self.tables.conversions
    }
}

impl Callable {
    /// Its name and its aliases.
    pub(crate) fn names(&self) -> impl Iterator<Item = &str> {
        let aliases: &[String] = match &self.code {
            Code::Function(row) => &row.aliases,
            Code::Constructor(_) => &[],
        };
        std::iter::once(self.signature.name.as_str()).chain(aliases.iter().map(String::as_str))
    }
}

impl Shape {
    /// How to say which value of this type one is.
    pub(crate) fn label(&self, fields: &Object) -> Option<String> {
        self.row.label.map(|label| label(fields))
    }

    /// What is shorter to write and stands for this value.
    pub(crate) fn stand_in(&self, fields: &Object) -> Option<Value> {
        self.row.stand_in.and_then(|stand_in| stand_in(fields))
    }
}

/// `fileRange` for `FileRange`.
pub(crate) fn constructor_name(type_name: &str) -> String {
    let mut chars = type_name.chars();
    chars.next().into_iter().flat_map(char::to_lowercase).chain(chars).collect()
}

impl fmt::Debug for Registry {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Registry").field("tables", &self.tables).finish_non_exhaustive()
    }
}

impl fmt::Debug for Code {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Function(_) => "Function",
            Self::Constructor(_) => "Constructor",
        })
    }
}

impl fmt::Debug for Route {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}", self.signature)
    }
}
