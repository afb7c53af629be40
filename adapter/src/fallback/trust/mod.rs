//! The levels of trust in a workspace, and the user's decisions.

pub(crate) mod level;
pub(crate) mod ownership;
pub(crate) mod store;
pub(crate) mod work_trees;
