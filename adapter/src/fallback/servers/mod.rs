//! Language servers.

pub(crate) mod find;
pub(crate) mod run;
