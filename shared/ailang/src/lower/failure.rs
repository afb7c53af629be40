//! Errors → declared failures of rows.

use dialect::ast::{Expression, ExpressionKind, TemplatePart};
use dialect::{DeclaredFailure, Parameter};

use super::Lowering;
use super::tool::joined;
use super::types::TypeContext;
use crate::Document;
use crate::names::Symbol;
use crate::syntax::{self, Definition, DefinitionKind, ErrorDefinition, Parameters, Path, Tool};
use crate::throwable::{Template, Throwable};

impl<'a> Lowering<'_, 'a> {
    /// Returns the errors that a tool throws, for the documentation of its row.
    pub(super) fn failures(&mut self, tool: &'a Tool, home: usize) -> Vec<DeclaredFailure> {
        tool.throws.iter().filter_map(|path| self.failure(path, home)).collect()
    }

    fn failure(&mut self, path: &'a Path, home: usize) -> Option<DeclaredFailure> {
        let Some(Symbol::Definition(definition, there)) = self.scope(home).find_path(path) else {
            return None;
        };
        self.error_definition(definition, there)
    }

    /// Returns the declaration of an error.
    fn error_definition(&mut self, definition: &'a Definition, there: usize) -> Option<DeclaredFailure> {
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
            carries: self
                .carried(error, there)
                .iter()
                .map(ToString::to_string)
                .collect::<Vec<_>>()
                .join(", "),
            retry_after: error
                .property("retryAfter")
                .map(|it| document.text(it.value.span).to_owned())
                .unwrap_or_default(),
            user_message: template("userMessage"),
            max_retries: max_retries(error),
        })
    }
}

impl<'s, 'a> Lowering<'s, 'a> {
    /// Returns the parameters of an error.
    fn carried(&mut self, error: &'a ErrorDefinition, home: usize) -> Vec<Parameter> {
        self.parameters(error.parameters.as_ref(), home).unwrap_or_default()
    }

    /// Returns parameters of a definition of the document at the index `home`, in order; `None` if the
    /// document leaves them out.
    pub fn parameters(&mut self, all: Option<&'a Parameters>, home: usize) -> Option<Vec<Parameter>> {
        self.reset();
        let place: TypeContext<'s, 'a> = TypeContext::new(self.scope(home));
        let Some(all) = all else { return Some(Vec::new()) };
        let parameter =
            |it: &'a syntax::Parameter| self.parameter(&it.name.text, it.optional, it.ty.as_ref(), &place);
        (!all.elided).then(|| all.list.iter().map(parameter).collect())
    }

    /// Returns the errors that a tool throws, with their templates.
    pub(crate) fn throwables(&mut self, definition: &'a Definition, home: usize) -> Vec<Throwable> {
        let DefinitionKind::Tool(tool) = &definition.kind else { return Vec::new() };
        let scope = self.scope(home);
        let throwable = |path| match scope.find_path(path)? {
            Symbol::Definition(definition, there) => self.throwable(definition, there),
            _ => None,
        };
        tool.throws.iter().filter_map(throwable).collect()
    }

    /// Returns an error with its parameters and templates.
    pub(crate) fn throwable(&mut self, definition: &'a Definition, home: usize) -> Option<Throwable> {
        let DefinitionKind::Error(error) = &definition.kind else { return None };
        let carries = self.carried(error, home);
        let is_open = error.parameters.as_ref().is_some_and(|it| it.elided);
        let source = &self.document(home).source;
        let value = |name| error.property(name).map(|it| &it.value);
        Some(Throwable {
            name: definition.name.text.clone(),
            carries: if is_open { None } else { Some(carries) },
            message: value("message").map(|it| Template::new(it, source)).unwrap_or_default(),
            recovery: value("recovery").map(|it| Template::new(it, source)),
            is_retryable: value("retryable").is_some_and(|it| it.kind == ExpressionKind::Bool(true)),
            for_user: value("userMessage").map(|it| Template::new(it, source)),
            retry_after: value("retryAfter").cloned(),
            most_retries: max_retries(error),
        })
    }
}

/// Returns the maximum number of retries that an error declares; `None` if it declares none.
pub fn max_retries(error: &ErrorDefinition) -> Option<u64> {
    match &error.property("maxRetries")?.value.kind {
        ExpressionKind::Number(number) => number.as_u64(),
        _ => None,
    }
}

/// Returns a template as text, with its expressions as the document spells them.
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
