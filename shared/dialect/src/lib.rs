//! Dialect: a small language for asking questions, made to be written by language models.
//!
//! It knows nothing about what it asks: functions, types and conversions come in tables ([`Library`]).
//! Every program ends in one of three outcomes: success, failure or ambiguity.

#![warn(missing_docs)]

mod ambiguity;
mod ast;
mod brackets;
mod call;
mod convert;
mod eval;
mod explain;
mod failure;
mod fix;
mod lex;
mod library;
mod limits;
mod name;
mod outcome;
mod parse;
mod print;
mod registry;
mod resolve;
mod shape;
mod signature;
mod token;
mod types;
mod value;

pub use call::{Arguments, Call, Invocation, Notes};
pub use eval::run;
pub use explain::{Explanation, diagnostic, explain};
pub use failure::{Expected, Failure, FailureKind, Limit};
pub use library::{Conversion, Effect, Function, Library, RecordType};
pub use limits::Limits;
pub use outcome::{Ambiguity, Candidate, Choice, Interrupt, Note, Outcome, Question, Success};
pub use print::print;
pub use registry::{Registry, RegistryError};
pub use resolve::Program;
pub use signature::{Parameter, Signature, SignatureError};
pub use types::Type;
pub use value::{Object, Record, Value};
