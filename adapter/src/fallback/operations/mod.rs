//! The operations, one per file: each takes a request and returns its result.

pub(crate) mod apply;
pub(crate) mod by_name_workspace;
pub(crate) mod code_actions;
pub(crate) mod corrections;
pub(crate) mod definitions;
mod description;
pub(crate) mod diagnostics;
pub(crate) mod dispatch;
pub(crate) mod files;
pub(crate) mod hierarchy;
mod layout;
pub(crate) mod lines;
pub(crate) mod lookup;
pub(crate) mod matches;
pub(crate) mod navigation;
pub(crate) mod outline;
pub(crate) mod references;
pub(crate) mod rename;
pub(crate) mod search;
mod search_context;
pub(crate) mod symbols;
mod take_action;
mod unexpanded;
mod unrenamed_mentions;
