//! Fields with lists: keywords, related documents.

use std::collections::HashSet;
use std::sync::LazyLock;

use regex::Regex;

use super::field::regex;
use super::model::{Field, FrontMatter};
use super::read::Reader;
use super::yaml::{Node, NodeKind};
use crate::diagnostic::Code;

static PATH: LazyLock<Regex> = LazyLock::new(|| regex(r"^(\./|\.\./|@)[a-zA-Z0-9_/.\-]+$"));

impl Reader<'_> {
    pub(super) fn keywords(&mut self, node: &Node, front_matter: &mut FrontMatter) {
        let mut seen = HashSet::new();
        for keyword in self.texts(node, Code::KEYWORDS, "a keyword") {
            if seen.insert(keyword.value.to_lowercase()) {
                front_matter.keywords.push(keyword);
            }
        }
    }

    pub(super) fn related(&mut self, node: &Node, front_matter: &mut FrontMatter) {
        for mut path in self.texts(node, Code::RELATED, "a related document") {
            if let Some(inner) = path.value.strip_prefix("@import(").and_then(|rest| rest.strip_suffix(')')) {
                path.value = inner.trim().trim_matches(['"', '\'']).to_owned();
            }
            if !PATH.is_match(&path.value) {
                let message = format!("`{}` is no path of a document", path.value);
                let help =
                    "a path starts with `./`, `../` or `@`, and has letters, digits, `_`, `/`, `.` and `-`";
                self.diagnostics.error(Code::RELATED, path.span, message).help(help);
                continue;
            }
            front_matter.related.push(path);
        }
    }

    /// Returns the texts of a list, or of one text with commas.
    fn texts(&mut self, node: &Node, code: Code, what: &str) -> Vec<Field<String>> {
        match &node.kind {
            NodeKind::Text(text) => {
                let texts = text.split(',').map(str::trim).filter(|text| !text.is_empty());
                texts.map(|text| Field { value: text.to_owned(), span: node.span }).collect()
            }
            NodeKind::List(items) => {
                let mut texts = Vec::new();
                for item in items {
                    let text = self.text(item, code, what).filter(|text| !text.is_empty());
                    texts.extend(text.map(|text| Field { value: text.to_owned(), span: item.span }));
                }
                texts
            }
            NodeKind::Map(_) => {
                self.text(node, code, what);
                Vec::new()
            }
        }
    }
}
