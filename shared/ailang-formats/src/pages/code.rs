//! Code whose names lead to their definitions.

use ailang::{Document, Occurrence};
use source_text::Span;

use super::escape::escaped;
use super::site::Site;

/// The code of a document, with its names.
pub(super) struct LinkedCode<'s, 'a> {
    site: &'s Site<'a>,
    path: &'a str,
    document: &'a Document,
    occurrences: Vec<Occurrence>,
}

impl<'s, 'a> LinkedCode<'s, 'a> {
    pub(super) fn new(site: &'s Site<'a>, path: &'a str, document: &'a Document) -> Self {
        Self { site, path, document, occurrences: site.occurrences(path) }
    }

    /// Returns a piece of the code as HTML.
    pub(super) fn html(&self, span: Span) -> String {
        let (mut text, mut at) = (String::new(), span.start);
        for it in self.occurrences.iter().filter(|it| span.start <= it.span.start && it.span.end <= span.end)
        {
            let is_definition = it.span == it.target.span;
            let url = self.site.url(self.path, it.target).filter(|_| !is_definition && at <= it.span.start);
            if let Some(url) = url {
                text.push_str(&escaped(self.document.text(Span::new(at, it.span.start))));
                text.push_str(&format!("<a href=\"{url}\">{}</a>", escaped(self.document.text(it.span))));
                at = it.span.end;
            }
        }
        let rest = self.document.text(Span::new(at, span.end));
        text + &escaped(rest.trim_end())
    }
}
