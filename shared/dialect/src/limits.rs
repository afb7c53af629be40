//! How much a program may ask for: counted, never timed, so that outcomes are reproducible.

/// How much a program may ask for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Limits {
    /// Bytes of the program's text.
    pub source_bytes: usize,
    /// How deeply brackets may nest.
    pub depth: usize,
    /// Expressions that are evaluated, each run of a lambda's counted.
    pub steps: usize,
    /// Calls of functions and conversions that do more than compute from their arguments.
    pub calls: usize,
    /// Elements of any one list.
    pub list_length: usize,
    /// Bytes of all values that the program makes and is given: their texts and keys, and 32 for each of them.
    pub value_bytes: usize,
}

impl Limits {
    /// How deeply evaluation may nest, calls of functions that are values included: these are bounded by what
    /// stands in them, since a call runs inside the one that makes it.
    pub(crate) fn run_depth(&self) -> usize {
        4 * self.depth
    }

    /// How deeply values may nest: what a program can write, and what a library may give beyond that.
    pub(crate) fn value_depth(&self) -> usize {
        self.depth + 100
    }
}

impl Default for Limits {
    fn default() -> Self {
        Self {
            source_bytes: 1 << 20,
            depth: 100,
            steps: 1_000_000,
            calls: 10_000,
            list_length: 100_000,
            value_bytes: 128 << 20,
        }
    }
}
