//! Checks of statements and expressions, in bodies and examples: known names, and arguments that fit.

mod body;
mod call;
pub(super) mod expression;
mod failures;
mod flow;
mod infer;

use std::collections::HashMap;

use dialect::ast::ExpressionKind;
use indexmap::IndexMap;
use source_text::Span;

use self::flow::{Called, Flow};
use super::Checker;
use super::member::Members;
use crate::diagnostic::{Code, Diagnostic};
use crate::names::{BoundType, OccurrenceKind, Scope, Shape, Symbol};
use crate::syntax::{
    Assignment, Block, Catch, Definition, DefinitionKind, Item, Loop, Name, Parameter, Program, Statement,
    StatementKind, Try,
};

/// An inferred type, if it is known.
pub(super) type KnownType<'w, 'a> = Option<BoundType<'w, 'a>>;

/// A variable of a parameter, a loop or a catch.
pub(super) struct Bound<'w, 'a> {
    name: &'a str,
    /// The place of the name; `None` for the implicit `error` of a catch.
    span: Option<Span>,
    kind: OccurrenceKind,
    ty: KnownType<'w, 'a>,
}

/// A walk over the statements of an example or a body.
pub(super) struct Walker<'w, 's, 'a> {
    checker: &'w mut Checker<'s, 'a>,
    scope: Scope<'w, 'a>,
    /// The program, which has the statements of lambdas.
    program: &'a Program,
    /// The names that are assigned anywhere in it, each with its first place.
    assigned: HashMap<&'a str, Span>,
    /// The types of the variables that were assigned so far.
    types: HashMap<&'a str, KnownType<'w, 'a>>,
    /// The kinds of the literals that variables were assigned, for suggestions.
    literals: HashMap<&'a str, Members<'a>>,
    /// The variables of parameters, loops and catches, the innermost last.
    bound: Vec<Bound<'w, 'a>>,
    /// The errors of all statements, and of those inside each enclosing `try`.
    flows: Vec<Flow<'a>>,
    /// The called tools, by definition.
    called: IndexMap<*const Definition, Called<'w, 'a>>,
    /// The type of what is returned, where it is checked.
    returned: KnownType<'w, 'a>,
    /// `true` if a part is left out: `...`.
    is_sketch: bool,
}

impl<'w, 's, 'a> Walker<'w, 's, 'a> {
    pub(super) fn new(checker: &'w mut Checker<'s, 'a>, scope: Scope<'w, 'a>, program: &'a Program) -> Self {
        let mut assigned = HashMap::new();
        collect(&program.items, &mut assigned);
        for block in program.lambda_bodies.values() {
            collect(&block.items, &mut assigned);
        }
        Self {
            checker,
            scope,
            program,
            assigned,
            types: HashMap::new(),
            literals: HashMap::new(),
            bound: Vec::new(),
            flows: vec![Flow::default()],
            called: IndexMap::new(),
            returned: None,
            is_sketch: false,
        }
    }

    /// Binds the parameters of a tool.
    pub(super) fn parameters(&mut self, parameters: &'a [Parameter]) {
        for parameter in parameters {
            let ty = parameter.ty.as_ref().map(|ty| BoundType::new(ty, self.scope));
            self.bind(&parameter.name, OccurrenceKind::Parameter, ty);
        }
    }

    fn bind(&mut self, name: &'a Name, kind: OccurrenceKind, ty: KnownType<'w, 'a>) {
        self.bound.push(Bound { name: &name.text, span: Some(name.span), kind, ty });
    }

    /// Records the use of a variable.
    fn variable_use(&mut self, name: &str, at: Span) {
        let bound = self.bound.iter().rev().find(|bound| bound.name == name);
        let found = match bound {
            Some(bound) => bound.span.map(|span| (span, bound.kind)),
            None => self.assigned.get(name).map(|span| (*span, OccurrenceKind::Variable)),
        };
        if let Some((span, kind)) = found {
            self.checker.variable_use(name, at, span, kind);
        }
    }

    fn error(&mut self, code: Code, span: Span, message: impl Into<String>) -> &mut Diagnostic {
        self.checker.unknown(code, span, message)
    }

    pub(super) fn items(&mut self, items: &'a [Item]) {
        collect(items, &mut self.assigned);
        self.unreachable(items);
        for item in items {
            if let Item::Statement(statement) = item {
                self.statement(statement);
            }
        }
    }

    fn block(&mut self, block: &'a Block) {
        let bound = self.bound.len();
        self.items(&block.items);
        self.bound.truncate(bound);
    }

    fn statement(&mut self, statement: &'a Statement) {
        match &statement.kind {
            StatementKind::If { condition, then, otherwise } => {
                self.expression(condition);
                self.block(then);
                otherwise.iter().for_each(|block| self.block(block));
            }
            StatementKind::For(it) => self.iteration(it),
            StatementKind::While { condition, body } => {
                self.expression(condition);
                self.block(body);
            }
            StatementKind::Try(it) => self.attempt(it),
            StatementKind::Return(value) => value.iter().for_each(|value| self.return_value(value)),
            StatementKind::Throw(value) => self.throw(value),
            StatementKind::Assign(it) => self.assignment(it),
            StatementKind::Expression(expression) => {
                self.expression(expression);
            }
            StatementKind::Block(block) => self.block(block),
            StatementKind::Break | StatementKind::Continue | StatementKind::Broken => {}
        }
    }

    fn iteration(&mut self, it: &'a Loop) {
        let of = self.expression(&it.of);
        let bound = self.bound.len();
        let element = of.and_then(|of| self.element(&of));
        let single = matches!(it.target, crate::syntax::Target::Name(_));
        if let crate::syntax::Target::Object(fields) = &it.target {
            fields.iter().for_each(|field| self.checker.unresolved_member(&field.text, field.span));
        }
        for name in it.target.names() {
            self.checker.defines(name, OccurrenceKind::Variable);
            self.bind(name, OccurrenceKind::Variable, element.clone().filter(|_| single));
        }
        self.block(&it.body);
        self.bound.truncate(bound);
    }

    /// Returns the type of the elements of a list.
    fn element(&self, of: &BoundType<'w, 'a>) -> KnownType<'w, 'a> {
        match self.opened(of).view().shape {
            Shape::List(element) => Some(element),
            _ => None,
        }
    }

    fn attempt(&mut self, it: &'a Try) {
        self.may_fail();
        self.block(&it.body);
        self.caught_by(&it.catches);
        it.catches.iter().for_each(|catch| self.catch(catch));
        it.finally.iter().for_each(|block| self.block(block));
    }

    fn catch(&mut self, catch: &'a Catch) {
        let bound = self.bound.len();
        self.bound.push(Bound { name: "error", span: None, kind: OccurrenceKind::Variable, ty: None });
        let caught = catch.error.as_ref().and_then(|path| self.caught(path, catch));
        for (index, name) in catch.bindings.iter().enumerate() {
            let ty = caught.as_ref().and_then(|(parameters, scope)| {
                // A binding has the parameter of its name, or else the one at its place.
                let named = parameters.iter().find(|it| it.name.text == name.text);
                let parameter = named.or_else(|| parameters.get(index))?;
                parameter.ty.as_ref().map(|ty| BoundType::new(ty, *scope))
            });
            self.checker.defines(name, OccurrenceKind::Variable);
            self.bind(name, OccurrenceKind::Variable, ty);
        }
        self.block(&catch.body);
        self.bound.truncate(bound);
    }

    /// Resolves a caught error and checks its bindings; returns its parameters.
    fn caught(
        &mut self,
        path: &'a crate::syntax::Path,
        catch: &'a Catch,
    ) -> Option<(&'a [Parameter], Scope<'w, 'a>)> {
        let name = path.text();
        self.checker.path_use(path, self.scope.find_path(path), self.scope);
        let (definition, home) =
            match self.scope.find_path(path) {
                Some(Symbol::Definition(definition, home)) => (definition, home),
                Some(Symbol::Opaque) => return None,
                // `Error` catches all errors.
                _ if name == "Error" => return None,
                _ => {
                    let known = self.checker.errors(self.scope);
                    self.error(Code::UNKNOWN_CATCH, path.span(), format!("no error is called `{name}`"))
                        .nearest(&name, path.span(), known);
                    return None;
                }
            };
        let DefinitionKind::Error(it) = &definition.kind else {
            if name != "Error" {
                let message = format!("`{name}` is a {}, not an error", definition.kind.keyword());
                self.error(Code::UNKNOWN_CATCH, path.span(), message);
            }
            return None;
        };
        let (parameters, elided) = match &it.parameters {
            Some(parameters) => (parameters.list.as_slice(), parameters.elided),
            None => (&[] as &[Parameter], false),
        };
        if let Some(extra) = catch.bindings.get(parameters.len())
            && !elided
        {
            let message =
                format!("the error `{name}` has {} parameters, and more are bound", parameters.len());
            self.error(Code::CATCH_BINDINGS, extra.span, message);
        }
        Some((parameters, self.scope_of(definition, home)))
    }

    /// Returns the scope in which a definition stands.
    fn scope_of(&self, definition: &'a Definition, home: usize) -> Scope<'w, 'a> {
        let name = definition.name.text.as_str();
        let is_local = self.scope.local.iter().any(|names| names.symbols.contains_key(name));
        if is_local && home == self.scope.home {
            self.scope
        } else {
            Scope { home, local: &[], ..self.scope }
        }
    }

    fn throw(&mut self, value: &'a dialect::ast::Expression) {
        self.expression(value);
        let is_value = matches!(
            value.kind,
            ExpressionKind::Number(_)
                | ExpressionKind::Bool(_)
                | ExpressionKind::Null
                | ExpressionKind::Text(_)
                | ExpressionKind::Template(_)
                | ExpressionKind::List(_)
        );
        let called = match &value.kind {
            ExpressionKind::Call(call) if call.receiver.is_none() => self.scope.find(&call.name.text),
            _ => None,
        };
        let named = match &value.kind {
            ExpressionKind::Name(name) if self.variable(name).is_none() => self.scope.find(name),
            _ => called,
        };
        self.throws(named, value.span);
        let is_other = matches!(
            called,
            Some(Symbol::Definition(definition, _)) if !matches!(definition.kind, DefinitionKind::Error(_) | DefinitionKind::Tool(_))
        );
        if is_value || is_other {
            self.error(Code::THROWN, value.span, "only errors can be thrown")
                .help("write the name of an error with its parameters: `NotFoundError(\"file\")`");
        }
    }

    fn assignment(&mut self, it: &'a Assignment) {
        let ty = self.expression(&it.value);
        match &it.target.kind {
            ExpressionKind::Name(name) if it.operator == "=" => {
                self.variable_use(name, it.target.span);
                let before = self.types.get(name.as_str());
                // The type of a variable that is assigned twice is unknown.
                let ty = if before.is_none() { ty } else { None };
                let literal = if ty.is_none() { self.literal(&it.value) } else { Members::Unknown };
                self.literals.insert(name, literal);
                self.types.insert(name, ty);
            }
            _ => {
                self.expression(&it.target);
            }
        }
    }
}

/// Collects every name that statements assign or define, those of inner blocks included.
fn collect<'a>(items: &'a [Item], names: &mut HashMap<&'a str, Span>) {
    let mut pending: Vec<&'a [Item]> = vec![items];
    while let Some(items) = pending.pop() {
        for item in items {
            match item {
                Item::Definition(_) | Item::Import(_) => {}
                Item::Statement(statement) => collect_statement(statement, names, &mut pending),
            }
        }
    }
}

fn add<'a>(names: &mut HashMap<&'a str, Span>, name: &'a str, span: Span) {
    let first = names.entry(name).or_insert(span);
    *first = span.min(*first);
}

fn collect_statement<'a>(
    statement: &'a Statement,
    names: &mut HashMap<&'a str, Span>,
    pending: &mut Vec<&'a [Item]>,
) {
    match &statement.kind {
        StatementKind::Assign(it) => {
            if let ExpressionKind::Name(name) = &it.target.kind {
                add(names, name, it.target.span);
            }
        }
        StatementKind::If { then, otherwise, .. } => {
            pending.extend([then].into_iter().chain(otherwise).map(|block| block.items.as_slice()));
        }
        StatementKind::For(it) => {
            it.target.names().iter().for_each(|name| add(names, &name.text, name.span));
            pending.push(&it.body.items);
        }
        StatementKind::While { body, .. } => pending.push(&body.items),
        StatementKind::Try(it) => {
            let catches = it.catches.iter().map(|catch| &catch.body);
            pending.extend(
                [&it.body].into_iter().chain(catches).chain(&it.finally).map(|it| it.items.as_slice()),
            );
        }
        StatementKind::Block(block) => pending.push(&block.items),
        _ => {}
    }
}
