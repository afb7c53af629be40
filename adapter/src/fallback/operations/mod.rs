//! The operations, one a file: a request of the wire in, a result of the wire out.

pub(crate) mod anywhere;
pub(crate) mod apply;
mod by_name;
mod by_place;
pub(crate) mod candidate;
pub(crate) mod code_actions;
pub(crate) mod definitions;
pub(crate) mod description;
pub(crate) mod diagnostics;
pub(crate) mod files;
mod forgotten;
pub(crate) mod hierarchy;
mod kept;
mod layout;
pub(crate) mod lines;
mod missed;
pub(crate) mod navigation;
mod new_name;
pub(crate) mod outline;
pub(crate) mod question;
pub(crate) mod references;
pub(crate) mod rename;
pub(crate) mod search;
mod subject;
mod supertypes;
pub(crate) mod symbols;
mod take_action;
