//! From what a language's query captures to an outline.

mod found;
mod nest;

use std::collections::HashMap;

use source_text::Span;

use crate::{Definition, Kind, Outline, Parsed, Visibility};
use found::{Captured, Raw};
use nest::{Place, nest};

/// What a text defines.
pub(crate) fn collect(parsed: &Parsed<'_>) -> Outline {
    let mut captured = Captured::read(parsed);
    captured.apply_properties(parsed.text);
    let places = nest(&captured);
    let outer = outer(&captured);
    let mut definitions: Vec<Definition> = Vec::new();
    for (index, raw) in captured.definitions.iter().enumerate() {
        let parent = places[index].parent.map(|it| &definitions[it]);
        let definition = define(parsed, &captured, raw, outer[index], &places[index], parent);
        definitions.push(definition);
    }
    let mut outline = Outline {
        tests: tests(&captured, &definitions),
        definitions,
        is_partial: captured.is_cut || parsed.tree.root_node().has_error(),
    };
    for index in 0..outline.definitions.len() {
        outline.definitions[index].is_test = outline.is_test(outline.definitions[index].name_at.start);
    }
    outline
}

fn define(
    parsed: &Parsed<'_>,
    captured: &Captured,
    raw: &Raw,
    outer: Span,
    place: &Place,
    parent: Option<&Definition>,
) -> Definition {
    let (first, has_test_lead) = captured.leads.before(parsed.text, outer.start);
    let first = parent.map_or(first, |it| first.max(it.signature.start));
    let (code, is_led_to_be_test) = captured.leads.behind(parsed.text, raw.span.start);
    let start = same_line_start(parsed.text, code, if code == raw.span.start { outer.start } else { code });
    let end = raw.body.unwrap_or(raw.span.end).max(raw.name_at.end.min(raw.span.end)).max(start);
    let end =
        captured.leads.first_comment(Span::new(raw.name_at.end.min(end), end)).unwrap_or(end).max(start);
    Definition {
        name: raw.name(parsed.text),
        kind: raw.kind,
        parent: place.parent,
        owner: raw.owner.clone(),
        whole: Span::new(first.min(outer.start), outer.end),
        name_at: raw.name_at,
        signature: Span::new(start, end),
        visibility: visibility(parsed, raw, place, parent),
        is_test: raw.is_test || has_test_lead || is_led_to_be_test,
        has_body: raw.body.is_some(),
        bases: raw.bases.clone(),
    }
}

/// Its own word, else that of the section that it stands in, else what its language says of all. Whatever lies in a
/// function is seen nowhere else.
fn visibility(parsed: &Parsed<'_>, raw: &Raw, place: &Place, parent: Option<&Definition>) -> Visibility {
    if parent.is_some_and(Definition::is_code) && !raw.kind.is_callable_test(raw.is_test) {
        return Visibility::Private;
    }
    let inherited = parent.filter(|_| raw.inherits).map(|it| it.visibility);
    raw.visibility.or(inherited).or(place.section).unwrap_or(parsed.language.row().visibility)
}

impl Kind {
    /// Tests that calls make are functions in functions, and no less visible for it.
    fn is_callable_test(self, is_test: bool) -> bool {
        is_test && self.is_callable()
    }
}

/// Every definition with the statements that only wrap it: `export`, decorators, `const` before one name.
fn outer(captured: &Captured) -> Vec<Span> {
    let mut sharing: HashMap<usize, usize> = HashMap::new();
    let wrappers = |raw: &Raw| {
        let mut around = Vec::new();
        let mut next = raw.node;
        while let Some((wrapper, span)) = captured.wrappers.get(&next).filter(|_| around.len() < 8) {
            around.push((*wrapper, *span));
            next = *wrapper;
        }
        around
    };
    for raw in &captured.definitions {
        for (wrapper, _) in wrappers(raw) {
            *sharing.entry(wrapper).or_default() += 1;
        }
    }
    let own = |raw: &Raw| {
        let alone = wrappers(raw).into_iter().take_while(|(wrapper, _)| sharing[wrapper] == 1);
        alone.last().map_or(raw.span, |(_, span)| span.join(raw.span))
    };
    captured.definitions.iter().map(own).collect()
}

/// Where the signature starts: `export` and `const` before it on its line belong to it.
fn same_line_start(text: &str, start: usize, wrapper: usize) -> usize {
    let line = text[..start].rfind('\n').map_or(0, |it| it + 1);
    let first = start.min(wrapper.max(line));
    first + text[first..].len() - text[first..].trim_start().len()
}

/// What the captures and the definitions say is test code, as stretches apart from each other.
fn tests(captured: &Captured, definitions: &[Definition]) -> Vec<Span> {
    let marked = definitions.iter().filter(|it| it.is_test).map(|it| it.whole);
    let mut spans: Vec<Span> = captured.tests.iter().copied().chain(marked).collect();
    spans.sort();
    let mut apart: Vec<Span> = Vec::new();
    for span in spans {
        match apart.last_mut() {
            Some(last) if span.start <= last.end => last.end = last.end.max(span.end),
            _ => apart.push(span),
        }
    }
    apart
}
