//! Pieces: what a layout moves around without looking into it. Tokens, whole templates, comments.

use dialect::code::{Code as Tokens, TokenKind};
use source_text::Span;

use crate::parse::comments;

/// A piece of code.
#[derive(Clone, Copy, Debug)]
pub(super) struct Piece<'source> {
    pub(super) text: &'source str,
    pub(super) kind: Kind,
    /// Where it starts in the document.
    pub(super) start: usize,
    /// Line breaks before it.
    pub(super) lines: usize,
    /// Whether blanks or line breaks stand before it in the document.
    pub(super) spaced: bool,
    /// Whether it is a part of an expression or of a statement, where `<` compares.
    pub(super) computes: bool,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Kind {
    Mark,
    /// A name, a text, a number, a regex, a template.
    Word,
    Comment,
}

impl<'source> Piece<'source> {
    pub(super) fn comma() -> Self {
        Self { text: ",", kind: Kind::Mark, start: 0, lines: 0, spaced: false, computes: false }
    }

    pub(super) fn with_lines(self, lines: usize) -> Self {
        Self { lines, ..self }
    }

    pub(super) fn is_comment(&self) -> bool {
        self.kind == Kind::Comment
    }

    /// Whether its line has to end behind it.
    pub(super) fn ends_line(&self) -> bool {
        self.is_comment() && self.text.starts_with("//")
    }

    pub(super) fn is_mark(&self, marks: &[&str]) -> bool {
        self.kind == Kind::Mark && marks.contains(&self.text)
    }

    pub(super) fn is_word(&self, words: &[&str]) -> bool {
        self.kind == Kind::Word && words.contains(&self.text)
    }
}

/// All pieces of a stretch, in order.
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
    spans.extend(outside.into_iter().map(|span| (span, Kind::Comment)));
    spans.sort_by_key(|(span, _)| span.start);
    let mut at = stretch.start;
    let piece = |(span, kind): (Span, Kind)| {
        let gap = &source[at..span.start];
        at = span.end;
        let (lines, spaced) = (breaks(gap), !gap.is_empty());
        let text = source[span.range()].trim_end();
        Piece { text, kind, start: span.start, lines, spaced, computes: false }
    };
    spans.into_iter().map(piece).collect()
}

/// Where the tokens stand, a template as one.
fn atoms(tokens: &Tokens<'_>) -> Vec<(Span, Kind)> {
    let mut spans: Vec<(Span, Kind)> = Vec::new();
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
            _ if matches!(token.kind, TokenKind::Mark(_)) => spans.push((token.span, Kind::Mark)),
            _ => spans.push((token.span, Kind::Word)),
        }
    }
    spans
}

/// Line breaks, however they are spelled.
fn breaks(gap: &str) -> usize {
    let returns = gap.matches('\r').count() - gap.matches("\r\n").count();
    gap.matches('\n').count() + returns
}
