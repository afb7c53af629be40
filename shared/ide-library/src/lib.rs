//! Dialect's IDE vocabulary, over a host that answers questions about the user's code.
//!
//! Functions ask the [`Host`] and never guess silently. Several meanings become an ambiguity, an incomplete answer
//! becomes a note, and an error of the wire becomes a failure with its advice.

#![warn(missing_docs)]

use std::sync::Arc;

use dialect::{Handler, Library};

mod ambiguity;
mod cached_host;
mod compact;
mod completeness_notes;
mod conversions;
mod diagnostic_changes;
mod excerpt;
mod failure;
mod functions;
mod habits;
mod host;
mod interface;
mod later_context;
mod naming;
mod order;
mod place_argument;
mod resolve;
mod row;
mod selection;
mod shown_hits;
mod spelling;
mod symbol;
mod types;

use cached_host::CachedHost;
pub use compact::{compact, paths_of, shorten_paths};
pub use excerpt::PLACES;
pub use functions::apply_edits::changed_files;
pub use functions::diagnostics::{broken_line, broken_since_prompt};
pub use host::{Answer, Host};
pub use interface::DOCUMENT;
pub use later_context::LaterContext;
pub use shown_hits::complete_hits;

/// The name of the library.
pub const NAME: &str = "ide";

/// Returns the IDE library, whose functions ask `host`. Their names, parameters and documentation come from
/// `interface/ide.md`, their code from here.
///
/// # Panics
/// If the document and the code do not match, which tests exclude.
pub fn library(host: Arc<dyn Host>) -> Library {
    let host = Arc::new(CachedHost::new(host));
    let library = interface::INTERFACE.library(NAME, all_code(&host));
    let library = library.expect("the document and the code are the same, as tests show");
    let types = library.types.into_iter().map(types::with_words).collect();
    let functions = library.functions.into_iter().map(functions::with_flow).collect();
    Library { types, functions, foreign_idioms: habits::rows(), ..library }
}

/// Returns the implementations of functions and conversions by name, bound to a host. This is much cheaper than
/// [`library`].
pub fn code(host: Arc<dyn Host>) -> impl Iterator<Item = (String, Arc<dyn Handler>)> {
    let host = Arc::new(CachedHost::new(host));
    all_code(&host).into_iter().map(|(name, implementation)| (name, implementation.into_code()))
}

fn all_code(host: &Arc<CachedHost>) -> Vec<row::Code> {
    functions::code(host).into_iter().chain(conversions::code(host)).collect()
}
