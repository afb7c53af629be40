//! The pages: one for a document, and the index.

use std::collections::HashSet;
use std::fmt::Write as _;

use serde_json::{Value, json};

use super::escaped;
use super::prose::rendered;
use crate::document::{Document, Example};
use crate::print::{Comments, Printer};
use crate::split::{BlockKind, BlockPart, Part};
use crate::syntax::{Definition, DefinitionKind};

const STYLE: &str = include_str!("style.css");
const SCRIPT: &str = include_str!("search.js");

/// The maximum length of a text in the search, in characters.
const LONGEST_ENTRY: usize = 240;

/// The page of a document.
pub(super) struct Page<'a> {
    document: &'a Document,
    pub(super) file: String,
    title: String,
    summary: String,
}

impl<'a> Page<'a> {
    pub(super) fn new(path: &str, document: &'a Document, taken: &mut HashSet<String>) -> Self {
        let name = path.trim_end_matches(".md");
        let plain: String = name
            .chars()
            .map(|it| if it.is_ascii_alphanumeric() || it == '_' { it.to_ascii_lowercase() } else { '-' })
            .collect();
        let plain = if plain.is_empty() { "document".to_owned() } else { plain };
        let numbered = (2..).map(|number| format!("{plain}-{number}"));
        let file = std::iter::once(plain.clone())
            .chain(numbered)
            .find(|it| taken.insert(it.clone()))
            .unwrap_or(plain.clone());
        let text = |field: &Option<crate::Field<String>>| {
            field.as_ref().map(|it| it.value.clone()).unwrap_or_default()
        };
        let title = Some(text(&document.front_matter.title))
            .filter(|it| !it.is_empty())
            .unwrap_or_else(|| path.to_owned());
        Self { document, file: format!("{file}.html"), title, summary: text(&document.front_matter.summary) }
    }

    /// Returns the entries of the search: the document, its definitions, its examples.
    pub(super) fn entries(&self) -> Vec<Value> {
        let short = |text: &str| crate::trust::plain(text, LONGEST_ENTRY);
        let mut entries = vec![
            json!({"n": short(&self.title), "k": "document", "t": short(&self.summary), "u": self.file}),
        ];
        for definition in self.document.definitions() {
            let url = format!("{}#{}", self.file, anchor(definition));
            entries.push(json!({
                "n": short(&definition.name.text), "k": definition.kind.keyword(),
                "t": short(&definition.documentation.text), "u": url,
            }));
        }
        for (index, example) in self.document.examples.iter().enumerate() {
            let url = format!("{}#example-{}", self.file, index + 1);
            entries.push(json!({"n": short(example.id().unwrap_or("example")), "k": "example", "t": short(&self.code(example)), "u": url}));
        }
        for part in &self.document.parts {
            if let Part::Prose(span) = part {
                let text = short(self.document.text(*span));
                entries.extend(
                    (!text.is_empty())
                        .then(|| json!({"n": short(&self.title), "k": "prose", "t": text, "u": self.file})),
                );
            }
        }
        entries
    }

    pub(super) fn text(&self, entries: &[Value]) -> String {
        let mut body = format!(
            "<h1>{}</h1>\n<p class=\"summary\">{}</p>\n",
            escaped(&self.title),
            escaped(&self.summary)
        );
        body.push_str(&self.facts());
        let mut shown = 0;
        for part in &self.document.parts {
            match part {
                Part::Prose(span) => body.push_str(&rendered(&self.without_title(self.document.text(*span)))),
                Part::Fence(fence) => body.push_str(&rendered(self.document.text(fence.span))),
                Part::Block(block) if block.kind == BlockKind::Define => {
                    let notes = block.parts.iter().filter_map(|it| match it {
                        BlockPart::Prose(span) => Some(self.document.text(*span)),
                        _ => None,
                    });
                    notes.for_each(|note| body.push_str(&rendered(note)));
                    let inside =
                        |it: &&Definition| block.span.start <= it.span.start && it.span.end <= block.span.end;
                    for definition in self.document.definitions().filter(inside) {
                        body.push_str(&self.definition(definition));
                    }
                }
                Part::Block(_) => {
                    if let Some(example) = self.document.examples.get(shown) {
                        shown += 1;
                        body.push_str(&self.example(example, shown));
                    }
                }
                Part::ByteOrderMark(_) | Part::FrontMatter { .. } => {}
            }
        }
        page(&self.title, &self.contents(), &body, entries)
    }

    /// Removes the first heading, if it is the title.
    fn without_title(&self, markdown: &str) -> String {
        let trimmed = markdown.trim_start();
        let first = trimmed.lines().next().unwrap_or_default();
        match crate::extract::heading(first) {
            Some((1, text)) if text == self.title => trimmed[first.len()..].to_owned(),
            _ => markdown.to_owned(),
        }
    }

    fn facts(&self) -> String {
        let front_matter = &self.document.front_matter;
        let mut facts: Vec<String> = Vec::new();
        facts.extend(front_matter.id.as_ref().map(|it| format!("<code>{}</code>", escaped(&it.value))));
        facts.extend(
            front_matter.version.as_ref().map(|it| format!("version {}", escaped(&it.value.to_string()))),
        );
        facts.push(format!("loaded {}", front_matter.loading().name().replace('_', " ")));
        facts.extend(
            front_matter
                .keywords
                .iter()
                .map(|it| format!("<span class=\"word\">{}</span>", escaped(&it.value))),
        );
        format!("<p class=\"facts\">{}</p>\n", facts.join(" · "))
    }

    /// Returns the list of definitions at the side.
    fn contents(&self) -> String {
        let mut text =
            String::from("<nav aria-label=\"Contents\"><p><a href=\"index.html\">All documents</a></p>\n");
        for kind in ["tool", "type", "enum", "error", "capability"] {
            let all: Vec<&Definition> =
                self.document.definitions().filter(|it| it.kind.keyword() == kind).collect();
            if !all.is_empty() {
                let _ = write!(text, "<h2>{}</h2>\n<ul>", plural(kind));
                for it in all {
                    let _ =
                        write!(text, "<li><a href=\"#{}\">{}</a></li>", anchor(it), escaped(&it.name.text));
                }
                text.push_str("</ul>\n");
            }
        }
        if !self.document.examples.is_empty() {
            text.push_str("<h2>Examples</h2>\n<ul>");
            for (index, example) in self.document.examples.iter().enumerate() {
                let number = index + 1;
                let name = example.id().map_or_else(|| format!("Example {number}"), str::to_owned);
                let _ = write!(text, "<li><a href=\"#example-{number}\">{}</a></li>", escaped(&name));
            }
            text.push_str("</ul>\n");
        }
        text + "</nav>\n"
    }

    fn definition(&self, definition: &Definition) -> String {
        let (anchor, name) = (anchor(definition), escaped(&definition.name.text));
        let kind = definition.kind.keyword();
        let mut text = format!(
            "<section class=\"definition\" id=\"{anchor}\">\n<h3><a href=\"#{anchor}\"><span class=\"kind\">{kind}</span> {name}</a></h3>\n"
        );
        let tags: Vec<String> = definition
            .documentation
            .tags
            .iter()
            .filter(|it| it.name != "example")
            .map(|tag| {
                format!(
                    "<span class=\"tag\">{}</span>",
                    escaped(format!("@{} {}", tag.name, tag.text).trim())
                )
            })
            .collect();
        if !tags.is_empty() {
            let _ = writeln!(text, "<p>{}</p>", tags.join(" "));
        }
        text.push_str(&rendered(&definition.documentation.text));
        // Comments inside are part of the code; those above have just been shown.
        let printer = Printer::new(self.document, Comments::All);
        let code =
            crate::format::format(&format!("<define>\n{}\n</define>\n", printer.defined(definition))).ok();
        let code =
            code.as_deref().and_then(first_fence).map_or_else(|| printer.defined(definition), str::to_owned);
        let _ = writeln!(text, "<pre><code>{}</code></pre>", escaped(&code));
        if let DefinitionKind::Tool(tool) = &definition.kind {
            let examples = self.document.examples.iter().enumerate();
            let links: Vec<String> = examples
                .filter(|(_, it)| it.tool() == Some(definition.name.text.as_str()))
                .map(|(index, it)| {
                    format!(
                        "<a href=\"#example-{}\">{}</a>",
                        index + 1,
                        escaped(it.id().unwrap_or("example"))
                    )
                })
                .collect();
            if !links.is_empty() {
                let _ = writeln!(text, "<p class=\"more\">Examples: {}</p>", links.join(", "));
            }
            let names = tool.throws.iter().map(|it| it.name.text.as_str());
            let known = |name: &&str| self.document.definitions().any(|it| it.name.text == *name);
            let links: Vec<String> =
                names.filter(known).map(|it| format!("<a href=\"#d-{0}\">{0}</a>", escaped(it))).collect();
            if !links.is_empty() {
                let _ = writeln!(text, "<p class=\"more\">Errors: {}</p>", links.join(", "));
            }
        }
        text + "</section>\n"
    }

    fn code(&self, example: &Example) -> String {
        example.code.iter().map(|it| self.document.text(*it).trim_end()).collect::<Vec<_>>().join("\n")
    }

    fn example(&self, example: &Example, number: usize) -> String {
        let title = example.attribute("title").and_then(|it| it.value.as_deref());
        let title = title.or(example.id()).map_or_else(|| format!("Example {number}"), str::to_owned);
        let mut text = format!(
            "<section class=\"example\" id=\"example-{number}\">\n<h3><a href=\"#example-{number}\"><span class=\"kind\">example</span> {}</a></h3>\n",
            escaped(&title)
        );
        if let Some(description) = example.attribute("description").and_then(|it| it.value.as_deref()) {
            let _ = writeln!(text, "<p>{}</p>", escaped(description));
        }
        let _ = writeln!(text, "<pre><code>{}</code></pre>", escaped(self.code(example).trim()));
        for attachment in &example.attachments {
            let body = escaped(self.document.text(attachment.body).trim_end());
            let _ = writeln!(
                text,
                "<p class=\"label\">{}</p>\n<pre class=\"output\"><code>{body}</code></pre>",
                escaped(&attachment.kind)
            );
        }
        text + "</section>\n"
    }
}

fn first_fence(document: &str) -> Option<&str> {
    let (_, rest) = document.split_once("```typescript\n")?;
    rest.rsplit_once("\n```").map(|(code, _)| code)
}

fn anchor(definition: &Definition) -> String {
    format!("d-{}", escaped(&definition.name.text))
}

fn plural(kind: &str) -> &'static str {
    match kind {
        "tool" => "Tools",
        "type" => "Types",
        "enum" => "Enums",
        "error" => "Errors",
        _ => "Capabilities",
    }
}

/// Returns the index of all documents.
pub(super) fn index(pages: &[Page<'_>], entries: &[Value]) -> String {
    let mut body = String::from("<h1>Documents</h1>\n<ul class=\"cards\">\n");
    for page in pages {
        let tools: Vec<String> = page
            .document
            .definitions()
            .filter(|it| it.kind.keyword() == "tool")
            .map(|it| {
                format!(
                    "<a href=\"{}#{}\"><code>{}</code></a>",
                    page.file,
                    anchor(it),
                    escaped(&it.name.text)
                )
            })
            .collect();
        let _ = writeln!(
            body,
            "<li><h2><a href=\"{}\">{}</a></h2><p>{}</p><p class=\"more\">{}</p></li>",
            page.file,
            escaped(&page.title),
            escaped(&page.summary),
            tools.join(" ")
        );
    }
    body.push_str("</ul>\n");
    page("Documents", "", &body, entries)
}

fn page(title: &str, contents: &str, body: &str, entries: &[Value]) -> String {
    // `<` and `&` cannot end or change the script that holds the data.
    let data = Value::from(entries.to_vec())
        .to_string()
        .replace('<', "\\u003c")
        .replace('&', "\\u0026")
        .replace('\u{2028}', "\\u2028");
    format!(
        "<!doctype html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n\
         <meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n\
         <meta http-equiv=\"Content-Security-Policy\" content=\"default-src 'none'; style-src 'unsafe-inline'; script-src 'unsafe-inline'; base-uri 'none'; form-action 'none'\">\n\
         <title>{}</title>\n<style>\n{STYLE}</style>\n</head>\n<body>\n\
         <header><a class=\"home\" href=\"index.html\">AiLang</a>\n\
         <input id=\"search\" type=\"search\" placeholder=\"Search names and words\" aria-label=\"Search\" autocomplete=\"off\">\n\
         <ul id=\"found\" hidden></ul></header>\n\
         <div class=\"columns\">\n{contents}<main>\n{body}</main>\n</div>\n\
         <script type=\"application/json\" id=\"entries\">{data}</script>\n<script>\n{SCRIPT}</script>\n</body>\n</html>\n",
        escaped(title)
    )
}
