//! Statements.

use dialect::ast::{Expression, ExpressionKind};
use dialect::code::TokenKind;

use super::bracket::Separator;
use super::{Content, Parsed, Parser, Skip};
use crate::diagnostic::Code;
use crate::syntax::{Assignment, Block, Catch, Item, Loop, Name, Statement, StatementKind, Target, Try};

impl Parser<'_, '_> {
    pub(super) fn statement(&mut self) -> Parsed<Statement> {
        let first = self.at;
        match self.deeper(Self::statement_kind) {
            Ok(kind) => Ok(Statement { kind, span: self.span_from(first) }),
            Err(Skip) => {
                self.at = self.tokens.end_of_line(first, self.at).min(self.end.max(first));
                Ok(Statement { kind: StatementKind::Broken, span: self.span_from(first) })
            }
        }
    }

    fn statement_kind(&mut self) -> Parsed<StatementKind> {
        let opens = self.peek_ahead(1).is_mark("(");
        match self.word() {
            "if" if opens => self.condition(),
            "for" if opens => self.iteration(),
            "while" if opens => self.repetition(),
            "try" if self.peek_ahead(1).is_mark("{") => self.attempt(),
            "return" if !self.at_assignment(1) => self.result(),
            "throw" if !self.at_assignment(1) => {
                self.next();
                let error = self.expression()?;
                self.end_of_statement()?;
                Ok(StatementKind::Throw(error))
            }
            "break" if self.ends_behind(1) => self.jump(StatementKind::Break),
            "continue" if self.ends_behind(1) => self.jump(StatementKind::Continue),
            _ if self.at_mark("{") => self.block().map(StatementKind::Block),
            _ => self.simple(),
        }
    }

    /// Returns `true` if a statement may end before the token `count` tokens on.
    fn ends_behind(&self, count: usize) -> bool {
        let token = self.peek_ahead(count);
        token.starts_line || matches!(token.kind, TokenKind::End | TokenKind::Mark(";" | "}"))
    }

    fn at_assignment(&self, count: usize) -> bool {
        matches!(self.peek_ahead(count).kind, TokenKind::Mark("=" | "+=" | "-="))
    }

    fn end_of_statement(&mut self) -> Parsed<()> {
        if self.eat(";") || self.ends_behind(0) || self.at >= self.end {
            return Ok(());
        }
        self.expected("the end of the statement")
    }

    fn jump(&mut self, kind: StatementKind) -> Parsed<StatementKind> {
        self.next();
        self.end_of_statement()?;
        Ok(kind)
    }

    fn result(&mut self) -> Parsed<StatementKind> {
        self.next();
        let value = if self.ends_behind(0) { None } else { Some(self.expression()?) };
        self.end_of_statement()?;
        Ok(StatementKind::Return(value))
    }

    /// Parses an assignment or an expression.
    fn simple(&mut self) -> Parsed<StatementKind> {
        let declares = matches!(self.word(), "let" | "const" | "var") && self.name_on_line(1);
        if declares {
            self.next();
        }
        let target = self.expression()?;
        let TokenKind::Mark(operator @ ("=" | "+=" | "-=")) = self.peek().kind else {
            if declares {
                return self.expected("`=`");
            }
            self.end_of_statement()?;
            return Ok(StatementKind::Expression(target));
        };
        self.next();
        let value = self.expression()?;
        self.end_of_statement()?;
        self.check_target(&target);
        Ok(StatementKind::Assign(Assignment { target, operator, value }))
    }

    fn check_target(&mut self, target: &Expression) {
        let assignable = matches!(
            target.kind,
            ExpressionKind::Name(_) | ExpressionKind::Member { .. } | ExpressionKind::Index { .. }
        );
        if !assignable {
            let message = "nothing can be assigned to this";
            self.error(Code::NOT_ASSIGNABLE, target.span, message)
                .help("a name, a member or an element stands before `=`; to compare, write `==`");
        }
    }

    /// Parses the statements between braces.
    pub(super) fn block(&mut self) -> Parsed<Block> {
        let Some(closer) = self.tokens.closer(self.at).filter(|_| self.at_mark("{")) else {
            return self.expected("`{`");
        };
        let first = self.at;
        self.next();
        let items = self.items(closer, Content::Statements);
        self.at = closer;
        self.next();
        Ok(Block { items, span: self.span_from(first) })
    }

    /// Parses a block, or a single statement in place of one.
    fn block_or_statement(&mut self) -> Parsed<Block> {
        if self.at_mark("{") {
            return self.deeper(Self::block);
        }
        let statement = self.statement()?;
        let span = statement.span;
        Ok(Block { items: vec![Item::Statement(statement)], span })
    }

    /// Parses one expression between round brackets.
    fn between_brackets(&mut self) -> Parsed<Expression> {
        let closer = self.tokens.closer(self.at).ok_or(Skip)?;
        self.next();
        let expression = self.expression()?;
        if self.at != closer {
            return self.expected("`)`");
        }
        self.next();
        Ok(expression)
    }

    fn condition(&mut self) -> Parsed<StatementKind> {
        self.next();
        let condition = self.between_brackets()?;
        let then = self.block_or_statement()?;
        while self.at_mark(";") && self.word_ahead(1) == "else" {
            self.next();
        }
        let otherwise = if self.word() == "else" {
            self.next();
            Some(self.block_or_statement()?)
        } else {
            None
        };
        Ok(StatementKind::If { condition, then, otherwise })
    }

    fn repetition(&mut self) -> Parsed<StatementKind> {
        self.next();
        let condition = self.between_brackets()?;
        Ok(StatementKind::While { condition, body: self.block_or_statement()? })
    }

    fn iteration(&mut self) -> Parsed<StatementKind> {
        self.next();
        let closer = self.tokens.closer(self.at).ok_or(Skip)?;
        self.next();
        if matches!(self.word(), "let" | "const" | "var") && !matches!(self.word_ahead(1), "in" | "of") {
            self.next();
        }
        let target = self.target()?;
        if !matches!(self.word(), "in" | "of") {
            return self.expected("`in`");
        }
        self.next();
        let of = self.expression()?;
        if self.at != closer {
            return self.expected("`)`");
        }
        self.next();
        Ok(StatementKind::For(Loop { target, of, body: self.block_or_statement()? }))
    }

    fn target(&mut self) -> Parsed<Target> {
        if self.at_mark("[") {
            return Ok(Target::List(self.names()));
        }
        if self.at_mark("{") {
            return Ok(Target::Object(self.names()));
        }
        self.name("a name for the elements").map(Target::Name)
    }

    fn names(&mut self) -> Vec<Name> {
        self.between(Separator::Comma, |parser| parser.name("a name"))
    }

    fn attempt(&mut self) -> Parsed<StatementKind> {
        let keyword = self.next().span;
        let body = self.block()?;
        let mut catches = Vec::new();
        while self.word() == "catch" {
            catches.push(self.catch()?);
        }
        let finally = if self.word() == "finally" {
            self.next();
            Some(self.block()?)
        } else {
            None
        };
        if catches.is_empty() && finally.is_none() {
            self.error(Code::TRY_ALONE, keyword, "this `try` has neither `catch` nor `finally`")
                .help("write `catch { … }` behind it");
        }
        Ok(StatementKind::Try(Try { body, catches, finally }))
    }

    fn catch(&mut self) -> Parsed<Catch> {
        let first = self.at;
        self.next();
        let error = if self.at_name() { Some(self.callee("an error")?) } else { None };
        let bindings = if self.at_mark("(") { self.names() } else { Vec::new() };
        let body = self.block()?;
        Ok(Catch { error, bindings, body, span: self.span_from(first) })
    }
}
