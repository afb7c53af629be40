//! Runs a language server: its process, the protocol, document synchronization, readiness and caches.

pub(crate) mod captured_edits;
pub(crate) mod convert;
pub(crate) mod documents;
pub(crate) mod dynamic_registrations;
pub(crate) mod file_cache;
pub(crate) mod handshake;
pub(crate) mod health;
pub(crate) mod hover;
pub(crate) mod lent;
pub(crate) mod loading_time;
pub(crate) mod macros;
pub(crate) mod memory_budget;
pub(crate) mod output_tail;
pub(crate) mod pool;
pub(crate) mod published_diagnostics;
pub(crate) mod readiness;
pub(crate) mod request;
pub(crate) mod restart;
pub(crate) mod server;
pub(crate) mod server_process;
pub(crate) mod server_setup;
pub(crate) mod transport;
pub(crate) mod turns;
