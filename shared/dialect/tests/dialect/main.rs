//! The tests of the language that are not chapters of `spec`.

mod code;
mod embedded;
mod embedding;
mod hostile;
mod needs;
mod oddities;
mod patterns;
mod properties;
mod round_trip;
mod signatures;
#[path = "../spec/world.rs"]
mod world;
