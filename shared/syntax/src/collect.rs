//! Builds an outline from the captures of a language's outline query.

mod captures;
mod nest;
mod scope;

use std::collections::{HashMap, HashSet};

use captures::{Captured, RawDefinition};
use nest::{Nesting, nest};
use source_text::Span;

use crate::{Definition, Kind, Outline, Parsed, Visibility};

/// The number of bytes before a definition that are searched for its documentation and attributes, before the whole
/// text is.
const BEFORE: usize = 4 * 1024;

/// Stretches closer together than this many bytes are joined, because the query walks from the root for each.
const BETWEEN: usize = 2 * 1024;

/// The maximum number of stretches; with more, the whole text is queried.
const STRETCHES: usize = 16;

impl Parsed<'_> {
    /// Returns all definitions of the text.
    pub fn outline(&self) -> Outline {
        collect(self)
    }

    /// Returns the definitions with a name and those around them, each as in [`Parsed::outline`]. Two things differ: a
    /// visibility from a section whose first line is far before is missed, and other definitions may be left out. If
    /// only a small part of a large text mentions the name, this takes a fraction of the time.
    pub fn named(&self, name: &str) -> Outline {
        collect_named(self, name)
    }
}

fn collect(parsed: &Parsed<'_>) -> Outline {
    outline(parsed, Captured::read(parsed))
}

/// Collects the definitions with a name, those around them, and possibly more.
///
/// Most of the text is not queried. The first query covers the lines with the name only. The second covers the heads of
/// the definitions found and of those around them, with the documentation before each.
fn collect_named(parsed: &Parsed<'_>, name: &str) -> Outline {
    let (text, written) = (parsed.text, written(name));
    let near = |at: usize| line_at(text, at, floor(text, at + written.len() + BETWEEN));
    let places: Vec<Span> = text.match_indices(written).map(|(at, _)| near(at)).collect();
    let places = apart(places);
    let looked_at: usize = places.iter().map(|it| it.end - it.start).sum();
    if places.len() > STRETCHES || looked_at > text.len() / 2 {
        return outline(parsed, Captured::within(parsed, &[Span::new(0, text.len())], Some(name)));
    }
    let first = Captured::within(parsed, &places, Some(name));
    let (nested, outer) = (nest(&first), outer(&first));
    let mut wanted = vec![false; first.definitions.len()];
    let mut stretches = places;
    for (index, raw) in first.definitions.iter().enumerate() {
        let mut next = (raw.name(text) == name).then_some(index);
        while let Some(index) = next.filter(|it| !wanted[*it]) {
            wanted[index] = true;
            stretches.extend(head(&first, text, &first.definitions[index], outer[index]));
            next = nested[index].around;
        }
    }
    let captured = Captured::within(parsed, &apart(stretches), Some(name));
    let wanted_at = outer.iter().zip(&wanted).filter(|(_, is_wanted)| **is_wanted).map(|(it, _)| it.start);
    if { wanted_at }.any(|it| may_go_on(&captured, text, it)) {
        return collect(parsed);
    }
    outline(parsed, captured)
}

/// Returns the part of a name that a text must contain to define it: `this` for `this[]`, `size` for `size=`. For
/// `operator==` it is the word alone, because the sign may stand apart from it.
pub fn written(name: &str) -> &str {
    let is_in_word = |it: char| it.is_alphanumeric() || it == '_';
    match name.strip_prefix("operator") {
        Some(sign) if !sign.starts_with(is_in_word) => &name[..name.len() - sign.len()],
        _ => {
            let word = name.strip_suffix("[]").or_else(|| name.strip_suffix('='));
            word.filter(|it| it.ends_with(is_in_word)).unwrap_or(name)
        }
    }
}

/// Returns the last character boundary up to an offset.
fn floor(text: &str, at: usize) -> usize {
    (0..=at.min(text.len())).rfind(|it| text.is_char_boundary(*it)).expect("0 is one")
}

/// The nodes in a row that a pattern consists of; mostly one.
fn may_go_on(captured: &Captured, text: &str, start: usize) -> bool {
    let from = line_at(text, start.saturating_sub(BEFORE), start).start;
    let (first, _) = captured.leads.before(text, start);
    from > 0 && text.as_bytes().get(from..first).is_none_or(|it| it.trim_ascii().is_empty())
}

/// Returns the lines that make up the head of a definition: those before its body, those that may document it, and
/// the rest of the statements that wrap it. The rest shows if they wrap it alone.
fn head(captured: &Captured, text: &str, raw: &RawDefinition, outer: Span) -> Vec<Span> {
    let end = raw.body.unwrap_or(raw.span.end).max(raw.name_at.end);
    let whole = wrappers(captured, raw).last().map_or(raw.span, |(_, span)| span.join(raw.span));
    vec![
        line_at(text, whole.start.min(outer.start.saturating_sub(BEFORE)), end),
        line_at(text, raw.span.end, whole.end),
    ]
}

/// Extends a stretch to whole lines.
fn line_at(text: &str, start: usize, end: usize) -> Span {
    let bytes = text.as_bytes();
    let start = bytes[..start].iter().rposition(|it| *it == b'\n').map_or(0, |it| it + 1);
    let end = bytes[end..].iter().position(|it| *it == b'\n').map_or(text.len(), |it| end + it);
    Span::new(start, end)
}

fn outline(parsed: &Parsed<'_>, mut captured: Captured) -> Outline {
    captured.apply_properties(parsed.text);
    let places = nest(&captured);
    let outer = outer(&captured);
    let mut definitions: Vec<Definition> = Vec::new();
    for (index, raw) in captured.definitions.iter().enumerate() {
        let definition = define(parsed, &captured, raw, outer[index], &places[index], &definitions);
        definitions.push(definition);
    }
    let mut outline = Outline {
        tests: tests(&captured, &definitions),
        signatures: apart(std::mem::take(&mut captured.signatures)),
        definitions,
        lies_in: places.iter().map(|it| it.around).collect(),
        is_expression: captured.definitions.iter().map(|it| it.is_expression).collect(),
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
    raw: &RawDefinition,
    outer: Span,
    place: &Nesting,
    before: &[Definition],
) -> Definition {
    let [parent, around] = [place.parent, place.around].map(|it| it.map(|it| &before[it]));
    let (first, has_test_lead) = captured.leads.before(parsed.text, outer.start);
    let first = around.map_or(first, |it| first.max(it.signature.start));
    let (code, is_led_to_be_test) = captured.leads.skip_attributes(parsed.text, raw.span.start);
    let start = same_line_start(parsed.text, code, if code == raw.span.start { outer.start } else { code });
    let end = raw.body.unwrap_or(raw.span.end).max(raw.name_at.end.min(raw.span.end)).max(start);
    let end =
        captured.leads.first_comment(Span::new(raw.name_at.end.min(end), end)).unwrap_or(end).max(start);
    let before_value = raw.value.filter(|_| raw.body.is_none()).unwrap_or(end).min(end).max(start);
    Definition {
        name: raw.name(parsed.text),
        kind: raw.kind,
        parent: place.parent,
        owner: raw.owner.clone(),
        whole: Span::new(first.min(outer.start), outer.end),
        name_at: raw.name_at,
        signature: Span::new(start, before_value),
        with_value: Span::new(start, end),
        visibility: visibility(parsed, raw, place, parent),
        is_test: raw.is_test || has_test_lead || is_led_to_be_test,
        is_made: raw.is_made,
        has_body: raw.body.is_some(),
        bases: raw.bases.clone(),
    }
}

/// Returns the visibility: declared, inherited, of its section, or the language's default. Definitions inside
/// functions are private.
fn visibility(
    parsed: &Parsed<'_>,
    raw: &RawDefinition,
    place: &Nesting,
    parent: Option<&Definition>,
) -> Visibility {
    if parent.is_some_and(Definition::is_code) && !raw.kind.is_callable_test(raw.is_test) {
        return Visibility::Private;
    }
    let inherited = parent.filter(|_| raw.inherits).map(|it| it.visibility);
    raw.visibility.or(inherited).or(place.section).unwrap_or(parsed.language.row().visibility)
}

impl Kind {
    /// Returns true for tests that are made by calls. They are functions inside functions, and visible all the same.
    fn is_callable_test(self, is_test: bool) -> bool {
        is_test && self.is_callable()
    }
}

/// Returns the extent of each definition with the statements that only wrap it: `export`, decorators, `const` before
/// one name.
fn outer(captured: &Captured) -> Vec<Span> {
    let mut sharing: HashMap<usize, HashSet<usize>> = HashMap::new();
    for raw in &captured.definitions {
        for (wrapper, _) in wrappers(captured, raw) {
            sharing.entry(wrapper).or_default().insert(raw.node);
        }
    }
    let own = |raw: &RawDefinition| {
        let alone =
            wrappers(captured, raw).into_iter().take_while(|(wrapper, _)| sharing[wrapper].len() == 1);
        alone.last().map_or(raw.span, |(_, span)| span.join(raw.span))
    };
    captured.definitions.iter().map(own).collect()
}

/// Returns the ids and extents of the statements that wrap only the definition or each other, the innermost first.
fn wrappers(captured: &Captured, raw: &RawDefinition) -> Vec<(usize, Span)> {
    let mut around = Vec::new();
    let mut next = raw.node;
    while let Some((wrapper, span)) = captured.wrappers.get(&next).filter(|_| around.len() < 8) {
        around.push((*wrapper, *span));
        next = *wrapper;
    }
    around
}

/// Returns the start of the signature. It includes `export` and `const` before it on its line.
fn same_line_start(text: &str, start: usize, wrapper: usize) -> usize {
    let line = text[..start].rfind('\n').map_or(0, |it| it + 1);
    let first = start.min(wrapper.max(line));
    first + text[first..].len() - text[first..].trim_start().len()
}

/// Returns the stretches of test code, in order and disjoint.
fn tests(captured: &Captured, definitions: &[Definition]) -> Vec<Span> {
    let marked = definitions.iter().filter(|it| it.is_test).map(|it| it.whole);
    apart(captured.tests.iter().copied().chain(marked).collect())
}

/// Sorts stretches and joins those that touch.
fn apart(mut spans: Vec<Span>) -> Vec<Span> {
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
