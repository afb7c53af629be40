//! Which definition lies in which, and in which section of it.

use source_text::Span;

use super::found::Captured;
use crate::Visibility;

/// From `from` to the end of `span`, definitions are seen so, unless they say otherwise.
#[derive(Clone, Copy, Debug)]
pub(super) struct Scope {
    pub(super) span: Span,
    pub(super) from: usize,
    pub(super) visibility: Visibility,
}

/// Where a definition lies.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Place {
    /// The definition that it belongs to: the one around it, or the type around that.
    pub(super) parent: Option<usize>,
    /// The definition around it.
    pub(super) around: Option<usize>,
    /// What the section that it stands in says about its visibility.
    pub(super) section: Option<Visibility>,
}

/// The place of each definition; they are in order of their start, the larger ones first.
pub(super) fn nest(captured: &Captured) -> Vec<Place> {
    let mut scopes = captured.scopes.clone();
    scopes.sort_by_key(|it| (it.from, it.span.start));
    let mut coming = scopes.into_iter().peekable();
    let mut open: Vec<Scope> = Vec::new();
    let mut around: Vec<usize> = Vec::new();
    let mut places = Vec::new();
    for (index, raw) in captured.definitions.iter().enumerate() {
        while let Some(scope) = coming.next_if(|it| it.from <= raw.span.start) {
            open.retain(|it| it.span.end > scope.from);
            open.push(scope);
        }
        open.retain(|it| it.span.end > raw.span.start);
        let definitions = &captured.definitions;
        while around.last().is_some_and(|it| !holds(definitions[*it].span, raw.span)) {
            around.pop();
        }
        let innermost = around.last().copied();
        let inside = innermost.map_or(0, |it| definitions[it].span.start);
        // The innermost scope; of one scope the last section.
        let section =
            open.iter().filter(|it| it.span.start >= inside).max_by_key(|it| (it.span.start, it.from));
        let is_type = |it: &&usize| definitions[**it].kind.is_type();
        let parent = if raw.is_member { around.iter().rfind(is_type).copied() } else { innermost };
        places.push(Place { parent, around: innermost, section: section.map(|it| it.visibility) });
        around.push(index);
    }
    places
}

fn holds(outer: Span, inner: Span) -> bool {
    outer.start <= inner.start && inner.end <= outer.end && outer != inner
}
