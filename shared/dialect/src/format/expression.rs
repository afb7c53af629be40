//! Layout of tokens: where their brackets and operators allow line breaks.

use super::comments::Gap;
use super::layout::Doc;
use crate::brackets::Brackets;
use crate::parse::precedence;
use crate::token::{Token, TokenKind};

pub(super) struct Formatter<'source> {
    pub(super) source: &'source str,
    pub(super) tokens: &'source [Token],
    pub(super) brackets: Brackets,
    /// The gap before each token.
    pub(super) gaps: Vec<Gap<'source>>,
}

type Docs<'source> = Vec<Doc<'source>>;

const SPACE: &[Doc<'static>] = &[Doc::Text(" ")];

impl<'source> Formatter<'source> {
    /// Returns the gap before the token `to`, joined with the gaps before semicolons and commas from `from`
    /// on.
    pub(super) fn gaps_between(&self, from: usize, to: usize) -> Gap<'source> {
        let mut gap = self.gaps[from.min(to)].clone();
        for next in from + 1..=to {
            gap = gap.join(&self.gaps[next]);
        }
        gap
    }

    /// Returns `true` if a semicolon before this statement keeps it apart from the statement before.
    pub(super) fn begins_with_mark(&self, from: usize) -> bool {
        from > 0 && self.tokens[from - 1].is_mark(";") && matches!(self.tokens[from].kind, TokenKind::Mark(_))
    }

    pub(super) fn statement(&self, from: usize, to: usize) -> Doc<'source> {
        let mut docs = Docs::new();
        let mut first = from;
        if matches!(self.text(from), "let" | "const" | "var")
            && from + 1 < to
            && self.tokens[from + 1].is_name()
        {
            self.token(&mut docs, from);
            self.gap(&mut docs, from + 1, SPACE);
            first += 1;
        }
        if self.is_mark(first + 1, to, &["="]) {
            self.token(&mut docs, first);
            self.gap(&mut docs, first + 1, SPACE);
            self.token(&mut docs, first + 1);
            self.gap(&mut docs, first + 2, SPACE);
            first += 2;
        }
        docs.push(self.expression(first, to));
        Doc::Group(docs)
    }

    fn text(&self, token: usize) -> &'source str {
        &self.source[self.tokens[token].span.range()]
    }

    fn token(&self, docs: &mut Docs<'source>, token: usize) {
        docs.push(Doc::Text(self.text(token)));
    }

    fn is_mark(&self, token: usize, to: usize, marks: &[&str]) -> bool {
        token < to && marks.iter().any(|it| self.tokens[token].is_mark(it))
    }

    /// Returns the token behind this one, or behind the bracket that closes it.
    fn token_after(&self, token: usize) -> usize {
        token.max(self.brackets.closer(token)) + 1
    }

    /// Returns the tokens of a stretch that are not inside its brackets.
    fn outer(&self, from: usize, to: usize) -> impl Iterator<Item = usize> {
        std::iter::successors(Some(from), |it| Some(self.token_after(*it))).take_while(move |it| *it < to)
    }

    /// Writes the gap before a token: `separator`, and comments.
    fn gap(&self, docs: &mut Docs<'source>, token: usize, separator: &[Doc<'source>]) {
        write_gap(docs, &self.gaps[token], separator);
    }

    /// Lays out an argument, a field or an element: an expression that may have a name.
    fn item(&self, from: usize, to: usize) -> Doc<'source> {
        let mut docs = Docs::new();
        let mut first = from;
        if self.is_mark(first, to, &["..."]) {
            self.token(&mut docs, first);
            self.gap(&mut docs, first + 1, &[]);
            first += 1;
        } else if self.is_mark(first + 1, to, &["=", ":"]) {
            self.token(&mut docs, first);
            self.gap(&mut docs, first + 1, &[]);
            self.token(&mut docs, first + 1);
            let separator = if self.text(first + 1) == "=" { &[] } else { SPACE };
            self.gap(&mut docs, first + 2, separator);
            first += 2;
        }
        docs.push(self.expression(first, to));
        Doc::Group(docs)
    }

    fn expression(&self, from: usize, to: usize) -> Doc<'source> {
        let mut docs = Docs::new();
        let mut first = from;
        while self.is_prefix_word(first, to) {
            self.token(&mut docs, first);
            self.gap(&mut docs, first + 1, SPACE);
            first += 1;
        }
        if first < to {
            docs.push(self.behind_words(first, to));
        }
        Doc::Group(docs)
    }

    fn behind_words(&self, from: usize, to: usize) -> Doc<'source> {
        let arrow = self.token_after(from);
        if self.is_mark(arrow, to, &["=>"]) {
            return self.lambda(from, arrow, to);
        }
        match self.outer(from, to).find(|it| self.tokens[*it].is_mark("?")) {
            Some(question) => self.conditional(from, question, to),
            None => self.binary(from, to),
        }
    }

    /// Returns `true` for `return e` and `await e`.
    fn is_prefix_word(&self, from: usize, to: usize) -> bool {
        let Some(next) = self.tokens[..to].get(from + 1) else { return false };
        match self.text(from) {
            "return" => !next.is_mark("(") && (next.starts_operand_anywhere() || next.is_mark("-")),
            "await" => next.starts_operand(),
            _ => false,
        }
    }

    fn lambda(&self, from: usize, arrow: usize, to: usize) -> Doc<'source> {
        let mut docs = vec![self.operand(from, arrow)];
        self.gap(&mut docs, arrow, SPACE);
        self.token(&mut docs, arrow);
        self.gap(&mut docs, arrow + 1, SPACE);
        docs.push(self.expression(arrow + 1, to));
        Doc::Group(docs)
    }

    fn conditional(&self, from: usize, question: usize, to: usize) -> Doc<'source> {
        let mut open = 0;
        let colon = self.outer(question, to).find(|it| {
            open += usize::from(self.tokens[*it].is_mark("?"));
            open -= usize::from(self.tokens[*it].is_mark(":"));
            open == 0
        });
        let colon = colon.unwrap_or(to);
        let mut branches = Docs::new();
        for (mark, end) in [(question, colon), (colon, to)].into_iter().filter(|(mark, _)| *mark < to) {
            self.gap(&mut branches, mark, &[Doc::Line]);
            self.token(&mut branches, mark);
            self.gap(&mut branches, mark + 1, SPACE);
            branches.push(self.expression(mark + 1, end));
        }
        Doc::Group(vec![self.binary(from, question), Doc::Indent(branches)])
    }

    /// Lays out operators. Breaks at all of those that bind loosest, or at none.
    fn binary(&self, from: usize, to: usize) -> Doc<'source> {
        let operators: Vec<(usize, usize)> = self.operators(from, to).collect();
        let Some(loosest) = operators.iter().map(|(_, level)| *level).min() else {
            return self.operand(from, to);
        };
        let mut splits: Vec<usize> =
            operators.iter().filter(|(_, level)| *level == loosest).map(|(at, _)| *at).collect();
        let first = self.binary(from, splits[0]);
        splits.push(to);
        let mut rest = Docs::new();
        for pair in splits.windows(2) {
            self.gap(&mut rest, pair[0], SPACE);
            self.token(&mut rest, pair[0]);
            self.gap(&mut rest, pair[0] + 1, &[Doc::Line]);
            rest.push(self.binary(pair[0] + 1, pair[1]));
        }
        Doc::Group(vec![first, Doc::Indent(rest)])
    }

    /// Returns the binary operators of a stretch, with their precedence.
    fn operators(&self, from: usize, to: usize) -> impl Iterator<Item = (usize, usize)> {
        let mut after_operand = false;
        self.outer(from, to).filter_map(move |at| {
            let level = precedence(self.text(at)).filter(|_| after_operand);
            let is_word = self.tokens[at].is_name() && self.is_prefix_word(at, to);
            after_operand = match self.tokens[at].kind {
                TokenKind::Mark(mark) => matches!(mark, "(" | "[" | "{"),
                _ => !is_word,
            };
            Some((at, level?))
        })
    }

    /// Lays out `!x`, and members, calls and indexes behind a primary.
    fn operand(&self, from: usize, to: usize) -> Doc<'source> {
        let mut docs = Docs::new();
        let mut at = from;
        while self.is_mark(at, to, &["!", "-"]) {
            self.token(&mut docs, at);
            let twice = self.is_mark(at, to, &["-"]) && self.is_mark(at + 1, to, &["-"]);
            self.gap(&mut docs, at + 1, if twice { SPACE } else { &[] });
            at += 1;
        }
        if at < to && at > from && self.is_prefix_word(at, to) {
            docs.push(self.expression(at, to));
            return Doc::Group(docs);
        }
        let calls = self.outer(at, to).filter(|it| self.is_method(*it, to)).count();
        let mut chain = Docs::new();
        for part in self.outer(at, to) {
            let docs = if chain.is_empty() { &mut docs } else { &mut chain };
            if part == at {
                self.part(docs, part);
            } else if self.is_method(part, to) && calls > 1 {
                self.gap(&mut chain, part, &[Doc::Soft]);
                self.part(&mut chain, part);
            } else {
                let spaced = matches!(self.tokens[part - 1].kind, TokenKind::Number(_));
                self.gap(docs, part, if spaced { SPACE } else { &[] });
                self.part(docs, part);
            }
        }
        docs.push(Doc::Indent(chain));
        Doc::Group(docs)
    }

    /// Returns `true` for the dot of `.name(…)`.
    fn is_method(&self, dot: usize, to: usize) -> bool {
        self.is_mark(dot, to, &[".", "?."]) && self.is_mark(dot + 2, to, &["("])
    }

    fn part(&self, docs: &mut Docs<'source>, token: usize) {
        if self.brackets.closer(token) > token {
            docs.push(self.bracket(token));
        } else {
            self.token(docs, token);
        }
    }

    fn bracket(&self, open: usize) -> Doc<'source> {
        let close = self.brackets.closer(open);
        if self.is_prefix_word(open + 1, close) && self.tokens[open].is_mark("{") {
            return self.block(open, close);
        }
        let items = self.items(open + 1, close);
        if let [(from, to)] = items[..]
            && self.brackets.closer(from) + 1 == to
            && self.gaps[from].comments.is_empty()
            && self.gaps_between(to, close).comments.is_empty()
        {
            return Doc::Group(vec![
                Doc::Text(self.text(open)),
                self.bracket(from),
                Doc::Text(self.text(close)),
            ]);
        }
        let mut inside = Docs::new();
        for (index, (from, to)) in items.iter().enumerate() {
            if index == 0 {
                self.gap(&mut inside, *from, &[Doc::Soft]);
            } else {
                let comma = items[index - 1].1;
                let gap = self.before_comma(&mut inside, comma).join(&self.gaps[*from]);
                inside.push(Doc::Text(","));
                write_gap(&mut inside, &gap, &[Doc::Line]);
            }
            inside.push(self.item(*from, *to));
        }
        let last = self.gaps_between(items.last().map_or(close, |(_, to)| *to), close);
        let end = write_last(&mut inside, &last, items.is_empty());
        Doc::Group(vec![Doc::Text(self.text(open)), Doc::Indent(inside), end, Doc::Text(self.text(close))])
    }

    /// Lays out `{ return e; }`.
    fn block(&self, open: usize, close: usize) -> Doc<'source> {
        let end = if self.tokens[close - 1].is_mark(";") { close - 1 } else { close };
        let mut inside = Docs::new();
        self.gap(&mut inside, open + 1, &[Doc::Line]);
        inside.push(self.expression(open + 1, end));
        let last = self.gaps_between(end, close);
        if end < close {
            inside.push(Doc::Text(";"));
        }
        let end = match write_last(&mut inside, &last, false) {
            Doc::Soft => Doc::Line,
            other => other,
        };
        Doc::Group(vec![Doc::Text("{"), Doc::Indent(inside), end, Doc::Text("}")])
    }

    /// Returns the stretches between commas.
    fn items(&self, from: usize, to: usize) -> Vec<(usize, usize)> {
        let mut items = Vec::new();
        let mut first = from;
        for comma in self.outer(from, to).filter(|it| self.tokens[*it].is_mark(",")) {
            items.push((first, comma));
            first = comma + 1;
        }
        if first < to {
            items.push((first, to));
        }
        items
    }

    /// Writes inline comments before a comma, and returns the others, which go behind it.
    fn before_comma(&self, docs: &mut Docs<'source>, comma: usize) -> Gap<'source> {
        let mut gap = self.gaps[comma].clone();
        let inline = (0..gap.comments.len())
            .take_while(|it| gap.comments[*it].lines_before == 0 && !gap.breaks_after(*it))
            .count();
        for comment in gap.comments.drain(..inline) {
            docs.extend([Doc::Text(" "), Doc::Text(comment.text)]);
        }
        gap
    }
}

/// Writes `separator`, and the comments in its place.
fn write_gap<'source>(docs: &mut Docs<'source>, gap: &Gap<'source>, separator: &[Doc<'source>]) {
    let mut pending = separator.to_vec();
    for (index, comment) in gap.comments.iter().enumerate() {
        let breaks = gap.breaks_after(index);
        match comment.lines_before {
            0 if breaks || pending.is_empty() => docs.push(Doc::Text(" ")),
            0 => docs.append(&mut pending),
            _ => docs.push(Doc::Hard),
        }
        docs.push(Doc::Text(comment.text));
        pending = if breaks { vec![Doc::Hard] } else { SPACE.to_vec() };
    }
    docs.append(&mut pending);
}

/// Writes the comments before a closing bracket, and returns the end of their line.
fn write_last<'source>(docs: &mut Docs<'source>, gap: &Gap<'source>, alone: bool) -> Doc<'source> {
    let mut end = if alone { Doc::Text("") } else { Doc::Soft };
    for (index, comment) in gap.comments.iter().enumerate() {
        let breaks = gap.breaks_after(index);
        match comment.lines_before {
            0 if alone && index == 0 && !breaks => {}
            0 => docs.push(Doc::Text(" ")),
            _ => docs.push(Doc::Hard),
        }
        docs.push(Doc::Text(comment.text));
        end = match (breaks, comment.lines_before) {
            (true, _) => Doc::Hard,
            (false, 0) if alone => Doc::Text(""),
            _ => Doc::Soft,
        };
    }
    end
}
