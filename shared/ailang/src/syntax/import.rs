//! Imports.

use source_text::Span;

use super::Name;

/// An import.
#[derive(Clone, Debug, PartialEq)]
pub struct Import {
    /// The imported names.
    pub form: ImportForm,
    /// The source document.
    pub module: ModuleReference,
    /// The whole import.
    pub span: Span,
}

/// The names that an import brings into scope.
#[derive(Clone, Debug, PartialEq)]
pub enum ImportForm {
    /// `from m import a, b as c`, `import { a } from "m"`
    Names(Vec<ImportItem>),
    /// `import m from "./m.md"`, `import * as m from "./m.md"`: all names, as `m.name`
    Module(Name),
}

/// An imported name.
#[derive(Clone, Debug, PartialEq)]
pub struct ImportItem {
    /// The name in the other document.
    pub name: Name,
    /// The name in this document, behind `as`.
    pub alias: Option<Name>,
}

impl ImportItem {
    /// Returns the name in this document.
    pub fn local(&self) -> &Name {
        self.alias.as_ref().unwrap_or(&self.name)
    }
}

/// A reference to a document or a package.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ModuleReference {
    /// The text: `./lib.md`, `@scope/name`, `emailSkill`, `ailang.runtime`.
    pub text: String,
    /// `true` if it is quoted.
    pub quoted: bool,
    /// The place, with quotes.
    pub span: Span,
}
