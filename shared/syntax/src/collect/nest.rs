//! Nesting: the definition and the section that each definition lies in.

use source_text::Span;

use super::captures::Captured;
use super::scope::Scope;
use crate::Visibility;

/// The place of a definition among the others.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Nesting {
    /// The definition that it belongs to: the one around it, or the type around that.
    pub(super) parent: Option<usize>,
    /// The definition around it.
    pub(super) around: Option<usize>,
    /// The visibility set by the section that it stands in.
    pub(super) section: Option<Visibility>,
}

/// Returns the place of each definition. The definitions are in order of their start, the larger ones first.
pub(super) fn nest(captured: &Captured) -> Vec<Nesting> {
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
        places.push(Nesting { parent, around: innermost, section: section.map(|it| it.visibility) });
        around.push(index);
    }
    places
}

fn holds(outer: Span, inner: Span) -> bool {
    outer.start <= inner.start && inner.end <= outer.end && outer != inner
}
