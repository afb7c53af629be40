//! The built-in modules of interface documents, implemented: `parser`, `validator`, `generator`, `context`, `storage`,
//! `http` and `runtime`.
//!
//! [`BuiltInModules`] is their code for a [`ailang::RuntimeSetup`]. Their tools pass through the same pipeline as all
//! others, and each permission that they ask for is no wider than the call: one host, one path. Files are those below one
//! folder, and no symbolic link is followed. A runtime that a program makes permits at most what the program itself may do.

#![warn(missing_docs)]

mod call;
mod capabilities;
mod config;
mod context;
mod definitions;
mod error_handler;
mod generator;
mod http;
mod loader;
mod modules;
mod monitor;
mod parser;
mod program;
mod runtime;
mod storage;
mod transport;
mod type_validator;
mod validator;
mod view;

pub use modules::BuiltInModules;
pub use transport::{HttpRequest, HttpResponse, Internet, Transport};
