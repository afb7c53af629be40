//! Folding, selection, and the sizes of the document beside its title.

use ailang::split::Part;
use ailang::syntax::{Item, Program, Statement, StatementKind};
use ailang::{Analysis, Document, Sizes};
use dialect::Level;
use source_text::Span;

use super::outline::outline;
use crate::answers::{Hint, Kind, OutlineItem};
use crate::workspace::DocumentView;

/// Returns the stretches that can be folded: front matter, blocks, fences, definitions, and what follows a heading.
pub(crate) fn folds(view: &DocumentView) -> Vec<Span> {
    let document = view.document();
    let mut found: Vec<Span> = document
        .parts
        .iter()
        .filter(|part| !matches!(part, Part::Prose(_) | Part::ByteOrderMark(_)))
        .map(Part::span)
        .collect();
    found.extend(document.definitions().map(|it| it.span));
    let mut pending: Vec<OutlineItem> = outline(view);
    while let Some(item) = pending.pop() {
        found.extend((item.kind == Kind::Heading).then_some(item.span));
        pending.extend(item.children);
    }
    let mut found: Vec<Span> = found.into_iter().map(|span| trimmed(document, span)).collect();
    found.sort_unstable();
    found.dedup();
    found
}

fn trimmed(document: &Document, span: Span) -> Span {
    Span::new(span.start, span.start + document.text(span).trim_end().len())
}

/// Returns the stretches around a place, the smallest first: the name, what it is a part of, and so on.
pub(crate) fn selections(view: &DocumentView, offset: usize) -> Vec<Span> {
    let document = view.document();
    let analysis = Analysis::new(view.package.documents());
    let mut found = vec![Span::new(0, document.source.len())];
    found.extend(document.parts.iter().map(Part::span));
    found.extend(document.blocks().flat_map(|block| block.parts.iter().map(ailang::split::BlockPart::span)));
    found.extend(document.blocks().flat_map(ailang::split::Block::code));
    let mut pending = outline(view);
    while let Some(item) = pending.pop() {
        found.extend([item.span, item.name_span]);
        pending.extend(item.children);
    }
    document.examples.iter().for_each(|example| statements(&example.program, &mut found));
    found.extend(analysis.occurrence_at(&view.path, offset).map(|it| it.span));
    found.retain(|span| span.start <= offset && offset <= span.end);
    found.sort_unstable_by_key(|span| (span.end - span.start, span.start));
    found.dedup();
    chain(found)
}

/// Returns the stretches that each contain the previous one.
fn chain(sorted: Vec<Span>) -> Vec<Span> {
    let mut chain: Vec<Span> = Vec::new();
    for span in sorted {
        if chain.last().is_none_or(|inner| span.start <= inner.start && inner.end <= span.end) {
            chain.push(span);
        }
    }
    chain
}

/// Adds the statements of a program, those of inner blocks included.
fn statements(program: &Program, found: &mut Vec<Span>) {
    let mut pending: Vec<&[Item]> = vec![&program.items];
    while let Some(items) = pending.pop() {
        for item in items {
            match item {
                Item::Statement(statement) => {
                    found.push(statement.span);
                    inner(statement, &mut pending);
                }
                Item::Definition(definition) => found.push(definition.span),
                Item::Import(import) => found.push(import.span),
            }
        }
    }
}

fn inner<'a>(statement: &'a Statement, pending: &mut Vec<&'a [Item]>) {
    match &statement.kind {
        StatementKind::If { then, otherwise, .. } => {
            pending.extend([then].into_iter().chain(otherwise).map(|block| block.items.as_slice()));
        }
        StatementKind::For(it) => pending.push(&it.body.items),
        StatementKind::While { body, .. } | StatementKind::Block(body) => pending.push(&body.items),
        StatementKind::Try(it) => {
            pending.push(&it.body.items);
            pending.extend(it.catches.iter().map(|catch| catch.body.items.as_slice()));
            pending.extend(it.finally.iter().map(|block| block.items.as_slice()));
        }
        _ => {}
    }
}

/// Returns the approximate number of tokens at each level of detail, behind the first line.
pub(crate) fn hints(view: &DocumentView) -> Vec<Hint> {
    if !view.is_interface() {
        return Vec::new();
    }
    let document = view.document();
    let sizes = Sizes::estimate(document);
    let offset = document.source.find(['\n', '\r']).unwrap_or(document.source.len());
    let each = Level::ALL.map(|level| sizes.at(level).to_string());
    let lines = Level::ALL.map(|level| format!("{}: {} tokens", level.name(), sizes.at(level)));
    vec![Hint { offset, label: format!("{} tokens", each.join(" · ")), tooltip: lines.join("\n\n") }]
}
