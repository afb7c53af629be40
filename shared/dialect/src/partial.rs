//! Values of programs that were stopped for some elements of lists.

/// The value that a program has without the elements of lists for which functions failed or asked: in
/// ``[`a`, `b`].map(x => findReferences(x))``, the references of `a` if there are two `b`.
#[derive(Clone, Debug, PartialEq)]
pub struct Partial {
    /// The value without these elements, as JSON.
    pub json: serde_json::Value,
    /// The value as compact JSON.
    pub text: String,
    /// The notes about the value.
    pub notes: Vec<String>,
    /// The elements, as parts of a program; `…` for huge ones.
    pub left_out: Vec<String>,
    /// The rest of the work, if asking again may do it.
    pub rest: Option<Remaining>,
}

/// The part of a program's work that is not done.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Remaining {
    /// The number of elements of the list that are done.
    pub done: usize,
    /// The number of elements of the list.
    pub of: usize,
    /// The program for the other elements, if it can be written.
    pub program: Option<String>,
}

impl Partial {
    /// Returns the words after the value: the program for the rest.
    pub fn ending(&self) -> Option<String> {
        Some(format!("The rest: {}", self.rest.as_ref()?.program.as_ref()?))
    }

    /// Returns the words before the value.
    pub fn heading(&self) -> String {
        /// The most elements that are named.
        const NAMED: usize = 5;
        let done =
            self.rest.as_ref().map(|it| format!("Done: {} of {}. ", it.done, it.of)).unwrap_or_default();
        let named = self.left_out.iter().take(NAMED).cloned().collect::<Vec<_>>().join(", ");
        match self.left_out.len().saturating_sub(NAMED) {
            0 => format!("{done}Without {named}, the value is"),
            more => format!("{done}Without {named} and {more} more, the value is"),
        }
    }
}
