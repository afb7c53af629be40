//! Errors, with the templates of their messages.

use ailang::Code;
use ailang::lower::max_retries;
use ailang::syntax::{Definition, DefinitionKind};
use dialect::ast::{Expression, ExpressionKind, TemplatePart};

use super::{Reader, documentation};
use crate::generate::model::{ErrorType, Message, Piece};

impl<'a> Reader<'_, 'a> {
    /// Adds an error to the model, unless it is there already.
    pub(super) fn error(&mut self, definition: &'a Definition, home: usize) {
        let DefinitionKind::Error(error) = &definition.kind else { return };
        if self.model.errors.iter().any(|it| it.name == definition.name.text) {
            return;
        }
        let source = &self.lowering.document(home).source;
        let mut left: Vec<&Expression> = Vec::new();
        let mut message = |name| error.property(name).map(|it| message(&it.value, source, &mut left));
        let is_true =
            |name| error.property(name).is_some_and(|it| it.value.kind == ExpressionKind::Bool(true));
        let (text, recovery, user_message) =
            (message("message"), message("recovery"), message("userMessage"));
        for hole in left {
            let what = format!(
                "the errors of generated code keep this spelling: they compute no `{}`",
                spelled(hole, source)
            );
            self.lowering.warn(home, Code::TEMPLATE, hole.span, what);
        }
        self.model.errors.push(ErrorType {
            name: definition.name.text.clone(),
            docs: documentation(&definition.documentation),
            parameters: self.lowering.parameters(error.parameters.as_ref(), home),
            message: text.unwrap_or_default(),
            recovery,
            user_message,
            retryable: is_true("retryable"),
            retry_after: error.property("retryAfter").and_then(|it| path(&it.value)),
            max_retries: max_retries(error),
        });
    }
}

/// Returns a template. A hole that is no literal, parameter or member stays as it is written, and is added to `left`.
fn message<'e>(expression: &'e Expression, source: &str, left: &mut Vec<&'e Expression>) -> Message {
    let piece = |part: &'e TemplatePart| match part {
        TemplatePart::Text(text) => Piece::Text(text.clone()),
        TemplatePart::Expression(hole) => hole_of(hole).unwrap_or_else(|| {
            left.push(hole);
            Piece::Text(format!("${{{}}}", spelled(hole, source)))
        }),
    };
    match &expression.kind {
        ExpressionKind::Text(text) => vec![Piece::Text(text.clone())],
        ExpressionKind::Template(parts) => parts.iter().map(piece).collect(),
        _ => Vec::new(),
    }
}

fn spelled<'s>(hole: &Expression, source: &'s str) -> &'s str {
    source.get(hole.span.range()).unwrap_or_default()
}

/// Returns what fills a hole; `None` if it is more than a literal, a parameter or a member.
fn hole_of(hole: &Expression) -> Option<Piece> {
    Some(match &hole.kind {
        ExpressionKind::Text(text) => Piece::Text(text.clone()),
        ExpressionKind::Number(number) => Piece::Text(number.to_string()),
        ExpressionKind::Bool(value) => Piece::Text(value.to_string()),
        _ => Piece::Path(path(hole)?),
    })
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
