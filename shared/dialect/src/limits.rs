//! Limits on what a program may use. They are counted, never timed, so that outcomes are reproducible.

/// The limits of a program.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Limits {
    /// The bytes of the program's text.
    pub source_bytes: usize,
    /// The depth of nested brackets.
    pub depth: usize,
    /// The expressions that are evaluated, those of each call of a lambda included. Other work counts as
    /// well: one for each kilobyte of values that calls and operators look at, and one for each conversion.
    /// Each failure on which the program goes on counts some. An expression that is resolved once more counts
    /// ten, since it stands in a call of a method that several types have.
    pub steps: usize,
    /// The calls of functions and conversions that do more than compute from their arguments.
    pub calls: usize,
    /// The elements of any one list.
    pub list_length: usize,
    /// The bytes of all values that the program makes and is given, and of showing its result: about what they
    /// take in memory, were nothing in them shared.
    pub value_bytes: usize,
}

impl Limits {
    /// Returns the limit on nested evaluation, calls of functions that are values included.
    pub(crate) fn run_depth(&self) -> usize {
        4 * self.depth
    }

    /// Returns the limit on expressions that are resolved once more.
    pub(crate) fn alternatives(&self) -> usize {
        self.steps / 10
    }

    /// Returns the limit on nested values: those that a program can write, and more for those of a library.
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
