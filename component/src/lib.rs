//! The proxy toward the agent: adds the tool `ide_operation` to every session, and runs its programs.

mod acp;
mod answer;
mod attach;
pub mod audit;
mod config;
mod connection;
mod description;
mod documented_functions;
mod dry_run;
mod extension;
mod http;
mod hunks;
mod interpret;
mod mcp;
mod native;
mod no_host;
mod os;
pub mod permission;
mod port;
mod prompt;
pub mod relay;
mod rendering;
mod resource_uri;
mod secret;
mod session;
mod shown_edits;
mod state;
mod sync;
mod tool;
mod truncation;
mod upstream;

pub use acp::{Component, run, run_on_stdio};
pub use config::{Config, Form, LOG_FILTER};
pub use description::{manual, vocabulary};
pub use extension::{Extension, ExtensionError};
pub use state::State;
