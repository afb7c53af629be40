//! Inline code and comments in prose, inside which tags are text.

use std::ops::Range;

/// The inline code and comments of a line.
#[derive(Debug, Default, PartialEq, Eq)]
pub(super) struct Opaque {
    stretches: Vec<Range<usize>>,
    /// `true` if the line opens a `<!--` without closing it.
    pub(super) opens_comment: bool,
}

impl Opaque {
    /// Scans a line that starts outside of a comment.
    pub(super) fn scan(text: &str) -> Self {
        let mut opaque = Self::default();
        let runs = runs(text);
        let mut run = 0;
        let mut at = 0;
        while let Some(found) = text[at..].find(['`', '<']) {
            at += found;
            if text[at..].starts_with("<!--") {
                let Some(length) = text[at + 4..].find("-->") else {
                    opaque.opens_comment = true;
                    opaque.stretches.push(at..text.len());
                    return opaque;
                };
                opaque.stretches.push(at..at + 4 + length + 3);
                at += 4 + length + 3;
            } else if text[at..].starts_with('`') {
                while runs[run].start < at {
                    run += 1;
                }
                let opening = &runs[run];
                let closing = runs[run + 1..].iter().find(|it| it.len() == opening.len());
                let end = closing.map_or(opening.end, |closing| closing.end);
                opaque.stretches.push(opening.start..end);
                at = end;
            } else {
                at += 1;
            }
        }
        opaque
    }

    /// Returns `true` if the byte at `at` is inside inline code or a comment.
    pub(super) fn contains(&self, at: usize) -> bool {
        let behind = self.stretches.partition_point(|stretch| stretch.start <= at);
        behind > 0 && at < self.stretches[behind - 1].end
    }
}

/// Returns the runs of backticks in a line.
fn runs(text: &str) -> Vec<Range<usize>> {
    let mut runs: Vec<Range<usize>> = Vec::new();
    for (at, _) in text.match_indices('`') {
        match runs.last_mut() {
            Some(run) if run.end == at => run.end = at + 1,
            _ => runs.push(at..at + 1),
        }
    }
    runs
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn inline_code_and_comments_are_opaque() {
        let text = "a `b` ``c`d`` <!-- e --> f `g";
        let opaque = Opaque::scan(text);
        let seen: String =
            text.char_indices().map(|(at, char)| if opaque.contains(at) { '.' } else { char }).collect();
        assert_eq!(seen, "a ... ....... .......... f .g");
        assert!(!opaque.opens_comment);
        assert!(Opaque::scan("x <!-- y").opens_comment);
        assert!(!Opaque::scan("x `<!--` y").opens_comment);
    }
}
