//! Style: parts of a document should be useful alone, because readers load only some.

use source_text::{Severity, Span};

use super::Checker;
use crate::diagnostic::Code;
use crate::split::{Part, heading};

/// The maximum length of the first example, in lines.
const LONGEST_EXAMPLE: usize = 30;

/// The maximum length of prose under one heading, in lines.
const LONGEST_PROSE: usize = 60;

/// The prose under one heading so far.
#[derive(Default)]
struct Stretch {
    /// The place of the first line.
    start: Option<Span>,
    /// The number of lines, without blank ones at both ends.
    lines: usize,
    /// The number of trailing blank lines so far.
    blank: usize,
}

impl Checker<'_, '_> {
    pub(super) fn style(&mut self) {
        let Some(severity) = self.by_strictness(None, Some(Severity::Info), Severity::Info) else { return };
        self.first_example(severity);
        self.long_prose(severity);
    }

    fn first_example(&mut self, severity: Severity) {
        let Some(example) = self.document.examples.first() else { return };
        let lines = |span: &Span| self.document.text(*span).trim().lines().count();
        let lines: usize = example.code.iter().map(lines).sum();
        if lines <= LONGEST_EXAMPLE {
            return;
        }
        let tag = self.document.text(example.span).lines().next().unwrap_or_default();
        let span = Span::new(example.span.start, example.span.start + tag.len());
        let message = format!("the first example has {lines} lines");
        self.diagnostics
            .report(severity, Code::LONG_EXAMPLE, span, message)
            .help(format!("put a simple one first, of at most {LONGEST_EXAMPLE}"));
    }

    fn long_prose(&mut self, severity: Severity) {
        let mut stretch = Stretch::default();
        for part in &self.document.parts {
            let Part::Prose(prose) = part else { continue };
            let mut at = prose.start;
            for line in self.document.text(*prose).split_inclusive('\n') {
                let span = Span::new(at, at + line.trim_end().len());
                at += line.len();
                if heading(line.trim_end()).is_some() {
                    self.prose_ends(std::mem::take(&mut stretch), severity);
                } else {
                    stretch.add(line, span);
                }
            }
        }
        self.prose_ends(stretch, severity);
    }

    fn prose_ends(&mut self, stretch: Stretch, severity: Severity) {
        let Some(start) = stretch.start.filter(|_| stretch.lines > LONGEST_PROSE) else { return };
        let message = format!("{} lines of prose follow without a heading", stretch.lines);
        self.diagnostics
            .report(severity, Code::LONG_PROSE, start, message)
            .help("headings let readers load what they need: `## Limits`");
    }
}

impl Stretch {
    fn add(&mut self, line: &str, span: Span) {
        if line.trim().is_empty() {
            self.blank += usize::from(self.start.is_some());
            return;
        }
        self.start.get_or_insert(span);
        self.lines += 1 + std::mem::take(&mut self.blank);
    }
}
