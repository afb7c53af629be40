//! Pieces: the atoms of a layout, which are tokens, whole templates and comments.

use dialect::code::{Code as Tokens, TokenKind};
use source_text::Span;

use crate::parse::comments;

/// A piece of code.
#[derive(Clone, Copy, Debug)]
pub(super) struct Piece<'source> {
    pub(super) text: &'source str,
    pub(super) kind: PieceKind,
    /// The offset in the document, in bytes.
    pub(super) start: usize,
    /// The number of line breaks before it.
    pub(super) lines: usize,
    /// `true` if blanks or line breaks precede it in the document.
    pub(super) spaced: bool,
    /// `true` in an expression or a statement, where `<` compares.
    pub(super) computes: bool,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum PieceKind {
    Mark,
    /// A name, a text, a number, a regex or a template.
    Word,
    Comment,
}

impl<'source> Piece<'source> {
    pub(super) fn comma() -> Self {
        Self { text: ",", kind: PieceKind::Mark, start: 0, lines: 0, spaced: false, computes: false }
    }

    pub(super) fn with_lines(self, lines: usize) -> Self {
        Self { lines, ..self }
    }

    pub(super) fn is_comment(&self) -> bool {
        self.kind == PieceKind::Comment
    }

    /// Returns `true` for a comment up to the end of its line.
    pub(super) fn ends_line(&self) -> bool {
        self.is_comment() && self.text.starts_with("//")
    }

    pub(super) fn is_mark(&self, marks: &[&str]) -> bool {
        self.kind == PieceKind::Mark && marks.contains(&self.text)
    }

    pub(super) fn is_word(&self, words: &[&str]) -> bool {
        self.kind == PieceKind::Word && words.contains(&self.text)
    }
}

/// Returns all pieces of a stretch, in order.
pub(super) fn pieces<'source>(
    source: &'source str,
    stretch: Span,
    tokens: &Tokens<'_>,
) -> Vec<Piece<'source>> {
    let mut spans = atoms(tokens);
    let comments = comments(source, stretch, tokens.tokens());
    let inside = |at: usize| {
        let before = spans.partition_point(|(span, _)| span.start <= at);
        before > 0 && at < spans[before - 1].0.end
    };
    let outside: Vec<_> = comments.into_iter().filter(|span| !inside(span.start)).collect();
    spans.extend(outside.into_iter().map(|span| (span, PieceKind::Comment)));
    spans.sort_by_key(|(span, _)| span.start);
    let mut at = stretch.start;
    let piece = |(span, kind): (Span, PieceKind)| {
        let gap = &source[at..span.start];
        at = span.end;
        let (lines, spaced) = (breaks(gap), !gap.is_empty());
        let text = source[span.range()].trim_end();
        Piece { text, kind, start: span.start, lines, spaced, computes: false }
    };
    spans.into_iter().map(piece).collect()
}

/// Returns the places of the tokens, with each template as one.
fn atoms(tokens: &Tokens<'_>) -> Vec<(Span, PieceKind)> {
    let mut spans: Vec<(Span, PieceKind)> = Vec::new();
    let mut open = 0_usize;
    for token in tokens.tokens() {
        let was_open = open > 0;
        match token.kind {
            TokenKind::End => break,
            TokenKind::TemplateStart => open += 1,
            TokenKind::TemplateEnd => open = open.saturating_sub(1),
            _ => {}
        }
        match spans.last_mut() {
            Some((template, _)) if was_open => *template = template.join(token.span),
            _ if matches!(token.kind, TokenKind::Mark(_)) => spans.push((token.span, PieceKind::Mark)),
            _ => spans.push((token.span, PieceKind::Word)),
        }
    }
    spans
}

/// Counts line breaks of any spelling.
fn breaks(gap: &str) -> usize {
    let returns = gap.matches('\r').count() - gap.matches("\r\n").count();
    gap.matches('\n').count() + returns
}
