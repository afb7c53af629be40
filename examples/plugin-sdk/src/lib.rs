//! The kit for plugins in Rust: a typed function becomes a function of programs.
//!
//! ```no_run
//! use std::process::ExitCode;
//!
//! use dialect_plugin::{Error, Host, Plugin};
//! use schemars::JsonSchema;
//! use serde::Deserialize;
//!
//! #[derive(Deserialize, JsonSchema)]
//! struct Greeting {
//!     /// The person.
//!     name: String,
//!     /// The times; 1 by default.
//!     times: Option<u8>,
//! }
//!
//! fn greet(it: Greeting, _host: &Host) -> Result<String, Error> {
//!     Ok(format!("Hello, {}! ", it.name).repeat(it.times.unwrap_or(1).into()))
//! }
//!
//! fn main() -> ExitCode {
//!     Plugin::new("hello").describe("Greetings").pure("greet", "Greets a person", greet).serve()
//! }
//! ```
//!
//! `dialect eval --plugin target/debug/hello 'hello.greet("Ada", times=2)'` calls it. The struct's fields are the
//! parameters, in their order; a field that may be absent is optional; doc comments describe them.
//!
//! Calls that overlap run on threads of their own. The methods of one object run one after another. A panic is the error of
//! its call. Standard output belongs to the protocol: what `println!` writes goes to standard error.

#![warn(missing_docs)]

mod class;
mod convert;
mod error;
mod host;
mod parameters;
mod places;
mod plugin;
mod serve;
mod workers;

pub use crate::class::Class;
pub use crate::error::Error;
pub use crate::host::{Callback, Host, Instance};
pub use crate::places::{FileRange, Position};
pub use crate::plugin::Plugin;
pub use plugin_protocol::methods::Level;
