//! Entries of the search: documents, definitions, examples, and the sections of their prose.

use serde_json::{Value, json};

use super::anchor;
use super::page::Page;

/// The maximum length of a text in the search, in characters.
const LONGEST: usize = 240;

impl Page<'_> {
    /// Returns the entries: name `n`, kind `k`, text `t` and address `u`.
    pub(super) fn entries(&self) -> Vec<Value> {
        let entry = |name: &str, kind: &str, text: &str, anchor: &str| {
            let short = |text: &str| ailang::plain(text, LONGEST);
            json!({"n": short(name), "k": kind, "t": short(text), "u": format!("{}{anchor}", self.file)})
        };
        let document = entry(&self.title, "document", &self.summary, "");
        let definitions = self.document.definitions().map(|it| {
            let anchor = format!("#{}", anchor::of_definition(it));
            entry(&it.name.text, it.kind.keyword(), &it.documentation.text, &anchor)
        });
        let examples = self.document.examples.iter().zip(&self.example_anchors);
        let examples = examples.map(|(it, anchor)| {
            entry(it.id().unwrap_or("example"), "example", &self.example_text(it), &format!("#{anchor}"))
        });
        let sections = self.sections().map(|it| {
            let title = if it.title.is_empty() { &self.title } else { &it.title };
            let anchor = it.anchor.as_ref().map_or_else(String::new, |it| format!("#{it}"));
            entry(title, "prose", &it.text, &anchor)
        });
        std::iter::once(document).chain(definitions).chain(examples).chain(sections).collect()
    }
}
