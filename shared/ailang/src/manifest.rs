//! The manifest of a package, `ailang.json`: what the package says about itself.

mod check;
mod dependency;
mod json;
mod read;

use source_text::Span;

pub use dependency::{Dependency, Source};

use crate::Diagnostic;
use crate::front_matter::Field;

/// A manifest that was read. Reading never fails: what is wrong is among the diagnostics, and the rest is there.
#[derive(Clone, Debug, Default)]
pub struct Manifest {
    /// Its text.
    pub source: String,
    /// What the package is called: `mail-kit`, `@example/mail-kit`.
    pub name: Option<Field<String>>,
    /// The version of the package.
    pub version: Option<Field<semver::Version>>,
    /// What it is for.
    pub description: Option<Field<String>>,
    /// Who wrote it.
    pub author: Option<Field<String>>,
    /// Under which licence it may be used.
    pub license: Option<Field<String>>,
    /// Where it is developed, as a URL.
    pub repository: Option<Field<String>>,
    /// Words by which it is found.
    pub keywords: Vec<Field<String>>,
    /// The path of the document with which it starts, relative to the package, without `.` and `..`.
    pub main: Option<Field<String>>,
    /// Patterns of the files that belong to it when it is published; none is all of them.
    pub files: Vec<Field<String>>,
    /// The packages that it needs.
    pub dependencies: Vec<Dependency>,
    /// What is wrong with its text; whether it fits the package is asked by [`Manifest::validate`].
    pub diagnostics: Vec<Diagnostic>,
    /// All of the object.
    span: Span,
    /// The fields that were given, whatever is wrong with them.
    given: Vec<String>,
}

impl Manifest {
    /// The name of the file.
    pub const FILE: &'static str = "ailang.json";

    /// The most bytes that a manifest may have.
    pub const LARGEST: usize = 64 << 10;

    /// Reads a manifest.
    pub fn parse(source: impl Into<String>) -> Self {
        read::read(source.into())
    }
}
