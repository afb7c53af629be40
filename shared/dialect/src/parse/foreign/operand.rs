//! Foreign syntax where an expression has to start.

use source_text::Span;

use super::ForeignSyntax;
use crate::parse::parser::Parser;
use crate::token::TokenKind;

impl Parser<'_> {
    /// Recognises words that mean something elsewhere, and text without quotes.
    pub(in super::super) fn foreign_name(&self) -> Option<ForeignSyntax> {
        if self.is_document() {
            return None;
        }
        let next = self.peek_ahead(1);
        let span = self.rest_of_line();
        let is_arrow = next.is_mark("(") || next.is_name() && self.peek_ahead(2).is_mark("=>");
        match self.word() {
            "lambda" if next.is_name() || next.is_mark(":") => Some(self.foreign(span, "x => …")),
            "not" if next.starts_operand() && !next.is_mark("(") => Some(self.foreign(span, "!(…)")),
            "new" if next.is_name() && !next.starts_line => Some(self.foreign(self.peek().span, "")),
            "async" if is_arrow => Some(self.foreign(self.peek().span, "")),
            "function" | "fn" | "func" | "fun" if next.is_mark("(") && self.is_function() => {
                Some(self.foreign(span, "x => …"))
            }
            _ if next.is_mark("::") || self.is_file_name() => Some(self.bare(self.run(self.at))),
            _ => None,
        }
    }

    /// Returns `true` for `function(x) { return x.path }`, `fn(x) => x.path`.
    fn is_function(&self) -> bool {
        let after = self.token_at(self.brackets.closer(self.at + 1) + 1);
        after.is_mark("=>") || after.is_mark("{")
    }

    /// Recognises `x => { f(x) }`: a block, where `{` opens an object.
    pub(in super::super) fn foreign_block(&self) -> Option<ForeignSyntax> {
        let (first, second) = (self.peek_ahead(1), self.peek_ahead(2));
        let is_field = second.is_mark(":") || second.is_mark(",") || second.is_mark("}");
        let is_block = first.is_name() && !is_field && self.text(first.span) != "return";
        let span = self.peek().span.join(self.tokens[self.brackets.closer(self.at)].span);
        is_block.then(|| self.foreign(span, "let(…, x => …)"))
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
        match mark {
            "+" if matches!(next.kind, TokenKind::Number(_)) => Some(self.foreign(self.peek().span, "")),
            "." if matches!(next.kind, TokenKind::Number(_)) => {
                let digits = self.text(next.span);
                Some(self.foreign(self.peek().span.join(next.span), format!("0.{digits}")))
            }
            "#" if !next.is_mark("[") => Some(self.foreign(span, "// …")),
            "/" if self.is_pattern(span) => Some(self.foreign(span, "matches(text, `…`)")),
            "|" => Some(self.foreign(span, "x => …")),
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

    /// Returns `true` for `/User/`, `/user/i`.
    fn is_pattern(&self, span: Span) -> bool {
        let inside = self.text(span).strip_prefix('/').and_then(|it| it.rsplit_once('/'));
        inside.is_some_and(|(pattern, flags)| {
            let is_whole = !pattern.is_empty() && !pattern.contains(char::is_whitespace);
            is_whole && matches!(flags, "" | "g" | "i" | "gi" | "ig")
        })
    }
}

/// Returns the text inside `<program>f(x)</program>`.
fn untagged(text: &str) -> Option<&str> {
    let (tag, rest) = text.strip_prefix('<')?.split_once('>')?;
    rest.strip_suffix(&format!("</{tag}>")).map(str::trim)
}
