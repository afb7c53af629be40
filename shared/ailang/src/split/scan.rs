//! Line-by-line scanning of a document.

mod block;

use source_text::Span;

use super::fence::{Closers, Fence, Opener, opener};
use super::line::{Line, lines};
use super::part::Part;
use super::prose::Opaque;
use super::tag::{BlockKind, Tag, malformed, tag};
use crate::diagnostic::{Code, Diagnostics};

/// Splits a document into its parts.
pub(crate) fn scan(source: &str, diagnostics: &mut Diagnostics) -> Vec<Part> {
    let start = if source.starts_with('\u{feff}') { '\u{feff}'.len_utf8() } else { 0 };
    let lines = lines(source, start);
    let mut scanner = Scanner {
        source,
        next_tag: next_tags(source, &lines),
        lines,
        at: 0,
        closers: Closers::default(),
        comment_closes: true,
        parts: Vec::new(),
        diagnostics,
    };
    if start > 0 {
        scanner.parts.push(Part::ByteOrderMark(Span::new(0, start)));
    }
    scanner.front_matter(start);
    while scanner.at < scanner.lines.len() {
        scanner.step();
    }
    scanner.parts
}

/// Returns for each line the next tag from it on.
fn next_tags(source: &str, lines: &[Line]) -> Vec<Option<(usize, Tag)>> {
    let mut next: Option<(usize, Tag)> = None;
    let mut tags: Vec<_> = lines
        .iter()
        .enumerate()
        .rev()
        .map(|(at, line)| {
            if let Some(tag) = tag(source, line.text) {
                // Attributes are not needed, and copying them for each line would be slow.
                let bare = match tag {
                    Tag::Open(kind, _) => Tag::Open(kind, Vec::new()),
                    close @ Tag::Close(_) => close,
                };
                next = Some((at, bare));
            }
            next.clone()
        })
        .collect();
    tags.reverse();
    tags
}

struct Scanner<'source, 'out> {
    source: &'source str,
    lines: Vec<Line>,
    next_tag: Vec<Option<(usize, Tag)>>,
    /// The index of the next line.
    at: usize,
    closers: Closers,
    /// `false` once no `-->` follows any more.
    comment_closes: bool,
    parts: Vec<Part>,
    diagnostics: &'out mut Diagnostics,
}

impl<'source> Scanner<'source, '_> {
    fn text(&self, line: usize) -> &'source str {
        &self.source[self.lines[line].text.range()]
    }

    /// Returns the place from the start of one line to the start of another.
    fn stretch(&self, from: usize, to: usize) -> Span {
        let start = |line: usize| {
            if line == 0 { self.lines[0].text.start } else { self.lines[line - 1].end }
        };
        Span::new(start(from), start(to))
    }

    fn front_matter(&mut self, start: usize) {
        let is_mark = |text: &str| text.trim_end() == "---";
        if self.lines.is_empty() || !is_mark(self.text(0)) {
            let line = self.lines.first().map_or(Span::new(start, start), |line| line.text);
            let help = "start the document with:\n---\nid: my-tools\ntitle: My tools\nsummary: What they are for, \
                        in a sentence.\n---";
            self.diagnostics
                .error(Code::MISSING_FRONT_MATTER, line, "the document has no front matter")
                .help(help);
            return;
        }
        let is_end = |text: &str| matches!(text.trim_end(), "---" | "...");
        let closer = (1..self.lines.len()).find(|line| is_end(self.text(*line)));
        let Some(closer) = closer else {
            let opener = self.lines[0].text;
            self.diagnostics
                .error(Code::UNTERMINATED_FRONT_MATTER, opener, "the front matter never ends")
                .help("close it with a line `---`");
            self.at = self.lines.len();
            let span = self.stretch(0, self.at);
            self.parts.push(Part::FrontMatter { span, body: Span::new(self.lines[0].end, span.end) });
            return;
        };
        self.at = closer + 1;
        let part = Part::FrontMatter { span: self.stretch(0, self.at), body: self.stretch(1, closer) };
        self.parts.push(part);
    }

    /// Scans the next line of prose, a fence or a block.
    fn step(&mut self) {
        let text = self.text(self.at);
        if let Some(opener) = opener(text) {
            return self.prose_fence(&opener);
        }
        match tag(self.source, self.lines[self.at].text) {
            Some(Tag::Open(kind, attributes)) => self.block(kind, attributes),
            Some(Tag::Close(kind)) => {
                let message = format!("no `<{}>` is open here", kind.name());
                self.diagnostics.error(Code::STRAY_CLOSING_TAG, self.lines[self.at].text, message);
                self.prose(1);
            }
            None => self.prose_line(text),
        }
    }

    /// Adds the next `count` lines to the prose.
    fn prose(&mut self, count: usize) {
        let span = self.stretch(self.at, self.at + count);
        self.at += count;
        match self.parts.last_mut() {
            Some(Part::Prose(before)) => *before = before.join(span),
            _ => self.parts.push(Part::Prose(span)),
        }
    }

    fn prose_line(&mut self, text: &str) {
        let opaque = Opaque::scan(text);
        if let Some(found) = malformed(text, |at| opaque.contains(at)) {
            self.malformed(found);
        }
        let behind = opaque.opens_comment.then(|| self.comment_end()).flatten();
        match behind {
            Some(line) => self.prose(line - self.at),
            None => self.prose(1),
        }
    }

    /// Returns the line behind the comment that this line opens; `None` if it is never closed.
    fn comment_end(&mut self) -> Option<usize> {
        if !self.comment_closes {
            return None;
        }
        let found = (self.at + 1..self.lines.len()).find(|line| self.text(*line).contains("-->"));
        self.comment_closes = found.is_some();
        // The rest of the line behind `-->` is text too, because no tag can stand alone on it.
        found.map(|line| line + 1)
    }

    /// Reports a malformed tag; `found` is relative to the line.
    fn malformed(&mut self, found: Span) {
        let start = self.lines[self.at].text.start;
        let span = Span::new(start + found.start, start + found.end);
        let tag = &self.source[span.range()];
        let message = format!("`{tag}` is not taken for a tag");
        let help = "a tag stands alone on its line, in small letters, behind at most three blanks; in prose, write it \
                    between backticks";
        self.diagnostics.error(Code::MALFORMED_TAG, span, message).help(help);
    }

    fn prose_fence(&mut self, opener: &Opener) {
        let closer = self.closers.find(self.source, &self.lines, opener, self.at + 1);
        if closer.is_none()
            && let Some((swallowed, _)) = self.next_tag[self.at]
        {
            let swallowed = self.lines[swallowed].text;
            self.diagnostics
                .warning(
                    Code::UNCLOSED_FENCE,
                    self.lines[self.at].text,
                    "this fence is never closed, so all that follows is text",
                )
                .related(swallowed, "this tag too");
        }
        if let Some(kind) = BlockKind::named_alike(&opener.info) {
            let tag = kind.name();
            let message = format!("a fence `{}` is text, not a block", opener.info);
            let help = format!(
                "write `<{tag}>` alone on a line, a fence `typescript` behind it, and then `</{tag}>`"
            );
            self.diagnostics.warning(Code::FENCE_FOR_BLOCK, self.lines[self.at].text, message).help(help);
        }
        let fence = self.fence(opener, closer, self.lines.len());
        self.parts.push(Part::Fence(fence));
    }

    /// Takes the fence that starts on this line; without a closing line it ends before line `end`.
    fn fence(&mut self, opener: &Opener, closer: Option<usize>, end: usize) -> Fence {
        let first = self.at;
        self.at = closer.map_or(end, |closer| closer + 1);
        Fence {
            span: self.stretch(first, self.at),
            info: opener.info.clone(),
            body: self.stretch(first + 1, closer.unwrap_or(end)),
            closer: closer.map(|line| self.lines[line].text),
        }
    }
}
