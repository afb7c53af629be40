//! Statements, where this language has expressions.

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
        let selects = follows_word || next.is_mark("*");
        let instead = match self.word() {
            "for" | "while" if is_statement => "list.map(x => …)",
            "if" if is_statement => "condition ? … : …",
            "try" if next.is_mark("{") || next.is_mark(":") => "attempt(…)",
            "def" | "function" | "fn" | "fun" | "func" if follows_word => "name = x => …",
            word if word.eq_ignore_ascii_case("select") && selects => "list.filter(x => …).map(x => …)",
            "import" | "from" | "use" if follows_word => "",
            "#" => "// …",
            _ => return self.binding_mark(),
        };
        Some(self.foreign(span, instead))
    }

    /// Recognises `x := 1`, and the type in `let x: number = 1`.
    fn binding_mark(&self) -> Option<ForeignSyntax> {
        let declares = matches!(self.word(), "let" | "const" | "var") && self.peek_ahead(1).is_name();
        let [name, colon, ty, equals] = [0, 1, 2, 3].map(|it| self.peek_ahead(it + usize::from(declares)));
        if !name.is_name() || !colon.is_mark(":") {
            return None;
        }
        if ty.is_mark("=") && colon.span.end == ty.span.start {
            return Some(self.foreign(colon.span.join(ty.span), "name = …"));
        }
        let is_typed = ty.is_name() && ["=", "<", "["].iter().any(|it| equals.is_mark(it));
        is_typed.then(|| self.foreign(colon.span.join(ty.span), "name = …"))
    }

    /// Returns `true` if the text behind `word (…)` on the line makes it a statement, and not a call.
    fn is_statement(&self) -> bool {
        let after = self.token_at(self.brackets.closer(self.at + 1) + 1);
        after.starts_operand() || after.is_mark(":")
    }
}
