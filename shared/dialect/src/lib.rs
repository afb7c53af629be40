//! Dialect: a small language for asking questions, made to be written by language models.
//!
//! It knows nothing about what it asks: functions, types and conversions come in tables ([`Library`]).
//! Every program ends in one of three outcomes: success, failure or ambiguity.

#![warn(missing_docs)]

mod ast;
mod brackets;
mod form;
mod lex;
mod parse;
mod token;

mod library;
mod name;
mod registry;
mod signature;
mod types;
mod value;

mod json_form;
mod node;
mod program;
mod resolve;

mod call;
mod closure;
mod convert;
mod eval;
mod limits;
mod number;
mod shape;

mod ambiguity;
mod describe;
mod explain;
mod failure;
mod fix;
mod outcome;
mod print;
mod show;
mod write;

pub use call::{Arguments, Call, Invocation, Notes};
pub use closure::Closure;
pub use describe::{describe, help};
pub use eval::run;
pub use eval::stop::Stop;
pub use explain::{Explanation, diagnostic, explain};
pub use failure::{Expected, Failure, FailureKind, Failures, Found, Limit};
pub use form::Form;
pub use library::{Conversion, Effect, Function, Library, RecordType};
pub use limits::Limits;
pub use outcome::{Ambiguity, Candidate, Choice, Interrupt, Note, Outcome, Question, Success};
pub use print::{print, print_json};
pub use program::Program;
pub use registry::{Registry, RegistryError};
pub use show::show;
pub use signature::{Parameter, Signature, SignatureError};
pub use types::Type;
pub use value::{Object, Record, Value};
