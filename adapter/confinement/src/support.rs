//! The result of testing whether this machine can build a wall.

/// The reason why no wall can be built, for people.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{0}")]
pub struct Absent(pub String);

/// The wall that this machine can build.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Standing {
    /// The mechanisms that enforce it, for people: `Landlock 7, seccomp, namespaces`.
    pub mechanisms: String,
}
