//! The page of a document.

use std::fmt::Write as _;

use ailang::split::{Block, BlockKind, BlockPart, Part};
use ailang::syntax::Definition;
use ailang::{Document, Example};
use serde_json::Value;

use super::anchor::{self, Anchors};
use super::code::LinkedCode;
use super::escape::escaped;
use super::frame;
use super::prose::{Prose, Section};
use super::site::Site;

/// The kinds of definitions in the order of the contents, with their headings.
const KINDS: &[(&str, &str)] = &[
    ("tool", "Tools"),
    ("type", "Types"),
    ("enum", "Enums"),
    ("error", "Errors"),
    ("capability", "Capabilities"),
];

/// The page of a document.
pub(super) struct Page<'a> {
    pub(super) document: &'a Document,
    pub(super) file: &'a str,
    pub(super) title: String,
    pub(super) summary: String,
    /// The anchors of the examples, in their order.
    pub(super) example_anchors: Vec<String>,
    /// The prose, in the order of the document: between blocks, and inside of definitions.
    prose: Vec<Prose>,
    pub(super) code: LinkedCode<'a, 'a>,
}

impl<'a> Page<'a> {
    pub(super) fn new(site: &'a Site<'a>, path: &'a str, document: &'a Document) -> Self {
        let text = |field: &Option<ailang::Field<String>>| {
            field.as_ref().map(|it| it.value.clone()).unwrap_or_default()
        };
        let title = Some(text(&document.front_matter.title)).filter(|it| !it.is_empty());
        let title = title.unwrap_or_else(|| path.to_owned());
        let mut anchors = Anchors::default();
        let examples = document.examples.iter().enumerate();
        let example_anchors = examples.map(|(index, it)| anchors.of_example(it.id(), index + 1)).collect();
        let markdown = document.parts.iter().flat_map(|part| markdown(document, part));
        let prose = markdown.map(|it| Prose::new(without_title(it, &title), &mut anchors)).collect();
        let summary = text(&document.front_matter.summary);
        let code = LinkedCode::new(site, path, document);
        Self { document, file: site.file(path), title, summary, example_anchors, prose, code }
    }

    /// Returns the sections of the prose.
    pub(super) fn sections(&self) -> impl Iterator<Item = &Section> {
        self.prose.iter().flat_map(|it| &it.sections)
    }

    pub(super) fn text(&self, entries: &[Value]) -> String {
        let (title, summary) = (escaped(&self.title), escaped(&self.summary));
        let mut body = format!("<h1>{title}</h1>\n<p class=\"summary\">{summary}</p>\n");
        body.push_str(&self.facts());
        let mut prose = self.prose.iter();
        let mut examples = self.document.examples.iter().zip(&self.example_anchors);
        for part in &self.document.parts {
            for it in prose.by_ref().take(markdown(self.document, part).count()) {
                body.push_str(&it.html);
            }
            match part {
                Part::Block(block) if block.kind == BlockKind::Define => self.definitions(block, &mut body),
                Part::Block(_) => {
                    let example = examples.next();
                    body.extend(example.map(|(example, anchor)| self.example(example, anchor)));
                }
                _ => {}
            }
        }
        frame::framed(&self.title, &self.contents(), &body, entries)
    }

    fn definitions(&self, block: &Block, body: &mut String) {
        let is_inside = |it: &&Definition| block.span.start <= it.span.start && it.span.end <= block.span.end;
        for definition in self.document.definitions().filter(is_inside) {
            body.push_str(&self.definition(definition));
        }
    }

    fn facts(&self) -> String {
        let front_matter = &self.document.front_matter;
        let id = front_matter.id.as_ref().map(|it| format!("<code>{}</code>", escaped(&it.value)));
        let version = front_matter.version.as_ref();
        let version = version.map(|it| format!("version {}", escaped(&it.value.to_string())));
        let loading = format!("loaded {}", front_matter.loading().name().replace('_', " "));
        let words = front_matter.keywords.iter();
        let words = words.map(|it| format!("<span class=\"word\">{}</span>", escaped(&it.value)));
        let facts: Vec<String> = id.into_iter().chain(version).chain([loading]).chain(words).collect();
        format!("<p class=\"facts\">{}</p>\n", facts.join(" · "))
    }

    /// Returns the list of definitions at the side.
    fn contents(&self) -> String {
        let mut text =
            String::from("<nav aria-label=\"Contents\"><p><a href=\"index.html\">All documents</a></p>\n");
        for (kind, heading) in KINDS {
            let all = self.document.definitions().filter(|it| it.kind.keyword() == *kind);
            let links = all.map(|it| (anchor::of_definition(it), it.name.text.clone())).collect();
            text.push_str(&list(heading, links));
        }
        let examples = self.document.examples.iter().zip(&self.example_anchors).enumerate();
        let links = examples.map(|(index, (it, anchor))| {
            (anchor.clone(), it.id().map_or_else(|| format!("Example {}", index + 1), str::to_owned))
        });
        text + &list("Examples", links.collect()) + "</nav>\n"
    }

    /// Returns the code of an example without its attachments.
    pub(super) fn example_text(&self, example: &Example) -> String {
        example.code.iter().map(|it| self.document.text(*it).trim_end()).collect::<Vec<_>>().join("\n")
    }
}

/// Returns a list of links under a heading; nothing without links.
fn list(heading: &str, links: Vec<(String, String)>) -> String {
    if links.is_empty() {
        return String::new();
    }
    let mut text = format!("<h2>{heading}</h2>\n<ul>");
    for (anchor, name) in links {
        let _ = write!(text, "<li><a href=\"#{anchor}\">{}</a></li>", escaped(&name));
    }
    text + "</ul>\n"
}

/// Returns the Markdown of a part: prose, a fence, or the notes in a block of definitions.
pub(super) fn markdown<'d>(document: &'d Document, part: &'d Part) -> impl Iterator<Item = &'d str> {
    let notes = match part {
        Part::Block(block) if block.kind == BlockKind::Define => block.parts.as_slice(),
        _ => &[],
    };
    let notes = notes.iter().filter_map(|it| match it {
        BlockPart::Prose(span) => Some(*span),
        _ => None,
    });
    let whole = match part {
        Part::Prose(span) => Some(*span),
        Part::Fence(fence) => Some(fence.span),
        _ => None,
    };
    whole.into_iter().chain(notes).map(|it| document.text(it))
}

/// Removes the first heading, if it is the title.
pub(super) fn without_title<'m>(markdown: &'m str, title: &str) -> &'m str {
    let trimmed = markdown.trim_start();
    let first = trimmed.lines().next().unwrap_or_default();
    match ailang::split::heading(first) {
        Some((1, text)) if text == title => &trimmed[first.len()..],
        _ => markdown,
    }
}
