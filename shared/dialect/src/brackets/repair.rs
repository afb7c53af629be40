//! Repair of brackets in documents, so that one mistake does not hide the rest. Missing brackets are added
//! with an empty span, and stray ones are ignored.

use source_text::Span;

use super::{char_of, closer};
use crate::token::{Token, TokenKind};
use crate::{Failure, FailureKind, Limit};

/// Returns the tokens with every bracket closed, and the mistakes. If brackets nest deeper than `depth`, only
/// the end token is left.
pub(crate) fn repaired(text: &str, tokens: Vec<Token>, depth: usize) -> (Vec<Token>, Vec<Failure>) {
    let mut repair = Repair {
        indentations: indentations(text, &tokens),
        behind: vec![None; tokens.len()],
        tokens,
        open: Vec::new(),
        missing: Vec::new(),
        failures: Vec::new(),
    };
    for index in 0..repair.tokens.len() {
        repair.token(index);
        if repair.open.len() > depth {
            let kind = FailureKind::LimitReached { limit: Limit::Depth, at_most: depth };
            let failure = Failure::at(repair.tokens[index].span, kind);
            return (repair.tokens.split_off(repair.tokens.len() - 1), vec![failure]);
        }
    }
    repair.finish()
}

/// Returns the indentation of each token's line, in bytes.
fn indentations(text: &str, tokens: &[Token]) -> Vec<usize> {
    let mut indentation = 0;
    let of = |token: &Token| {
        if token.starts_line {
            let start = token.span.start;
            indentation = start - text[..start].rfind(['\n', '\r']).map_or(0, |at| at + 1);
        }
        indentation
    };
    tokens.iter().map(of).collect()
}

/// Something that is open: a bracket, or a text with expressions in it.
struct Open {
    index: usize,
    /// The bracket that closes it; `None` for a text, which has an end token of its own.
    closer: Option<&'static str>,
}

struct Repair {
    tokens: Vec<Token>,
    indentations: Vec<usize>,
    /// For each bracket that is closed, really or in thought, the first token behind it.
    behind: Vec<Option<usize>>,
    open: Vec<Open>,
    /// Before which token which bracket is missing.
    missing: Vec<(usize, &'static str)>,
    failures: Vec<Failure>,
}

impl Repair {
    fn token(&mut self, index: usize) {
        match self.tokens[index].kind {
            TokenKind::TemplateStart => self.open.push(Open { index, closer: None }),
            TokenKind::TemplateEnd => {
                self.unclosed_above(|it| it.closer.is_none(), index);
                self.closed(index);
            }
            TokenKind::End => self.unclosed_above(|_| false, index),
            TokenKind::Mark(mark) if closer(mark).is_some() => {
                self.open.push(Open { index, closer: closer(mark) });
            }
            TokenKind::Mark(mark @ (")" | "]" | "}")) => self.close(index, mark),
            _ => {}
        }
    }

    fn close(&mut self, index: usize, mark: &'static str) {
        let in_this_text = self.open.iter().rev().take_while(|it| it.closer.is_some());
        if in_this_text.into_iter().any(|it| it.closer == Some(mark)) {
            self.unclosed_above(|it| it.closer == Some(mark), index);
            self.closed(index);
        } else {
            let kind = FailureKind::Unopened { bracket: char_of(mark) };
            self.failures.push(Failure::at(self.tokens[index].span, kind));
            self.tokens[index].kind = TokenKind::Strange;
        }
    }

    /// Closes, before token `end`, every open bracket above the one that matches `closed`.
    fn unclosed_above(&mut self, closed: impl Fn(&Open) -> bool, end: usize) {
        while self.open.last().is_some_and(|it| !closed(it)) {
            let Open { index, closer } = self.open.pop().expect("there is a last");
            let Some(closer) = closer else { continue };
            let before = self.likely_end(index, end);
            self.behind[index] = Some(before);
            self.missing.push((before, closer));
            let TokenKind::Mark(mark) = self.tokens[index].kind else { continue };
            let bracket = char_of(mark);
            let kind = FailureKind::Unclosed { bracket, at_end: None };
            self.failures.push(Failure::at(self.tokens[index].span, kind));
        }
    }

    /// Records that the token at `index` closes the bracket that was opened last.
    fn closed(&mut self, index: usize) {
        if let Some(open) = self.open.pop() {
            self.behind[open.index] = Some(index + 1);
        }
    }

    /// Returns the token before which the bracket at token `opener` was probably meant to be closed. That is
    /// the next line that is not indented deeper than its own, or `end`.
    fn likely_end(&self, opener: usize, end: usize) -> usize {
        let mut at = opener + 1;
        while at < end {
            if self.tokens[at].starts_line && self.indentations[at] <= self.indentations[opener] {
                return at;
            }
            at = self.behind[at].unwrap_or(at + 1);
        }
        end
    }

    fn finish(mut self) -> (Vec<Token>, Vec<Failure>) {
        // A stable sort: at one place, the innermost was found first.
        self.missing.sort_by_key(|(before, _)| *before);
        let mut tokens = Vec::with_capacity(self.tokens.len() + self.missing.len());
        let mut missing = self.missing.into_iter().peekable();
        for (index, token) in self.tokens.into_iter().enumerate() {
            while let Some((_, mark)) = missing.next_if(|(before, _)| *before == index) {
                let end = tokens.last().map_or(token.span.start, |last: &Token| last.span.end);
                let span = Span::new(end, end);
                tokens.push(Token { kind: TokenKind::Mark(mark), span, starts_line: false });
            }
            tokens.push(token);
        }
        self.failures.sort_by_key(|failure| failure.span);
        (tokens, self.failures)
    }
}
