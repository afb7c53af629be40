//! Documents as static HTML: a page for each, and an index with a search over names and prose.
//!
//! Pages need no server and load nothing. Everything that documents say is escaped, and HTML in their prose is shown as
//! text. A content security policy allows only the two scripts and styles that are in the page.

mod page;
mod prose;

use crate::documents::{Documents, built_in_at};
use page::Page;

/// A file of the result.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct HtmlPage {
    /// The file name.
    pub path: String,
    /// The content.
    pub text: String,
}

/// Returns the pages of documents, the index first.
pub fn html_pages(documents: &Documents) -> Vec<HtmlPage> {
    let mut taken = std::collections::HashSet::from(["index".to_owned()]);
    let own = documents.iter().filter(|(path, _)| built_in_at(path).is_none());
    let pages: Vec<Page<'_>> = own.map(|(path, document)| Page::new(path, document, &mut taken)).collect();
    let entries: Vec<serde_json::Value> = pages.iter().flat_map(Page::entries).collect();
    let index = HtmlPage { path: "index.html".to_owned(), text: page::index(&pages, &entries) };
    let each = pages.iter().map(|page| HtmlPage { path: page.file.clone(), text: page.text(&entries) });
    std::iter::once(index).chain(each).collect()
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
