//! Lookups shared by the operations: target resolution, definitions behind a name, and mentions of a name.

pub(crate) mod candidates;
pub(crate) mod follow;
pub(crate) mod leads;
pub(crate) mod mentions;
pub(crate) mod positions;
pub(crate) mod supertypes;
pub(crate) mod target;
