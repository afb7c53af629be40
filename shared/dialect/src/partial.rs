//! Values of programs that were stopped for some elements of lists.

/// The value that a program has without the elements of lists for which functions failed or asked: in
/// ``[`a`, `b`].map(x => findReferences(x))``, the references of `a` if there are two `b`.
#[derive(Clone, Debug, PartialEq)]
pub struct Partial {
    /// The value without these elements, as JSON.
    pub json: serde_json::Value,
    /// The value as text: compact JSON, or the program that makes it if its JSON would be read as another.
    pub text: String,
    /// The notes about the value.
    pub notes: Vec<String>,
    /// The elements, as parts of a program; `…` for huge ones.
    pub left_out: Vec<String>,
}

impl Partial {
    /// Returns the words before the value.
    pub fn heading(&self) -> String {
        /// The most elements that are named.
        const NAMED: usize = 5;
        let named = self.left_out.iter().take(NAMED).cloned().collect::<Vec<_>>().join(", ");
        match self.left_out.len().saturating_sub(NAMED) {
            0 => format!("Without {named}, the value is"),
            more => format!("Without {named} and {more} more, the value is"),
        }
    }
}
