//! The names that every program of a document knows.

/// The functions that every program knows without a definition.
pub const BUILT_IN_FUNCTIONS: &[&str] = &[
    "print",
    "now",
    "wait",
    "retry",
    "exponentialBackoff",
    "assert",
    "expect",
    "expectEqual",
    "expectThrows",
    "promptUser",
    "setInterval",
    "alert",
];

/// The built-in objects.
pub(crate) const OBJECTS: &[&str] = &["JSON", "Object", "console", "Math"];
