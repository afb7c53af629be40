//! What follows the program so far, where only its end or another line can.

use source_text::Span;

use super::super::Parser;
use super::{Foreign, as_text, is_plain_name};
use crate::FailureKind;
use crate::token::TokenKind;

impl Parser<'_> {
    /// `before` is the program so far; `binds` says whether its last line binds a name.
    pub(in super::super) fn foreign_end(&self, before: Span, binds: bool) -> Option<Foreign> {
        let rest = self.rest_of_line();
        let span = before.join(rest);
        let right = self.behind_next(rest);
        if self.peek().starts_line {
            return self.leading_operator(before, rest, binds);
        }
        match self.peek().kind {
            TokenKind::Mark("#") => Some(self.foreign(rest, format!("//{}", &self.text(rest)[1..]))),
            TokenKind::Mark("|") => self.pipe(before, span, right.trim_start_matches(['>', ' '])),
            TokenKind::Mark("->") => Some(self.foreign(span, format!("{}.{right}", self.text(before)))),
            TokenKind::Mark("=") => Some(Foreign { span: rest, kind: FailureKind::Assignment }),
            TokenKind::Name if binds && self.word() == "in" => {
                Some(self.foreign(span, format!("{};\n{right}", self.text(before))))
            }
            _ if is_plain_name(self.text(before)) => Some(self.without_brackets(before, rest)),
            _ => self.foreign_operator(before, span).or_else(|| self.command(span)),
        }
    }

    /// `xs | count`, `xs |> map(f)`
    fn pipe(&self, before: Span, span: Span, right: &str) -> Option<Foreign> {
        let left = self.text(before);
        if is_plain_name(right) {
            return Some(self.foreign(span, format!("{right}({left})")));
        }
        let (name, arguments) = right.strip_suffix(')')?.split_once('(')?;
        let separator = if arguments.trim().is_empty() { "" } else { ", " };
        is_plain_name(name).then(|| self.foreign(span, format!("{name}({left}{separator}{arguments})")))
    }

    /// `findReferences User`, `` findReferences: `User` ``, ``findReferences{`User`}``
    fn without_brackets(&self, before: Span, rest: Span) -> Foreign {
        let name = self.text(before).to_owned();
        let text = self.text(rest);
        let arguments = match self.peek().kind {
            TokenKind::Mark(":") => vec![self.behind_next(rest).to_owned()],
            TokenKind::Mark("{") => vec![self.between(self.at).to_owned()],
            TokenKind::Name => text.split_whitespace().map(as_text).collect(),
            _ => vec![text.to_owned()],
        };
        Foreign { span: before.join(rest), kind: FailureKind::WithoutBrackets { name, arguments } }
    }

    /// `grep -rn "User" src`
    fn command(&self, span: Span) -> Option<Foreign> {
        let first = self.tokens.iter().find(|it| it.span.start == span.start)?;
        let is_command = first.is_name() && !self.text(span).contains(['(', '[', '{']);
        let name = self.text(first.span).to_owned();
        let kind = FailureKind::WithoutBrackets { name, arguments: Vec::new() };
        is_command.then_some(Foreign { span, kind })
    }

    /// A line that starts with an operator: going on with the line before, or standing for itself.
    fn leading_operator(&self, before: Span, rest: Span, binds: bool) -> Option<Foreign> {
        let TokenKind::Mark(operator) = self.peek().kind else { return None };
        if crate::parse::precedence(operator).is_none() && !matches!(operator, "?" | ":") {
            return None;
        }
        let (left, right) = (self.text(before), self.text(rest));
        let joined = format!("{left} {right}");
        let separate = if binds { format!("{left};\n{right}") } else { format!("[{left}, {right}]") };
        let separate = (operator == "-").then_some(separate);
        let kind = FailureKind::LeadingOperator { operator, joined, separate };
        Some(Foreign { span: self.peek().span, kind })
    }
}
