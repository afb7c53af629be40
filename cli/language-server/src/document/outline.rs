//! The outline: headings, definitions with their parts, and examples.

use ailang::split::{BlockKind, Part};
use ailang::syntax::{Definition, DefinitionKind, Name, Parameter, TypeKind};
use ailang::{Document, Example};
use source_text::Span;

use super::symbol_kind::kind_of;
use crate::answers::{Kind, OutlineItem};
use crate::workspace::DocumentView;

/// Returns the definitions of a document, with their parts.
pub(crate) fn definitions(document: &Document) -> Vec<OutlineItem> {
    document.definitions().map(|it| definition(document, it)).collect()
}

/// Returns the outline of a document. What follows a heading belongs to it.
pub(crate) fn outline(view: &DocumentView) -> Vec<OutlineItem> {
    let document = view.document();
    let mut flat: Vec<(usize, OutlineItem)> = headings(document);
    let definitions = document.definitions().map(|it| (usize::MAX, definition(document, it)));
    let examples = document.examples.iter().map(|it| (usize::MAX, example(document, it)));
    flat.extend(definitions.chain(examples));
    flat.sort_by_key(|(_, item)| item.span.start);
    nested(flat, document.source.len())
}

fn headings(document: &Document) -> Vec<(usize, OutlineItem)> {
    let mut found = Vec::new();
    for part in &document.parts {
        let Part::Prose(prose) = part else { continue };
        let mut at = prose.start;
        for line in document.text(*prose).split_inclusive('\n') {
            let span = Span::new(at, at + line.trim_end().len());
            at += line.len();
            let level = line.len() - line.trim_start_matches('#').len();
            let title = line.trim_start_matches('#');
            if (1..=6).contains(&level) && title.starts_with(' ') && !title.trim().is_empty() {
                let name = title.trim().trim_end_matches('#').trim().to_owned();
                found.push((level, leaf(name, String::new(), Kind::Heading, span, span)));
            }
        }
    }
    found
}

fn leaf(name: String, detail: String, kind: Kind, span: Span, name_span: Span) -> OutlineItem {
    OutlineItem { name, detail, kind, span, name_span, children: Vec::new() }
}

fn definition(document: &Document, it: &Definition) -> OutlineItem {
    let kind = match it.kind {
        DefinitionKind::Type(_) => Kind::Type,
        DefinitionKind::Enum(_) => Kind::Enum,
        DefinitionKind::Capability(_) => Kind::Capability,
        DefinitionKind::Error(_) => Kind::Error,
        DefinitionKind::Tool(_) => Kind::Tool,
    };
    let children = parts(document, it);
    let detail = it.kind.keyword().to_owned();
    OutlineItem { children, ..leaf(it.name.text.clone(), detail, kind, it.span, it.name.span) }
}

fn parts(document: &Document, it: &Definition) -> Vec<OutlineItem> {
    let part = |name: &Name, span: Span, kind| {
        let detail = document.text(span).trim_start_matches(name.text.as_str());
        let detail = detail.trim_start_matches(['?', ':', ' ']).lines().next().unwrap_or_default();
        leaf(name.text.clone(), detail.to_owned(), kind, span.join(name.span), name.span)
    };
    let parameter = |it: &Parameter| part(&it.name, it.span, Kind::Parameter);
    match &it.kind {
        DefinitionKind::Tool(tool) => tool.parameters.list.iter().map(parameter).collect(),
        DefinitionKind::Error(error) => {
            error.parameters.iter().flat_map(|it| &it.list).map(parameter).collect()
        }
        DefinitionKind::Enum(it) => {
            let variants = it.variants.iter();
            variants.map(|variant| part(&variant.name, variant.name.span, Kind::Variant)).collect()
        }
        DefinitionKind::Type(it) => match &it.ty.kind {
            TypeKind::Struct(members) => members
                .iter()
                .map(|member| part(&member.name, member.span, kind_of_member(&member.kind)))
                .collect(),
            _ => Vec::new(),
        },
        DefinitionKind::Capability(_) => Vec::new(),
    }
}

fn kind_of_member(kind: &ailang::syntax::MemberKind) -> Kind {
    kind_of(match kind {
        ailang::syntax::MemberKind::Field { .. } => ailang::OccurrenceKind::Field,
        ailang::syntax::MemberKind::Method { .. } => ailang::OccurrenceKind::Method,
    })
}

fn example(document: &Document, it: &Example) -> OutlineItem {
    let tag = document.text(it.span).lines().next().unwrap_or_default();
    let name = it.id().map_or_else(|| BlockKind::Example.name().to_owned(), str::to_owned);
    let detail = it.tool().map_or_else(String::new, |tool| format!("example of {tool}"));
    let name_span = Span::new(it.span.start, it.span.start + tag.len());
    leaf(name, detail, Kind::Example, it.span, name_span)
}

/// Puts each item under the heading that it follows. A heading ends before the next one of its level.
fn nested(flat: Vec<(usize, OutlineItem)>, end: usize) -> Vec<OutlineItem> {
    let mut roots = Vec::new();
    let mut open: Vec<(usize, OutlineItem)> = Vec::new();
    let close = |open: &mut Vec<(usize, OutlineItem)>, roots: &mut Vec<OutlineItem>, end: usize| {
        if let Some((_, mut item)) = open.pop() {
            item.span.end = end.max(item.span.end);
            match open.last_mut() {
                Some((_, parent)) => parent.children.push(item),
                None => roots.push(item),
            }
        }
    };
    for (level, item) in flat {
        if level == usize::MAX {
            match open.last_mut() {
                Some((_, heading)) => heading.children.push(item),
                None => roots.push(item),
            }
            continue;
        }
        while open.last().is_some_and(|(outer, _)| *outer >= level) {
            close(&mut open, &mut roots, item.span.start);
        }
        open.push((level, item));
    }
    while !open.is_empty() {
        close(&mut open, &mut roots, end);
    }
    roots
}
