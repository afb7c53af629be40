//! Sections of a page: a definition, or an example.

use std::fmt::Write as _;

use ailang::Example;
use ailang::syntax::{Definition, DefinitionKind};

use super::escape::escaped;
use super::page::Page;
use super::{anchor, prose};

impl Page<'_> {
    /// Returns the section of a definition: its words, its code, and links to what belongs to it.
    pub(super) fn definition(&self, definition: &Definition) -> String {
        let (anchor, name) = (anchor::of_definition(definition), escaped(&definition.name.text));
        let mut text = opened("definition", &anchor, definition.kind.keyword(), &name);
        let tags = definition.documentation.tags.iter().filter(|it| it.name != "example");
        let tags: Vec<String> = tags
            .map(|it| {
                let words = format!("@{} {}", it.name, it.text);
                format!("<span class=\"tag\">{}</span>", escaped(words.trim()))
            })
            .collect();
        if !tags.is_empty() {
            let _ = writeln!(text, "<p>{}</p>", tags.join(" "));
        }
        text.push_str(&prose::rendered(&definition.documentation.text));
        text.push_str(&code("", &self.code.html(definition.span)));
        if matches!(definition.kind, DefinitionKind::Tool(_)) {
            text.push_str(&self.examples_of(&definition.name.text));
        }
        text + "</section>\n"
    }

    /// Returns links to the examples of a tool.
    fn examples_of(&self, tool: &str) -> String {
        let examples = self.document.examples.iter().zip(&self.example_anchors);
        let examples = examples.filter(|(it, _)| it.tool() == Some(tool));
        let links: Vec<String> = examples
            .map(|(it, anchor)| {
                format!("<a href=\"#{anchor}\">{}</a>", escaped(it.id().unwrap_or("example")))
            })
            .collect();
        if links.is_empty() {
            String::new()
        } else {
            format!("<p class=\"more\">Examples: {}</p>\n", links.join(", "))
        }
    }

    /// Returns the section of an example: its program, and what belongs to it.
    pub(super) fn example(&self, example: &Example, anchor: &str) -> String {
        let title = example.attribute("title").and_then(|it| it.value.as_deref());
        let title = title.or(example.id()).unwrap_or("without a name");
        let mut text = opened("example", anchor, "example", &escaped(title));
        if let Some(description) = example.attribute("description").and_then(|it| it.value.as_deref()) {
            let _ = writeln!(text, "<p>{}</p>", escaped(description));
        }
        let program: Vec<String> = example.code.iter().map(|it| self.code.html(*it)).collect();
        text.push_str(&code("", program.join("\n").trim()));
        for attachment in &example.attachments {
            let _ = writeln!(text, "<p class=\"label\">{}</p>", escaped(&attachment.kind));
            text.push_str(&code("output", &escaped(self.document.text(attachment.body).trim_end())));
        }
        text + "</section>\n"
    }
}

/// Returns the start of a section, with a heading that links to it.
fn opened(class: &str, anchor: &str, kind: &str, name: &str) -> String {
    format!(
        "<section class=\"{class}\" id=\"{anchor}\">\n\
         <h2><a href=\"#{anchor}\"><span class=\"kind\">{kind}</span> {name}</a></h2>\n"
    )
}

/// Returns code, which the keyboard can scroll.
fn code(class: &str, html: &str) -> String {
    let class = if class.is_empty() { String::new() } else { format!(" class=\"{class}\"") };
    format!("<pre{class} tabindex=\"0\"><code>{html}</code></pre>\n")
}
