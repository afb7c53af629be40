//! What models write out of habit from other languages: recognised, and refused with what to write here.

use source_text::Span;

use super::expression::is_comparison;
use super::{Parsed, Parser};
use crate::FailureKind;
use crate::ast::{Expression, ExpressionKind};
use crate::print::print_text;
use crate::token::TokenKind;

/// Something that this language writes differently.
pub(super) struct Foreign {
    span: Span,
    kind: FailureKind,
}

impl Parser<'_> {
    pub(super) fn refuse<T>(&mut self, foreign: Foreign) -> Parsed<T> {
        self.fail(foreign.span, foreign.kind)
    }

    fn foreign(&self, span: Span, instead: impl Into<String>) -> Foreign {
        let found = self.text(span).to_owned();
        Foreign { span, kind: FailureKind::NotDialect { found, instead: instead.into() } }
    }

    fn bare(&self, span: Span) -> Foreign {
        Foreign {
            span,
            kind: FailureKind::BareWord { word: self.text(span).to_owned(), callable: None, nearest: None },
        }
    }

    /// From token `first` to the next comma, closing bracket or line that are not inside brackets.
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

    /// `for x in xs`, `def f(x):`, `import x`, `if (c) { a } else { b }`
    pub(super) fn foreign_statement(&self) -> Option<Foreign> {
        let next = self.peek_ahead(1);
        let follows_word = self.at_name() && next.is_name() && !next.starts_line;
        let is_statement = follows_word || next.is_mark("(") && self.is_statement();
        let span = self.rest_of_line();
        match self.word() {
            "for" if is_statement => self
                .python_loop()
                .or_else(|| self.script_loop())
                .or_else(|| Some(self.foreign(span, "list.map(x => …)"))),
            "while" if is_statement => Some(self.foreign(span, "list.map(x => …)")),
            "if" if is_statement => {
                self.conditional_statement().or_else(|| Some(self.foreign(span, "condition ? a : b, or …")))
            }
            "def" | "function" | "fn" | "fun" if follows_word => Some(self.foreign(span, "name = x => …")),
            "import" | "from" | "use" if follows_word => Some(self.foreign(span, "")),
            "#" => Some(self.foreign(span, format!("//{}", &self.text(span)[1..]))),
            _ => None,
        }
    }

    /// Whether what follows `word (…)` on the line makes it a statement and not a call.
    fn is_statement(&self) -> bool {
        let closer = self.brackets.closer(self.at + 1);
        self.tokens.get(closer + 1).is_some_and(|it| it.starts_operand() || it.is_mark(":"))
    }

    /// What stands between the bracket at token `opener` and the one that closes it.
    fn between(&self, opener: usize) -> &str {
        let start = self.tokens[opener].span.end;
        let inside = &self.source[start..self.tokens[self.brackets.closer(opener)].span.start];
        inside.trim().trim_end_matches(';').trim_start_matches("return ")
    }

    /// `if (c) { a } else { b }`
    fn conditional_statement(&self) -> Option<Foreign> {
        let (condition, then) = (self.at + 1, self.brackets.closer(self.at + 1) + 1);
        if !self.tokens[condition].is_mark("(") || !self.tokens[then].is_mark("{") {
            return None;
        }
        let end = self.brackets.closer(then);
        let is_else = self.tokens.get(end + 1).is_some_and(|it| it.is_name() && self.text(it.span) == "else");
        let otherwise =
            Some(end + 2).filter(|at| is_else && self.tokens.get(*at).is_some_and(|it| it.is_mark("{")));
        let last = otherwise.map_or(end, |at| self.brackets.closer(at));
        let span = self.peek().span.join(self.tokens[last].span);
        let otherwise = otherwise.map_or("null", |at| self.between(at));
        Some(
            self.foreign(span, format!("{} ? {} : {otherwise}", self.between(condition), self.between(then))),
        )
    }

    /// `for (const x of xs) { body }`
    fn script_loop(&self) -> Option<Foreign> {
        let (opener, block) = (self.at + 1, self.brackets.closer(self.at + 1) + 1);
        if !self.tokens[opener].is_mark("(") || !self.tokens[block].is_mark("{") {
            return None;
        }
        let head = self.between(opener);
        let head = ["const ", "let ", "var "].iter().find_map(|it| head.strip_prefix(it)).unwrap_or(head);
        let (name, list) = head.split_once(" of ").or_else(|| head.split_once(" in "))?;
        let span = self.peek().span.join(self.tokens[self.brackets.closer(block)].span);
        let call = format!("{}.map({} => {})", list.trim(), name.trim(), self.between(block));
        Some(self.foreign(span, call))
    }

    /// `for x in xs:` and its body, to the end of the program.
    fn python_loop(&self) -> Option<Foreign> {
        let (name, word) = (self.peek_ahead(1), self.peek_ahead(2));
        if !name.is_name() || self.text(word.span) != "in" {
            return None;
        }
        let head = self.stretch(self.at + 3);
        let list = self.text(head).strip_suffix(':')?;
        let end = self.tokens[self.tokens.len() - 1].span.start;
        let body = self.source[head.end..end].trim();
        let span = Span::new(self.peek().span.start, end);
        (!body.is_empty())
            .then(|| self.foreign(span, format!("{list}.map({} => {body})", self.text(name.span))))
    }

    /// Words that mean something elsewhere, and text without quotes.
    pub(super) fn foreign_name(&self) -> Option<Foreign> {
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
            "function" if next.is_mark("(") && self.is_statement() => Some(self.foreign(span, "x => …")),
            _ if next.is_mark("::") || self.is_file_name() => Some(self.bare(self.run(self.at))),
            _ => None,
        }
    }

    /// `auth.rs`, followed by nothing that could make it a member: an unquoted file name with a dash or slash
    /// is recognised later, when it is known that its words are bound to nothing.
    fn is_file_name(&self) -> bool {
        let run = self.run(self.at);
        let text = self.text(run);
        text.contains("/") && text.contains('.') && !text.contains(['(', '[', '`', '"', '\''])
    }

    /// The tokens from `first` on with no blank between them, up to a comma or bracket.
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

    /// A mark where an expression has to start: a path, a pattern, a sign.
    pub(super) fn foreign_operand(&self) -> Option<Foreign> {
        let TokenKind::Mark(mark) = self.peek().kind else { return None };
        let span = self.rest_of_line();
        let next = self.peek_ahead(1);
        match mark {
            "+" if matches!(next.kind, TokenKind::Number(_)) => {
                Some(self.foreign(span, &self.text(span)[1..]))
            }
            "#" if !next.is_mark("[") => Some(self.foreign(span, format!("//{}", &self.text(span)[1..]))),
            "/" if self.pattern(span).is_some() => {
                let mut text = String::new();
                print_text(&mut text, &self.pattern(span)?);
                Some(self.foreign(span, text))
            }
            "." | "/" | "*" | "^" | "#" | "@" | "~" | "..." | "::" | "%" | "?" | "<" => Some(self.bare(span)),
            _ => None,
        }
    }

    /// `/User/`, `/user/i`: what is between the slashes, with its flags as a pattern has them.
    fn pattern(&self, span: Span) -> Option<String> {
        let (pattern, flags) = self.text(span).strip_prefix('/')?.rsplit_once('/')?;
        match flags {
            _ if pattern.is_empty() || pattern.contains(char::is_whitespace) => None,
            "" | "g" => Some(pattern.to_owned()),
            "i" | "gi" | "ig" => Some(format!("(?i){pattern}")),
            _ => None,
        }
    }

    /// What follows an item where only a comma or the end can: the item starts at token `first`.
    pub(super) fn foreign_item(&self, first: usize, closer: usize) -> Option<Foreign> {
        let span = self.extent(first, closer);
        let read = Span::new(span.start, self.end_of_last());
        if let Some(foreign) = self.comprehension(first, closer, read, span) {
            return Some(foreign);
        }
        if let Some(foreign) = self.foreign_operator(read, span) {
            return Some(foreign);
        }
        let quoted_name = matches!(self.tokens[first].kind, TokenKind::Text(_)) && first + 1 == self.at;
        if let (true, TokenKind::Text(name)) =
            (quoted_name && (self.at_mark("=") || self.at_mark(":")), &self.tokens[first].kind)
        {
            let value = self.text(span)[self.peek().span.end - span.start..].trim_start();
            return Some(self.foreign(span, format!("{name}={value}")));
        }
        let is_words =
            self.tokens[first].is_name() && !self.text(span).contains(['(', '[', '{', '`', '"', '\'']);
        is_words.then(|| self.bare(span))
    }

    /// `[f(x) for x in xs if g(x)]`, brackets included
    fn comprehension(&self, first: usize, closer: usize, read: Span, span: Span) -> Option<Foreign> {
        if !self.at_word("for") {
            return None;
        }
        let rest = self.text(span)[self.peek().span.end - span.start..].trim_start();
        let (name, rest) = rest.split_once(" in ")?;
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

    /// `a and b`, `a or b`, `a if c else b`: `read` is the left side, `span` all of it.
    fn foreign_operator(&self, read: Span, span: Span) -> Option<Foreign> {
        let left = self.text(read);
        let right = self.text(span)[self.peek().span.end.min(span.end) - span.start..].trim_start();
        let instead = match self.word() {
            "and" => format!("{left} && {right}"),
            "or" => format!("{left} || {right}"),
            "is" => format!("{left} == {right}"),
            "in" => format!("{right}.contains({left})"),
            "if" => {
                let (condition, otherwise) = right.split_once(" else ")?;
                format!("{condition} ? {left} : {otherwise}")
            }
            "->" => format!("{left} => {right}"),
            _ => return None,
        };
        Some(self.foreign(span, instead))
    }

    /// What follows the program so far where only its end or another line can.
    pub(super) fn foreign_end(&self, before: Span, binds: bool) -> Option<Foreign> {
        let rest = self.rest_of_line();
        let span = before.join(rest);
        let TokenKind::Mark(mark) = self.peek().kind else {
            let foreign = self.foreign_operator(before, span);
            return foreign.or_else(|| self.without_brackets(before, rest)).or_else(|| self.command(span));
        };
        if self.peek().starts_line && mark != "#" {
            return self.leading_operator(mark, before, rest, binds);
        }
        let right = self.text(rest)[mark.len()..].trim_start();
        match mark {
            "#" => Some(self.foreign(rest, format!("//{}", &self.text(rest)[1..]))),
            "|" | "->" if is_plain_name(right.trim_start_matches(['>', ' '])) => {
                let name = right.trim_start_matches(['>', ' ']);
                Some(self.foreign(span, format!("{name}({})", self.text(before))))
            }
            "=" => Some(Foreign { span, kind: FailureKind::Assignment }),
            _ => None,
        }
    }

    /// `findReferences User`
    fn without_brackets(&self, before: Span, rest: Span) -> Option<Foreign> {
        let callee = self.text(before);
        if !is_plain_name(callee) || self.peek().starts_line {
            return None;
        }
        let arguments = self.text(rest);
        let instead = match self.peek().kind {
            TokenKind::Name => {
                let mut text = String::new();
                print_text(&mut text, arguments);
                text
            }
            _ => arguments.to_owned(),
        };
        Some(self.foreign(before.join(rest), format!("{callee}({instead})")))
    }

    /// `grep -rn "User" src`
    fn command(&self, span: Span) -> Option<Foreign> {
        let first = self.tokens.iter().find(|it| it.span.start == span.start)?;
        let is_command =
            first.is_name() && !self.peek().starts_line && !self.text(span).contains(['(', '[', '{']);
        is_command.then(|| self.foreign(span, format!("{}(…)", self.text(first.span))))
    }

    /// A line that starts with an operator: going on with the line before, or standing for itself.
    fn leading_operator(&self, mark: &'static str, before: Span, rest: Span, binds: bool) -> Option<Foreign> {
        let is_operator = matches!(
            mark,
            "??" | "||"
                | "&&"
                | "=="
                | "!="
                | "==="
                | "!=="
                | "<"
                | ">"
                | "<="
                | ">="
                | "+"
                | "-"
                | "*"
                | "/"
                | "%"
                | "?"
                | ":"
        );
        let (left, right) = (self.text(before), self.text(rest));
        let joined = format!("{left} {right}");
        let separate = (mark == "-")
            .then(|| if binds { format!("{left};\n{right}") } else { format!("[{left}, {right}]") });
        let kind = FailureKind::LeadingOperator { operator: mark, joined, separate };
        is_operator.then(|| Foreign { span: self.peek().span, kind })
    }

    /// `x => { f(x) }`: a block, where `{` opens an object.
    pub(super) fn foreign_block(&self) -> Option<Foreign> {
        let closer = self.brackets.closer(self.at);
        let (first, second) = (self.peek_ahead(1), self.peek_ahead(2));
        let is_field = second.is_mark(":") || second.is_mark(",") || second.is_mark("}");
        let is_block = first.is_name() && !is_field && self.text(first.span) != "return";
        let span = self.peek().span.join(self.tokens[closer].span);
        let inside = self.text(span);
        is_block.then(|| self.foreign(span, inside[1..inside.len() - 1].trim().trim_end_matches(';')))
    }

    /// `a < b < c`: the middle is compared with both.
    pub(super) fn refuse_chain<T>(
        &mut self,
        left: &Expression,
        operator: &str,
        right: &Expression,
    ) -> Parsed<T> {
        let text = |it: &Expression| self.text(it.span);
        let instead = match (&left.kind, &right.kind) {
            (_, ExpressionKind::Binary { left: middle, operator: second, .. }) if is_comparison(second) => {
                format!("{} {operator} {} && {}", text(left), text(middle), text(right))
            }
            (ExpressionKind::Binary { right: middle, .. }, _) => {
                format!("{} && {} {operator} {}", text(left), text(middle), text(right))
            }
            _ => unreachable!("one of the sides is a comparison"),
        };
        let foreign = self.foreign(left.span.join(right.span), instead);
        self.refuse(foreign)
    }
}

fn is_plain_name(text: &str) -> bool {
    !text.is_empty() && text.chars().all(crate::lex::is_name_part)
}
