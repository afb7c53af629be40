//! The doc tags of tools that OpenAPI has no fields for.

/// The tags that operations have, in the field `x-ailang-tags`. All others change more than one tool.
pub(super) const TAGS: &[&str] = &[
    "pure",
    "readOnly",
    "destructive",
    "idempotent",
    "openWorld",
    "hidden",
    "since",
    "deprecated",
    "preferWhen",
];
