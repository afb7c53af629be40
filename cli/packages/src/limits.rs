//! Upper bounds on what others send.

/// The maximum number of documents that one document may import, directly or not.
pub(crate) const MOST_DOCUMENTS: usize = 5_000;

/// The maximum number of packages that one package may depend on, directly or not.
pub(crate) const MOST_PACKAGES: usize = 500;

/// The maximum number of files beside a document whose ids are looked at for a bare name.
pub(crate) const MOST_SIBLINGS: usize = 500;
