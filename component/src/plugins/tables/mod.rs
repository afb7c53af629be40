//! Plugins as tables of the language: their functions, classes and constants, and the values that cross.

mod call;
mod names;
mod objects;
mod rows;
mod signatures;
mod values;

pub(crate) use crate::plugins::tables::call::OpenCalls;
pub(crate) use crate::plugins::tables::names::{LOAD, OWNER, RUN, capabilities, library_name};
pub(crate) use crate::plugins::tables::objects::Objects;
pub(crate) use crate::plugins::tables::rows::tables;
