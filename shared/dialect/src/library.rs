//! Rows and tables: what a library says about its functions, types and conversions.

use std::fmt;
use std::sync::Arc;

use crate::{Call, DeclaredFailure, Habit, Object, Requirement, Telling, Value};

/// A set of tables.
#[derive(Clone, Debug, Default)]
pub struct Library {
    /// Who brings it: `ide`.
    pub name: String,
    /// Types.
    pub types: Vec<RecordType>,
    /// Functions, in the order in which they are shown.
    pub functions: Vec<Function>,
    /// Conversions.
    pub conversions: Vec<Conversion>,
    /// Calls as other languages have them.
    pub habits: Vec<Habit>,
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
    pub signature: String,
    /// Other names of the same function.
    pub aliases: Vec<String>,
    /// Other names of its parameters: alias, parameter.
    pub parameter_aliases: Vec<(String, String)>,
    /// What other languages call it. These names work where something is called in text form, unless a callable has
    /// them, and nothing shows them.
    pub foreign: Vec<String>,
    /// One sentence.
    pub summary: String,
    /// The rest of its documentation, Markdown; may be empty.
    pub docs: String,
    /// Programs that use it, the commonest first.
    pub examples: Vec<String>,
    /// What it does to the world.
    pub effect: Effect,
    /// Which permissions calling it needs, all of them; see [`Function::requirements`].
    pub requires: Vec<Requirement>,
    /// What the user is asked for these, a sentence each; may be empty.
    pub asks: Vec<String>,
    /// The failures that its callers should know of before they meet them.
    pub fails: Vec<DeclaredFailure>,
    /// Says what the failures of its code say, where their declarations do.
    pub telling: Option<Telling>,
    /// What only those read who want to know all: how it works inside; may be empty.
    pub notes: String,
    /// What runs.
    pub code: Arc<dyn Call>,
}

impl Function {
    /// A row with what every row needs. It counts as writing until [`Function::effect`] says otherwise, so
    /// that a forgotten line asks for permission instead of doing harm.
    pub fn new(signature: impl Into<String>, summary: impl Into<String>, code: impl Call + 'static) -> Self {
        Self {
            signature: signature.into(),
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
            telling: None,
            notes: String::new(),
            code: Arc::new(code),
        }
    }

    /// The same with what it does to the world.
    #[must_use]
    pub fn effect(mut self, effect: Effect) -> Self {
        self.effect = effect;
        self
    }

    /// The same with one more permission that calling it needs.
    #[must_use]
    pub fn requires(mut self, requirement: Requirement) -> Self {
        self.requires.push(requirement);
        self
    }

    /// The same with one more failure that its callers should know of.
    #[must_use]
    pub fn fails(mut self, failure: DeclaredFailure) -> Self {
        self.fails.push(failure);
        self
    }

    /// The same with one more name.
    #[must_use]
    pub fn alias(mut self, name: impl Into<String>) -> Self {
        self.aliases.push(name.into());
        self
    }

    /// The same with names that other languages have for it.
    #[must_use]
    pub fn foreign<'name>(mut self, names: impl IntoIterator<Item = &'name str>) -> Self {
        self.foreign.extend(names.into_iter().map(str::to_owned));
        self
    }

    /// The same with documentation beyond its summary.
    #[must_use]
    pub fn docs(mut self, docs: impl Into<String>) -> Self {
        self.docs = docs.into();
        self
    }

    /// The same with one more example.
    #[must_use]
    pub fn example(mut self, program: impl Into<String>) -> Self {
        self.examples.push(program.into());
        self
    }
}

/// A registered type's row. Its constructor is a callable of the type's name with a small first letter.
#[derive(Clone, Debug)]
pub struct RecordType {
    /// Its name and fields, which are the constructor's parameters:
    /// `FileRange(path: string, start: Point, end: Point, text?: string)`
    pub signature: String,
    /// What it represents, in a sentence.
    pub description: String,
    /// What its fields are, Markdown, an item each; may be empty.
    pub docs: String,
    /// How a reader is told which value this is: ``the struct `User` at src/a.rs:12``.
    pub label: Option<fn(&Object) -> String>,
    /// What a program may give for it that is shorter to write, of another type that is registered.
    pub stand_in: Option<fn(&Object) -> Option<Value>>,
}

impl RecordType {
    /// A row with what every row needs.
    pub fn new(signature: impl Into<String>, description: impl Into<String>) -> Self {
        let (signature, description) = (signature.into(), description.into());
        Self { signature, description, docs: String::new(), label: None, stand_in: None }
    }

    /// The same with what its fields are.
    #[must_use]
    pub fn docs(mut self, docs: impl Into<String>) -> Self {
        self.docs = docs.into();
        self
    }

    /// The same with a way to say which value of the type one is, used where a reader has to choose. It is
    /// given the fields, those that are absent in the value absent.
    #[must_use]
    pub fn label(mut self, label: fn(&Object) -> String) -> Self {
        self.label = Some(label);
        self
    }

    /// The same with something shorter that stands for a value of the type, if there is: it is offered in programs
    /// where one of several is wanted, and either type will do.
    #[must_use]
    pub fn stand_in(mut self, stand_in: fn(&Object) -> Option<Value>) -> Self {
        self.stand_in = Some(stand_in);
        self
    }
}

/// A conversion's row: applied where what it gives is wanted and what it takes is given. It never writes.
#[derive(Clone)]
pub struct Conversion {
    /// Its name, what it takes and what it gives: `nameToSymbol(name: string) -> Symbol`
    pub signature: String,
    /// One sentence.
    pub description: String,
    /// What it does to the world: at most, it looks at it.
    pub effect: Effect,
    /// Which permissions applying it needs, all of them: one that looks something up in the network.
    pub requires: Vec<Requirement>,
    /// The failures that its callers should know of before they meet them.
    pub fails: Vec<DeclaredFailure>,
    /// Says what the failures of its code say, where their declarations do.
    pub telling: Option<Telling>,
    /// What runs.
    pub code: Arc<dyn Call>,
}

impl Conversion {
    /// A row. The signature has exactly one parameter. It counts as looking at the world until
    /// [`Conversion::computes`] says otherwise.
    pub fn new(
        signature: impl Into<String>,
        description: impl Into<String>,
        code: impl Call + 'static,
    ) -> Self {
        let (signature, description) = (signature.into(), description.into());
        let (effect, code) = (Effect::Reads, Arc::new(code));
        Self { signature, description, effect, requires: Vec::new(), fails: Vec::new(), telling: None, code }
    }

    /// The same, of which it is known that it computes from its argument alone.
    #[must_use]
    pub fn computes(mut self) -> Self {
        self.effect = Effect::Pure;
        self
    }

    /// The same with one more permission that applying it needs.
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
