//! Checks of the calls of given functions, before a program runs: what is found here has not done anything yet.

use std::collections::HashSet;
use std::ops::Range;

use oxc_ast::ast::{
    Argument, BindingPattern, CallExpression, ComputedMemberExpression, Expression, ForOfStatement,
    ImportDeclaration, ImportDeclarationSpecifier, ObjectPattern, ObjectPropertyKind, Program, SpreadElement,
    StaticMemberExpression, VariableDeclarator,
};
use oxc_ast_visit::{Visit, walk};
use oxc_span::{GetSpan, Span};
use script_protocol::Stub;

use crate::meaning::{Meaning, Meanings, Missing, exported, key, label};
use crate::problem::Problem;
use crate::surroundings::instead_of_member;

/// The members of promises.
const PROMISE: &[&str] = &["then", "catch", "finally"];

/// Returns the mistakes in calls of functions of the host, and in uses of their promises.
pub(crate) fn problems(program: &Program<'_>, meanings: &Meanings<'_>) -> Vec<Problem> {
    let mut calls = Calls { meanings, problems: Vec::new() };
    calls.visit_program(program);
    calls.problems
}

struct Calls<'m, 's> {
    meanings: &'m Meanings<'s>,
    problems: Vec<Problem>,
}

impl<'s> Calls<'_, 's> {
    fn report(&mut self, span: Span, message: String, help: Option<String>) {
        let span = Range { start: span.start as usize, end: span.end as usize };
        self.problems.push(Problem { span, message, help });
    }

    /// Returns the function whose promise an expression is.
    fn promise(&self, expression: &Expression<'_>) -> Option<String> {
        match self.meanings.of(expression) {
            Some(Meaning::Promise(function)) => Some(function),
            _ => None,
        }
    }

    fn missing(&mut self, missing: &Missing<'_>, name: &str, span: Span) {
        match missing {
            Missing::Export(module) => {
                let message = format!("`{}` has no `{name}` here", module.names[0]);
                self.report(span, message, Some(instead_of_member(module, name)));
            }
            Missing::Function(namespace, class) => {
                let names: HashSet<&str> = match class {
                    Some(class) => self.meanings.of_class(namespace, class).map(|it| it.0).collect(),
                    None => {
                        let functions = self.meanings.functions(namespace).iter();
                        functions.map(|it| it.name.split('.').next().unwrap_or(&it.name)).collect()
                    }
                };
                let namespace = class
                    .as_ref()
                    .map_or_else(|| (*namespace).to_owned(), |class| format!("{namespace}.{class}"));
                let mut names: Vec<_> = names.into_iter().collect();
                names.sort_unstable();
                let help = match nearest(name, names.iter().copied()) {
                    Some(near) => format!("Did you mean `{near}`?"),
                    None => format!("It has {}.", names.join(", ")),
                };
                self.report(span, format!("`{namespace}` has no function `{name}`"), Some(help));
            }
        }
    }

    /// Checks a member that is used of an expression.
    fn member(&mut self, object: &Expression<'_>, name: &str, span: Span) {
        let Some(meaning) = self.meanings.of(object) else { return };
        match (&meaning, self.meanings.member(&meaning, name)) {
            (_, Err(missing)) => self.missing(&missing, name, span),
            (Meaning::Promise(function), _) if !PROMISE.contains(&name) => self.not_awaited(span, function),
            _ => {}
        }
    }

    /// Checks the names that a pattern takes of what an expression stands for.
    fn pattern(&mut self, pattern: &ObjectPattern<'_>, meaning: &Meaning<'s>) {
        for property in &pattern.properties {
            let Some((name, span)) = key(&property.key) else { continue };
            match self.meanings.member(meaning, name) {
                Err(missing) => self.missing(&missing, name, span),
                Ok(Some(member)) => {
                    let inner = match &property.value {
                        BindingPattern::AssignmentPattern(it) => &it.left,
                        it => it,
                    };
                    if let BindingPattern::ObjectPattern(inner) = inner {
                        self.pattern(inner, &member);
                    }
                }
                Ok(None) => {}
            }
        }
    }

    fn not_awaited(&mut self, span: Span, function: &str) {
        let message = format!("this is a promise: the call of `{function}` is not awaited");
        self.report(
            span,
            message,
            Some(format!("Write `await {function}(…)`, in parentheses before a member.")),
        );
    }

    fn check(&mut self, call: &CallExpression<'_>, stub: &Stub) {
        let label = label(stub);
        if call.arguments.iter().any(|it| matches!(it, Argument::SpreadElement(_))) {
            return;
        }
        let parameters = stub.parameters.join(", ");
        if let Some(surplus) = call.arguments.get(stub.parameters.len())
            && !is_object(surplus)
            && !stub.is_open
        {
            let message = format!("`{label}` takes {} arguments", stub.parameters.len());
            return self.report(surplus.span(), message, Some(format!("It is `{label}({parameters})`.")));
        }
        let Some(Argument::ObjectExpression(object)) = call.arguments.last() else { return };
        let keys = object.properties.iter().map(|it| match it {
            ObjectPropertyKind::ObjectProperty(it) => key(&it.key).map(|(key, span)| (key.to_owned(), span)),
            ObjectPropertyKind::SpreadProperty(_) => None,
        });
        let Some(keys) = keys.collect::<Option<Vec<_>>>() else { return };
        let is_parameter = |key: &str| stub.parameters.iter().any(|it| it == key);
        // Data has its own keys; an object with names of parameters is meant to have no others.
        let is_named = keys.iter().any(|(key, _)| is_parameter(key)) && call.arguments.len() == 1
            || call.arguments.len() > 1
                && keys.iter().all(|(key, _)| !is_parameter(key))
                && call.arguments.len() > stub.parameters.len();
        let unknown: Vec<_> = keys.iter().filter(|(key, _)| !is_parameter(key)).collect();
        // A symbol has a name and a path, which may be names of parameters too.
        let is_data = ["name", "path", "line"].iter().any(|it| keys.iter().any(|(key, _)| key == it))
            && unknown.iter().all(|(key, _)| {
                ["name", "path", "line", "column", "start", "end", "text", "id"].contains(&key.as_str())
            });
        if is_named && !is_data {
            for (key, span) in unknown {
                let near = nearest(key, stub.parameters.iter().map(String::as_str));
                let help = near
                    .map_or(format!("It is `{label}({parameters})`."), |it| format!("Did you mean `{it}`?"));
                self.report(*span, format!("`{label}` has no parameter `{key}`"), Some(help));
            }
        }
    }
}

fn is_object(argument: &Argument<'_>) -> bool {
    matches!(argument, Argument::ObjectExpression(_))
}

/// Returns the name that was probably meant.
pub(crate) fn nearest<'n>(name: &str, names: impl Iterator<Item = &'n str>) -> Option<&'n str> {
    let close = |it: &&str| {
        let (a, b) = (it.to_lowercase(), name.to_lowercase());
        let mut letters = a.chars();
        let is_short_for = b.len() > 3 && b.chars().all(|it| letters.any(|letter| letter == it));
        strsim::damerau_levenshtein(&a, &b) <= 1 + b.len() / 4 || is_short_for || b.contains(&a)
    };
    names.filter(close).min_by_key(|it| strsim::damerau_levenshtein(&it.to_lowercase(), &name.to_lowercase()))
}

impl<'a> Visit<'a> for Calls<'_, '_> {
    fn visit_import_declaration(&mut self, it: &ImportDeclaration<'a>) {
        let Some(module) = self.meanings.module(&it.source.value) else { return };
        for specifier in it.specifiers.iter().flatten() {
            let ImportDeclarationSpecifier::ImportSpecifier(specifier) = specifier else { continue };
            let symbol = specifier.local.symbol_id.get();
            if symbol.is_none_or(|it| self.meanings.scoping.symbol_is_unused(it)) {
                continue; // it may be a type
            }
            let name = exported(&specifier.imported);
            if let Err(missing) = self.meanings.member(&module, name) {
                self.missing(&missing, name, specifier.imported.span());
            }
        }
    }

    fn visit_static_member_expression(&mut self, it: &StaticMemberExpression<'a>) {
        self.member(&it.object, &it.property.name, it.property.span);
        walk::walk_static_member_expression(self, it);
    }

    fn visit_computed_member_expression(&mut self, it: &ComputedMemberExpression<'a>) {
        match &it.expression {
            Expression::StringLiteral(name) => self.member(&it.object, &name.value, name.span),
            index => {
                if let Some(function) = self.promise(&it.object) {
                    self.not_awaited(index.span(), &function);
                }
            }
        }
        walk::walk_computed_member_expression(self, it);
    }

    fn visit_call_expression(&mut self, it: &CallExpression<'a>) {
        if let Some(Meaning::Function(stub)) = self.meanings.of(&it.callee) {
            self.check(it, stub);
        }
        walk::walk_call_expression(self, it);
    }

    fn visit_for_of_statement(&mut self, it: &ForOfStatement<'a>) {
        if let Some(function) = self.promise(&it.right).filter(|_| !it.r#await) {
            self.not_awaited(it.right.span(), &function);
        }
        walk::walk_for_of_statement(self, it);
    }

    fn visit_spread_element(&mut self, it: &SpreadElement<'a>) {
        if let Some(function) = self.promise(&it.argument) {
            self.not_awaited(it.argument.span(), &function);
        }
        walk::walk_spread_element(self, it);
    }

    fn visit_variable_declarator(&mut self, it: &VariableDeclarator<'a>) {
        walk::walk_variable_declarator(self, it);
        let Some((init, meaning)) = it.init.as_ref().and_then(|init| Some((init, self.meanings.of(init)?)))
        else {
            return;
        };
        match (&it.id, &meaning) {
            // `const { value } = ide.search(…)`
            (
                BindingPattern::ObjectPattern(_) | BindingPattern::ArrayPattern(_),
                Meaning::Promise(function),
            ) => {
                self.not_awaited(init.span(), function);
            }
            (BindingPattern::ObjectPattern(pattern), meaning) => self.pattern(pattern, meaning),
            _ => {}
        }
    }
}
