//! Code before definitions that belongs to them: documentation, attributes, decorators.

use source_text::Span;

/// A comment or an attribute.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Lead {
    pub(crate) span: Span,
    pub(crate) is_comment: bool,
    /// True if it makes the next definition a test.
    pub(crate) is_test: bool,
}

/// All comments and attributes of a text.
#[derive(Debug, Default)]
pub(crate) struct Leads(Vec<Lead>);

impl Leads {
    pub(crate) fn extend(&mut self, leads: impl Iterator<Item = Lead>) {
        self.0.extend(leads);
    }

    /// Sorts and deduplicates them. One found by several patterns is a test if any pattern says so.
    pub(crate) fn sort(&mut self) {
        self.0.sort_by_key(|it| (it.span.start, it.span.end, !it.is_test));
        self.0.dedup_by_key(|it| it.span);
    }

    /// Returns the start of the first of those directly before an offset, and true if one makes a test. A comment
    /// belongs to the next definition if it stands on lines of its own and no empty line follows.
    pub(crate) fn before(&self, text: &str, mut offset: usize) -> (usize, bool) {
        let mut is_test = false;
        let mut next = self.0.partition_point(|it| it.span.start < offset);
        while let Some(lead) = next.checked_sub(1).map(|it| self.0[it]) {
            let Some(gap) = text.get(lead.span.end.min(offset)..offset) else { break };
            let ends_line = text[..lead.span.end].ends_with('\n');
            let breaks = gap.matches('\n').count() + usize::from(ends_line);
            let is_near = gap.trim().is_empty()
                && lead.span.end <= offset
                && breaks <= if lead.is_comment { 1 } else { 9 };
            if !is_near || lead.is_comment && !starts_line(text, lead.span.start) {
                break;
            }
            offset = lead.span.start;
            is_test |= lead.is_test;
            next -= 1;
        }
        (offset, is_test)
    }

    /// Returns the start of the first comment in a stretch.
    pub(crate) fn first_comment(&self, stretch: Span) -> Option<usize> {
        let next = self.0.partition_point(|it| it.span.start < stretch.start);
        let inside = self.0[next..].iter().take_while(|it| it.span.start < stretch.end);
        inside.filter(|it| it.is_comment).map(|it| it.span.start).next()
    }

    /// Returns the offset behind those that start at an offset, and true if one makes a test.
    pub(crate) fn skip_attributes(&self, text: &str, mut offset: usize) -> (usize, bool) {
        let mut is_test = false;
        let mut next = self.0.partition_point(|it| it.span.start < offset);
        while let Some(lead) = self.0.get(next).filter(|it| it.span.start == offset && !it.is_comment) {
            let rest = &text[lead.span.end..];
            offset = lead.span.end + rest.len() - rest.trim_start().len();
            is_test |= lead.is_test;
            next += 1;
        }
        (offset, is_test)
    }
}

fn starts_line(text: &str, offset: usize) -> bool {
    let line = text[..offset].rfind('\n').map_or(0, |it| it + 1);
    text[line..offset].trim().is_empty()
}
