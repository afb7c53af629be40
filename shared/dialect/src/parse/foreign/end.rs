//! Foreign syntax behind the program so far, where only its end or another line is possible.

use source_text::Span;

use super::{ForeignSyntax, is_plain_name};
use crate::parse::parser::Parser;
use crate::token::TokenKind;
use crate::{FailureKind, quote};

impl Parser<'_> {
    /// Recognises it. `before` is the program so far, and `value` the expression of its last line; `binds` is
    /// true if that line binds a name.
    pub(in super::super) fn foreign_end(
        &self,
        before: Span,
        value: Span,
        binds: bool,
    ) -> Option<ForeignSyntax> {
        let rest = self.rest_of_line();
        let span = value.join(rest);
        if self.peek().starts_line {
            return self.leading_operator(before, rest, binds);
        }
        match self.peek().kind {
            TokenKind::Mark("#") => Some(self.foreign(rest, "// …")),
            TokenKind::Mark("|") => Some(self.foreign(span, "…")),
            TokenKind::Mark("->") => Some(self.foreign(span, "….name")),
            TokenKind::Mark("=") => Some(ForeignSyntax { span: rest, kind: FailureKind::Assignment }),
            TokenKind::Name if binds && self.word() == "in" => {
                Some(self.foreign(before.join(rest), "name = …"))
            }
            TokenKind::Name if matches!(self.word(), "and" | "or" | "is" | "in" | "not" | "if") => {
                self.foreign_operator(span).or_else(|| self.words_or_command(value, rest))
            }
            _ if is_plain_name(self.text(value)) => Some(self.without_brackets(value, rest)),
            _ => self.foreign_operator(span).or_else(|| self.command(span)),
        }
    }

    fn words_or_command(&self, value: Span, rest: Span) -> Option<ForeignSyntax> {
        let is_name = is_plain_name(self.text(value));
        if is_name { Some(self.without_brackets(value, rest)) } else { self.command(value.join(rest)) }
    }

    /// Recognises `findReferences User`, `` findReferences: `User` ``, ``findReferences{`User`}``.
    fn without_brackets(&self, before: Span, rest: Span) -> ForeignSyntax {
        let name = self.text(before).to_owned();
        let text = self.text(rest);
        let arguments = match self.peek().kind {
            TokenKind::Mark(":") => vec![self.behind_next(rest).to_owned()],
            TokenKind::Mark("{") => vec![self.between(self.at).to_owned()],
            TokenKind::Name => text.split_whitespace().map(quote::text).collect(),
            _ => vec![text.to_owned()],
        };
        ForeignSyntax { span: before.join(rest), kind: FailureKind::WithoutBrackets { name, arguments } }
    }

    /// Recognises `grep -rn "User" src`.
    fn command(&self, span: Span) -> Option<ForeignSyntax> {
        let first = self.tokens.iter().find(|it| it.span.start == span.start)?;
        let is_command = first.is_name() && !self.text(span).contains(['(', '[', '{']);
        let name = self.text(first.span).to_owned();
        let kind = FailureKind::WithoutBrackets { name, arguments: Vec::new() };
        is_command.then_some(ForeignSyntax { span, kind })
    }

    /// Recognises a line that starts with an operator, and may continue the line before or stand for itself.
    fn leading_operator(&self, before: Span, rest: Span, binds: bool) -> Option<ForeignSyntax> {
        let TokenKind::Mark(operator) = self.peek().kind else { return None };
        if crate::parse::precedence(operator).is_none() && !matches!(operator, "?" | ":") {
            return None;
        }
        let (left, right) = (self.text(before), self.text(rest));
        let joined = format!("{left} {right}");
        let separate = if binds { format!("{left};\n{right}") } else { format!("[{left}, {right}]") };
        let separate = (operator == "-").then_some(separate);
        let kind = FailureKind::LeadingOperator { operator, joined, separate };
        Some(ForeignSyntax { span: self.peek().span, kind })
    }
}
