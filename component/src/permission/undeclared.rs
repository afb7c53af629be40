//! Failures that break a declaration.

/// A failure of a function with an error that its document does not declare.
#[derive(Clone, Debug)]
pub(crate) struct UndeclaredError {
    /// The library and the function: `files/write`.
    pub(crate) callable: String,
    /// The error, in a sentence.
    pub(crate) reason: String,
}
