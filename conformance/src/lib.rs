//! The conformance tests' parts: players that speak real bytes, scenarios that they play, and the transcripts of
//! these.
//!
//! The players share no code with what they test: a JSON-RPC codec ([`wire`]), an MCP client ([`mcp`]) and LSP's
//! framing ([`lsp`]) of their own.

pub mod agent;
pub mod chain;
pub mod control;
pub mod conversation;
pub mod editor;
pub mod hostile;
pub mod hostile_lines;
pub mod language_server;
pub mod lent_server;
pub mod lsp;
pub mod mcp;
pub mod notes;
pub mod places;
pub mod processes;
pub mod random;
pub mod raw_client;
pub mod record;
pub mod sample;
pub mod scenario;
pub mod soak;
pub mod transcript;
pub mod wire;
pub mod workspace;
