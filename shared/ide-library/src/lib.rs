//! Dialect's IDE vocabulary, over whoever answers questions about the user's code.
//!
//! Functions ask the [`Host`] and never guess in silence: several meanings become an ambiguity, an answer that
//! is not the whole truth becomes a note, and an error of the wire becomes a failure with its advice.

#![warn(missing_docs)]

use std::sync::Arc;

use dialect::{Handler, Library};

mod ambiguity;
mod conversions;
mod excerpt;
mod failure;
mod functions;
mod given;
mod habits;
mod host;
mod interface;
mod memory;
mod remark;
mod resolve;
mod selection;
mod spelling;
mod symbol;
mod types;

pub use host::{
    Answer, ApplyQuestion, CodeActionsQuestion, DefinitionsQuestion, DiagnosticsQuestion, FilesQuestion,
    FormatQuestion, HierarchyQuestion, Host, LinesQuestion, MatchesQuestion, OrganizeImportsQuestion,
    OutlineQuestion, ReferencesQuestion, RenameQuestion, SearchQuestion, SelectionQuestion, SymbolsQuestion,
    TakeActionQuestion,
};

use memory::Memory;

/// What the library is called.
pub const NAME: &str = "ide";

/// The IDE library; its functions ask `host`. What they are called, take and say is in `interface/ide.md`; here is
/// what runs.
pub fn library(host: Arc<dyn Host>) -> Library {
    let host = Arc::new(Memory::of(host));
    let library = interface::INTERFACE.library(NAME, all_code(&host));
    let library = library.expect("the document and the code are the same, as tests show");
    let types = library.types.into_iter().map(types::with_words).collect();
    Library { types, foreign_idioms: habits::rows(), ..library }
}

/// What runs, for each function and conversion of the library by its name, for a program whose questions `host` answers:
/// much cheaper to make than the library.
pub fn code(host: Arc<dyn Host>) -> impl Iterator<Item = (String, Arc<dyn Handler>)> {
    let host = Arc::new(Memory::of(host));
    all_code(&host).into_iter().map(|(name, implementation)| (name, implementation.into_code()))
}

fn all_code(host: &Arc<Memory>) -> Vec<functions::Code> {
    functions::code(host).into_iter().chain(conversions::code(host)).collect()
}
