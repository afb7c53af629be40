//! The error of a subcommand.

/// An error that ends a subcommand before its work is done.
pub(crate) type Failure = Box<dyn std::error::Error>;
