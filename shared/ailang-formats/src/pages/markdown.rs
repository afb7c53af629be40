//! Documents as plain Markdown, for places that show Markdown and know no blocks of ours.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write as _;

use ailang::split::{BlockKind, Part};
use ailang::syntax::Definition;
use ailang::{Document, Documents, Example, Occurrence, visible};
use pulldown_cmark::{Event, Parser, Tag};
use source_text::Span;

use super::anchor::{self, Anchors};
use super::page::{markdown, without_title};
use super::prose::is_safe;
use super::site::{DocumentationPage, Site, canonical};

/// The number of passes after which words are shown as code.
const MOST_PASSES: usize = 8;

/// Returns documents as Markdown, the index first: each definition and each example is a section with its code. HTML in
/// the words of documents is shown as text.
pub fn markdown_pages(documents: &Documents) -> Vec<DocumentationPage> {
    let documents = canonical(documents);
    let site = Site::new(&documents, "md");
    let pages: Vec<MarkdownPage<'_>> =
        documents.iter().map(|(path, document)| MarkdownPage::new(&site, path, document)).collect();
    let mut index = String::from("# Documents\n\n");
    for page in &pages {
        let _ = writeln!(index, "- [{}]({}): {}", words(&page.title), page.file, words(&page.summary));
    }
    let index = DocumentationPage { path: "index.md".to_owned(), text: index };
    let each = pages.iter().map(|it| DocumentationPage { path: it.file.to_owned(), text: it.text() });
    std::iter::once(index).chain(each).collect()
}

/// The page of a document.
struct MarkdownPage<'a> {
    site: &'a Site<'a>,
    path: &'a str,
    document: &'a Document,
    file: &'a str,
    title: String,
    summary: String,
    occurrences: Vec<Occurrence>,
}

impl<'a> MarkdownPage<'a> {
    fn new(site: &'a Site<'a>, path: &'a str, document: &'a Document) -> Self {
        let text = |field: &Option<ailang::Field<String>>| {
            field.as_ref().map(|it| it.value.clone()).unwrap_or_default()
        };
        let title = Some(text(&document.front_matter.title)).filter(|it| !it.is_empty());
        let title = title.unwrap_or_else(|| path.to_owned());
        let summary = text(&document.front_matter.summary);
        Self {
            site,
            path,
            document,
            file: site.file(path),
            title,
            summary,
            occurrences: site.occurrences(path),
        }
    }

    fn text(&self) -> String {
        let mut sections = vec![format!("# {}", words(&self.title)), words(&self.summary)];
        let mut anchors = Anchors::default();
        let mut examples = self.document.examples.iter().enumerate();
        for part in &self.document.parts {
            let prose = markdown(self.document, part).map(|it| harmless(without_title(it, &self.title)));
            sections.extend(prose.map(|it| it.trim().to_owned()));
            match part {
                Part::Block(block) if block.kind == BlockKind::Define => {
                    let is_inside =
                        |it: &&Definition| block.span.start <= it.span.start && it.span.end <= block.span.end;
                    sections
                        .extend(self.document.definitions().filter(is_inside).map(|it| self.definition(it)));
                }
                Part::Block(_) => {
                    sections.extend(examples.next().map(|(at, it)| self.example(it, at + 1, &mut anchors)));
                }
                _ => {}
            }
        }
        sections.retain(|it| !it.is_empty());
        sections.join("\n\n") + "\n"
    }

    /// Returns the section of a definition: its words, its code, and links to what it names.
    fn definition(&self, definition: &Definition) -> String {
        let heading = heading(definition.kind.keyword(), &definition.name.text);
        let mut text = format!("<a id=\"{}\"></a>\n\n{heading}", anchor::of_definition(definition));
        let about = harmless(&definition.documentation.text);
        if !about.is_empty() {
            let _ = write!(text, "\n\n{about}");
        }
        let tags = definition.documentation.tags.iter().filter(|it| it.name != "example");
        let tags: Vec<String> = tags.map(|it| words(format!("@{} {}", it.name, it.text).trim())).collect();
        if !tags.is_empty() {
            let _ = write!(text, "\n\n{}", tags.join(", "));
        }
        let _ = write!(text, "\n\n{}", fence("typescript", self.document.text(definition.span)));
        let uses = self.uses(definition.span);
        if !uses.is_empty() {
            let links: Vec<String> = uses.iter().map(|(name, url)| format!("[`{name}`]({url})")).collect();
            let _ = write!(text, "\n\nUses {}", links.join(", "));
        }
        text
    }

    /// Returns the addresses of what code names, by name.
    fn uses(&self, span: Span) -> BTreeMap<&'a str, String> {
        let inside =
            self.occurrences.iter().filter(|it| span.start <= it.span.start && it.span.end <= span.end);
        let uses = inside.filter(|it| it.span != it.target.span);
        uses.filter_map(|it| Some((self.document.text(it.span), self.site.url(self.path, it.target)?)))
            .collect()
    }

    fn example(&self, example: &Example, number: usize, anchors: &mut Anchors) -> String {
        let title = example.attribute("title").and_then(|it| it.value.as_deref()).or(example.id());
        let anchor = anchors.of_example(example.id(), number);
        let heading = heading("example", title.unwrap_or("without a name"));
        let code: Vec<&str> = example.code.iter().map(|it| self.document.text(*it).trim()).collect();
        let mut text =
            format!("<a id=\"{anchor}\"></a>\n\n{heading}\n\n{}", fence("typescript", &code.join("\n")));
        for attachment in &example.attachments {
            let body = self.document.text(attachment.body).trim_end();
            let _ = write!(text, "\n\n{}:\n\n{}", words(&attachment.kind), fence("text", body));
        }
        text
    }
}

fn heading(kind: &str, name: &str) -> String {
    format!("### {kind} {}", words(name))
}

/// Returns code in a fence that is longer than all inside.
fn fence(language: &str, code: &str) -> String {
    let longest = code.split(|it| it != '`').map(str::len).max().unwrap_or(0);
    let fence = "`".repeat(longest.max(2) + 1);
    format!("{fence}{language}\n{}\n{fence}", visible(code).trim_end())
}

/// Returns words in which Markdown means nothing, on one line.
fn words(text: &str) -> String {
    let line = visible(text).split_whitespace().collect::<Vec<_>>().join(" ");
    let escape = |char: char| {
        let is_syntax = char.is_ascii_punctuation() && !"@.,:;'\"()?/%$".contains(char);
        if is_syntax { vec!['\\', char] } else { vec![char] }
    };
    line.chars().flat_map(escape).collect()
}

/// Returns Markdown whose HTML, images and links to scripts are words.
fn harmless(markdown: &str) -> String {
    let mut text = visible(markdown);
    // What was inside of HTML is Markdown after a pass, which may have HTML again.
    for _ in 0..MOST_PASSES {
        let places = harmful(&text);
        if places.is_empty() {
            return text.trim_end().to_owned();
        }
        text = escaped_at(&text, places);
    }
    fence("text", markdown)
}

/// Returns the places at which a backslash makes words of markup.
fn harmful(markdown: &str) -> BTreeSet<usize> {
    let mut places = BTreeSet::new();
    for (event, range) in Parser::new(markdown).into_offset_iter() {
        match event {
            Event::Html(_) | Event::InlineHtml(_) => {
                let tags = markdown[range.clone()].match_indices('<');
                places.extend(tags.map(|(at, _)| range.start + at));
            }
            // An image would be loaded from somewhere.
            Event::Start(Tag::Image { .. }) => places.extend([range.start]),
            Event::Start(Tag::Link { dest_url, .. }) if !is_safe(&dest_url) => places.extend([range.start]),
            _ => {}
        }
    }
    places
}

fn escaped_at(text: &str, places: BTreeSet<usize>) -> String {
    let (mut out, mut at) = (String::new(), 0);
    for place in places {
        out.push_str(&text[at..place]);
        out.push('\\');
        at = place;
    }
    out + &text[at..]
}
