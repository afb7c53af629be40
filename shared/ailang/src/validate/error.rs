//! Rule 3: thrown errors are defined, and have a message and advice.

use std::collections::HashSet;

use dialect::ast::{Expression, ExpressionKind, TemplatePart};
use source_text::{Severity, Span};

use super::Checker;
use super::capability::kind_of;
use super::name::define_or_import;
use crate::diagnostic::Code;
use crate::names::{BoundType, Scope, Shape, Symbol};
use crate::syntax::{Definition, DefinitionKind, ErrorDefinition, ErrorProperty, Path, TypeKind};
use crate::throwable::is_computable;

/// The properties of an error.
const PROPERTIES: [&str; 6] = ["message", "recovery", "retryable", "retryAfter", "userMessage", "maxRetries"];

impl<'a> Checker<'_, 'a> {
    pub(super) fn error_definition(
        &mut self,
        definition: &'a Definition,
        it: &'a ErrorDefinition,
        scope: Scope<'_, 'a>,
    ) {
        if let Some(parameters) = &it.parameters {
            self.parameters(parameters, scope, &HashSet::new());
        }
        self.no_duplicates(
            it.properties.iter().map(|property| &property.name),
            Code::PROPERTY_TWICE,
            "property",
        );
        for property in &it.properties {
            self.error_property(it, property, scope);
        }
        self.missing_properties(definition, it);
    }

    fn missing_properties(&mut self, definition: &Definition, it: &ErrorDefinition) {
        // A syntax error may hide the property that seems to be missing.
        if self.has_errors(definition.span, Code::EXPECTED..=Code::TOO_DEEP) {
            return;
        }
        let (name, span) = (&definition.name.text, definition.name.span);
        if it.property("message").is_none() {
            self.error(Code::MISSING_MESSAGE, span, format!("the error `{name}` has no message"))
                .help("write `message = \"…\"` between its braces");
        }
        let severity = self.by_strictness(None, Some(Severity::Warning), Severity::Error);
        if let Some(severity) = severity.filter(|_| it.property("recovery").is_none()) {
            let message = format!("the error `{name}` does not say how to recover");
            self.diagnostics
                .report(severity, Code::MISSING_RECOVERY, span, message)
                .help("write `recovery = \"…\"`: what whoever called should do now");
        }
    }

    fn error_property(
        &mut self,
        error: &'a ErrorDefinition,
        property: &'a ErrorProperty,
        scope: Scope<'_, 'a>,
    ) {
        let value = &property.value;
        match property.name.text.as_str() {
            "message" | "recovery" | "userMessage" => self.template(error, property),
            "retryable" => {
                if !matches!(value.kind, ExpressionKind::Bool(_)) {
                    self.error(Code::RETRYABLE, value.span, "`retryable` is `true` or `false`");
                }
            }
            "retryAfter" => self.retry_after(error, value, scope),
            "maxRetries" => {
                let is_count =
                    matches!(&value.kind, ExpressionKind::Number(number) if number.as_u64().is_some());
                if !is_count {
                    self.error(Code::MAX_RETRIES, value.span, "`maxRetries` is a number from 0");
                }
            }
            name => {
                let span = property.name.span;
                self.error(Code::ERROR_PROPERTY, span, format!("an error has no `{name}`"))
                    .help("it has `message`, `recovery`, `retryable`, `retryAfter`, `userMessage` and `maxRetries`")
                    .nearest(name, span, PROPERTIES);
            }
        }
    }

    fn template(&mut self, error: &'a ErrorDefinition, property: &ErrorProperty) {
        let value = &property.value;
        match &value.kind {
            ExpressionKind::Text(text) if text.trim().is_empty() => self.blank(property),
            ExpressionKind::Text(_) => {}
            ExpressionKind::Template(parts) => {
                for part in parts {
                    if let TemplatePart::Expression(expression) = part {
                        self.placeholders(error, expression, Code::PLACEHOLDER);
                        self.omitted(error, expression);
                    }
                }
            }
            _ => self.blank(property),
        }
    }

    /// Reports an optional parameter for which a text would show its own placeholder.
    fn omitted(&mut self, error: &ErrorDefinition, expression: &Expression) {
        let mut base = expression;
        while let ExpressionKind::Member { of, .. } | ExpressionKind::Index { of, .. } = &base.kind {
            base = of;
        }
        let ExpressionKind::Name(name) = &base.kind else { return };
        let mut parameters = error.parameters.iter().flat_map(|it| &it.list);
        if parameters.any(|it| it.name.text == *name && it.optional) {
            let message = format!("`{name}` may be omitted, and the text then shows `${{{name}}}`");
            self.diagnostics
                .warning(Code::PLACEHOLDER, expression.span, message)
                .help(format!("say what stands there then: `${{{name} ?? \"…\"}}`"));
        }
    }

    fn blank(&mut self, property: &ErrorProperty) {
        let name = &property.name.text;
        let code = if name == "recovery" { Code::MISSING_RECOVERY } else { Code::MISSING_MESSAGE };
        self.error(code, property.value.span, format!("`{name}` is a text that says something"));
    }

    /// Checks that the names in an expression are parameters of the error or `now()`.
    fn placeholders(&mut self, error: &'a ErrorDefinition, expression: &Expression, code: Code) {
        let mut pending = vec![expression];
        while let Some(expression) = pending.pop() {
            match &expression.kind {
                ExpressionKind::Name(name) => self.placeholder(error, name, expression.span, code),
                _ if !is_computable(expression) => {
                    let message = format!("a text cannot compute `{}`", self.document.text(expression.span));
                    self.error(code, expression.span, message).help(
                        "it may use parameters, their fields and elements, operators, `.length`, `.join()` and `now()`",
                    );
                    continue;
                }
                ExpressionKind::Call(call) if call.receiver.is_none() && call.name.text != "now" => {
                    self.placeholder(error, &call.name.text, call.name.span, code);
                }
                // Parameters of lambdas are not resolved here; messages have none.
                ExpressionKind::Lambda { .. } | ExpressionKind::Block => continue,
                _ => {}
            }
            pending.extend(expression.kind.children());
        }
    }

    fn placeholder(&mut self, error: &'a ErrorDefinition, name: &str, span: Span, code: Code) {
        let parameters = error.parameters.iter().flat_map(|it| &it.list).map(|it| it.name.text.as_str());
        let known: Vec<&str> = parameters.collect();
        let elided = error.parameters.as_ref().is_some_and(|it| it.elided);
        if known.contains(&name) || elided {
            self.parameter_use(error.parameters.as_ref(), self.home, name, span);
            return;
        }
        self.error(code, span, format!("the error has no parameter `{name}`"))
            .help("a template may name the parameters of its error and `now()`")
            .nearest(name, span, known);
    }

    fn retry_after(&mut self, error: &'a ErrorDefinition, value: &'a Expression, scope: Scope<'_, 'a>) {
        let reported = self.diagnostics.len();
        self.placeholders(error, value, Code::RETRY_AFTER);
        if self.diagnostics.len() > reported {
            return;
        }
        let fits = match &value.kind {
            ExpressionKind::Name(name) => {
                let parameters = error.parameters.iter().flat_map(|it| &it.list);
                let ty = parameters.filter(|it| it.name.text == *name).find_map(|it| it.ty.as_ref());
                ty.is_none_or(|ty| {
                    let is_duration =
                        matches!(&ty.kind, TypeKind::Named { path, .. } if path.text() == "Duration");
                    let shape = BoundType::new(ty, scope).view().shape;
                    !is_duration
                        && matches!(shape, Shape::Number { .. } | Shape::Any | Shape::Unknown | Shape::Tag(_))
                })
            }
            // A literal time is in the past: a length of time was meant.
            ExpressionKind::Number(_) => false,
            ExpressionKind::Text(_)
            | ExpressionKind::Template(_)
            | ExpressionKind::Bool(_)
            | ExpressionKind::Null
            | ExpressionKind::List(_)
            | ExpressionKind::Object(_) => false,
            _ => true,
        };
        if !fits {
            let message = "`retryAfter` is a time: seconds since the start of 1970";
            self.error(Code::RETRY_AFTER, value.span, message)
                .help("write a parameter of the type `Timestamp`, or such as `now() + 30`");
        }
    }

    /// Checks an error that a tool throws.
    pub(super) fn thrown(&mut self, path: &'a Path, scope: Scope<'_, 'a>) {
        let (name, span) = (path.text(), path.span());
        self.path_use(path, scope.find_path(path), scope);
        match scope.find_path(path) {
            Some(
                Symbol::Opaque | Symbol::Definition(Definition { kind: DefinitionKind::Error(_), .. }, _),
            ) => {}
            Some(symbol) => {
                let message = format!("`{name}` is a {}, not an error", kind_of(&symbol));
                self.error(Code::NOT_AN_ERROR, span, message);
            }
            None => {
                let known = self.errors(scope);
                let message = format!("no error is called `{name}`");
                self.unknown(Code::UNKNOWN_ERROR, span, message)
                    .help(define_or_import(&format!("error {name} {{ message = \"…\" }}"), &name, &["error"]))
                    .nearest(&name, span, known);
            }
        }
    }

    /// Returns the names of all errors, for suggestions.
    pub(super) fn errors(&mut self, scope: Scope<'_, 'a>) -> Vec<&'a str> {
        self.known(scope, |symbol| kind_of(symbol) == "error")
    }
}
