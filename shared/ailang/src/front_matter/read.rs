//! YAML → [`FrontMatter`].

use std::collections::HashMap;

use source_text::Span;

use super::model::{FrontMatter, Loading};
use super::repair::{Repaired, repair};
use super::values::repeated;
use super::yaml::{self, Node, NodeKind};
use crate::diagnostic::{Code, Diagnostics};

/// The remedy for what the parser of YAML refuses.
pub const REMEDY: &str =
    "put the text between quotes, or write `|` behind the name and the text below, indented";

/// The maximum size of front matter, in bytes.
const LARGEST: usize = 64 << 10;

/// A reader of one field.
type Read<'out> = fn(&mut Reader<'out>, &Node, &mut FrontMatter);

pub(super) struct Reader<'out> {
    pub(super) diagnostics: &'out mut Diagnostics,
}

/// Reads the YAML at `body` of a document.
pub(crate) fn read(source: &str, body: Span, diagnostics: &mut Diagnostics) -> FrontMatter {
    let mut front_matter = FrontMatter { span: body, ..FrontMatter::default() };
    if body.end - body.start > LARGEST {
        diagnostics
            .error(
                Code::FRONT_MATTER_TOO_LARGE,
                body,
                format!("the front matter has more than {LARGEST} bytes"),
            )
            .help("move text into the document");
        return front_matter;
    }
    let repaired = repair(&source[body.range()]);
    report_repairs(source, &repaired, body, diagnostics);
    let root = match yaml::parse(&repaired.text) {
        Ok(root) => root,
        Err(problem) => {
            let at = body.start + repaired.original(problem.at);
            let message = format!("this is no YAML: {}", problem.message);
            diagnostics.error(Code::YAML, Span::new(at, at), message).help(REMEDY);
            return front_matter;
        }
    };
    front_matter.is_read = true;
    let Some(mut root) = root else { return front_matter };
    repaired.relocate(&mut root, body.start);
    let mut reader = Reader { diagnostics };
    reader.fields(&root, &mut front_matter);
    front_matter
}

fn report_repairs(source: &str, repaired: &Repaired, body: Span, diagnostics: &mut Diagnostics) {
    let all =
        repaired.imports.iter().map(|span| (span, Code::UNQUOTED_IMPORT, "a value cannot start with `@`"));
    let colons =
        repaired.colons.iter().map(|span| (span, Code::UNQUOTED_COLON, "a text with a colon needs quotes"));
    for (span, code, message) in all.chain(colons) {
        let span = Span::new(body.start + span.start, body.start + span.end);
        let quoted = quoted(&source[span.range()], code);
        diagnostics.warning(code, span, message).replace("put it between quotes", span, quoted);
    }
}

/// Quotes a value for YAML; imports become a list of paths.
fn quoted(value: &str, code: Code) -> String {
    let quote = |text: &str| format!("\"{}\"", text.replace('\\', "\\\\").replace('"', "\\\""));
    if code == Code::UNQUOTED_COLON {
        return quote(value);
    }
    let path = |text: &str| {
        let text = text.trim();
        let inner = text.strip_prefix("@import(").and_then(|rest| rest.strip_suffix(')'));
        quote(inner.unwrap_or(text).trim())
    };
    let paths: Vec<String> = value.split(',').map(path).collect();
    if paths.len() == 1 { paths.concat() } else { format!("[{}]", paths.join(", ")) }
}

impl<'out> Reader<'out> {
    const FIELDS: [(&'static str, Read<'out>); 10] = [
        ("id", Self::id),
        ("title", Self::title),
        ("summary", Self::summary),
        ("loading", Self::loading),
        ("keywords", Self::keywords),
        ("related", Self::related),
        ("version", Self::version),
        ("size_hints", Self::size_hints),
        ("rules", Self::rules),
        ("ailang", Self::language),
    ];

    fn fields(&mut self, root: &Node, front_matter: &mut FrontMatter) {
        let NodeKind::Map(fields) = &root.kind else {
            front_matter.is_read = false;
            let message = "front matter is made of fields";
            self.diagnostics
                .error(Code::YAML, root.span, message)
                .help("write `id: my-tools`, each on its line");
            return;
        };
        for it in repeated(root) {
            self.duplicate(&it.path, it.span, it.first);
        }
        let mut seen: HashMap<&str, Span> = HashMap::new();
        for (key, value) in fields {
            let Some(name) = self.text(key, Code::YAML, "the name of a field") else { continue };
            if seen.insert(name, key.span).is_some() {
                continue;
            }
            match Self::FIELDS.iter().find(|(known, _)| *known == name) {
                Some((_, read)) => read(self, value, front_matter),
                None => {
                    let names = Self::FIELDS.iter().map(|(known, _)| *known);
                    self.diagnostics
                        .warning(
                            Code::UNKNOWN_FIELD,
                            key.span,
                            format!("no field of the front matter is called `{name}`"),
                        )
                        .nearest(name, key.span, names);
                }
            }
        }
        self.check_rules(&seen, front_matter);
    }

    fn check_rules(&mut self, seen: &HashMap<&str, Span>, front_matter: &FrontMatter) {
        if let Some(loading) = &front_matter.loading
            && loading.value == Loading::ByRule
            && !seen.contains_key("rules")
        {
            self.diagnostics
                .error(Code::MISSING_RULES, loading.span, "a document that loads by rule needs rules")
                .help("write:\nrules:\n  - when: keyword\n    pattern: mail");
        }
    }
}
