//! Foreign syntax where an expression has to start.

use source_text::Span;

use super::ForeignSyntax;
use crate::parse::parser::Parser;
use crate::quote;
use crate::token::TokenKind;

impl Parser<'_> {
    /// Recognises words that mean something elsewhere, and text without quotes.
    pub(in super::super) fn foreign_name(&self) -> Option<ForeignSyntax> {
        if self.is_document() {
            return None;
        }
        let next = self.peek_ahead(1);
        let span = self.rest_of_line();
        let rest = |first: usize| self.text(self.stretch(self.at + first));
        match self.word() {
            "lambda" if next.is_name() && self.peek_ahead(2).is_mark(":") => {
                let parameter = self.text(next.span);
                Some(self.foreign(span, format!("{parameter} => {}", rest(3))))
            }
            "not" if next.starts_operand() && !next.is_mark("(") => {
                Some(self.foreign(span, format!("!{}", rest(1))))
            }
            "new" if next.is_name() && !next.starts_line => Some(self.foreign(span, rest(1))),
            "async" if next.is_mark("(") || next.is_name() && self.peek_ahead(2).is_mark("=>") => {
                Some(self.foreign(span, rest(1)))
            }
            "function" | "fn" | "func" | "fun" if next.is_mark("(") => self.function(span),
            _ if next.is_mark("::") || self.is_file_name() => Some(self.bare(self.run(self.at))),
            _ => None,
        }
    }

    /// Recognises `function(x) { return x.path }`, `fn(x) => x.path`.
    fn function(&self, span: Span) -> Option<ForeignSyntax> {
        let closer = self.brackets.closer(self.at + 1);
        let after = self.token_at(closer + 1);
        let parameters = self.between(self.at + 1);
        if after.is_mark("=>") {
            let lambda = self.text(self.stretch(self.at + 1));
            return Some(self.foreign(span, lambda));
        }
        if !after.is_mark("{") {
            return None;
        }
        let body = self.expression_between(closer + 1).unwrap_or("…");
        Some(self.foreign(span, format!("({parameters}) => {body}")))
    }

    /// Recognises `x => { f(x) }`: a block, where `{` opens an object.
    pub(in super::super) fn foreign_block(&self) -> Option<ForeignSyntax> {
        let (first, second) = (self.peek_ahead(1), self.peek_ahead(2));
        let is_field = second.is_mark(":") || second.is_mark(",") || second.is_mark("}");
        let is_block = first.is_name() && !is_field && self.text(first.span) != "return";
        let span = self.peek().span.join(self.tokens[self.brackets.closer(self.at)].span);
        is_block.then(|| self.foreign(span, self.block_between(self.at).unwrap_or_else(|| "…".to_owned())))
    }

    /// Returns `true` for `src/auth.rs`, an unquoted file name. One without a dot is recognised when names
    /// are resolved.
    fn is_file_name(&self) -> bool {
        let text = self.text(self.run(self.at));
        text.contains('/') && text.contains('.')
    }

    /// Returns the tokens from `first` on without blanks between them, up to a comma or bracket.
    fn run(&self, first: usize) -> Span {
        let mut span = self.tokens[first].span;
        for token in &self.tokens[first + 1..] {
            let is_part = match token.kind {
                TokenKind::Name | TokenKind::Number(_) => true,
                TokenKind::Mark(mark) => !"()[]{},;=".contains(mark),
                _ => false,
            };
            if !is_part || token.span.start != span.end {
                break;
            }
            span = span.join(token.span);
        }
        span
    }

    /// Recognises a mark that cannot start an expression: a path, a pattern, a sign.
    pub(in super::super) fn foreign_operand(&self) -> Option<ForeignSyntax> {
        if self.is_document() {
            return None;
        }
        let TokenKind::Mark(mark) = self.peek().kind else { return None };
        let span = self.rest_of_line();
        let next = self.peek_ahead(1);
        let rest = &self.text(span)[mark.len()..];
        match mark {
            "+" if matches!(next.kind, TokenKind::Number(_)) => Some(self.foreign(span, rest)),
            "." if matches!(next.kind, TokenKind::Number(_)) => Some(self.foreign(span, format!("0.{rest}"))),
            "#" if !next.is_mark("[") => Some(self.foreign(span, format!("//{rest}"))),
            "/" if self.pattern(span).is_some() => {
                Some(self.foreign(span, quote::text(&self.pattern(span)?)))
            }
            "|" => {
                let (parameter, body) = rest.split_once('|')?;
                Some(self.foreign(span, format!("{} => {}", parameter.trim(), body.trim())))
            }
            "<" => Some(self.foreign(span, untagged(self.text(span))?)),
            "." | "/" | "*" | "^" | "#" | "@" | "~" | "::" | "%" if self.starts_item() => {
                Some(self.bare(span))
            }
            _ => None,
        }
    }

    /// Returns `true` if the next token is the first of an item, and not behind an operator.
    fn starts_item(&self) -> bool {
        let before = self.at.checked_sub(1).map(|before| &self.tokens[before].kind);
        matches!(before, None | Some(TokenKind::Mark("(" | "[" | "{" | "," | "=" | ":")))
    }

    /// Returns the text of `/User/`, `/user/i`, with flags as a pattern has them.
    fn pattern(&self, span: Span) -> Option<String> {
        let (pattern, flags) = self.text(span).strip_prefix('/')?.rsplit_once('/')?;
        match flags {
            _ if pattern.is_empty() || pattern.contains(char::is_whitespace) => None,
            "" | "g" => Some(pattern.to_owned()),
            "i" | "gi" | "ig" => Some(format!("(?i){pattern}")),
            _ => None,
        }
    }
}

/// Returns the text inside `<program>f(x)</program>`.
fn untagged(text: &str) -> Option<&str> {
    let (tag, rest) = text.strip_prefix('<')?.split_once('>')?;
    rest.strip_suffix(&format!("</{tag}>")).map(str::trim)
}
