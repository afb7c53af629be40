//! Documents as pages for readers: static HTML with a search, or Markdown.
//!
//! HTML needs no server and loads nothing. Everything that documents say is escaped, and HTML in their prose is shown as
//! text. A content security policy allows only the two scripts and styles that are in the page.

mod anchor;
mod code;
mod entry;
mod frame;
mod index;
mod markdown;
mod page;
mod prose;
mod section;
mod site;

use crate::Document;
use crate::documents::{Documents, built_in_at};
use crate::format::format;
pub use markdown::markdown_pages;
use page::Page;
use site::Site;

/// A file of the result.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct DocumentationPage {
    /// The file name.
    pub path: String,
    /// The content.
    pub text: String,
}

/// Returns documents as HTML, the index first. Code is in the canonical layout, and its names lead to their definitions.
pub fn html_pages(documents: &Documents) -> Vec<DocumentationPage> {
    let documents = canonical(documents);
    let site = Site::new(&documents, "html");
    let pages: Vec<Page<'_>> =
        documents.iter().map(|(path, document)| Page::new(&site, path, document)).collect();
    let entries: Vec<serde_json::Value> = pages.iter().flat_map(Page::entries).collect();
    let index = DocumentationPage { path: "index.html".to_owned(), text: index::text(&pages, &entries) };
    let each = pages.iter();
    let each = each.map(|it| DocumentationPage { path: it.file.to_owned(), text: it.text(&entries) });
    std::iter::once(index).chain(each).collect()
}

/// Returns the documents without the built-in modules, in the canonical layout. Those with mistakes stay as they are.
fn canonical(documents: &Documents) -> Documents {
    let mut canonical = Documents::new();
    for (path, document) in documents.iter().filter(|(path, _)| built_in_at(path).is_none()) {
        let document = format(&document.source).map_or_else(|_| document.clone(), Document::parse);
        canonical.insert(path, document);
    }
    canonical
}

/// Escapes a text for content and attributes.
fn escaped(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    for char in crate::trust::visible(text).chars() {
        match char {
            '&' => out.push_str("&amp;"),
            '<' => out.push_str("&lt;"),
            '>' => out.push_str("&gt;"),
            '"' => out.push_str("&quot;"),
            '\'' => out.push_str("&#39;"),
            char => out.push(char),
        }
    }
    out
}
