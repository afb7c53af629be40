//! Errors, with the templates of their messages.

use dialect::ast::{Expression, ExpressionKind, TemplatePart};

use super::{Reader, documentation};
use crate::generate::model::{ErrorType, Message, Piece};
use crate::lower::max_retries;
use crate::syntax::{Definition, DefinitionKind};

impl<'a> Reader<'_, 'a> {
    /// Adds an error to the model, unless it is there already.
    pub(super) fn error(&mut self, definition: &'a Definition, home: usize) {
        let DefinitionKind::Error(error) = &definition.kind else { return };
        if self.model.errors.iter().any(|it| it.name == definition.name.text) {
            return;
        }
        let source = &self.lowering.document(home).source;
        let message = |name| error.property(name).map(|it| message(&it.value, source));
        let is_true =
            |name| error.property(name).is_some_and(|it| it.value.kind == ExpressionKind::Bool(true));
        self.model.errors.push(ErrorType {
            name: definition.name.text.clone(),
            docs: documentation(&definition.documentation),
            parameters: self.lowering.parameters(error.parameters.as_ref(), home),
            message: message("message").unwrap_or_default(),
            recovery: message("recovery"),
            user_message: message("userMessage"),
            retryable: is_true("retryable"),
            retry_after: error.property("retryAfter").and_then(|it| path(&it.value)),
            max_retries: max_retries(error),
        });
    }
}

/// Returns a template. A hole that is more than a parameter or a member of it stays as it is written.
fn message(expression: &Expression, source: &str) -> Message {
    let piece = |part: &TemplatePart| match part {
        TemplatePart::Text(text) => Piece::Text(text.clone()),
        TemplatePart::Expression(hole) => path(hole).map(Piece::Path).unwrap_or_else(|| {
            Piece::Text(format!("${{{}}}", source.get(hole.span.range()).unwrap_or_default()))
        }),
    };
    match &expression.kind {
        ExpressionKind::Text(text) => vec![Piece::Text(text.clone())],
        ExpressionKind::Template(parts) => parts.iter().map(piece).collect(),
        _ => Vec::new(),
    }
}

/// Returns the names of a parameter and of members in it: `account.name`.
fn path(expression: &Expression) -> Option<Vec<String>> {
    match &expression.kind {
        ExpressionKind::Name(name) => Some(vec![name.clone()]),
        ExpressionKind::Member { of, name, .. } => {
            let mut names = path(of)?;
            names.push(name.text.clone());
            Some(names)
        }
        _ => None,
    }
}
