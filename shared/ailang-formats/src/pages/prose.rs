//! Markdown → HTML, without HTML of the author and without links that run something.

use pulldown_cmark::{CowStr, Event, HeadingLevel, Options, Parser, Tag, TagEnd, html};

use super::anchor::Anchors;

/// A piece of prose.
pub(super) struct Prose {
    pub(super) html: String,
    pub(super) sections: Vec<Section>,
}

/// The words from one heading to the next, for the search.
#[derive(Debug, Default)]
pub(super) struct Section {
    /// The heading; empty above the first.
    pub(super) title: String,
    pub(super) anchor: Option<String>,
    pub(super) text: String,
}

impl Prose {
    /// Renders Markdown. Each heading gets an anchor.
    pub(super) fn new(markdown: &str, anchors: &mut Anchors) -> Self {
        let markdown = ailang::visible(markdown);
        let mut events = events(&markdown);
        let mut sections = vec![Section::default()];
        let headings: Vec<usize> =
            (0..events.len()).filter(|at| matches!(events[*at], Event::Start(Tag::Heading { .. }))).collect();
        let mut from = 0;
        for start in headings {
            let length =
                events[start..].iter().take_while(|it| !matches!(it, Event::End(TagEnd::Heading(_))));
            let end = start + length.count();
            let title = words(&events[start..end]);
            let anchor = anchors.of_heading(&title);
            if let Event::Start(Tag::Heading { id, .. }) = &mut events[start] {
                *id = Some(anchor.clone().into());
            }
            finish(&mut sections, words(&events[from..start]));
            sections.push(Section { title, anchor: Some(anchor), text: String::new() });
            from = end;
        }
        finish(&mut sections, words(&events[from..]));
        sections.retain(|it| it.anchor.is_some() || !it.text.is_empty());
        Self { html: pushed(events), sections }
    }
}

/// Renders Markdown without anchors.
pub(super) fn rendered(markdown: &str) -> String {
    pushed(events(&ailang::visible(markdown)))
}

fn finish(sections: &mut [Section], text: String) {
    if let Some(last) = sections.last_mut() {
        last.text = text;
    }
}

/// Returns the words of a piece of Markdown.
fn words(events: &[Event<'_>]) -> String {
    let texts = events.iter().map(|it| match it {
        Event::Text(text) | Event::Code(text) => text,
        _ => " ",
    });
    texts.collect::<String>().split_whitespace().collect::<Vec<_>>().join(" ")
}

fn pushed(events: Vec<Event<'_>>) -> String {
    let mut out = String::new();
    html::push_html(&mut out, events.into_iter());
    out.replace("<pre>", "<pre tabindex=\"0\">")
}

/// Returns the events of Markdown, all harmless. Headings move one level down, because the page has a title.
fn events(markdown: &str) -> Vec<Event<'_>> {
    let options = Options::ENABLE_TABLES | Options::ENABLE_STRIKETHROUGH | Options::ENABLE_TASKLISTS;
    let event = |event| match event {
        Event::Html(text) | Event::InlineHtml(text) => Event::Text(text),
        Event::Start(Tag::Heading { level, id: _, classes: _, attrs: _ }) => Event::Start(Tag::Heading {
            level: lower(level),
            id: None,
            classes: Vec::new(),
            attrs: Vec::new(),
        }),
        Event::End(TagEnd::Heading(level)) => Event::End(TagEnd::Heading(lower(level))),
        Event::Start(Tag::Link { link_type, dest_url, title, id }) => {
            Event::Start(Tag::Link { link_type, dest_url: safe(dest_url), title, id })
        }
        // An image would be loaded from somewhere; its words stay.
        Event::Start(Tag::Image { .. }) => Event::Start(Tag::Emphasis),
        Event::End(TagEnd::Image) => Event::End(TagEnd::Emphasis),
        event => event,
    };
    Parser::new_ext(markdown, options).map(event).collect()
}
fn lower(level: HeadingLevel) -> HeadingLevel {
    match level {
        HeadingLevel::H1 => HeadingLevel::H2,
        HeadingLevel::H2 => HeadingLevel::H3,
        HeadingLevel::H3 => HeadingLevel::H4,
        HeadingLevel::H4 => HeadingLevel::H5,
        HeadingLevel::H5 | HeadingLevel::H6 => HeadingLevel::H6,
    }
}

/// Returns the target of a link, or `#` for one that is neither relative nor of the web.
fn safe(url: CowStr<'_>) -> CowStr<'_> {
    if is_safe(&url) { url } else { "#".into() }
}

/// Returns `true` for the target of a link that is relative or of the web.
pub(super) fn is_safe(url: &str) -> bool {
    let scheme =
        url.split(['/', '?', '#']).next().and_then(|start| start.split_once(':')).map(|(scheme, _)| scheme);
    let is_known = scheme
        .is_none_or(|it| ["http", "https", "mailto"].contains(&it.trim().to_ascii_lowercase().as_str()));
    is_known && !url.contains(char::is_control)
}
