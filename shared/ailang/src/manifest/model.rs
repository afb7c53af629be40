//! The fields of a manifest, as values.

use source_text::Span;

use super::dependency::Dependency;
use crate::diagnostic::Diagnostic;
use crate::front_matter::Field;

/// A parsed manifest. Parsing never fails: mistakes become diagnostics, and everything readable is kept.
#[derive(Clone, Debug, Default)]
pub struct Manifest {
    /// The text.
    pub source: String,
    /// The name of the package: `mail-kit`, `@example/mail-kit`.
    pub name: Option<Field<String>>,
    /// The version of the package.
    pub version: Option<Field<semver::Version>>,
    /// The purpose of the package.
    pub description: Option<Field<String>>,
    /// The author.
    pub author: Option<Field<String>>,
    /// The licence.
    pub license: Option<Field<String>>,
    /// The URL of the repository.
    pub repository: Option<Field<String>>,
    /// The search keywords.
    pub keywords: Vec<Field<String>>,
    /// The path of the first document, relative to the package, without `.` and `..`.
    pub main: Option<Field<String>>,
    /// The patterns of the files to publish; empty for all files.
    pub files: Vec<Field<String>>,
    /// The dependencies.
    pub dependencies: Vec<Dependency>,
    /// The mistakes of syntax. [`Manifest::validate`] finds those that depend on the package.
    pub diagnostics: Vec<Diagnostic>,
    /// The place of the object.
    pub(super) span: Span,
    /// The names of the fields, malformed ones included.
    pub(super) given: Vec<String>,
}

impl Manifest {
    /// The name of the file.
    pub const FILE: &'static str = "ailang.json";

    /// The path of the main document of a package that names none.
    pub const MAIN: &'static str = "main.md";

    /// The maximum size of a manifest, in bytes.
    pub const LARGEST: usize = 64 << 10;
}
