//! Statements, where this language has expressions.

use source_text::Span;

use super::ForeignSyntax;
use crate::parse::parser::Parser;

impl Parser<'_> {
    /// Recognises `for x in xs`, `def f(x):`, `import x`, `if (c) { a } else { b }`, `x := 1`.
    pub(in super::super) fn foreign_statement(&self) -> Option<ForeignSyntax> {
        let next = self.peek_ahead(1);
        let follows_word = self.at_name() && next.is_name() && !next.starts_line;
        let is_statement = follows_word || next.is_mark("(") && self.is_statement();
        if !is_statement && !next.is_mark("{") && !self.at_mark("#") {
            return self.binding_mark();
        }
        let span = self.rest_of_line();
        match self.word() {
            "for" if is_statement => {
                let told = self.python_loop().or_else(|| self.script_loop());
                Some(told.unwrap_or_else(|| self.foreign(span, "list.map(x => …)")))
            }
            "while" if is_statement => Some(self.foreign(span, "list.map(x => …)")),
            "if" if is_statement => {
                let told = self.conditional_statement();
                Some(told.unwrap_or_else(|| self.foreign(span, "condition ? … : …")))
            }
            "try" if next.is_mark("{") => {
                let inside = self.expression_between(self.at + 1).unwrap_or("…");
                Some(self.foreign(span, format!("attempt({inside})")))
            }
            "def" | "function" | "fn" | "fun" | "func" if follows_word => {
                Some(self.foreign(span, "name = x => …"))
            }
            "try" if next.is_mark(":") => Some(self.foreign(span, "attempt(…)")),
            word if word.eq_ignore_ascii_case("select") && follows_word || self.selects() => {
                Some(self.selection(span))
            }
            "import" | "from" | "use" if follows_word => Some(self.foreign(span, "")),
            "#" => Some(self.foreign(span, format!("//{}", &self.text(span)[1..]))),
            _ => self.binding_mark(),
        }
    }

    /// Returns `true` for `SELECT * FROM xs`.
    fn selects(&self) -> bool {
        self.word().eq_ignore_ascii_case("select") && self.peek_ahead(1).is_mark("*")
    }

    /// Refuses `SELECT path FROM xs WHERE …`.
    fn selection(&self, span: Span) -> ForeignSyntax {
        let text = self.text(span);
        let lower = text.to_ascii_lowercase();
        let Some(from) = lower.find(" from ").filter(|_| text.is_ascii()) else {
            return self.foreign(span, "list.filter(x => …).map(x => …)");
        };
        let columns = text["select".len()..from].trim();
        let rest = &text[from + " from ".len()..];
        let end = [" where ", " order by ", " limit ", " group by "]
            .iter()
            .filter_map(|word| rest.to_ascii_lowercase().find(word))
            .min();
        let list = rest[..end.unwrap_or(rest.len())].trim();
        let filter = if end.is_some() { ".filter(x => …)" } else { "" };
        let names = columns.chars().all(|it| it.is_alphanumeric() || it == '_');
        let instead = match columns.to_ascii_lowercase().as_str() {
            "*" => format!("{list}{filter}"),
            "count(*)" => format!("count({list}{filter})"),
            _ if names => format!("{list}{filter}.map(x => x.{columns})"),
            _ => format!("{list}{filter}.map(x => …)"),
        };
        self.foreign(span, instead)
    }

    /// Recognises `x := 1`.
    fn binding_mark(&self) -> Option<ForeignSyntax> {
        let (colon, equals) = (self.peek_ahead(1), self.peek_ahead(2));
        let is_binding = self.at_name()
            && colon.is_mark(":")
            && equals.is_mark("=")
            && colon.span.end == equals.span.start;
        is_binding.then(|| self.foreign(colon.span.join(equals.span), "="))
    }

    /// Returns `true` if the text behind `word (…)` on the line makes it a statement, and not a call.
    pub(super) fn is_statement(&self) -> bool {
        let after = self.token_at(self.brackets.closer(self.at + 1) + 1);
        after.starts_operand() || after.is_mark(":")
    }

    /// Recognises `if (c) { a } else { b }`.
    fn conditional_statement(&self) -> Option<ForeignSyntax> {
        let (condition, then) = (self.at + 1, self.brackets.closer(self.at + 1) + 1);
        if !self.tokens[condition].is_mark("(") || !self.token_at(then).is_mark("{") {
            return None;
        }
        let end = self.brackets.closer(then);
        let word = self.token_at(end + 1);
        let is_else = word.is_name() && self.text(word.span) == "else" && self.token_at(end + 2).is_mark("{");
        let last = if is_else { self.brackets.closer(end + 2) } else { end };
        let otherwise = if is_else { self.expression_between(end + 2)? } else { "null" };
        let span = self.peek().span.join(self.tokens[last].span);
        let (condition, then) = (self.between(condition), self.expression_between(then)?);
        Some(self.foreign(span, format!("{condition} ? {then} : {otherwise}")))
    }

    /// Recognises `for (const x of xs) { body }`.
    fn script_loop(&self) -> Option<ForeignSyntax> {
        let (opener, block) = (self.at + 1, self.brackets.closer(self.at + 1) + 1);
        if !self.tokens[opener].is_mark("(") || !self.token_at(block).is_mark("{") {
            return None;
        }
        let head = self.between(opener);
        let head = ["const ", "let ", "var "].iter().find_map(|it| head.strip_prefix(it)).unwrap_or(head);
        let (name, list) = head.split_once(" of ").or_else(|| head.split_once(" in "))?;
        let span = self.peek().span.join(self.tokens[self.brackets.closer(block)].span);
        let body = self.expression_between(block)?;
        Some(self.foreign(span, format!("{}.map({} => {body})", list.trim(), name.trim())))
    }

    /// Recognises `for x in xs:` and its body, to the end of the program.
    fn python_loop(&self) -> Option<ForeignSyntax> {
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
}
