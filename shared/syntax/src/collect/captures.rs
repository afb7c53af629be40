//! The captures of an outline query in one text.

use std::collections::{HashMap, HashSet};
use std::ops::ControlFlow;

use source_text::Span;
use tree_sitter::{Node, QueryCursor, QueryCursorOptions, QueryMatch, StreamingIterator};

use super::scope::Scope;
use crate::parsed::span;
use crate::queries::{Capture, OutlineQuery};
use crate::{Kind, Parsed, Visibility};

mod entries;
mod leads;

pub(super) use leads::{Lead, Leads};

/// The maximum number of definitions of one text.
const DEFINITIONS: usize = 200_000;

/// The maximum depth in the tree. The query takes time for each level of it at each node.
const DEPTH: u32 = 256;

/// The maximum number of the query's reports, in any case and per kilobyte. It reports after every hundred steps.
const REPORTS_PER_KILOBYTE: usize = 40;
const REPORTS: usize = 1_000;

/// A definition whose place among the others is not known yet.
#[derive(Debug)]
pub(super) struct RawDefinition {
    /// The id of the node that defines it.
    pub(super) node: usize,
    /// The span of that node, up to the end that a pattern sets.
    pub(super) span: Span,
    pub(super) kind: Kind,
    pub(super) name_at: Span,
    /// The definition's name, if that differs from the text at `name_at`.
    called: Option<String>,
    pub(super) owner: Option<String>,
    /// The offset at which the definition's body starts.
    pub(super) body: Option<usize>,
    /// The offset at which the definition's value starts.
    pub(super) value: Option<usize>,
    pub(super) visibility: Option<Visibility>,
    /// True if it has the visibility of the definition around it.
    pub(super) inherits: bool,
    pub(super) is_test: bool,
    /// True if a call or a macro makes it and its name is an argument.
    pub(super) is_made: bool,
    /// True if it belongs to the type around the definition that it stands in.
    pub(super) is_member: bool,
    /// True if it is an expression, whose head belongs to the code around it.
    pub(super) is_expression: bool,
    pub(super) bases: Vec<String>,
    /// True if its extent reaches beyond its node.
    reaches: bool,
}

/// All captures of a text.
#[derive(Debug, Default)]
pub(super) struct Captured {
    /// The definitions in order of their start, the larger ones first.
    pub(super) definitions: Vec<RawDefinition>,
    pub(super) leads: Leads,
    /// The wrapper of a node: its id and extent.
    pub(super) wrappers: HashMap<usize, (usize, Span)>,
    pub(super) scopes: Vec<Scope>,
    pub(super) tests: Vec<Span>,
    /// Parts of types that declare how they are called.
    pub(super) signatures: Vec<Span>,
    /// Names that are exported apart from their definition.
    exported: HashSet<String>,
    pub(super) is_cut: bool,
    properties: Vec<Property>,
}

/// Properties that a pattern adds to a definition found by another pattern.
#[derive(Debug)]
struct Property {
    node: usize,
    /// The name that it applies to; `None` for all that the node defines.
    name: Option<String>,
    /// True if it resets the visibility to the default.
    is_default: bool,
    visibility: Option<Visibility>,
    inherits: bool,
    is_test: bool,
    kind: Option<Kind>,
    bases: Vec<String>,
}

/// Definitions and matches found before, to deduplicate.
#[derive(Debug, Default)]
struct Seen {
    /// For each node and start of a name: the index of its definition and the pattern that found it last.
    definitions: HashMap<(usize, usize), (usize, usize)>,
    /// The matches in other stretches: the pattern and the nodes it captured.
    matches: HashSet<(usize, Vec<usize>)>,
}

impl RawDefinition {
    /// Returns its name, without the quotes or marks around it.
    pub(super) fn name(&self, text: &str) -> String {
        if let Some(called) = &self.called {
            return called.clone();
        }
        name_of(text.get(self.name_at.range()).unwrap_or_default())
    }
}

/// Removes the quotes or marks around a name, and the space before an operator's sign.
fn name_of(written: &str) -> String {
    let is_in_word = |it: char| it.is_alphanumeric() || it == '_';
    if let Some(sign) = written.strip_prefix("operator").filter(|it| !it.starts_with(is_in_word)) {
        let words: Vec<_> = sign.split_whitespace().collect();
        let space = if sign.trim_start().starts_with(is_in_word) { " " } else { "" };
        return format!("operator{space}{}", words.join(space)).chars().take(200).collect();
    }
    let name = written.trim_start_matches("r#").trim_start_matches(':');
    name.trim_matches(['"', '\'', '`']).chars().take(200).collect()
}

impl Captured {
    /// Runs the query over all of a text.
    pub(super) fn read(parsed: &Parsed<'_>) -> Self {
        Self::within(parsed, &[Span::new(0, parsed.text.len())], None)
    }

    /// Runs the query over stretches of a text; it also finds what reaches into one. `name` is the wanted name, if
    /// there is one.
    pub(super) fn within(parsed: &Parsed<'_>, stretches: &[Span], name: Option<&str>) -> Self {
        let queries = parsed.language.queries();
        let mut captured = Self::default();
        let mut known = Seen::default();
        let mut run = |query: &OutlineQuery| {
            let mut is_there_more = false;
            for stretch in stretches {
                for sign in captured.run(parsed, query, *stretch, &mut known) {
                    is_there_more |= name.is_none_or(|it| may_define(parsed, &sign, it));
                }
            }
            is_there_more
        };
        if run(&queries.outline)
            && let Some(more) = queries.more()
        {
            run(more);
        }
        // Type aliases come first among those at one place, so that inner definitions lie in the type.
        captured.definitions.sort_by_key(|it| {
            (it.span.start, usize::MAX - it.span.end, it.kind != Kind::Type, it.name_at.start)
        });
        captured.leads.sort();
        captured
    }

    /// Adds the captures of one query in a stretch. Returns the stretches with signs of more.
    fn run(
        &mut self,
        parsed: &Parsed<'_>,
        query: &OutlineQuery,
        stretch: Span,
        known: &mut Seen,
    ) -> Vec<Span> {
        let mut left = REPORTS + parsed.text.len() / 1024 * REPORTS_PER_KILOBYTE;
        let (mut is_beyond, mut signs) = (false, Vec::new());
        let mut within_bounds = |_: &_| {
            left = left.saturating_sub(1);
            is_beyond |= left == 0;
            if left == 0 { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
        };
        let mut cursor = QueryCursor::new();
        cursor.set_max_start_depth(Some(DEPTH)).set_match_limit(4096);
        let is_all = stretch.range() == (0..parsed.text.len());
        if !is_all {
            cursor.set_byte_range(stretch.range());
        }
        let options = QueryCursorOptions::new().progress_callback(&mut within_bounds);
        let (root, bytes) = (parsed.tree.root_node(), parsed.text.as_bytes());
        let mut matches = cursor.matches_with_options(&query.query, root, bytes, options);
        while let Some(found) = matches.next() {
            let captured = || found.captures.iter().map(|it| it.node.id()).collect();
            if !is_all && !known.matches.insert((query.first + found.pattern_index, captured())) {
                continue;
            }
            signs.extend(self.take(parsed, query, found, known));
            if self.definitions.len() >= DEFINITIONS {
                self.is_cut = true;
                break;
            }
        }
        drop(matches);
        self.is_cut |= is_beyond || cursor.did_exceed_match_limit();
        signs
    }

    /// Adds the captures of one match. Returns its node if that is a sign of more.
    fn take(
        &mut self,
        parsed: &Parsed<'_>,
        query: &OutlineQuery,
        found: &QueryMatch<'_, '_>,
        known: &mut Seen,
    ) -> Option<Span> {
        let rules = query.rules(found);
        if !rules.hold(found, parsed.text) {
            return None;
        }
        let nodes = |wanted: Capture| {
            let of = move |index: u32| query.captures[index as usize] == wanted;
            found.captures.iter().filter(move |it| of(it.index)).map(|it| it.node)
        };
        let is_test = query.property(found, "test").is_some();
        let exported = nodes(Capture::Exported).chain(rules.at("exported", found));
        self.exported.extend(exported.map(|it| words(parsed.text, &it)));
        self.signatures.extend(nodes(Capture::Signature).map(|it| span(&it)));
        self.tests.extend(nodes(Capture::Test).map(|it| span(&it)));
        self.leads.extend(nodes(Capture::Lead).map(|it| Lead {
            span: span(&it),
            is_comment: it.kind().contains("comment"),
            is_test,
        }));
        if let (Some(wrapper), Some(wrapped)) =
            (nodes(Capture::Wrapper).next(), nodes(Capture::Wrapped).next())
        {
            self.wrappers.insert(wrapped.id(), (wrapper.id(), span(&wrapper)));
        }
        if let Some(scope) = nodes(Capture::Scope).next().or_else(|| rules.at("scope", found)) {
            let from = nodes(Capture::Section).next().map_or(scope.start_byte(), |it| it.start_byte());
            let visibility = query.visibility(found);
            self.scopes.extend(visibility.map(|it| Scope { span: span(&scope), from, visibility: it }));
        }
        if let Some(of) = nodes(Capture::Of).next().or_else(|| rules.at("of", found)) {
            self.properties.push(Property {
                node: of.id(),
                name: None,
                is_default: query.property(found, "visibility") == Some("default"),
                visibility: query.visibility(found),
                inherits: query.property(found, "visibility") == Some("inherited"),
                is_test,
                kind: query.property(found, "kind").and_then(Kind::of_word),
                bases: nodes(Capture::Base).map(|it| words(parsed.text, &it)).collect(),
            });
        }
        if let (Some(names), Some(around)) = (rules.at("names", found), rules.at("in", found)) {
            let mut cursor = names.walk();
            let names = names.named_children(&mut cursor).map(|it| name_of(&words(parsed.text, &it)));
            let kinds = query.property(found, "listed").unwrap_or_default();
            self.list(around, &names.collect::<Vec<_>>(), kinds, query.visibility(found));
        }
        let pattern = query.first + found.pattern_index;
        if let Some(raw) = definition(parsed, query, found) {
            self.add(raw, pattern, known);
        }
        if let Some(entries) = nodes(Capture::Entries).next() {
            let is_blocks = query.property(found, "entries") == Some("blocks");
            for entry in entries::entries(entries, parsed.text, is_blocks) {
                self.add(entry_definition(&entry, query, found), pattern, known);
            }
        }
        nodes(Capture::More).next().map(|it| span(&it))
    }

    /// Sets the visibility of the names defined by nodes of some kinds directly in another node.
    fn list(&mut self, around: Node<'_>, names: &[String], kinds: &str, visibility: Option<Visibility>) {
        let mut cursor = around.walk();
        let is_meant = |it: &Node<'_>| kinds.split(' ').any(|kind| it.kind() == kind);
        for node in around.children(&mut cursor).filter(is_meant) {
            self.properties.extend(names.iter().map(|name| Property {
                node: node.id(),
                name: Some(name.clone()),
                is_default: false,
                visibility,
                inherits: false,
                is_test: false,
                kind: None,
                bases: Vec::new(),
            }));
        }
    }

    /// Adds a definition. Of several patterns for one name the last counts; their properties are merged.
    fn add(&mut self, raw: RawDefinition, pattern: usize, known: &mut Seen) {
        let key = (raw.node, raw.name_at.start);
        let Some((index, last)) = known.definitions.get_mut(&key) else {
            known.definitions.insert(key, (self.definitions.len(), pattern));
            self.definitions.push(raw);
            return;
        };
        let old = &mut self.definitions[*index];
        let is_later = pattern > *last;
        old.is_test |= raw.is_test;
        old.is_made |= raw.is_made;
        // The query matches once for each possible `@end`: take the nearest.
        if raw.reaches && (!old.reaches || raw.span.end < old.span.end) {
            (old.span, old.reaches) = (raw.span, true);
        }
        old.bases.extend(raw.bases.into_iter().filter(|it| !old.bases.contains(it)).collect::<Vec<_>>());
        if is_later {
            *last = pattern;
            (old.kind, old.inherits) = (raw.kind, raw.inherits);
            old.visibility = raw.visibility.or(old.visibility);
            old.owner = raw.owner.or(old.owner.take());
            old.body = raw.body.or(old.body);
            old.value = raw.value.or(old.value);
        } else {
            old.visibility = old.visibility.or(raw.visibility);
            old.owner = old.owner.take().or(raw.owner);
            old.body = old.body.or(raw.body);
            old.value = old.value.or(raw.value);
        }
    }

    /// Applies the collected properties to the definitions, by node and name.
    pub(super) fn apply_properties(&mut self, text: &str) {
        for raw in &mut self.definitions {
            if raw.visibility.is_none() && self.exported.contains(&raw.name(text)) {
                raw.visibility = Some(Visibility::Public);
            }
        }
        let mut by_node: HashMap<usize, Vec<usize>> = HashMap::new();
        for (index, raw) in self.definitions.iter().enumerate() {
            by_node.entry(raw.node).or_default().push(index);
        }
        for property in std::mem::take(&mut self.properties) {
            for index in by_node.get(&property.node).into_iter().flatten() {
                let raw = &mut self.definitions[*index];
                if property.name.as_ref().is_some_and(|it| *it != raw.name(text)) {
                    continue;
                }
                raw.visibility = property.visibility.or(raw.visibility.filter(|_| !property.is_default));
                raw.inherits |= property.inherits;
                raw.is_test |= property.is_test;
                raw.kind = property.kind.unwrap_or(raw.kind);
                for base in &property.bases {
                    if !raw.bases.contains(base) {
                        raw.bases.push(base.clone());
                    }
                }
            }
        }
    }
}

/// Returns true if the language's further query may find a definition of the name in a stretch.
fn may_define(parsed: &Parsed<'_>, stretch: &Span, name: &str) -> bool {
    let text = &parsed.text[stretch.range()];
    let Some(more) = &parsed.language.row().more else { return false };
    let mut places = text.match_indices(name).map(|(at, _)| (&text[..at], &text[at + name.len()..]));
    places.any(|(before, behind)| {
        more.before.iter().any(|it| before.trim_end().ends_with(it))
            || more.behind.iter().any(|it| behind.trim_start().starts_with(it))
    })
}

/// Returns the definition that an entry makes. Only the pattern sets its properties.
fn entry_definition(
    entry: &entries::Entry<'_>,
    query: &OutlineQuery,
    found: &QueryMatch<'_, '_>,
) -> RawDefinition {
    let kinds = found.captures.iter().find_map(|it| match query.captures[it.index as usize] {
        Capture::Definition(kind) => Some(kind),
        _ => None,
    });
    RawDefinition {
        node: entry.name.id(),
        span: entry.span,
        kind: kinds.unwrap_or(Kind::Function),
        name_at: span(&entry.name),
        owner: None,
        body: Some(entry.name.end_byte()),
        value: None,
        visibility: query.visibility(found),
        inherits: query.property(found, "visibility") == Some("inherited"),
        is_test: query.property(found, "test").is_some(),
        is_made: query.property(found, "test").is_some(),
        called: None,
        bases: Vec::new(),
        reaches: false,
        is_member: false,
        is_expression: false,
    }
}

fn definition(
    parsed: &Parsed<'_>,
    query: &OutlineQuery,
    found: &QueryMatch<'_, '_>,
) -> Option<RawDefinition> {
    let rules = query.rules(found);
    let mut node = None;
    let [mut name, mut owner, mut body, mut value, mut end] =
        ["name", "owner", "body", "value", "end"].map(|it| rules.at(it, found));
    let mut bases = Vec::new();
    for capture in found.captures {
        match query.captures[capture.index as usize] {
            Capture::Definition(kind) => node = Some((capture.node, kind)),
            Capture::Name => name = Some(capture.node),
            Capture::NameIn => name = Some(rules.name_in(capture.node)?.0),
            Capture::Owner => owner = Some(capture.node),
            Capture::OwnerIn => {
                let (_, around) = rules.name_in(capture.node)?;
                owner = Some(around.last()?.child_by_field_name("scope")?);
            }
            Capture::Body => body = Some(capture.node),
            Capture::Value => value = Some(capture.node),
            Capture::End => end = Some(capture.node),
            Capture::Base => bases.push(words(parsed.text, &capture.node)),
            _ => {}
        }
    }
    // The owner in `Box<T>::map` is `Box`.
    if let Some(template) = owner.filter(|it| it.kind() == "template_type") {
        owner = template.child_by_field_name("name");
    }
    let (node, kind) = node?;
    let node = rules.at("definition", found).unwrap_or(node);
    let before = rules.at("before", found).and_then(|it| it.prev_sibling());
    // A definition up to the end of the file ends with its last code.
    let end_of =
        |it: Node<'_>| parsed.text.get(..it.end_byte()).map_or(it.end_byte(), |it| it.trim_end().len());
    let end = before.or(end).map(end_of);
    let name = name?;
    let name_at = rules.at("name.to", found).map_or(span(&name), |it| span(&name).join(span(&it)));
    if name_at.start == name_at.end {
        return None; // a missing name that the parser inserted
    }
    if !rules.may_be_called(name, found, parsed.text) {
        return None;
    }
    let is_test = query.property(found, "test").is_some();
    Some(RawDefinition {
        node: node.id(),
        span: Span::new(node.start_byte(), end.unwrap_or(node.end_byte()).max(name_at.end)),
        kind,
        name_at,
        called: query.property(found, "name").map(str::to_owned),
        owner: owner.map(|it| words(parsed.text, &it)),
        body: body.map(|it| it.start_byte()),
        value: value.map(|it| it.start_byte()),
        visibility: query.visibility(found),
        inherits: query.property(found, "visibility") == Some("inherited"),
        is_test,
        // A function in the tokens of a macro is called by its name.
        is_made: is_test && node.kind() != "fn",
        is_member: query.property(found, "member").is_some(),
        is_expression: query.property(found, "expression").is_some(),
        bases,
        reaches: end.is_some(),
    })
}

/// Returns the text of a node in one line.
fn words(text: &str, node: &Node<'_>) -> String {
    let written = text.get(node.byte_range()).unwrap_or_default();
    written.split_whitespace().collect::<Vec<_>>().join(" ").chars().take(200).collect()
}
