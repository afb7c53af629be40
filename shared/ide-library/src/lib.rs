//! Dialect's IDE vocabulary, over whoever answers questions about the user's code.
//!
//! Functions ask the [`Host`] and never guess in silence: several meanings become an ambiguity, an answer that
//! is not the whole truth becomes a note, and an error of the wire becomes a failure with its advice.

#![warn(missing_docs)]

use std::sync::Arc;

use dialect::Library;

mod ambiguity;
mod conversions;
mod excerpt;
mod failure;
mod functions;
mod given;
mod habits;
mod host;
mod memory;
mod remark;
mod resolve;
mod selection;
mod spelling;
mod symbol;
mod types;

pub use host::{
    Answer, DefinitionsQuestion, Host, LinesQuestion, ReferencesQuestion, SearchQuestion, SelectionQuestion,
};

use memory::Memory;

/// The IDE library; its functions ask `host`.
pub fn library(host: Arc<dyn Host>) -> Library {
    let host = Arc::new(Memory::of(host));
    Library {
        name: "ide".to_owned(),
        types: types::rows(),
        functions: functions::rows(&host),
        conversions: conversions::rows(&host),
        habits: habits::rows(),
    }
}
