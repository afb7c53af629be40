//! AiLang: documents that declare tools, for language models and for programs.
//!
//! A document is Markdown with front matter and two kinds of blocks. A `<define>` holds types, enums, errors,
//! capabilities and tools; an `<example>` holds a program. [`Document::parse`] never fails: every byte
//! belongs to a part, and every mistake has a code, a place and a remedy.
//!
//! The crate `ailang-formats` converts documents to other formats. For such readers of whole documents there
//! are the modules [`syntax`], [`names`] (what a name means), [`lower`] (the types of Dialect), [`schema`]
//! (JSON Schema) and [`mod@print`] (code as text).
//!
//! ```
//! let document = ailang::Document::parse("---\nid: hello\ntitle: Hello\nsummary: Greets.\n---\n\
//!     <define>\n// Greets somebody.\ntool greet(name: string.nonEmpty()) -> string\n</define>\n");
//! assert!(document.diagnostics.is_empty());
//! let greet = document.definitions().next().expect("there is one");
//! assert_eq!(greet.name.text, "greet");
//! assert_eq!(greet.documentation.text, "Greets somebody.");
//! ```

#![warn(missing_docs)]

mod analysis;
mod budget;
mod capability;
mod diagnostic;
mod document;
mod documents;
mod extract;
mod format;
pub mod front_matter;
mod interface;
mod limits;
pub mod lower;
mod manifest;
mod module;
pub mod names;
mod parse;
pub mod print;
mod run;
pub mod schema;
pub mod split;
mod standard;
pub mod syntax;
mod throwable;
mod trust;
mod validate;
mod values;

pub use analysis::{Analysis, RenameEdit, RenameError, Suggestion, ValueMember};
pub use budget::{
    Budget, Downgrade, EvictionOrder, LoadPlan, LoadedDocument, Sizes, WantedDocument, automatic_level,
    make_room, plan,
};
pub use capability::{Capability, CapabilityKind, GrantScope};
pub use diagnostic::{Code, Diagnostic, Diagnostics, Fix, Related, Severity};
pub use dialect::Level;
pub use document::{Attachment, Document, Example};
pub use documents::{Documents, InstalledPackage, built_in_at};
pub use extract::{Detail, Section};
pub use format::{FormatError, format};
pub use front_matter::{Field, FrontMatter, Loading, Rule, RuleKind};
pub use interface::{Implementation, Interface, InvalidDocuments, Mismatch, synthesize};
pub use limits::LARGEST_DOCUMENT;
pub use manifest::{Dependency, DependencySource, Manifest};
pub use module::{BUILT_IN_PACKAGE, built_in_module, import_paths, is_built_in};
pub use names::{Occurrence, OccurrenceKind, SymbolId, prelude};
pub use run::{
    ActiveRun, CapabilityAction, CapabilityMode, ErrorContext, ErrorHandler, ErrorStrategy, Event,
    ExampleResult, FixtureError, Fixtures, Gate, Host, Methods, Metrics, Modules, Monitor, Observer,
    PermissionRequest, ProgramError, Provider, Refusal, RunModules, Runtime, RuntimeSettings, RuntimeSetup,
    Still, ToolMetrics, ValidationMode, document_rows,
};
pub use schema::SchemaError;
pub use standard::{standard_definitions, standard_document, standard_library};
pub use trust::{
    LONGEST_ASK, LONGEST_CODE, LONGEST_DOCS, LONGEST_NAME, LONGEST_RECOVERY, LONGEST_SUMMARY, Untrusted,
    foreign, plain, quoted, visible, visible_line,
};
pub use validate::{BUILT_IN_FUNCTIONS, Strictness, refinements, validate, validate_all};
pub use values::{Coerced, Coercion, MOST_PROBLEMS, Problem, Values, check_value, number};

/// The guide of the language for those who write documents, people or models, in Markdown.
pub const GUIDE: &str = include_str!("../GUIDE.md");
