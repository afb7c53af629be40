//! The code around the hits of a search: the enclosing definition, the role, and whether it is test code.

use std::path::Path;
use std::sync::Arc;

use crate::fallback::source::languages::language_of;
use crate::fallback::source::text::Text;
use crate::fallback::syntactic::syntax_facts::{self, Usage};
use crate::fallback::workspace::line_search::LineMatch;
use crate::fallback::workspace::session_folders::SessionFolders;
use ide_protocol::FileRange;

/// The maximum size of all files that are parsed for one search, in bytes: a few tenths of a second.
const PARSED: usize = 4 * 1024 * 1024;

/// Parses the files of hits, as long as they are not too large together.
pub(crate) struct HitContext<'a> {
    roots: &'a SessionFolders,
    left: usize,
    /// The number of files that were not parsed for their size.
    pub(crate) unknown: usize,
}

impl<'a> HitContext<'a> {
    pub(crate) fn new(roots: &'a SessionFolders) -> Self {
        Self { roots, left: PARSED, unknown: 0 }
    }

    /// Adds the facts about the hits of one file to its ranges; none if its language has no syntax.
    pub(crate) fn add_to(&mut self, path: &Path, hits: &[LineMatch], ranges: &mut [FileRange]) {
        let Some(first) = ranges.first().filter(|_| language_of(path).is_some()) else { return };
        let Some(usages) = self.usages(path, &first.path, ranges) else { return };
        for ((hit, range), usage) in hits.iter().zip(ranges).zip(usages) {
            let has_role = usage.is_name && is_name(hit) || is_no_code(usage.role);
            let known = usage.add_to(range.clone());
            let role = known.role.clone().filter(|_| has_role);
            *range = FileRange { role, ..known };
        }
    }

    fn usages(&mut self, path: &Path, spelling: &str, ranges: &[FileRange]) -> Option<Vec<Usage>> {
        let text = match self.roots.texts().get(path) {
            Some(text) => Arc::clone(text),
            None => Arc::new(Text::read(path).ok()?), // it was there a moment ago; its hits are told without
        };
        match self.left.checked_sub(text.as_str().len()) {
            Some(left) => self.left = left,
            None => {
                self.unknown += 1;
                return None;
            }
        }
        let points: Vec<_> = ranges.iter().map(|it| it.start).collect();
        syntax_facts::read(path, &text, spelling, &points)
    }
}

/// Returns `true` if the match is one name. The role of anything else in code is not known.
fn is_name(hit: &LineMatch) -> bool {
    let columns = hit.columns.start.saturating_sub(hit.skipped)..hit.columns.end.saturating_sub(hit.skipped);
    let mut matched = hit.text.chars().skip(columns.start).take(columns.len()).peekable();
    matched.peek().is_some_and(|it| !it.is_numeric()) && matched.all(|it| it.is_alphanumeric() || it == '_')
}

/// Returns `true` for the roles of what is no code.
fn is_no_code(role: &str) -> bool {
    matches!(role, "documentation" | "comment" | "string")
}
