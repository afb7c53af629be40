//! Checks of the ends of bodies: results of the declared type, and statements that nothing reaches.

use dialect::ast::{Expression, ExpressionKind};
use source_text::Severity;

use super::Walker;
use super::flow::is_result;
use crate::diagnostic::Code;
use crate::names::{BoundType, Shape};
use crate::syntax::{Block, Item, Name, Statement, StatementKind, Tool};

impl<'a> Walker<'_, '_, 'a> {
    /// Sets the type that each `return` is checked against.
    pub(in crate::validate) fn returns(&mut self, tool: &'a Tool) {
        self.returned = tool.returns.as_ref().map(|ty| BoundType::new(ty, self.scope));
    }

    /// Checks a returned value.
    pub(super) fn return_value(&mut self, value: &'a Expression) {
        let inferred = self.expression(value);
        let Some(wanted) = self.returned.clone() else { return };
        self.checker.keys(value, &self.opened(&wanted));
        // A `Result` accepts its value and its variants, so it is left to the run.
        if is_result(wanted.ty) {
            return;
        }
        if let Some(misfit) = self.mismatch(value, inferred, &wanted) {
            self.error(Code::RETURN_TYPE, misfit.span, format!("the result {}", misfit.message));
        }
    }

    /// Reports the first statement that nothing reaches.
    pub(super) fn unreachable(&mut self, items: &'a [Item]) {
        let mut statements = items.iter().filter_map(|item| match item {
            Item::Statement(statement) => Some(statement),
            Item::Definition(_) | Item::Import(_) => None,
        });
        if statements.any(ends)
            && let Some(next) = statements.next()
        {
            let message = "nothing reaches this statement";
            self.checker.diagnostics.warning(Code::UNREACHABLE, next.span, message);
        }
    }

    /// Reports a body that may end without the result that its tool declares.
    pub(in crate::validate) fn ends_with_result(&mut self, name: &Name, tool: &'a Tool, body: &'a Block) {
        // A body without statements, or with a placeholder, is a sketch.
        if body.items.is_empty() || self.is_sketch || is_ended(body) {
            return;
        }
        let Some(returns) = &tool.returns else { return };
        let may_be_null = matches!(
            BoundType::new(returns, self.scope).view().shape,
            Shape::Void | Shape::Any | Shape::Null | Shape::Option(_) | Shape::Unknown
        );
        let severity = self.checker.by_strictness(None, Some(Severity::Warning), Severity::Error);
        if let Some(severity) = severity.filter(|_| !may_be_null) {
            let message = format!("`{}` may end without a result", name.text);
            self.checker
                .diagnostics
                .report(severity, Code::NO_RETURN, name.span, message)
                .help("write `return` or `throw` at the end of its body");
        }
    }
}

fn is_ended(block: &Block) -> bool {
    block.items.iter().any(|item| matches!(item, Item::Statement(statement) if ends(statement)))
}

/// Returns `true` if nothing behind the statement runs.
fn ends(statement: &Statement) -> bool {
    match &statement.kind {
        StatementKind::Return(_)
        | StatementKind::Throw(_)
        | StatementKind::Break
        | StatementKind::Continue => true,
        StatementKind::If { then, otherwise, .. } => {
            is_ended(then) && otherwise.as_ref().is_some_and(is_ended)
        }
        StatementKind::While { condition, body } => {
            condition.kind == ExpressionKind::Bool(true) && !breaks(body)
        }
        StatementKind::Try(it) => {
            let all = is_ended(&it.body) && it.catches.iter().all(|catch| is_ended(&catch.body));
            all || it.finally.as_ref().is_some_and(is_ended)
        }
        StatementKind::Block(block) => is_ended(block),
        StatementKind::Expression(Expression { kind: ExpressionKind::Call(call), .. }) => {
            call.receiver.is_none() && call.name.text == "retry"
        }
        _ => false,
    }
}

/// Returns `true` if a `break` leaves the loop of this body.
fn breaks(body: &Block) -> bool {
    let mut pending = vec![body];
    while let Some(block) = pending.pop() {
        for item in &block.items {
            let Item::Statement(statement) = item else { continue };
            match &statement.kind {
                StatementKind::Break => return true,
                StatementKind::If { then, otherwise, .. } => {
                    pending.extend([then].into_iter().chain(otherwise));
                }
                StatementKind::Try(it) => {
                    let catches = it.catches.iter().map(|catch| &catch.body);
                    pending.extend([&it.body].into_iter().chain(catches).chain(&it.finally));
                }
                StatementKind::Block(block) => pending.push(block),
                _ => {}
            }
        }
    }
    false
}
