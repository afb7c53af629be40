//! Dialect: a small language for asking questions, made to be written by language models.
//!
//! It knows nothing about what it asks: functions, types and conversions come in tables ([`Library`]), and a
//! [`Registry`] is made of them. A program is read and checked as a whole ([`Program`]) before anything of it
//! runs, so that all that is wrong with it is said at once and what it may do to the world is known. Every
//! program ends in one of three outcomes ([`Outcome`]): success, failure, or ambiguity, which is a question
//! whose answers are programs. [`explain`] has the words for each.
//!
//! The chapters in `spec/` are the manual, and its examples are the tests; GRAMMAR.md is the grammar.
//!
//! ```
//! use dialect::{Effect, Function, Invocation, Library, Limits, Registry, explain, run};
//!
//! let shout = |invocation: Invocation| async move {
//!     Ok(invocation.arguments.text("text")?.to_uppercase().into())
//! };
//! let library = Library {
//!     name: "example".to_owned(),
//!     functions: vec![Function::new("shout(text: string) -> string", "Louder.", shout).effect(Effect::Pure)],
//!     ..Library::default()
//! };
//! let registry = Registry::new([library])?;
//! let told = |program| {
//!     let outcome = futures::executor::block_on(run(&registry, program, &Limits::default()));
//!     explain(&outcome, program).text
//! };
//! assert_eq!(told("shout(`hello`) + `!`"), r#""HELLO!""#);
//! assert!(told("shuot(hello)").ends_with("Write:\n    shout(`hello`)"));
//! # Ok::<(), dialect::RegistryError>(())
//! ```

#![warn(missing_docs)]

pub mod ast;
mod brackets;
pub mod code;
mod form;
mod lex;
mod parse;
mod token;

mod declared;
mod habit;
mod library;
mod name;
mod refinement;
mod registry;
mod requirement;
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
mod flaw;
mod limits;
mod number;
mod shape;

mod ambiguity;
mod describe;
mod explain;
mod failure;
mod fix;
mod format;
mod help;
mod level;
mod outcome;
mod print;
mod reference;
mod show;
mod tokens;
mod write;

pub use call::{Arguments, Call, Invocation, Notes};
pub use closure::Closure;
pub use declared::{DeclaredFailure, Telling};
pub use describe::describe;
pub use eval::run;
pub use eval::stop::Stop;
pub use explain::{Explanation, diagnostic, explain};
pub use failure::{Advice, Expected, Failure, FailureKind, Failures, Found, Limit};
pub use flaw::{Flaw, Wrong};
pub use form::Form;
pub use format::format;
pub use habit::{Habit, Instead, Written};
pub use help::help;
pub use level::Level;
pub use library::{Conversion, Effect, Function, Library, RecordType};
pub use limits::Limits;
pub use outcome::{Ambiguity, Candidate, Choice, Interrupt, Note, Outcome, Question, Success};
pub use parse::read;
pub use print::{print, print_json};
pub use program::Program;
pub use reference::reference;
pub use refinement::{Pattern, PatternError, Refinement};
pub use registry::{Binding, Registry, RegistryError, Row};
pub use requirement::{Need, Requirement};
pub use show::show;
pub use signature::{Parameter, Signature, SignatureError};
pub use tokens::tokens;
pub use types::{Literal, Type};
pub use value::{List, Object, Record, Shared, Value};
