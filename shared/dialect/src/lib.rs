//! Dialect: a small language for asking questions, made to be written by language models.
//!
//! It knows nothing about what it asks: functions, types and conversions come in tables ([`Library`]).
//! Every program ends in one of three outcomes: success, failure or ambiguity.

mod outcome;
mod registry;
mod types;
mod value;

pub use outcome::{
    Ambiguity, Candidate, Choice, Failure, FailureKind, Interrupt, Note, Outcome, Question, Success,
};
pub use registry::{
    Arguments, Call, Conversion, Effect, Function, Invocation, Library, Notes, RecordType, Registry,
    RegistryError,
};
pub use types::{Parameter, Signature, Type};
pub use value::{Object, Record, Value};
