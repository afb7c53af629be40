//! The function that a program exports to be run, and programs that run nothing.

use std::collections::{HashMap, HashSet};

use oxc_ast::ast::{
    BindingIdentifier, BindingPattern, Class, ClassElement, Declaration, ExportDefaultDeclaration,
    ExportDefaultDeclarationKind, ExportSpecifier, Expression, Function, IdentifierReference,
    ObjectPropertyKind, Program, PropertyKind, Statement, VariableDeclarator,
};
use oxc_ast_visit::{Visit, walk};
use oxc_span::{GetSpan, Span};
use oxc_syntax::scope::ScopeFlags;
use oxc_syntax::symbol::SymbolId;

use crate::meaning::{Meanings, exported};
use crate::problem::Problem;
use crate::visit::range;

/// The name of the value of a default export that has no name.
pub(crate) const DEFAULT: &str = "$default";

/// The value that a program leaves.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Value {
    /// The default export, an expression.
    Default(String),
    /// The expression of its last statement, which begins there.
    Last(u32),
    /// The value that it returns.
    Returned,
}

/// Returns what a program leaves as its value.
///
/// A default export that the program itself calls is not run again.
pub(crate) fn value(program: &Program<'_>, meanings: &Meanings<'_>) -> Value {
    let live = Live::of(program, meanings);
    for statement in &program.body {
        let name = match statement {
            Statement::ExportDefaultDeclaration(it) => match &it.declaration {
                ExportDefaultDeclarationKind::FunctionDeclaration(it) if it.body.is_none() => continue,
                ExportDefaultDeclarationKind::TSInterfaceDeclaration(_) => continue,
                ExportDefaultDeclarationKind::FunctionDeclaration(it) => named(it.id.as_ref()),
                ExportDefaultDeclarationKind::ClassDeclaration(it) => named(it.id.as_ref()),
                ExportDefaultDeclarationKind::Identifier(it) => {
                    Some((it.name.to_string(), meanings.symbol(it)))
                }
                _ => None,
            },
            Statement::ExportNamedDeclaration(it) => {
                let default = it.specifiers.iter().find(|it| exported(&it.exported) == "default");
                let Some(specifier) = default else { continue };
                let name = exported(&specifier.local).to_owned();
                let symbol = meanings.scoping.get_root_binding(name.as_str().into());
                Some((name, symbol))
            }
            _ => continue,
        };
        match name {
            Some((_, Some(symbol))) if live.used.contains(&symbol) => break,
            Some((name, _)) => return Value::Default(name),
            None => return Value::Default(DEFAULT.to_owned()),
        }
    }
    let last = program.body.iter().rev().find(|it| !is_hoisted(it));
    match last {
        Some(Statement::ExpressionStatement(it)) => Value::Last(it.span.start),
        _ => Value::Returned,
    }
}

fn named(id: Option<&BindingIdentifier<'_>>) -> Option<(String, Option<SymbolId>)> {
    id.map(|it| (it.name.to_string(), it.symbol_id.get()))
}

/// Returns whether a statement does the same wherever it stands.
fn is_hoisted(statement: &Statement<'_>) -> bool {
    match statement {
        Statement::FunctionDeclaration(_)
        | Statement::EmptyStatement(_)
        | Statement::ImportDeclaration(_)
        | Statement::ExportNamedDeclaration(_)
        | Statement::TSTypeAliasDeclaration(_)
        | Statement::TSInterfaceDeclaration(_) => true,
        Statement::ExportDefaultDeclaration(it) => {
            matches!(
                it.declaration,
                ExportDefaultDeclarationKind::FunctionDeclaration(_)
                    | ExportDefaultDeclarationKind::TSInterfaceDeclaration(_)
                    | ExportDefaultDeclarationKind::Identifier(_)
            )
        }
        Statement::ExportDeclaration(it) => matches!(
            it.declaration,
            Declaration::FunctionDeclaration(_)
                | Declaration::TSTypeAliasDeclaration(_)
                | Declaration::TSInterfaceDeclaration(_)
        ),
        _ => false,
    }
}

/// Returns functions that nothing can call, where the program looks as if they should run.
pub(crate) fn problems(program: &Program<'_>, value: &Value) -> Vec<Problem> {
    let mut problems = Vec::new();
    for statement in &program.body {
        if let Statement::ExpressionStatement(it) = statement
            && is_function(&it.expression)
            && *value != Value::Last(it.span.start)
        {
            problems.push(Problem {
                span: range(Span::new(it.span.start, it.span.start + 1)),
                message: "nothing calls this function".to_owned(),
                help: Some("Call it: write it in parentheses with () behind, or give it a name.".to_owned()),
            });
        }
    }
    let defined: Vec<Definition> = program.body.iter().filter_map(definition).collect();
    let is_value = !matches!(value, Value::Returned);
    if is_value || defined.len() < program.body.len() {
        return problems;
    }
    let functions: Vec<&Named> = defined.iter().flat_map(|it| &it.functions).collect();
    let main = functions.iter().find(|it| ["main", "run"].contains(&it.name.as_str())).or(functions.last());
    if let Some(Named { name, span, is_class }) = main {
        let names: Vec<String> = functions.iter().map(|it| format!("`{}`", it.name)).collect();
        problems.push(Problem {
            span: range(*span),
            message: format!("nothing would run: the program only defines {}", names.join(", ")),
            help: Some(format!(
                "Use it at the end: `return {}`{}.",
                if *is_class { format!("new {name}()") } else { format!("await {name}()") },
                if *is_class { "" } else { ", or write `export default` before it" },
            )),
        });
    }
    problems
}

/// A statement that only defines.
#[derive(Default)]
struct Definition {
    /// The functions and classes that it names.
    functions: Vec<Named>,
}

/// A function or a class with its name.
struct Named {
    name: String,
    span: Span,
    is_class: bool,
}

impl Definition {
    fn of(id: Option<&BindingIdentifier<'_>>, is_class: bool) -> Self {
        let named = id.map(|it| Named { name: it.name.to_string(), span: it.span, is_class });
        Self { functions: named.into_iter().collect() }
    }

    fn of_function(it: &Function<'_>) -> Self {
        Self::of(it.id.as_ref().filter(|_| it.body.is_some()), false)
    }
}

fn definition(statement: &Statement<'_>) -> Option<Definition> {
    match statement {
        Statement::ExportDeclaration(it) => declared(&it.declaration),
        Statement::FunctionDeclaration(it) => Some(Definition::of_function(it)),
        Statement::ClassDeclaration(it) => is_quiet_class(it).then(|| Definition::of(it.id.as_ref(), true)),
        Statement::ExportDefaultDeclaration(it) => match &it.declaration {
            ExportDefaultDeclarationKind::FunctionDeclaration(it) => Some(Definition::of_function(it)),
            ExportDefaultDeclarationKind::TSInterfaceDeclaration(_) => Some(Definition::default()),
            _ => None,
        },
        it if is_hoisted(it) => Some(Definition::default()),
        it => it.as_declaration().and_then(declared),
    }
}

fn declared(declaration: &Declaration<'_>) -> Option<Definition> {
    match declaration {
        Declaration::FunctionDeclaration(it) => Some(Definition::of_function(it)),
        Declaration::ClassDeclaration(it) => is_quiet_class(it).then(|| Definition::of(it.id.as_ref(), true)),
        Declaration::VariableDeclaration(it) => {
            let mut definition = Definition::default();
            for declarator in &it.declarations {
                let Some(init) = &declarator.init else { continue };
                if !is_quiet(init) {
                    return None;
                }
                let name = declarator.id.get_identifier_name().filter(|_| is_function(init));
                let is_class = matches!(init, Expression::ClassExpression(_));
                let span = declarator.id.span();
                definition.functions.extend(name.map(|name| Named {
                    name: name.to_string(),
                    span,
                    is_class,
                }));
            }
            Some(definition)
        }
        _ => Some(Definition::default()),
    }
}

/// Returns whether an expression is a function or a class.
fn is_function(expression: &Expression<'_>) -> bool {
    match expression {
        Expression::ArrowFunctionExpression(_)
        | Expression::FunctionExpression(_)
        | Expression::ClassExpression(_) => true,
        Expression::ParenthesizedExpression(it) => is_function(&it.expression),
        Expression::TSAsExpression(it) => is_function(&it.expression),
        Expression::TSSatisfiesExpression(it) => is_function(&it.expression),
        _ => false,
    }
}

fn is_quiet_class(it: &Class<'_>) -> bool {
    it.body.body.iter().all(|it| match it {
        ClassElement::StaticBlock(_) => false,
        ClassElement::PropertyDefinition(it) if it.r#static => it.value.as_ref().is_none_or(is_quiet),
        _ => true,
    })
}

/// Returns whether an expression only makes a value.
fn is_quiet(expression: &Expression<'_>) -> bool {
    match expression {
        Expression::ClassExpression(it) => is_quiet_class(it),
        it if is_function(it) || it.is_literal() => true,
        Expression::Identifier(_) => true,
        Expression::TemplateLiteral(it) => it.expressions.iter().all(is_quiet),
        Expression::ParenthesizedExpression(it) => is_quiet(&it.expression),
        Expression::TSAsExpression(it) => is_quiet(&it.expression),
        Expression::TSSatisfiesExpression(it) => is_quiet(&it.expression),
        Expression::TSNonNullExpression(it) => is_quiet(&it.expression),
        Expression::StaticMemberExpression(it) => is_quiet(&it.object),
        Expression::UnaryExpression(it) => is_quiet(&it.argument),
        Expression::BinaryExpression(it) => is_quiet(&it.left) && is_quiet(&it.right),
        Expression::LogicalExpression(it) => is_quiet(&it.left) && is_quiet(&it.right),
        Expression::NewExpression(it) => {
            it.arguments.iter().all(|it| it.as_expression().is_some_and(is_quiet))
        }
        Expression::ArrayExpression(it) => {
            it.elements.iter().all(|it| it.as_expression().is_none_or(is_quiet))
        }
        Expression::ObjectExpression(it) => it.properties.iter().all(|it| match it {
            ObjectPropertyKind::ObjectProperty(it) => it.kind != PropertyKind::Init || is_quiet(&it.value),
            ObjectPropertyKind::SpreadProperty(it) => is_quiet(&it.argument),
        }),
        _ => false,
    }
}

/// The functions of a program that its own code reaches.
struct Live<'p, 'a, 'm, 's> {
    meanings: &'m Meanings<'s>,
    /// The named functions, as code that runs when something reaches them.
    functions: HashMap<SymbolId, Code<'p, 'a>>,
    used: HashSet<SymbolId>,
    waiting: Vec<SymbolId>,
}

#[derive(Clone, Copy)]
enum Code<'p, 'a> {
    Function(&'p Function<'a>),
    Expression(&'p Expression<'a>),
}

impl<'p, 'a, 'm, 's> Live<'p, 'a, 'm, 's> {
    fn of(program: &'p Program<'a>, meanings: &'m Meanings<'s>) -> Self {
        let mut live =
            Self { meanings, functions: HashMap::new(), used: HashSet::new(), waiting: Vec::new() };
        for statement in &program.body {
            live.declare(statement);
        }
        live.visit_program(program);
        while let Some(symbol) = live.waiting.pop() {
            match live.functions.get(&symbol).copied() {
                Some(Code::Function(it)) => walk::walk_function(&mut live, it, ScopeFlags::Function),
                Some(Code::Expression(it)) => walk::walk_expression(&mut live, it),
                None => {}
            }
        }
        live
    }

    /// Remembers the functions that a statement names.
    fn declare(&mut self, statement: &'p Statement<'a>) {
        let function = match statement {
            Statement::FunctionDeclaration(it) => Some(it),
            Statement::ExportDefaultDeclaration(it) => match &it.declaration {
                ExportDefaultDeclarationKind::FunctionDeclaration(it) => Some(it),
                _ => None,
            },
            Statement::ExportDeclaration(it) => match &it.declaration {
                Declaration::FunctionDeclaration(it) => Some(it),
                _ => None,
            },
            _ => None,
        };
        if let Some(function) = function {
            let symbol = function.id.as_ref().and_then(|it| it.symbol_id.get());
            self.functions.extend(symbol.map(|it| (it, Code::Function(function))));
        }
        let variables = match statement {
            Statement::VariableDeclaration(it) => Some(it),
            Statement::ExportDeclaration(it) => match &it.declaration {
                Declaration::VariableDeclaration(it) => Some(it),
                _ => None,
            },
            _ => None,
        };
        for declarator in variables.iter().flat_map(|it| &it.declarations) {
            if let (BindingPattern::BindingIdentifier(name), Some(init)) = (&declarator.id, &declarator.init)
                && is_function(init)
            {
                let symbol = name.symbol_id.get();
                self.functions.extend(symbol.map(|it| (it, Code::Expression(init))));
            }
        }
    }
}

impl<'v> Visit<'v> for Live<'_, '_, '_, '_> {
    fn visit_identifier_reference(&mut self, it: &IdentifierReference<'v>) {
        if let Some(symbol) = self.meanings.symbol(it)
            && self.used.insert(symbol)
        {
            self.waiting.push(symbol);
        }
    }

    fn visit_function(&mut self, it: &Function<'v>, flags: ScopeFlags) {
        let symbol = it.id.as_ref().and_then(|it| it.symbol_id.get());
        if symbol.is_none_or(|it| !self.functions.contains_key(&it)) {
            walk::walk_function(self, it, flags);
        }
    }

    fn visit_variable_declarator(&mut self, it: &VariableDeclarator<'v>) {
        let symbol = match &it.id {
            BindingPattern::BindingIdentifier(name) => name.symbol_id.get(),
            _ => None,
        };
        if symbol.is_none_or(|it| !self.functions.contains_key(&it)) {
            walk::walk_variable_declarator(self, it);
        }
    }

    fn visit_export_default_declaration(&mut self, it: &ExportDefaultDeclaration<'v>) {
        if !matches!(it.declaration, ExportDefaultDeclarationKind::Identifier(_)) {
            walk::walk_export_default_declaration(self, it);
        }
    }

    fn visit_export_specifier(&mut self, _: &ExportSpecifier<'v>) {}
}
