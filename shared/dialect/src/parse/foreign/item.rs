//! Foreign syntax behind an element, a field's value or an argument, where only a comma or the end is
//! possible.

use source_text::Span;

use super::ForeignSyntax;
use crate::ast::Expression;
use crate::parse::parser::Parser;
use crate::token::TokenKind;

impl Parser<'_> {
    /// Recognises `xs[1:3]`, `xs[1..3]`, `xs[n..=m]`.
    pub(in super::super) fn foreign_slice(&self, of: &Expression, opener: usize) -> Option<ForeignSyntax> {
        let closer = self.brackets.closer(opener);
        let bounds = self.text(self.extent(opener + 1, closer));
        let span = of.span.join(self.tokens[closer].span);
        (!self.is_document() && is_slice(bounds)).then(|| self.foreign(span, "list.drop(…).take(…)"))
    }

    /// Recognises the item that starts at token `first`, in brackets that `closer` closes.
    pub(in super::super) fn foreign_item(&self, first: usize, closer: usize) -> Option<ForeignSyntax> {
        if self.is_document() {
            return None;
        }
        let span = self.extent(first, closer);
        if self.at_word("for") {
            let is_alone = self.tokens[first - 1].is_mark("[") && self.brackets.closer(first - 1) == closer;
            let whole = self.tokens[first - 1].span.join(self.tokens[closer].span);
            let instead = "list.filter(x => …).map(x => …)";
            return Some(self.foreign(if is_alone { whole } else { span }, instead));
        }
        self.destructured(first, span)
            .or_else(|| self.quoted_name(first, span))
            .or_else(|| self.foreign_operator(span))
            .or_else(|| self.words(first, span))
    }

    /// Recognises `"path"=…`.
    fn quoted_name(&self, first: usize, span: Span) -> Option<ForeignSyntax> {
        let is_text = matches!(self.tokens[first].kind, TokenKind::Text(_));
        let is_name = is_text && first + 1 == self.at && (self.at_mark("=") || self.at_mark(":"));
        is_name.then(|| self.foreign(span, "name=…"))
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

    /// Recognises `a and b`, `a <> b`, `a if c else b`; `span` is all of it.
    pub(super) fn foreign_operator(&self, span: Span) -> Option<ForeignSyntax> {
        let right = self.behind_next(span);
        // `Where is User used?` is prose.
        let is_value = !right.contains(' ') || right.starts_with("not ");
        let instead = match self.word() {
            "is" if !is_value => return None,
            "and" | "&" => "… && …",
            "or" | "|" => "… || …",
            "is" | "=" | "eq" => "… == …",
            "<>" | "ne" => "… != …",
            "not" | "in" => "list.contains(…)",
            "if" => "condition ? … : …",
            "->" => "x => …",
            _ => return None,
        };
        Some(self.foreign(span, instead))
    }
}

/// Returns true for the bounds of a slice: two numbers or names, one of which may be absent, around `:`, `..` or `..=`.
fn is_slice(bounds: &str) -> bool {
    let is_bound = |it: &str| {
        let is_part = |it: char| it.is_alphanumeric() || matches!(it, '_' | ' ' | '-' | '+' | '.');
        it.chars().all(is_part) && !it.contains("..")
    };
    let halves = ["..=", "..", ":"].iter().find_map(|mark| bounds.split_once(mark));
    halves.is_some_and(|(from, to)| is_bound(from) && is_bound(to))
}
