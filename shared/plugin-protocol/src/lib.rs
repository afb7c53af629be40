//! The wire between a host and its plugins: JSON-RPC 2.0 over the standard streams of a process, as
//! Scriptling defines it.

#![warn(missing_docs)]

pub mod connection;
pub mod envelope;
pub mod frames;
mod grammar;
mod limits;
pub mod methods;
pub mod schema;
pub mod session;
mod signature;
pub mod source;
mod text;
mod tokens;
mod value;

pub use limits::{Limits, VALUE_DEPTH};
pub use signature::{Origin, Parameter, Signature, Takes};
pub use value::{Remote, Value, ValueError};
