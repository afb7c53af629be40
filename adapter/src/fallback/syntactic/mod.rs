//! Answers from the syntax of each file alone, where no language server answers.
//!
//! Such an answer is never marked complete, and its note gives the reason for the fallback.

mod call_sites;
pub(crate) mod candidate;
pub(crate) mod code_pattern;
#[cfg(test)]
mod cut_tests;
mod definitions;
mod description;
pub(crate) mod exports;
mod fallback_reason;
pub(crate) mod file_definitions;
mod found_definition;
mod hierarchy;
pub(crate) mod imports;
mod members;
pub(crate) mod modules;
mod outline;
mod python_attributes;
mod references;
mod selection;
mod sources;
pub(crate) mod symbols;
pub(crate) mod syntax_facts;

pub(crate) use definitions::definitions;
pub(crate) use description::description;
pub(crate) use fallback_reason::{FallbackReason, allows_fallback, search_deadline};
pub(crate) use found_definition::text_of;
pub(crate) use hierarchy::{hierarchy, implementations};
pub(crate) use members::members;
pub(crate) use outline::outline;
pub(crate) use references::references;
pub(crate) use symbols::symbols;
