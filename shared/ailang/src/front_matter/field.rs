//! Checks of single fields.

use std::sync::LazyLock;

use dialect::Level;
use regex::Regex;
use source_text::Span;

use super::model::{Field, FrontMatter, Loading};
use super::read::Reader;
use super::yaml::{Node, NodeKind};
use crate::diagnostic::Code;

/// The maximum length of a title, in characters.
const LONGEST_TITLE: usize = 120;
/// The maximum length of a summary, in characters.
const LONGEST_SUMMARY: usize = 500;
/// The supported major version of the language.
const LANGUAGE: u64 = 0;

static ID: LazyLock<Regex> = LazyLock::new(|| regex(r"^[a-z][a-zA-Z0-9]*([-_][a-zA-Z0-9]+)*$"));

/// Compiles a regex that is known to be valid.
pub(super) fn regex(pattern: &str) -> Regex {
    Regex::new(pattern).expect("the pattern is tested")
}

impl Reader<'_> {
    /// Returns the text of a scalar; reports other nodes.
    pub(super) fn text<'node>(&mut self, node: &'node Node, code: Code, what: &str) -> Option<&'node str> {
        if let NodeKind::Text(text) = &node.kind {
            return Some(text.trim());
        }
        self.diagnostics.error(code, node.span, format!("{what} is a text"));
        None
    }

    pub(super) fn id(&mut self, node: &Node, front_matter: &mut FrontMatter) {
        let Some(text) = self.text(node, Code::ID, "the id") else { return };
        front_matter.id = Some(Field { value: text.to_owned(), span: node.span });
        if ID.is_match(text) {
            return;
        }
        let error = self.diagnostics.error(Code::ID, node.span, format!("`{text}` is no id"));
        error.help("an id starts with a small letter and has letters, digits, `-` and `_` between them");
        let suggestion = suggested_id(text);
        if ID.is_match(&suggestion) {
            error.replace(format!("write `{suggestion}`"), node.span, suggestion);
        }
    }

    pub(super) fn title(&mut self, node: &Node, front_matter: &mut FrontMatter) {
        front_matter.title = self.line(node, Code::TITLE, "title", LONGEST_TITLE);
    }

    pub(super) fn summary(&mut self, node: &Node, front_matter: &mut FrontMatter) {
        front_matter.summary = self.line(node, Code::SUMMARY, "summary", LONGEST_SUMMARY);
    }

    fn line(&mut self, node: &Node, code: Code, what: &str, longest: usize) -> Option<Field<String>> {
        let text = self.text(node, code, &format!("the {what}"))?;
        let length = text.chars().count();
        if text.is_empty() {
            self.diagnostics.error(code, node.span, format!("the {what} is blank"));
        } else if length > longest {
            let message = format!("the {what} has {length} characters, and may have {longest}");
            self.diagnostics.error(code, node.span, message);
        }
        Some(Field { value: text.to_owned(), span: node.span })
    }

    pub(super) fn loading(&mut self, node: &Node, front_matter: &mut FrontMatter) {
        let Some(text) = self.text(node, Code::LOADING, "the loading strategy") else { return };
        match Loading::parse(text) {
            Some(value) => front_matter.loading = Some(Field { value, span: node.span }),
            None => {
                let message = format!("`{text}` is no loading strategy");
                let names = Loading::ALL.map(Loading::name);
                self.diagnostics
                    .error(Code::LOADING, node.span, message)
                    .help("write `on_demand`, `by_rule`, `manual` or `eager`")
                    .nearest(text, node.span, names);
            }
        }
    }

    pub(super) fn version(&mut self, node: &Node, front_matter: &mut FrontMatter) {
        let Some(text) = self.text(node, Code::VERSION, "the version") else { return };
        match semver::Version::parse(text) {
            Ok(value) => front_matter.version = Some(Field { value, span: node.span }),
            Err(error) => {
                let message = format!("`{text}` is no semantic version: {error}");
                self.diagnostics.error(Code::VERSION, node.span, message).help("write `1.0.0`");
            }
        }
    }

    pub(super) fn language(&mut self, node: &Node, front_matter: &mut FrontMatter) {
        let Some(text) = self.text(node, Code::LANGUAGE_VERSION, "the version of the language") else {
            return;
        };
        front_matter.language = Some(Field { value: text.to_owned(), span: node.span });
        let major = text.split('.').next().and_then(|major| major.parse::<u64>().ok());
        if major.is_none_or(|major| major > LANGUAGE) {
            let message = format!("the document is written for version `{text}` of the language");
            self.diagnostics
                .error(Code::LANGUAGE_VERSION, node.span, message)
                .help("version 0.3 is read here");
        }
    }

    pub(super) fn size_hints(&mut self, node: &Node, front_matter: &mut FrontMatter) {
        let NodeKind::Map(fields) = &node.kind else {
            let message = "size hints are a number for each level";
            self.diagnostics
                .error(Code::SIZE_HINTS, node.span, message)
                .help("write `minimal: 60` and so on");
            return;
        };
        for (key, value) in fields {
            if let Some(hint) = self.size_hint(key, value) {
                front_matter.size_hints.push(hint);
            }
        }
        front_matter.size_hints.sort_unstable();
        let decreases = front_matter.size_hints.windows(2).find(|pair| pair[1].1 < pair[0].1);
        if let Some([low, high]) = decreases {
            let message = format!("`{}` cannot be smaller than `{}`", high.0.name(), low.0.name());
            self.diagnostics.error(Code::SIZE_HINTS, node.span, message);
        }
    }

    fn size_hint(&mut self, key: &Node, value: &Node) -> Option<(Level, u64)> {
        let name = self.text(key, Code::SIZE_HINTS, "a level")?;
        let Some(level) = Level::parse(name) else {
            self.diagnostics
                .error(Code::SIZE_HINTS, key.span, format!("`{name}` is no level"))
                .help("the levels are `minimal`, `compact`, `standard`, `detailed` and `complete`")
                .nearest(name, key.span, Level::ALL.map(Level::name));
            return None;
        };
        let text = self.text(value, Code::SIZE_HINTS, "a size hint")?;
        let Ok(tokens) = text.replace('_', "").parse::<u64>() else {
            let message = format!("`{text}` is no number of tokens");
            self.diagnostics.error(Code::SIZE_HINTS, value.span, message);
            return None;
        };
        Some((level, tokens))
    }

    /// Reports a repeated field.
    pub(super) fn duplicate(&mut self, name: &str, span: Span, first: Span) {
        self.diagnostics
            .error(Code::DUPLICATE_FIELD, span, format!("`{name}` is given twice"))
            .related(first, "before here");
    }
}

/// Suggests an id for a text: `bad-id` for `Bad Id!`.
fn suggested_id(text: &str) -> String {
    let words = text.split(|char: char| !char.is_ascii_alphanumeric()).filter(|word| !word.is_empty());
    words.map(str::to_ascii_lowercase).collect::<Vec<_>>().join("-")
}
