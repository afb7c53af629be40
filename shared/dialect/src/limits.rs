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
    /// Calls of functions, constructors and conversions.
    pub calls: usize,
    /// Elements of any one list.
    pub list_length: usize,
    /// Bytes of any one value, counted as compact JSON.
    pub value_bytes: usize,
}

impl Default for Limits {
    fn default() -> Self {
        Self {
            source_bytes: 1 << 20,
            depth: 100,
            steps: 1_000_000,
            calls: 1_000,
            list_length: 100_000,
            value_bytes: 64 << 20,
        }
    }
}
