//! The index of all documents.

use std::fmt::Write as _;

use ailang::syntax::{Definition, DefinitionKind};
use serde_json::Value;

use super::escape::escaped;
use super::page::Page;
use super::{anchor, frame};

/// Returns the page with all documents and their tools.
pub(super) fn text(pages: &[Page<'_>], entries: &[Value]) -> String {
    let mut body = String::from("<h1>Documents</h1>\n<ul class=\"cards\">\n");
    for page in pages {
        let _ = writeln!(
            body,
            "<li><h2><a href=\"{}\">{}</a></h2><p>{}</p><p class=\"more\">{}</p></li>",
            page.file,
            escaped(&page.title),
            escaped(&page.summary),
            tools(page).join(" ")
        );
    }
    body.push_str("</ul>\n");
    frame::framed("Documents", "", &body, entries)
}

/// Returns links to the tools of a page.
fn tools(page: &Page<'_>) -> Vec<String> {
    let tools = page.document.definitions().filter(|it| matches!(it.kind, DefinitionKind::Tool(_)));
    let link = |it: &Definition| {
        let (anchor, name) = (anchor::of_definition(it), escaped(&it.name.text));
        format!("<a href=\"{}#{anchor}\"><code>{name}</code></a>", page.file)
    };
    tools.map(link).collect()
}
