//! Foreign syntax behind an element, a field's value or an argument, where only a comma or the end is
//! possible.

use source_text::Span;

use super::ForeignSyntax;
use crate::ast::Expression;
use crate::parse::parser::Parser;
use crate::token::TokenKind;

impl Parser<'_> {
    /// Recognises `xs[1:3]`.
    pub(in super::super) fn foreign_slice(&self, of: &Expression, opener: usize) -> Option<ForeignSyntax> {
        if self.is_document() {
            return None;
        }
        let (from, to) = self.between(opener).split_once(':')?;
        let bound =
            |text: &str| if text.trim().is_empty() { Some(None) } else { text.trim().parse().ok().map(Some) };
        let (from, to): (Option<i64>, Option<i64>) = (bound(from)?, bound(to)?);
        let from = from.unwrap_or(0);
        let instead = match to {
            None if from < 0 => format!(".take({from})"),
            Some(_) if from < 0 => return None,
            Some(to) if to < 0 => format!(".drop({to})") + &dropped(from),
            to => {
                let taken = to.map_or(String::new(), |to| format!(".take({})", (to - from).max(0)));
                dropped(from) + &taken
            }
        };
        let span = of.span.join(self.tokens[self.brackets.closer(opener)].span);
        Some(self.foreign(span, format!("{}{instead}", self.text(of.span))))
    }

    /// Recognises the item that starts at token `first`, in brackets that `closer` closes.
    pub(in super::super) fn foreign_item(&self, first: usize, closer: usize) -> Option<ForeignSyntax> {
        if self.is_document() {
            return None;
        }
        let span = self.extent(first, closer);
        let read = Span::new(span.start, self.end_of_last());
        self.comprehension(first, closer, read, span)
            .or_else(|| self.destructured(first, span))
            .or_else(|| self.quoted_name(first, span))
            .or_else(|| self.foreign_operator(read, span))
            .or_else(|| self.words(first, span))
    }

    /// Recognises `"path"=…`.
    fn quoted_name(&self, first: usize, span: Span) -> Option<ForeignSyntax> {
        let TokenKind::Text(name) = &self.tokens[first].kind else { return None };
        let is_name = first + 1 == self.at && (self.at_mark("=") || self.at_mark(":"));
        is_name.then(|| self.foreign(span, format!("{name}={}", self.behind_next(span))))
    }

    /// Recognises `async fn`.
    fn words(&self, first: usize, span: Span) -> Option<ForeignSyntax> {
        let text = self.text(span);
        let is_words = self.tokens[first].is_name() && !text.contains(['(', '[', '{', '`', '"', '\'', '=']);
        is_words.then(|| self.bare(span))
    }

    /// Recognises `{path} => path`.
    fn destructured(&self, first: usize, span: Span) -> Option<ForeignSyntax> {
        let opens = self.tokens[first].is_mark("{") || self.tokens[first].is_mark("[");
        (opens && self.at_mark("=>")).then(|| self.foreign(span, "x => …"))
    }

    /// Recognises `[f(x) for x in xs if g(x)]`, brackets included.
    fn comprehension(&self, first: usize, closer: usize, read: Span, span: Span) -> Option<ForeignSyntax> {
        if !self.at_word("for") {
            return None;
        }
        let (name, rest) = self.behind_next(span).split_once(" in ")?;
        let (list, condition) = match rest.split_once(" if ") {
            Some((list, condition)) => (list, Some(condition)),
            None => (rest, None),
        };
        let kept = condition.map(|it| format!(".filter({name} => {it})")).unwrap_or_default();
        let is_alone = self.tokens[first - 1].is_mark("[") && self.brackets.closer(first - 1) == closer;
        let place = if is_alone { self.tokens[first - 1].span.join(self.tokens[closer].span) } else { span };
        let mapped = self.text(read);
        let map = if mapped == name { String::new() } else { format!(".map({name} => {mapped})") };
        Some(self.foreign(place, format!("{list}{kept}{map}")))
    }

    /// Recognises `a and b`, `a <> b`, `a if c else b`; `read` is the left side, `span` all of it.
    pub(super) fn foreign_operator(&self, read: Span, span: Span) -> Option<ForeignSyntax> {
        let (left, right) = (self.text(read), self.behind_next(span));
        let instead = match self.word() {
            "and" | "&" => format!("{left} && {right}"),
            "or" | "|" => format!("{left} || {right}"),
            "is" if right.starts_with("not ") => format!("{left} != {}", null_or(right[4..].trim())),
            "is" if !right.contains(' ') => format!("{left} == {}", null_or(right)),
            "not" => format!("!{}.contains({left})", right.strip_prefix("in ")?),
            "=" | "eq" => format!("{left} == {right}"),
            "<>" | "ne" => format!("{left} != {right}"),
            "in" => format!("{right}.contains({left})"),
            "if" => match right.split_once(" else ") {
                Some((condition, otherwise)) => format!("{condition} ? {left} : {otherwise}"),
                None => format!("{right} ? {left} : null"),
            },
            "->" => format!("{left} => {right}"),
            _ => return None,
        };
        Some(self.foreign(span, instead))
    }
}

/// Translates Python's `None`, which is compared by `is`.
fn null_or(operand: &str) -> &str {
    if operand == "None" { "null" } else { operand }
}

fn dropped(count: i64) -> String {
    if count == 0 { String::new() } else { format!(".drop({count})") }
}
