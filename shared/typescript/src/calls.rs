//! Checks of the calls of given functions, before a program runs: what is found here has not done anything yet.

use std::collections::{HashMap, HashSet};
use std::ops::Range;

use oxc_ast::ast::{
    Argument, BindingIdentifier, BindingPattern, CallExpression, Expression, ForOfStatement,
    ObjectPropertyKind, Program, PropertyKey, SpreadElement, StaticMemberExpression, VariableDeclarator,
};
use oxc_ast_visit::{Visit, walk};
use oxc_span::{GetSpan, Span};
use script_protocol::Stub;

use crate::Problem;

/// The members of promises.
const PROMISE: &[&str] = &["then", "catch", "finally"];

/// The function of a stub that never throws.
const OUTCOME: &str = "outcome";

/// Returns the mistakes in calls of `stubs`, and in uses of their promises.
pub(crate) fn problems(program: &Program<'_>, stubs: &[Stub]) -> Vec<Problem> {
    let mut bound = Bound::default();
    bound.visit_program(program);
    let mut namespaces: HashMap<&str, Vec<&Stub>> = HashMap::new();
    for stub in stubs {
        namespaces.entry(&stub.namespace).or_default().push(stub);
    }
    let mut calls = Calls { namespaces, bound, promises: HashMap::new(), problems: Vec::new() };
    calls.visit_program(program);
    calls.problems
}

/// The names that a program binds, each with how often.
#[derive(Default)]
struct Bound(HashMap<String, usize>);

impl<'a> Visit<'a> for Bound {
    fn visit_binding_identifier(&mut self, it: &BindingIdentifier<'a>) {
        *self.0.entry(it.name.to_string()).or_default() += 1;
    }
}

struct Calls<'s> {
    namespaces: HashMap<&'s str, Vec<&'s Stub>>,
    bound: Bound,
    /// The variables that hold promises of calls, with the name of the function.
    promises: HashMap<String, String>,
    problems: Vec<Problem>,
}

impl<'s> Calls<'s> {
    fn report(&mut self, span: Span, message: String, help: Option<String>) {
        let span = Range { start: span.start as usize, end: span.end as usize };
        self.problems.push(Problem { span, message, help });
    }

    /// Returns the namespace of an expression, unless the program has a variable of that name.
    fn namespace(&self, expression: &Expression<'_>) -> Option<(&'s str, &[&'s Stub])> {
        let Expression::Identifier(identifier) = expression else { return None };
        if self.bound.0.contains_key(identifier.name.as_str()) {
            return None;
        }
        let (name, stubs) = self.namespaces.get_key_value(identifier.name.as_str())?;
        Some((name, stubs))
    }

    /// Returns the function that an expression names: `ide.search`, `search`, `ide.search.outcome`.
    fn stub(&self, expression: &Expression<'_>) -> Option<&'s Stub> {
        match expression {
            Expression::StaticMemberExpression(member) if member.property.name == OUTCOME => {
                self.stub(&member.object)
            }
            Expression::StaticMemberExpression(member) => {
                let (_, stubs) = self.namespace(&member.object)?;
                stubs.iter().find(|it| it.name == member.property.name.as_str()).copied()
            }
            Expression::Identifier(identifier) if !self.bound.0.contains_key(identifier.name.as_str()) => {
                let name = identifier.name.as_str();
                let mut all = self.namespaces.values().flatten().filter(|it| it.name == name);
                all.next().copied().filter(|_| all.next().is_none())
            }
            Expression::ParenthesizedExpression(it) => self.stub(&it.expression),
            _ => None,
        }
    }

    /// Returns the function whose promise an expression is.
    fn promise(&self, expression: &Expression<'_>) -> Option<String> {
        match expression {
            Expression::CallExpression(call) => {
                let stub = self.stub(&call.callee)?;
                Some(format!("{}.{}", stub.namespace, stub.name))
            }
            Expression::Identifier(it) => self.promises.get(it.name.as_str()).cloned(),
            Expression::ParenthesizedExpression(it) => self.promise(&it.expression),
            _ => None,
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
        let label = format!("{}.{}", stub.namespace, stub.name);
        if call.arguments.iter().any(|it| matches!(it, Argument::SpreadElement(_))) {
            return;
        }
        let parameters = stub.parameters.join(", ");
        if let Some(surplus) = call.arguments.get(stub.parameters.len())
            && !is_object(surplus)
        {
            let message = format!("`{label}` takes {} arguments", stub.parameters.len());
            return self.report(surplus.span(), message, Some(format!("It is `{label}({parameters})`.")));
        }
        let Some(Argument::ObjectExpression(object)) = call.arguments.last() else { return };
        let keys = object.properties.iter().map(|it| match it {
            ObjectPropertyKind::ObjectProperty(it) => match &it.key {
                PropertyKey::StaticIdentifier(key) => Some((key.name.to_string(), key.span)),
                PropertyKey::StringLiteral(key) => Some((key.value.to_string(), key.span)),
                _ => None,
            },
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

impl<'a> Visit<'a> for Calls<'_> {
    fn visit_static_member_expression(&mut self, it: &StaticMemberExpression<'a>) {
        let name = it.property.name.as_str();
        if let Some((namespace, stubs)) = self.namespace(&it.object)
            && !stubs.iter().any(|it| it.name == name)
        {
            let names: HashSet<&str> = stubs.iter().map(|it| it.name.as_str()).collect();
            let mut names: Vec<_> = names.into_iter().collect();
            names.sort_unstable();
            let help = match nearest(name, names.iter().copied()) {
                Some(near) => format!("Did you mean `{near}`?"),
                None => format!("It has {}.", names.join(", ")),
            };
            self.report(it.property.span, format!("`{namespace}` has no function `{name}`"), Some(help));
        }
        if !PROMISE.contains(&name)
            && let Some(function) = self.promise(&it.object)
        {
            self.not_awaited(it.property.span, &function);
        }
        walk::walk_static_member_expression(self, it);
    }

    fn visit_call_expression(&mut self, it: &CallExpression<'a>) {
        if let Some(stub) = self.stub(&it.callee) {
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
        if let (BindingPattern::BindingIdentifier(name), Some(init)) = (&it.id, &it.init)
            && self.bound.0.get(name.name.as_str()) == Some(&1)
            && matches!(init, Expression::CallExpression(_))
            && let Some(function) = self.promise(init)
        {
            self.promises.insert(name.name.to_string(), function);
        }
        // `const { value } = ide.search(…)`
        if let (BindingPattern::ObjectPattern(_) | BindingPattern::ArrayPattern(_), Some(init)) =
            (&it.id, &it.init)
            && let Some(function) = self.promise(init)
        {
            self.not_awaited(init.span(), &function);
        }
    }
}
