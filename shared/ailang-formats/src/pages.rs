//! Documents as pages for readers: static HTML with a search, or Markdown.
//!
//! HTML needs no server and loads nothing. Everything that documents say is escaped, and HTML in their prose is shown as
//! text. A content security policy allows only the two scripts and styles that are in the page.

mod anchor;
mod code;
mod entry;
mod escape;
mod frame;
mod index;
mod markdown;
mod page;
mod prose;
mod section;
mod site;

use ailang::Documents;
pub use markdown::markdown_pages;
use page::Page;
pub use site::DocumentationPage;
use site::{Site, canonical};

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
