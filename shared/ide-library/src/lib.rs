//! Dialect's IDE vocabulary, over whoever answers questions about the user's code.

#![warn(missing_docs)]

use std::sync::Arc;

use dialect::Library;

mod host;

pub use host::{Answer, DefinitionsQuestion, Host, LinesQuestion, ReferencesQuestion, SearchQuestion};

/// The IDE library; its functions ask `host`.
pub fn library(host: Arc<dyn Host>) -> Library {
    drop(host);
    Library { name: "ide".to_owned(), ..Library::default() }
}
