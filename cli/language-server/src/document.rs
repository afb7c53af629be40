//! Answers about interface documents.

mod completion;
mod context;
mod examples;
mod highlight;
mod hover;
mod layout;
mod mistakes;
mod navigation;
mod outline;
mod signature;
mod symbol_kind;
mod symbols;

pub(crate) use completion::completions;
pub(crate) use examples::{ExampleLens, example_lenses};
pub(crate) use highlight::{comments, highlights};
pub(crate) use hover::hover;
pub(crate) use layout::{folds, hints, selections};
pub(crate) use mistakes::{affected, mistakes};
pub(crate) use navigation::{definition, links, references, renamable, rename};
pub(crate) use outline::{definitions, outline};
pub(crate) use signature::call_help;
pub(crate) use symbols::symbols;
