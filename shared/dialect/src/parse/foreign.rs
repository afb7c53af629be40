//! Syntax of other languages, which models write out of habit: recognised, and refused with what there is instead.
//! The whole program that is meant is written by `habits`.

mod end;
mod item;
mod operand;
mod statement;

use source_text::Span;

use super::parser::{Parsed, Parser};
use crate::FailureKind;
use crate::token::TokenKind;

/// Syntax that this language writes differently.
pub(super) struct ForeignSyntax {
    span: Span,
    kind: FailureKind,
}

impl Parser<'_> {
    pub(super) fn refuse<T>(&mut self, foreign: ForeignSyntax) -> Parsed<T> {
        self.fail(foreign.span, foreign.kind)
    }

    /// Makes the refusal of `span`, for which `instead` is written here. An ellipsis in it stands for an
    /// unknown part.
    pub(super) fn foreign(&self, span: Span, instead: impl Into<String>) -> ForeignSyntax {
        let found = self.text(span).to_owned();
        ForeignSyntax { span, kind: FailureKind::NotDialect { found, instead: instead.into() } }
    }

    /// Makes the refusal of text without quotes.
    fn bare(&self, span: Span) -> ForeignSyntax {
        let word = self.text(span).to_owned();
        ForeignSyntax { span, kind: FailureKind::BareWord { word, callable: None, nearest: None } }
    }

    /// Returns the stretch from the next token to the next comma, closing bracket or line outside of brackets.
    fn rest_of_line(&self) -> Span {
        let mut last = self.at;
        let mut at = self.at;
        while let Some(token) = self.tokens.get(at) {
            let ends = matches!(token.kind, TokenKind::End | TokenKind::Mark("," | ")" | "]" | "}" | ";"));
            if ends || at > self.at && token.starts_line {
                break;
            }
            last = at.max(self.brackets.closer(at));
            at = last + 1;
        }
        self.peek().span.join(self.tokens[last].span)
    }

    /// Returns the rest of `span` behind the next token.
    fn behind_next(&self, span: Span) -> &str {
        let start = self.peek().span.end.min(span.end);
        self.source[start..span.end].trim_start()
    }

    /// Returns the text between the bracket at token `opener` and the one that closes it.
    fn between(&self, opener: usize) -> &str {
        let start = self.tokens[opener].span.end;
        self.source[start..self.tokens[self.brackets.closer(opener)].span.start].trim()
    }

    /// Returns the token at an index, or the end of the program past its last.
    fn token_at(&self, index: usize) -> &crate::token::Token {
        &self.tokens[index.min(self.tokens.len() - 1)]
    }
}

fn is_plain_name(text: &str) -> bool {
    text.chars().all(crate::lex::is_name_part)
        && !text.starts_with(|char: char| char.is_numeric())
        && !matches!(text, "" | "true" | "false" | "null")
}
