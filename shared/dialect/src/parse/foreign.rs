//! Syntax of other languages, which models write out of habit: recognised, and refused with its equivalent.

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

    /// Returns the stretch from token `first` to the next comma, closing bracket or line outside of brackets.
    fn stretch(&self, first: usize) -> Span {
        let mut last = first;
        let mut at = first;
        while let Some(token) = self.tokens.get(at) {
            let ends = matches!(token.kind, TokenKind::End | TokenKind::Mark("," | ")" | "]" | "}" | ";"));
            if ends || at > first && token.starts_line {
                break;
            }
            last = at.max(self.brackets.closer(at));
            at = last + 1;
        }
        self.tokens[first].span.join(self.tokens[last].span)
    }

    fn rest_of_line(&self) -> Span {
        self.stretch(self.at)
    }

    /// Returns the rest of `span` behind the next token.
    fn behind_next(&self, span: Span) -> &str {
        let start = self.peek().span.end.min(span.end);
        self.source[start..span.end].trim_start()
    }

    /// Returns the text between the bracket at token `opener` and the one that closes it.
    fn between(&self, opener: usize) -> &str {
        let start = self.tokens[opener].span.end;
        let inside = &self.source[start..self.tokens[self.brackets.closer(opener)].span.start];
        let inside = inside.trim().trim_end_matches(';');
        inside.strip_prefix("return ").unwrap_or(inside)
    }

    /// Returns that text if it is one expression, and not a block of statements.
    fn expression_between(&self, opener: usize) -> Option<&str> {
        let inside = self.between(opener);
        let statements = ["const ", "let ", "var ", "if ", "for ", "while ", "return "];
        let is_block = inside.contains(';') || statements.iter().any(|word| inside.starts_with(word));
        (!is_block && !inside.is_empty()).then_some(inside)
    }

    /// Returns that text as an expression. For a block of bindings and a `return`, this is nested `let`:
    /// `const y = x + 1; return y` is `let(x + 1, y => y)`.
    fn block_between(&self, opener: usize) -> Option<String> {
        if let Some(expression) = self.expression_between(opener) {
            return Some(expression.to_owned());
        }
        let closer = self.brackets.closer(opener);
        let mut instead = String::new();
        let mut first = opener + 1;
        let mut bindings = 0;
        while first < closer {
            let span = self.stretch(first);
            let text = self.text(span).trim();
            first = self.tokens.iter().position(|it| it.span.start >= span.end)?;
            while self.token_at(first).is_mark(";") {
                first += 1;
            }
            if let Some(result) = text.strip_prefix("return ").filter(|_| first >= closer) {
                return Some(format!("{instead}{result}{}", ")".repeat(bindings)));
            }
            let text = ["const ", "let ", "var "].iter().find_map(|it| text.strip_prefix(it)).unwrap_or(text);
            let (name, value) = text.split_once('=')?;
            let (name, value) = (name.trim(), value.trim());
            if !is_plain_name(name) || value.starts_with(['=', '>']) {
                return None;
            }
            instead.push_str(&format!("let({value}, {name} => "));
            bindings += 1;
        }
        None
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
