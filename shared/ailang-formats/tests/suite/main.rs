//! Tests of the library as a whole: recorded results, properties, and hostile input.

#![expect(clippy::disallowed_methods, reason = "tests read documents")]

mod bridges;
mod compare;
mod generate;
mod pages;
#[path = "../../../ailang/tests/suite/schema/strategies.rs"]
mod strategies;
#[path = "../vectors/mod.rs"]
mod vectors;
