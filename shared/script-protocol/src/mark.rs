//! Values that JSON does not have, as texts in it: a mark with which no other text of the JSON begins, a letter, and the rest.

/// A text with a mark.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Marked {
    /// A function of the program, by its number.
    Function(u64),
    /// An object that lives outside of the program.
    Object {
        /// Its type: `hello.CounterRef`.
        type_name: String,
        /// The name of the object: `hello#1:2`.
        reference: String,
    },
}

impl Marked {
    /// Reads a text; `None` if it has no mark.
    pub fn read(text: &str, mark: &str) -> Option<Self> {
        let rest = text.strip_prefix(mark)?;
        if let Some(number) = rest.strip_prefix('f') {
            return Some(Self::Function(number.parse().ok()?));
        }
        let (type_name, reference) = rest.strip_prefix('o')?.split_once(' ')?;
        Some(Self::Object { type_name: type_name.to_owned(), reference: reference.to_owned() })
    }

    /// Writes the text.
    pub fn write(&self, mark: &str) -> String {
        match self {
            Self::Function(number) => format!("{mark}f{number}"),
            Self::Object { type_name, reference } => format!("{mark}o{type_name} {reference}"),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn marked_texts_are_read_as_they_are_written() {
        let object = Marked::Object { type_name: "a.b.CRef".to_owned(), reference: "a.b#1:x y".to_owned() };
        for marked in [Marked::Function(7), object] {
            assert_eq!(Marked::read(&marked.write("##"), "##"), Some(marked));
        }
        for text in ["f7", "#f7", "##", "##7", "##fx", "##o", "##ox"] {
            assert_eq!(Marked::read(text, "##"), None, "{text}");
        }
    }
}
