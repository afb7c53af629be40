//! Tools.

use super::{Parsed, Parser};
use crate::diagnostic::Code;
use crate::syntax::Tool;

impl Parser<'_, '_> {
    pub(super) fn tool(&mut self) -> Parsed<Tool> {
        let parameters = self.parameters()?;
        let returns = if self.eat("->") { Some(self.ty()?) } else { None };
        let mut tool = Tool { parameters, returns, requires: Vec::new(), throws: Vec::new(), body: None };
        let (mut requires, mut throws) = (false, false);
        loop {
            match self.word() {
                "requires" if self.clause_follows() => {
                    self.clause(&mut requires);
                    self.requires(&mut tool)?;
                }
                "throws" if self.clause_follows() => {
                    self.clause(&mut throws);
                    self.throws(&mut tool)?;
                }
                _ if (requires || throws) && self.at_mark("->") => self.late_return_type(&mut tool)?,
                _ => break,
            }
        }
        if self.at_mark("{") {
            tool.body = Some(self.block()?);
        }
        Ok(tool)
    }

    /// Returns `true` if the next word is followed by the content of a clause.
    fn clause_follows(&self) -> bool {
        self.peek_ahead(1).is_name() || self.peek_ahead(1).is_mark("(")
    }

    /// Consumes the word of a clause; reports a second one.
    fn clause(&mut self, seen: &mut bool) {
        let token = self.next();
        if std::mem::replace(seen, true) {
            let word = self.text(token.span);
            self.error(Code::CLAUSE_TWICE, token.span, format!("`{word}` is given twice"))
                .help(format!("write one `{word}` with everything, separated by commas"));
        }
    }

    fn requires(&mut self, tool: &mut Tool) -> Parsed<()> {
        tool.requires.push(self.capability_expression()?);
        while self.eat(",") {
            tool.requires.push(self.capability_expression()?);
        }
        Ok(())
    }

    fn throws(&mut self, tool: &mut Tool) -> Parsed<()> {
        tool.throws.push(self.path("an error")?);
        while self.eat(",") {
            tool.throws.push(self.path("an error")?);
        }
        Ok(())
    }

    fn late_return_type(&mut self, tool: &mut Tool) -> Parsed<()> {
        let span = self.next().span;
        let returns = self.ty()?;
        self.error(
            Code::RETURN_TYPE_LATE,
            span.join(returns.span),
            "the return type stands behind the clauses",
        )
        .help("write it directly behind the parameters, before `requires` and `throws`");
        tool.returns.get_or_insert(returns);
        Ok(())
    }
}
