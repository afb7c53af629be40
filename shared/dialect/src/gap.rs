//! Missing parts of an answer: its gaps, and how functions pass them on.

/// The cause of a gap, in ascending gravity.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum GapCause {
    /// Something may be missing: a source understands less than all of it.
    Unknown,
    /// The end was cut off, because it is too long.
    Limit,
    /// A source failed.
    Failed,
    /// The time was up.
    Time,
}

/// A part that the result of a call lacks.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Gap {
    /// The kind of the cause, by which programs and hosts decide whether to ask again.
    pub cause: GapCause,
    /// The reason, as a part of a sentence: `the time was up after 12 files`.
    pub reason: String,
}

impl Gap {
    /// Makes a gap.
    pub fn new(cause: GapCause, reason: impl Into<String>) -> Self {
        Self { cause, reason: reason.into() }
    }
}

/// The way in which the result of a function depends on what its arguments lack.
///
/// A function *passes* a gap on if a part of its argument gives a part of its result: what it returns is right, and
/// may lack something. It *decides* on a gap if a part of its argument may give another result: a count, the first
/// element, `false`. What a given function returns is treated as the variant says.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Flow {
    /// Decides on all arguments, and on what functions among them return. This is always safe.
    #[default]
    Decides,
    /// Returns what a function gives for each element of a list: `map`.
    Each,
    /// Returns some elements of the first argument; it decides on the results of a function: `filter`.
    Chosen,
    /// Returns a part of the first argument, or the same in another form, in the same order. It decides on other
    /// arguments.
    Part,
    /// Returns the elements of the first argument in another order, by comparing them, or what a function gives for
    /// them: `sort`.
    Ordered,
    /// Returns the elements of the first argument without repeated ones. With a function it decides which of several
    /// stays, so it decides on what the list lacks.
    Distinct,
    /// Returns the first element: it decides, except on a list whose end was cut off.
    First,
    /// Returns an element of the first argument, or another argument. It decides on what is missing, on other
    /// arguments, and on the results of a function.
    Element,
    /// Returns the smallest or largest element: as `Element`, and it compares elements.
    Extreme,
    /// Returns the elements of the first argument in groups, named by a function: `groupBy`.
    Grouped,
    /// Returns the elements of the lists in a list: `flatten`.
    Flattened,
    /// Returns the names of fields: `keys`.
    Names,
    /// Returns the fields of both arguments; those of the second replace others: `merge`.
    Merged,
    /// Returns a text of the first argument and of all in it: `join`, `toText`. It decides on other arguments.
    Text,
}
