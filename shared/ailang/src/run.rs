//! Running programs of documents: examples, and the bodies of tools.
//!
//! Tools are rows of a Dialect registry, and programs call them as programs of Dialect do ([`dialect::Caller`]).
//! Between a call and the code of a tool stands one binding: it checks permissions, finds the code, retries, and
//! measures.

mod binding;
mod built_in;
mod doctest;
mod embedding;
mod errors;
mod example;
mod fixtures;
mod halt;
mod host;
mod interpreter;
mod invoke;
mod linked;
mod meaning;
mod member;
mod method;
mod modules;
mod monitor;
mod place;
mod recovery;
mod retry;
mod rows;
mod runtime;
mod scope;
mod settings;
mod setup;
mod stack;
mod state;
mod tool;
mod variant;

pub use built_in::document_rows;
pub use errors::{ErrorContext, ErrorHandler};
pub use example::{ExampleResult, ProgramError};
pub use fixtures::{FixtureError, Fixtures};
pub use host::{Gate, Host, PermissionRequest, Provider, Refusal, Still};
pub use modules::{ActiveRun, Methods, Modules, RunModules};
pub use monitor::{CapabilityAction, Event, Metrics, Monitor, Observer, ToolMetrics};
pub use runtime::Runtime;
pub use settings::{CapabilityMode, ErrorStrategy, RuntimeSettings, ValidationMode};
pub use setup::RuntimeSetup;
