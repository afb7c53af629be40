//! Errors → what callers should know of.

use dialect::DeclaredFailure;
use dialect::ast::{Expression, ExpressionKind, TemplatePart};

use super::Lowering;
use super::tool::joined;
use crate::Document;
use crate::names::Symbol;
use crate::syntax::{Definition, DefinitionKind, Path};

impl<'a> Lowering<'_, 'a> {
    /// The error that a tool throws.
    pub(super) fn failure(&self, path: &'a Path, home: usize) -> Option<DeclaredFailure> {
        let Some(Symbol::Definition(definition, there)) = self.scope(home).find_path(path) else {
            return None;
        };
        self.error_definition(definition, there)
    }

    /// What a definition says of an error.
    pub(crate) fn error_definition(
        &self,
        definition: &'a Definition,
        there: usize,
    ) -> Option<DeclaredFailure> {
        let DefinitionKind::Error(error) = &definition.kind else { return None };
        let document = self.document(there);
        let template =
            |name| error.property(name).map(|it| template(document, &it.value)).unwrap_or_default();
        let is_retryable =
            error.property("retryable").is_some_and(|it| it.value.kind == ExpressionKind::Bool(true));
        Some(DeclaredFailure {
            name: definition.name.text.clone(),
            description: joined(&definition.documentation.text),
            message: template("message"),
            recovery: template("recovery"),
            retryable: is_retryable,
        })
    }
}

/// What a text says, with its expressions as they are written.
fn template(document: &Document, expression: &Expression) -> String {
    let part = |part: &TemplatePart| match part {
        TemplatePart::Text(text) => text.clone(),
        TemplatePart::Expression(inner) => format!("${{{}}}", document.text(inner.span)),
    };
    match &expression.kind {
        ExpressionKind::Text(text) => text.clone(),
        ExpressionKind::Template(parts) => parts.iter().map(part).collect(),
        _ => String::new(),
    }
}
