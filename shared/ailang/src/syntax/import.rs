//! Imports.

use source_text::Span;

use super::Name;

/// An import.
#[derive(Clone, Debug, PartialEq)]
pub struct Import {
    /// What it makes known.
    pub form: ImportForm,
    /// From where.
    pub module: ModuleReference,
    /// All of it.
    pub span: Span,
}

/// What an import makes known.
#[derive(Clone, Debug, PartialEq)]
pub enum ImportForm {
    /// `from m import a, b as c`, `import { a } from "m"`
    Names(Vec<ImportItem>),
    /// `import m from "./m.md"`, `import * as m from "./m.md"`: everything, as `m.name`
    Module(Name),
}

/// A name that is imported.
#[derive(Clone, Debug, PartialEq)]
pub struct ImportItem {
    /// Its name in the other document.
    pub name: Name,
    /// `as`: its name here.
    pub alias: Option<Name>,
}

impl ImportItem {
    /// Its name here.
    pub fn local(&self) -> &Name {
        self.alias.as_ref().unwrap_or(&self.name)
    }
}

/// What a document is imported by.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ModuleReference {
    /// `./lib.md`, `@scope/name`, `emailSkill`, `ailang.runtime`
    pub text: String,
    /// Whether it stands between quotes.
    pub quoted: bool,
    /// Where it stands, its quotes included.
    pub span: Span,
}
