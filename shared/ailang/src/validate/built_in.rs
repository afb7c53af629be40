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

/// The members of lists.
pub(crate) const LIST_METHODS: &[&str] = &[
    "length: int",
    "map(item => …)",
    "filter(item => …)",
    "forEach(item => …)",
    "find(item => …)",
    "some(item => …)",
    "every(item => …)",
    "reduce((result, item) => …, start)",
    "flatMap(item => …)",
    "push(item)",
    "pop()",
    "join(separator)",
    "includes(item)",
    "indexOf(item)",
    "slice(start, end)",
    "concat(list)",
    "reverse()",
    "sort()",
    "toString()",
];

/// The members of texts.
pub(crate) const TEXT_METHODS: &[&str] = &[
    "length: int",
    "includes(part)",
    "startsWith(part)",
    "endsWith(part)",
    "indexOf(part)",
    "slice(start, end)",
    "substring(start, end)",
    "split(separator)",
    "trim()",
    "toUpperCase()",
    "toLowerCase()",
    "replace(old, new)",
    "replaceAll(old, new)",
    "repeat(times)",
    "toString()",
];

/// The members of dictionaries, beside their keys.
pub(crate) const DICT_METHODS: &[&str] =
    &["keys()", "values()", "entries()", "has(key)", "get(key)", "toString()"];
