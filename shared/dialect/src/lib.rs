//! Dialect: a small language for questions, designed to be written by language models.
//!
//! It knows nothing about its subject. Functions, types and conversions come in tables ([`Library`]), which make up a
//! [`Registry`]. A program is read and checked as a whole ([`Program`]) before any of it runs. So all of its
//! mistakes are reported at once, and its effect on the world is known beforehand. Every program ends in one of three
//! outcomes ([`Outcome`]): success, failure, or ambiguity, which is a question whose answers are programs.
//! [`explain`] puts each into words.
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
//! let answer = |program| {
//!     let outcome = futures::executor::block_on(run(&registry, program, &Limits::default()));
//!     explain(&outcome, program).text
//! };
//! assert_eq!(answer("shout(`hello`) + `!`"), r#""HELLO!""#);
//! assert!(answer("shuot(hello)").ends_with("Write:\n    shout(`hello`)"));
//! # Ok::<(), dialect::RegistryError>(())
//! ```

#![warn(missing_docs)]

// Layers, lowest first: a module imports only from its own layer and from those above it here.

// Text and names.
mod evaluated;
mod form;
mod invisible;
mod level;
mod limits;
mod name;
mod number;
mod quote;
mod token;
mod tokens;

// Types.
mod refinement;
mod signature;
mod type_error;
mod types;

// Values, and the outcomes of programs.
mod ambiguity;
mod closure;
mod failure;
mod gap;
mod interrupt;
mod outcome;
mod partial;
mod show;
mod value;

// Reading.
pub mod ast;
mod brackets;
mod lex;
mod parse;

// Syntax trees as programs, and programs of other languages as syntax trees.
mod habits;
mod printer;
mod tightness;

// Words, and the layout of what was read.
pub mod code;
mod explain;
mod fix;
mod format;

// Tables.
mod declared;
mod foreign_idiom;
mod invocation;
mod library;
mod registry;
mod requirement;
mod shape;
mod work;

// Values as programs.
mod lookalike;
mod mismatch;
mod print;

// Checking.
mod embedded;
mod embedding;
mod inference;
mod json_form;
mod method;
mod node;
mod program;
mod reading;
mod resolve;
mod surroundings;
mod write;

// Running.
mod candidates;
mod convert;
mod decisions;
mod eval;

// What a registry says about itself, and to editors.
mod describe;
mod editing;
mod help;
mod reference;

pub use ambiguity::{Ambiguity, Candidate};
pub use closure::Closure;
pub use declared::{DeclaredFailure, ErrorTemplate};
pub use describe::describe;
pub use editing::{
    Completions, OpenCall, about, completions, ends_in_code, members, open_call, program_tokens, signature,
};
pub use embedded::{Embedded, EmbeddedLambda};
pub use embedding::{Callee, Embedding, Place};
pub use eval::{ArgumentCheck, Caller, ResultCheck, run};
pub use explain::{Explanation, diagnostic, explain, interruption};
pub use failure::{Advice, Expected, Failure, FailureKind, Failures, Limit, Mismatch};
pub use foreign_idiom::{ForeignIdiom, Rewrite, WrittenArguments};
pub use form::Form;
pub use format::{format, has_comments};
pub use gap::{Flow, Gap, GapCause};
pub use help::help;
pub use interrupt::{Choice, Interrupt, Question, Stop};
pub use invocation::{Arguments, GivenArgument, Handler, Invocation, Notes};
pub use level::Level;
pub use library::{Conversion, Effect, Function, Library, RecordType, TypeAlias};
pub use limits::Limits;
pub use outcome::{Note, NoteReason, Outcome, Success};
pub use parse::read;
pub use partial::{Partial, Remaining};
pub use print::{print, print_call, print_json};
pub use program::Program;
pub use reading::{Costly, Reading, Taker};
pub use reference::reference;
pub use refinement::{Pattern, PatternError, PatternSyntax, Refinement};
pub use registry::{Binding, Registry, RegistryError, Row};
pub use requirement::{Need, Requirement};
pub use show::{show, show_start};
pub use signature::{ARGS, KWARGS, Signature, SignatureError};
pub use tokens::tokens;
pub use type_error::{TypeError, TypeErrorKind};
pub use types::{Literal, Parameter, Type};
pub use value::{List, Object, Record, Shared, Value};
pub use work::Work;

/// The grammar of programs, as Markdown for people and models.
pub const GRAMMAR: &str = include_str!("../GRAMMAR.md");
