//! Errors, with the templates of their messages.

use ailang::Code;
use ailang::lower::max_retries;
use ailang::syntax::{Definition, DefinitionKind};
use dialect::ast::{Expression, ExpressionKind, TemplatePart};
use dialect::{Parameter, Type};

use super::{Reader, documentation};
use crate::generate::model::{ErrorType, Formula, Message, Piece};

impl<'a> Reader<'_, 'a> {
    /// Adds an error to the model, unless it is there already.
    pub(super) fn error(&mut self, definition: &'a Definition, home: usize) {
        let DefinitionKind::Error(error) = &definition.kind else { return };
        if self.model.errors.iter().any(|it| it.name == definition.name.text) {
            return;
        }
        let source = &self.lowering.document(home).source;
        let parameters = self.lowering.parameters(error.parameters.as_ref(), home);
        let holes = Holes { parameters: parameters.as_deref().unwrap_or_default(), source };
        let mut left: Vec<&Expression> = Vec::new();
        let mut message = |name| error.property(name).map(|it| holes.message(&it.value, &mut left));
        let is_true =
            |name| error.property(name).is_some_and(|it| it.value.kind == ExpressionKind::Bool(true));
        let (text, recovery, user_message) =
            (message("message"), message("recovery"), message("userMessage"));
        let time = error.property("retryAfter").map(|it| &it.value);
        let retry_after = time.and_then(|it| holes.formula(it));
        left.extend(time.filter(|_| retry_after.is_none()));
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
            message: text.unwrap_or_default(),
            recovery,
            user_message,
            retryable: is_true("retryable"),
            retry_after,
            max_retries: max_retries(error),
            parameters,
        });
    }
}

/// A reader of the templates of one error.
struct Holes<'h> {
    parameters: &'h [Parameter],
    source: &'h str,
}

impl Holes<'_> {
    /// Returns a template. A hole that no target computes stays as it is written, and is added to `left`.
    fn message<'e>(&self, expression: &'e Expression, left: &mut Vec<&'e Expression>) -> Message {
        let piece = |part: &'e TemplatePart| match part {
            TemplatePart::Text(text) => Piece::Text(text.clone()),
            TemplatePart::Expression(hole) => self.piece(hole).unwrap_or_else(|| {
                left.push(hole);
                Piece::Text(format!("${{{}}}", spelled(hole, self.source)))
            }),
        };
        match &expression.kind {
            ExpressionKind::Text(text) => vec![Piece::Text(text.clone())],
            ExpressionKind::Template(parts) => parts.iter().map(piece).collect(),
            _ => Vec::new(),
        }
    }

    /// Returns what fills a hole; `None` if no target computes it.
    fn piece(&self, hole: &Expression) -> Option<Piece> {
        Some(match &hole.kind {
            ExpressionKind::Text(text) => Piece::Text(text.clone()),
            ExpressionKind::Number(number) => Piece::Text(number.to_string()),
            ExpressionKind::Bool(value) => Piece::Text(value.to_string()),
            _ => Piece::Formula(self.formula(hole)?, spelled(hole, self.source).to_owned()),
        })
    }

    fn formula(&self, expression: &Expression) -> Option<Formula> {
        Some(match &expression.kind {
            ExpressionKind::Number(number) => Formula::Number(number.clone()),
            ExpressionKind::Call(call) if call.receiver.is_none() && call.name.text == "now" => Formula::Now,
            ExpressionKind::Binary { operator, left, right } => {
                let operator = ["-", "*", "/", "%", "+"].into_iter().find(|it| it == operator)?;
                let (left, right) = (self.formula(left)?, self.formula(right)?);
                // A text would be joined.
                if operator == "+" && !(self.is_number(&left) && self.is_number(&right)) {
                    return None;
                }
                Formula::Binary(operator, Box::new(left), Box::new(right))
            }
            _ => Formula::Path(path(expression)?),
        })
    }

    /// Returns `true` if a formula certainly has a number.
    fn is_number(&self, formula: &Formula) -> bool {
        let Formula::Path(path) = formula else { return true };
        let [name] = &path[..] else { return false };
        let mut ty = self.parameters.iter().find(|it| it.name == *name).map(|it| &it.ty);
        while let Some(Type::Refined(inner, _)) = ty {
            ty = Some(inner);
        }
        match ty {
            Some(Type::Named(name)) => ["Timestamp", "Duration"].contains(&&**name),
            ty => ty == Some(&Type::Number),
        }
    }
}

fn spelled<'s>(hole: &Expression, source: &'s str) -> &'s str {
    source.get(hole.span.range()).unwrap_or_default()
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
