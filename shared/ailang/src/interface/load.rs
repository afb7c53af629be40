//! Documents → [`Interface`].

use std::collections::HashMap;
use std::fmt;

use source_text::{LineIndex, Severity};

use super::tables::Interface;
use crate::Document;
use crate::capability::CapabilityKind;
use crate::diagnostic::{Code, Diagnostic};
use crate::documents::Documents;
use crate::lower::{Callable, Lowering, is_registered};
use crate::names::SymbolTable;
use crate::validate::{Strictness, validate_all};

/// Documents with errors, which cannot be loaded.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct InvalidDocuments {
    /// The errors, each with the path of its document.
    pub errors: Vec<(String, Diagnostic)>,
    /// The errors as text.
    rendered: Vec<String>,
}

impl std::error::Error for InvalidDocuments {}

impl fmt::Display for InvalidDocuments {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.rendered.join("\n\n"))
    }
}

impl Interface {
    /// Loads the structs, tools, errors and capabilities of all documents.
    ///
    /// A struct becomes a registered type of its name, and so does a type that contains itself. A struct with type
    /// parameters or methods is expanded at each use, as is every other type. The comment of a tool is its documentation, and these tags count:
    /// `@pure`, `@readOnly` (without either the tool writes), `@alias`, `@foreign` (names in other
    /// languages), `@example`, `@deprecated`, `@preferWhen`, `@conversion`. Parameters may have `@alias`.
    ///
    /// # Errors
    /// When a document is not valid, two documents define the same name, or programs cannot call a tool.
    pub fn load(documents: &Documents) -> Result<Self, InvalidDocuments> {
        let table = SymbolTable::new(documents);
        let mut lowering = Lowering::new(&table);
        let mut interface = Self::default();
        let mut kinds: Vec<(String, CapabilityKind)> = Vec::new();
        Self::report_duplicates(documents, &mut lowering);
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
        interface.aliases = lowering.aliases();
        interface.raise_kinds(kinds);
        let mut all: Vec<(&str, Vec<Diagnostic>)> = validate_all(documents, Strictness::Normal);
        for (home, diagnostics) in lowering.into_diagnostics() {
            all[home].1.extend(diagnostics);
        }
        interface.checked(documents, all)
    }

    /// Gives each capability the most harmful kind of the tools that require it. Composed ones pass it to
    /// their parts.
    fn raise_kinds(&mut self, mut kinds: Vec<(String, CapabilityKind)>) {
        while let Some((id, kind)) = kinds.pop() {
            let Some(capability) = self.capabilities.iter_mut().find(|it| it.id == id && it.kind < kind)
            else {
                continue;
            };
            capability.kind = kind;
            kinds.extend(capability.parts.iter().map(|part| (part.capability.clone(), kind)));
        }
    }

    /// Loads documents that are compiled in, given by path.
    ///
    /// # Panics
    /// When [`Interface::load`] fails. Tests have to load the same documents.
    pub fn built_in<'text>(sources: impl IntoIterator<Item = (&'text str, &'text str)>) -> Self {
        let mut documents = Documents::new();
        for (path, source) in sources {
            documents.insert(path, Document::parse(source));
        }
        Self::load(&documents).unwrap_or_else(|rejected| panic!("{rejected}"))
    }

    /// Reports callable names that two documents define, because programs see one table.
    fn report_duplicates<'a>(documents: &'a Documents, lowering: &mut Lowering<'_, 'a>) {
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

    fn checked(
        mut self,
        documents: &Documents,
        all: Vec<(&str, Vec<Diagnostic>)>,
    ) -> Result<Self, InvalidDocuments> {
        let mut rejected = InvalidDocuments { errors: Vec::new(), rendered: Vec::new() };
        for (path, diagnostics) in all {
            let source = documents.get(path).map_or("", |document| document.source.as_str());
            let index = LineIndex::new(source);
            for diagnostic in diagnostics {
                let rendered = diagnostic.show(path, source, &index);
                match diagnostic.severity {
                    Severity::Error => {
                        rejected.errors.push((path.to_owned(), diagnostic));
                        rejected.rendered.push(rendered);
                    }
                    Severity::Warning => self.warnings.push(rendered),
                    Severity::Info => {}
                }
            }
        }
        if rejected.errors.is_empty() { Ok(self) } else { Err(rejected) }
    }
}
