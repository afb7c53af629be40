//! AiLang's documents in other formats: generated code, descriptions of interfaces, pages, and differences of
//! versions.
//!
//! - [`generate()`] prints the types and tools of a document as TypeScript, Python, Rust, Go or JSON Schema.
//! - [`import()`], [`import_skill()`] and [`export()`] convert documents from and to Agent Skills, MCP,
//!   OpenAPI and JSON Schema.
//! - [`html_pages()`] and [`markdown_pages()`] show documents to people.
//! - [`compare()`] says which changes between two versions of a document break its callers.
//!
//! Nothing here runs documents: what reads, checks and runs them is in [`ailang`].

#![warn(missing_docs)]

mod bridges;
mod compare;
mod generate;
mod pages;

pub use bridges::{
    Exported, ExportedFile, Foreign, ImportError, Imported, Remark, RemarkKind, export, import, import_skill,
};
pub use compare::{Change, Comparison, Impact, compare};
pub use generate::{
    DocumentErrors, GenerateOptions, Generated, GeneratedFile, Language, generate, typescript,
};
pub use pages::{DocumentationPage, html_pages, markdown_pages};
