//! Blocks in braces: bindings, and the value that is returned.

use super::build::{self, conditional, null};
use super::reader::Reader;
use super::statement::Line;
use crate::ast::Expression;

impl Reader<'_> {
    /// Returns `true` at `{` that opens statements, and not an object.
    pub(super) fn at_block(&self) -> bool {
        let (first, second) = (self.ahead(1), self.ahead(2));
        let is_field = second.is_mark(":") || second.is_mark(",") || first.is_name() && second.is_mark("}");
        self.at_mark("{") && !first.is_mark("}") && !first.is_mark("...") && !is_field
    }

    /// Reads `{ const y = x + 1; return y }`.
    pub(super) fn block(&mut self) -> Option<Expression> {
        let closer = self.closer();
        self.expect("{")?;
        let (around, bound) = (std::mem::take(&mut self.open), self.bound.len());
        let value = self.nested(|it| it.statements_until(closer));
        self.open = around;
        self.bound.truncate(bound);
        (self.at == closer).then(|| self.next())?;
        value
    }

    fn statements_until(&mut self, closer: usize) -> Option<Expression> {
        while self.eat(";") {}
        if self.at_word(&["if"]) {
            let (condition, then, returns) = self.condition_and_branch()?;
            let other = self.other_branch()?;
            while self.eat(";") {}
            let otherwise = match other {
                Some(other) if self.at == closer => other,
                None if self.at == closer => null(),
                None if returns => self.nested(|it| it.statements_until(closer))?,
                _ => return None,
            };
            return Some(conditional(condition, then, otherwise));
        }
        match self.line()? {
            Line::Nothing => None,
            Line::Result(value) => {
                while self.eat(";") {}
                Some(value)
            }
            Line::Bindings(bindings) => {
                let ends = self.at_mark(";") || self.peek().starts_line;
                let result = if ends { self.nested(|it| it.statements_until(closer))? } else { return None };
                Some(
                    bindings
                        .into_iter()
                        .rev()
                        .fold(result, |result, (name, value)| build::binding(name, value, result)),
                )
            }
        }
    }
}
