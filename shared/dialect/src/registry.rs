//! Tables of functions, types and conversions, and the registry made of them.

use std::fmt;
use std::future::Future;
use std::sync::{Arc, Mutex, PoisonError};

use futures::future::BoxFuture;

use crate::{Interrupt, Note, Object, Parameter, Signature, Type, Value};

/// A row's code. What it needs (a host, a plugin) it captured when its table was made.
pub trait Call: Send + Sync {
    /// Runs once, with arguments already named, converted and checked against the signature.
    fn call(&self, invocation: Invocation) -> BoxFuture<'static, Result<Value, Interrupt>>;
}

impl<F, Fut> Call for F
where
    F: Fn(Invocation) -> Fut + Send + Sync,
    Fut: Future<Output = Result<Value, Interrupt>> + Send + 'static,
{
    fn call(&self, invocation: Invocation) -> BoxFuture<'static, Result<Value, Interrupt>> {
        Box::pin(self(invocation))
    }
}

/// One run of a callable.
#[derive(Clone, Debug)]
pub struct Invocation {
    /// What it was given.
    pub arguments: Arguments,
    /// Where it says what its answer leaves out.
    pub notes: Notes,
}

/// Arguments by parameter name; those left out are absent.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Arguments(pub Object);

/// Collects the notes of one program; each is kept once, in order.
#[derive(Clone, Debug, Default)]
pub struct Notes(Arc<Mutex<Vec<Note>>>);

impl Notes {
    /// Adds a note unless it is there already.
    pub fn add(&self, note: impl Into<String>) {
        let note = Note(note.into());
        let mut notes = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        if !notes.contains(&note) {
            notes.push(note);
        }
    }

    /// All notes so far.
    pub fn to_vec(&self) -> Vec<Note> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).clone()
    }
}

/// What running a callable does to the world.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Effect {
    /// Computes from its arguments alone.
    Pure,
    /// Looks at the world.
    Reads,
    /// Changes it.
    Writes,
}

/// A function's row.
#[derive(Clone)]
pub struct Function {
    /// `findReferences(symbol: Symbol, includeDeclaration?: boolean) -> List<FileRange>`
    pub signature: Signature,
    /// Other names of the same function.
    pub aliases: Vec<String>,
    /// One sentence.
    pub summary: String,
    /// The rest of its documentation, Markdown; may be empty.
    pub docs: String,
    /// Programs that use it, the commonest first.
    pub examples: Vec<String>,
    /// What it does to the world.
    pub effect: Effect,
    /// What runs.
    pub code: Arc<dyn Call>,
}

/// A registered type's row. Its constructor is a callable of the type's name with a small first letter.
#[derive(Clone, Debug, PartialEq)]
pub struct RecordType {
    /// `FileRange`
    pub name: String,
    /// What it represents, in a sentence.
    pub description: String,
    /// Its fields, which are the constructor's parameters.
    pub fields: Vec<Parameter>,
}

/// A conversion's row: applied where `to` is wanted and `from` is given.
#[derive(Clone)]
pub struct Conversion {
    /// `definition to symbol`
    pub name: String,
    /// What is given.
    pub from: Type,
    /// What is wanted.
    pub to: Type,
    /// One sentence.
    pub description: String,
    /// What runs; its one argument is called `value`.
    pub code: Arc<dyn Call>,
}

/// A set of tables.
#[derive(Clone, Debug, Default)]
pub struct Library {
    /// Who brings it: `ide`.
    pub name: String,
    /// Types.
    pub types: Vec<RecordType>,
    /// Functions.
    pub functions: Vec<Function>,
    /// Conversions.
    pub conversions: Vec<Conversion>,
}

/// Everything that a program can name.
#[derive(Clone, Debug, Default)]
pub struct Registry {
    libraries: Vec<Library>,
}

/// Why tables do not make a registry: two callables of one (folded) name, a signature that does not parse, …
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RegistryError(pub String);

impl fmt::Debug for Function {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Function").field("signature", &self.signature).finish_non_exhaustive()
    }
}

impl fmt::Debug for Conversion {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Conversion").field("name", &self.name).finish_non_exhaustive()
    }
}
