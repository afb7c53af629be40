//! Plugins as tables of the language: their functions, classes and constants, and the values that cross.

mod call;
mod objects;
mod plugin_names;
mod rows;
mod signatures;
mod source;
mod values;

pub(crate) use crate::plugins::tables::call::OpenCalls;
pub(crate) use crate::plugins::tables::objects::{Objects, ObjectsOfRun};
pub(crate) use crate::plugins::tables::plugin_names::{LOAD, OWNER, RUN, capabilities, library_name};
pub(crate) use crate::plugins::tables::rows::tables;
pub(crate) use crate::plugins::tables::source::{Surroundings, start as start_source, unconfined};
