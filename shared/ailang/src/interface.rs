//! Interfaces: everything that documents say about callables, as Dialect's tables take it.
//!
//! Whoever brings callables brings documents, and a table from each name to the code that runs. The rows are made of
//! the documents, so that nothing has to be said twice, and making them fails where documents and code differ.

mod capability;
mod library;
mod synthesize;
mod thrown;

use std::collections::HashMap;
use std::fmt;
use std::sync::Arc;

use dialect::{Conversion, ErrorTemplate, Function, RecordType};
use source_text::{LineIndex, Severity};

pub use capability::{Capability, Kind, Scope};
pub use library::{Implementation, Mismatch};
pub use synthesize::synthesize;
use thrown::Throwing;
pub(crate) use thrown::{Template, Throwable};

use crate::diagnostic::{Code, Diagnostic};
use crate::documents::Documents;
use crate::lower::{Callable, Lowering, is_registered};
use crate::names::World;
use crate::{Document, Strictness, Values, validate_all};

/// What documents say about callables. See [`Interface::load`] and [`Interface::library`].
#[derive(Clone, Debug, Default)]
pub struct Interface {
    types: Vec<RecordType>,
    functions: Vec<Function>,
    conversions: Vec<Conversion>,
    capabilities: Vec<Capability>,
    throwables: Vec<Throwable>,
    /// What each tool throws.
    throws: HashMap<String, Vec<Throwable>>,
    clock: Option<fn() -> f64>,
    warnings: Vec<String>,
}

/// Documents that cannot be used.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Rejected {
    /// The errors, by the path of the document.
    pub errors: Vec<(String, Diagnostic)>,
    /// The same in words.
    told: Vec<String>,
}

impl std::error::Error for Rejected {}

impl fmt::Display for Rejected {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.told.join("\n\n"))
    }
}

impl Interface {
    /// Reads what all of the documents say: their structs, tools, and capabilities.
    ///
    /// A struct is a registered type of its name; one with type parameters or methods, and every other type, is
    /// written out where it is used. Of a tool, its comment is the documentation, and these of its tags count:
    /// `@pure` and `@readOnly` (it writes without either), `@alias`, `@foreign` (names that other languages have for
    /// it), `@example`, `@deprecated`, `@preferWhen`, and `@conversion`; of a parameter, `@alias`.
    ///
    /// # Errors
    /// When a document is not valid, two of them define the same, or something cannot be called by programs.
    pub fn load(documents: &Documents) -> Result<Self, Rejected> {
        let world = World::new(documents);
        let mut lowering = Lowering::new(&world);
        let mut interface = Self::default();
        let mut kinds: Vec<(String, Kind)> = Vec::new();
        Self::twice(documents, &mut lowering);
        for (home, (_, document)) in documents.iter().enumerate() {
            for definition in document.definitions() {
                interface.capabilities.extend(lowering.capability(definition, home));
                interface.throwables.extend(lowering.throwable(definition, home));
                interface.types.extend(lowering.record(definition, home));
                kinds.extend(lowering.kinds(definition, home));
                interface.throws.insert(definition.name.text.clone(), lowering.throwables(definition, home));
                match lowering.tool(definition, home) {
                    Some(Callable::Function(row)) => interface.functions.push(*row),
                    Some(Callable::Conversion(row)) => interface.conversions.push(row),
                    None => {}
                }
            }
        }
        interface.told_apart(kinds);
        let mut all: Vec<(&str, Vec<Diagnostic>)> = validate_all(documents, Strictness::Normal);
        for (home, told) in lowering.into_told() {
            all[home].1.extend(told);
        }
        interface.judged(documents, all)
    }

    /// Gives each capability the gravest of what tools do with it; what is composed hands it to its parts.
    fn told_apart(&mut self, mut kinds: Vec<(String, Kind)>) {
        while let Some((id, kind)) = kinds.pop() {
            let Some(capability) = self.capabilities.iter_mut().find(|it| it.id == id && it.kind < kind)
            else {
                continue;
            };
            capability.kind = kind;
            kinds.extend(capability.parts.iter().map(|part| (part.capability.clone(), kind)));
        }
    }

    /// The same of documents that are compiled in, by path.
    ///
    /// # Panics
    /// When [`Interface::load`] fails: tests have to load them too.
    pub fn built_in<'text>(sources: impl IntoIterator<Item = (&'text str, &'text str)>) -> Self {
        let mut documents = Documents::new();
        for (path, source) in sources {
            documents.insert(path, Document::parse(source));
        }
        Self::load(&documents).unwrap_or_else(|rejected| panic!("{rejected}"))
    }

    /// Reports names that two documents define, of what is one table for programs.
    fn twice<'a>(documents: &'a Documents, lowering: &mut Lowering<'_, 'a>) {
        let mut seen: HashMap<&str, usize> = HashMap::new();
        for (home, (_, document)) in documents.iter().enumerate() {
            for definition in document.definitions().filter(|it| is_registered(it)) {
                let name = &definition.name;
                let Some(before) = seen.insert(&name.text, home).filter(|before| *before != home) else {
                    continue;
                };
                let other = documents.at(before).map_or("", |(path, _)| path);
                let message =
                    format!("`{}` is a {} of `{other}` as well", name.text, definition.kind.keyword());
                lowering.error(home, Code::DUPLICATE_DEFINITION, name.span, message);
            }
        }
    }

    fn judged(mut self, documents: &Documents, all: Vec<(&str, Vec<Diagnostic>)>) -> Result<Self, Rejected> {
        let mut rejected = Rejected { errors: Vec::new(), told: Vec::new() };
        for (path, diagnostics) in all {
            let source = documents.get(path).map_or("", |document| document.source.as_str());
            let index = LineIndex::new(source);
            for diagnostic in diagnostics {
                let told = diagnostic.show(path, source, &index);
                match diagnostic.severity {
                    Severity::Error => {
                        rejected.errors.push((path.to_owned(), diagnostic));
                        rejected.told.push(told);
                    }
                    Severity::Warning => self.warnings.push(told),
                    Severity::Info => {}
                }
            }
        }
        if rejected.errors.is_empty() { Ok(self) } else { Err(rejected) }
    }

    /// The rows of all tools but conversions, in the order of the documents. They have no code yet: calling one
    /// fails.
    pub fn functions(&self) -> &[Function] {
        &self.functions
    }

    /// The types that the documents register.
    pub fn types(&self) -> &[RecordType] {
        &self.types
    }

    /// The capabilities that the documents declare.
    pub fn capabilities(&self) -> &[Capability] {
        &self.capabilities
    }

    /// The same for who can tell the time, in seconds since the start of 1970: errors may say when to try again.
    #[must_use]
    pub fn with_clock(mut self, clock: fn() -> f64) -> Self {
        self.clock = Some(clock);
        self
    }

    /// What is told of the failures of a callable's code.
    fn telling(&self, callable: &str, values: &Arc<Values>) -> ErrorTemplate {
        let throwables = self.throws.get(callable).cloned().unwrap_or_default();
        let (callable, values) = (callable.to_owned(), Arc::clone(values));
        Throwing { callable, throwables, values, clock: self.clock }.into_telling()
    }

    /// What is wrong with the documents without being an error, with the place of each: types to which programs are
    /// not held, missing advice.
    pub fn warnings(&self) -> impl Iterator<Item = &str> {
        self.warnings.iter().map(String::as_str)
    }
}
