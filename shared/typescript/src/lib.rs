//! Programs in TypeScript, made ready for an engine that knows JavaScript.
//!
//! [`erase`] leaves out the types, in place: every other character keeps its line and its column. Types, modifiers and
//! declarations that only the compiler reads become blanks. Code is inserted for enumerations and for parameters that
//! declare fields. Other syntax that makes code (namespaces, decorators) is refused, with its place and what to write
//! instead.
//!
//! [`Program::read`] also checks the calls of functions that the program is given, and makes one expression of it.

#![warn(missing_docs)]

mod blanks;
mod calls;
mod elsewhere;
mod entry;
mod generated;
mod meaning;
mod parse;
mod problem;
mod program;
mod scan;
mod surroundings;
mod type_check;
mod visit;

use oxc_allocator::Allocator;

use crate::blanks::Erased;
use crate::parse::parse;
pub use crate::problem::Problem;
pub use crate::program::Program;
pub use crate::surroundings::{KnownModule, MODULES};
pub use crate::type_check::{checkable, checked_place};
use crate::visit::erased;

/// Returns a module of TypeScript as JavaScript with the same lines; of the same length, unless code is inserted. `return`
/// is permitted outside of functions.
///
/// # Errors
/// What the parser does not read, or everything that cannot be erased, in the order of the program.
pub fn erase(source: &str) -> Result<String, Vec<Problem>> {
    let allocator = Allocator::default();
    let program = parse(&allocator, source)?;
    erased(source, &program).map(Erased::whole)
}

#[cfg(test)]
mod tests;
