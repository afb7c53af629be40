//! Tables: the functions, types and conversions that a library declares, a row each.

use std::fmt;
use std::sync::Arc;

use crate::{DeclaredFailure, ErrorTemplate, Flow, ForeignIdiom, Handler, Object, Requirement, Type, Value};

/// The tables of one library.
#[derive(Clone, Debug, Default)]
pub struct Library {
    /// The library's name: `ide`.
    pub name: String,
    /// The record types, which signatures of any library may name.
    pub types: Vec<RecordType>,
    /// Other types with names, which signatures of any library may name.
    pub aliases: Vec<TypeAlias>,
    /// The functions, in the order in which they are shown.
    pub functions: Vec<Function>,
    /// The conversions, which arguments of any library's functions may take.
    pub conversions: Vec<Conversion>,
    /// The calls of other languages that have equivalents here.
    pub foreign_idioms: Vec<ForeignIdiom>,
}

/// The effect that a call has on the world, in ascending order.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Effect {
    /// No effect: it computes from its arguments alone.
    Pure,
    /// Reads the world.
    Reads,
    /// Changes the world.
    Writes,
}

/// A function's row.
#[derive(Clone)]
pub struct Function {
    /// `findReferences(symbol: Symbol, includeDeclaration?: boolean) -> List<FileRange>`
    pub signature: String,
    /// The signature with type variables, which are names of no registered type; empty if it has none:
    /// `first(list: List<T>) -> T`. Types of results are inferred by it.
    pub generic: String,
    /// Other names of the function.
    pub aliases: Vec<String>,
    /// Other names of its parameters: alias, parameter.
    pub parameter_aliases: Vec<(String, String)>,
    /// Names that other languages have for it. They work in calls in text form, unless a callable has them,
    /// and are not shown.
    pub foreign: Vec<String>,
    /// The summary, one sentence.
    pub summary: String,
    /// The rest of its documentation, Markdown; may be empty.
    pub docs: String,
    /// Programs that use it, the commonest first.
    pub examples: Vec<String>,
    /// The effect that calling it has.
    pub effect: Effect,
    /// The permissions that calling it needs; see [`Function::requirements`].
    pub requires: Vec<Requirement>,
    /// The questions by which the user is asked for these permissions, a sentence each; may be empty.
    pub asks: Vec<String>,
    /// The failures that its callers should know of beforehand.
    pub fails: Vec<DeclaredFailure>,
    /// The template for failures of its code, if its declarations have the words.
    pub error_template: Option<ErrorTemplate>,
    /// Internals, for readers who want every detail; may be empty.
    pub notes: String,
    /// The way in which its result depends on what its arguments lack.
    pub flow: Flow,
    /// The code that a call runs, after its arguments were converted.
    pub code: Arc<dyn Handler>,
}

impl Function {
    /// Makes a row with the fields that every row needs. It counts as writing until [`Function::effect`]
    /// changes that, so that an omission asks for permission instead of doing harm.
    pub fn new(
        signature: impl Into<String>,
        summary: impl Into<String>,
        code: impl Handler + 'static,
    ) -> Self {
        Self {
            signature: signature.into(),
            generic: String::new(),
            aliases: Vec::new(),
            parameter_aliases: Vec::new(),
            foreign: Vec::new(),
            summary: summary.into(),
            docs: String::new(),
            examples: Vec::new(),
            effect: Effect::Writes,
            requires: Vec::new(),
            asks: Vec::new(),
            fails: Vec::new(),
            error_template: None,
            notes: String::new(),
            flow: Flow::Decides,
            code: Arc::new(code),
        }
    }

    /// Returns the permissions that calling it needs, as a row of the library `library`. A row that writes
    /// and names no permission needs one of its own name, so that an omission asks for permission instead of
    /// doing harm.
    pub fn requirements(&self, library: &str) -> Vec<Requirement> {
        if self.requires.is_empty() && self.effect == Effect::Writes {
            let name = self.signature.split('(').next().unwrap_or_default().trim();
            return vec![Requirement::new(format!("{library}/{name}"))];
        }
        self.requires.clone()
    }

    /// Sets the signature with type variables.
    #[must_use]
    pub fn generic(mut self, signature: impl Into<String>) -> Self {
        self.generic = signature.into();
        self
    }

    /// Sets the effect of calling it.
    #[must_use]
    pub fn effect(mut self, effect: Effect) -> Self {
        self.effect = effect;
        self
    }

    /// Sets the way in which its result depends on what its arguments lack.
    #[must_use]
    pub fn flow(mut self, flow: Flow) -> Self {
        self.flow = flow;
        self
    }

    /// Adds a permission that calling it needs.
    #[must_use]
    pub fn requires(mut self, requirement: Requirement) -> Self {
        self.requires.push(requirement);
        self
    }

    /// Adds a failure that its callers should know of.
    #[must_use]
    pub fn fails(mut self, failure: DeclaredFailure) -> Self {
        self.fails.push(failure);
        self
    }

    /// Adds another name.
    #[must_use]
    pub fn alias(mut self, name: impl Into<String>) -> Self {
        self.aliases.push(name.into());
        self
    }

    /// Adds names that other languages have for it.
    #[must_use]
    pub fn foreign<'name>(mut self, names: impl IntoIterator<Item = &'name str>) -> Self {
        self.foreign.extend(names.into_iter().map(str::to_owned));
        self
    }

    /// Sets the documentation beyond its summary.
    #[must_use]
    pub fn docs(mut self, docs: impl Into<String>) -> Self {
        self.docs = docs.into();
        self
    }

    /// Adds an example.
    #[must_use]
    pub fn example(mut self, program: impl Into<String>) -> Self {
        self.examples.push(program.into());
        self
    }
}

/// A registered type's row. Its constructor is a callable of the type's name with a small first letter.
#[derive(Clone, Debug)]
pub struct RecordType {
    /// The type's name and fields, which are the constructor's parameters: `FileRange(path: string, start:
    /// Point, end: Point, text?: string)`
    pub signature: String,
    /// The meaning, in a sentence.
    pub description: String,
    /// The meaning of its fields, a Markdown item each; may be empty.
    pub docs: String,
    /// Describes a value to a reader: ``the struct `User` at src/a.rs:12``.
    pub label: Option<fn(&Object) -> String>,
    /// Returns a shorter value, of another registered type, that stands for this one.
    pub stand_in: Option<fn(&Object) -> Option<Value>>,
    /// `true` if programs make values with a callable of the type's name.
    pub has_constructor: bool,
}

impl RecordType {
    /// Makes a row with the fields that every row needs.
    pub fn new(signature: impl Into<String>, description: impl Into<String>) -> Self {
        let (signature, description) = (signature.into(), description.into());
        Self {
            signature,
            description,
            docs: String::new(),
            label: None,
            stand_in: None,
            has_constructor: true,
        }
    }

    /// Sets the meaning of its fields.
    #[must_use]
    pub fn docs(mut self, docs: impl Into<String>) -> Self {
        self.docs = docs.into();
        self
    }

    /// Sets the function that describes a value where a reader has to choose. Its argument has the fields
    /// that are present.
    #[must_use]
    pub fn label(mut self, label: fn(&Object) -> String) -> Self {
        self.label = Some(label);
        self
    }

    /// Sets the function that returns a shorter stand-in for a value, or `None`. It is offered in programs
    /// where one of several values is wanted, and either type fits.
    #[must_use]
    pub fn stand_in(mut self, stand_in: fn(&Object) -> Option<Value>) -> Self {
        self.stand_in = Some(stand_in);
        self
    }
}

/// A name for a type that is no record. The type may contain itself, but only inside of a list, an object or a function.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TypeAlias {
    /// The name: `Condition`.
    pub name: String,
    /// The type that it stands for.
    pub ty: Type,
    /// The meaning, in a sentence; may be empty.
    pub description: String,
}

/// As types are spelled: `Condition = {All: {of: List<Condition>}} | {Is: {name: string}}`.
impl fmt::Display for TypeAlias {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} = {}", self.name, self.ty)
    }
}

/// The row of a conversion, which applies where its result is wanted and its parameter is given. It never
/// writes.
#[derive(Clone)]
pub struct Conversion {
    /// The name, parameter and result: `nameToSymbol(name: string) -> Symbol`
    pub signature: String,
    /// The description, one sentence.
    pub description: String,
    /// The effect of applying it, at most [`Effect::Reads`].
    pub effect: Effect,
    /// The permissions that applying it needs, for example to access the network.
    pub requires: Vec<Requirement>,
    /// The failures that its callers should know of beforehand.
    pub fails: Vec<DeclaredFailure>,
    /// The template for failures of its code, if its declarations have the words.
    pub error_template: Option<ErrorTemplate>,
    /// The code that a call runs, after its arguments were converted.
    pub code: Arc<dyn Handler>,
}

impl Conversion {
    /// Makes a row. The signature has exactly one parameter. It counts as reading the world until
    /// [`Conversion::computes`] changes that.
    pub fn new(
        signature: impl Into<String>,
        description: impl Into<String>,
        code: impl Handler + 'static,
    ) -> Self {
        let (signature, description) = (signature.into(), description.into());
        let (effect, code) = (Effect::Reads, Arc::new(code));
        Self {
            signature,
            description,
            effect,
            requires: Vec::new(),
            fails: Vec::new(),
            error_template: None,
            code,
        }
    }

    /// Marks it as computing from its argument alone.
    #[must_use]
    pub fn computes(mut self) -> Self {
        self.effect = Effect::Pure;
        self
    }

    /// Adds a permission that applying it needs.
    #[must_use]
    pub fn requires(mut self, requirement: Requirement) -> Self {
        self.requires.push(requirement);
        self
    }
}

impl fmt::Debug for Function {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Function").field("signature", &self.signature).finish_non_exhaustive()
    }
}

impl fmt::Debug for Conversion {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Conversion").field("signature", &self.signature).finish_non_exhaustive()
    }
}
