//! Anchors: the places inside a page that links lead to. They stay as they are while names do.

use std::collections::HashSet;

use ailang::syntax::Definition;

/// Returns the anchor of a definition.
pub(super) fn of_definition(definition: &Definition) -> String {
    format!("d-{}", super::escape::escaped(&definition.name.text))
}

/// The anchors of a page's headings and examples.
#[derive(Debug, Default)]
pub(super) struct Anchors(HashSet<String>);

impl Anchors {
    /// Returns the anchor of an example by its id, or else by its number.
    pub(super) fn of_example(&mut self, id: Option<&str>, number: usize) -> String {
        self.free("e", id.unwrap_or_default(), &number.to_string())
    }

    /// Returns the anchor of a heading.
    pub(super) fn of_heading(&mut self, text: &str) -> String {
        self.free("h", text, "section")
    }

    fn free(&mut self, kind: &str, words: &str, otherwise: &str) -> String {
        let words = words.to_lowercase();
        let words: Vec<&str> =
            words.split(|it: char| !it.is_alphanumeric() && it != '_').filter(|it| !it.is_empty()).collect();
        let name = if words.is_empty() { otherwise.to_owned() } else { words.join("-") };
        let first = format!("{kind}-{name}");
        let others = (2..).map(|number| format!("{kind}-{name}-{number}"));
        let mut all = std::iter::once(first).chain(others);
        all.find(|it| self.0.insert(it.clone())).expect("there are more numbers than anchors")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn anchors_are_words_that_differ() {
        let mut anchors = Anchors::default();
        assert_eq!(anchors.of_heading("When to *use* it?"), "h-when-to-use-it");
        assert_eq!(anchors.of_heading("when to use it"), "h-when-to-use-it-2");
        assert_eq!(anchors.of_heading("\"><script>"), "h-script");
        assert_eq!(anchors.of_heading("!"), "h-section");
        assert_eq!(anchors.of_heading("Größe"), "h-größe");
        assert_eq!(anchors.of_example(Some("one"), 1), "e-one");
        assert_eq!(anchors.of_example(None, 2), "e-2");
    }
}
