//! What operations look up before they answer: the symbol that is meant, where a name leads, and where it is mentioned.

pub(crate) mod candidates;
pub(crate) mod follow;
pub(crate) mod format_places;
pub(crate) mod leads;
pub(crate) mod mentions;
pub(crate) mod positions;
pub(crate) mod supertypes;
pub(crate) mod target;
