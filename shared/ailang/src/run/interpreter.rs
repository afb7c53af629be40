//! Statements.

use std::sync::Arc;

use dialect::ast::{Expression, ExpressionKind};
use dialect::{Caller, Value, Work};
use futures::future::BoxFuture;
use source_text::Span;

use super::halt::{Halt, Run, Thrown, name_of, noun, text_of};
use super::place::Step;
use super::scope::Scope;
use super::stack::growing;
use super::state::RunState;
use super::variant::{thrown, unwrapped};
use crate::syntax::{Assignment, Block, Catch, Item, Loop, Statement, StatementKind, Target, Try};

/// The times that a `try` runs its body, when a `catch` says `retry()`.
const MOST_TRIES: usize = 3;

/// An interpreter of the statements and expressions of one function: an example, a body or a lambda.
#[derive(Clone, Debug)]
pub(super) struct Interpreter {
    pub(super) state: Arc<RunState>,
    /// The index of the document that has the code.
    pub(super) home: usize,
    pub(super) scope: Arc<Scope>,
    /// The caller of the tools.
    pub(super) caller: Caller,
    /// The caller of the methods of values.
    pub(super) methods: Caller,
    /// The checks of the arguments of built-in functions.
    pub(super) built_in: Caller,
    pub(super) work: Work,
}

impl Interpreter {
    /// Runs items in order. Definitions and imports were taken in before the program started.
    pub(super) fn items<'a>(&'a self, items: &'a [Item]) -> BoxFuture<'a, Run<()>> {
        growing(async move {
            let _nested = self.state.nested(1)?;
            for item in items {
                if let Item::Statement(statement) = item {
                    self.statement(statement).await?;
                }
            }
            Ok(())
        })
    }

    async fn block(&self, block: &Block) -> Run<()> {
        self.items(&block.items).await
    }

    async fn statement(&self, statement: &Statement) -> Run<()> {
        self.step(statement.span).await?;
        match &statement.kind {
            StatementKind::If { condition, then, otherwise } => {
                if self.condition(condition).await? {
                    self.block(then).await
                } else if let Some(otherwise) = otherwise {
                    self.block(otherwise).await
                } else {
                    Ok(())
                }
            }
            StatementKind::For(it) => self.iterate(it).await,
            StatementKind::While { condition, body } => {
                while self.condition(condition).await? {
                    if self.repeated(body).await? {
                        break;
                    }
                }
                Ok(())
            }
            StatementKind::Try(it) => self.attempt(it).await,
            StatementKind::Return(value) => {
                let value = match value {
                    Some(value) => self.evaluate(value).await?,
                    None => Value::Null,
                };
                Err(Halt::Return(value))
            }
            StatementKind::Throw(error) => Err(self.throw(error).await?),
            StatementKind::Break => Err(Halt::Break),
            StatementKind::Continue => Err(Halt::Continue),
            StatementKind::Assign(it) => self.assign(it).await,
            StatementKind::Expression(expression) => self.evaluate(expression).await.map(drop),
            StatementKind::Block(block) => self.block(block).await,
            StatementKind::Broken => Err(Halt::mistake(statement.span, "this could not be read")),
        }
    }

    /// Runs the body of a loop once; returns `true` if the loop ends.
    async fn repeated(&self, body: &Block) -> Run<bool> {
        self.step(body.span).await?;
        match self.block(body).await {
            Err(Halt::Break) => Ok(true),
            Err(Halt::Continue) => Ok(false),
            other => other.map(|()| false),
        }
    }

    async fn iterate(&self, it: &Loop) -> Run<()> {
        let of = self.evaluate(&it.of).await?;
        let of = match unwrapped(&of) {
            Some(result) => result.map_err(|error| thrown(error, it.of.span))?,
            None => of,
        };
        let elements = elements(&of, &it.target).ok_or_else(|| {
            Halt::mistake(it.of.span, format!("a loop goes over a list or an object, not over {}", noun(&of)))
        })?;
        self.spend(of.bytes(), it.of.span)?;
        let names = it.target.names();
        let before: Vec<Option<Value>> = names.iter().map(|name| self.scope.get_own(&name.text)).collect();
        let result = self.over(elements, it).await;
        for (name, before) in names.iter().zip(before) {
            self.scope.restore(&name.text, before);
        }
        result
    }

    async fn over(&self, elements: Vec<Value>, it: &Loop) -> Run<()> {
        for element in elements {
            self.bind(&it.target, element, it.of.span)?;
            if self.repeated(&it.body).await? {
                break;
            }
        }
        Ok(())
    }

    /// Binds the variables of a loop to an element, or to its parts.
    fn bind(&self, target: &Target, element: Value, span: Span) -> Run<()> {
        match target {
            Target::Name(name) => _ = self.scope.declare(&name.text, element),
            Target::List(names) => {
                let parts = element.as_list().ok_or_else(|| {
                    Halt::mistake(
                        span,
                        format!("`[{}]` takes lists apart, and this is {}", joined(names), noun(&element)),
                    )
                })?;
                for (index, name) in names.iter().enumerate() {
                    self.scope.declare(&name.text, parts.get(index).cloned().unwrap_or_default());
                }
            }
            Target::Object(names) => {
                for name in names {
                    let part = element.fields().and_then(|fields| fields.get(&name.text)).cloned();
                    self.scope.declare(&name.text, part.unwrap_or_default());
                }
            }
        }
        Ok(())
    }

    async fn attempt(&self, it: &Try) -> Run<()> {
        let result = self.caught(it).await;
        let Some(finally) = &it.finally else { return result };
        if matches!(result, Err(Halt::Fatal(_))) {
            return result;
        }
        self.block(finally).await?;
        result
    }

    async fn caught(&self, it: &Try) -> Run<()> {
        let mut tries = 1;
        loop {
            let thrown = match self.block(&it.body).await {
                Err(Halt::Thrown(thrown)) => thrown,
                other => return other,
            };
            let Some(catch) = it.catches.iter().find(|catch| catches(catch, &thrown)) else {
                return Err(Halt::Thrown(thrown));
            };
            self.state.forget_trace();
            match self.handle(catch, &thrown).await {
                Err(Halt::Retry) if tries < MOST_TRIES => tries += 1,
                Err(Halt::Retry) => return Err(Halt::Thrown(thrown)),
                other => return other,
            }
        }
    }

    /// Runs a `catch`, with its variables and `error`.
    async fn handle(&self, catch: &Catch, thrown: &Thrown) -> Run<()> {
        let mut bound = vec![("error", thrown.error.clone())];
        let params = thrown.error.fields().and_then(|fields| fields.get("params")).and_then(Value::fields);
        let declared = name_of(&thrown.error).and_then(|name| self.state.linked.error(self.home, name));
        let names: Vec<String> = match declared.as_ref().and_then(|it| it.carries.as_ref()) {
            Some(parameters) => parameters.iter().map(|it| it.name.clone()).collect(),
            None => params.map(|it| it.keys().cloned().collect()).unwrap_or_default(),
        };
        for (index, name) in catch.bindings.iter().enumerate() {
            // A binding has the parameter of its name, or else the one at its place.
            let parameter = names.iter().find(|it| **it == name.text).or_else(|| names.get(index));
            let value = parameter.and_then(|parameter| params?.get(parameter)).cloned();
            bound.push((&name.text, value.unwrap_or_default()));
        }
        let before: Vec<_> =
            bound.into_iter().map(|(name, value)| (name, self.scope.declare(name, value))).collect();
        let result = self.block(&catch.body).await;
        for (name, before) in before.into_iter().rev() {
            self.scope.restore(name, before);
        }
        result
    }

    async fn throw(&self, expression: &Expression) -> Run<Halt> {
        let error = self.evaluate(expression).await?;
        if name_of(&error).is_none() {
            return Err(Halt::mistake(
                expression.span,
                format!("only errors can be thrown, not {}", noun(&error)),
            ));
        }
        Ok(Halt::Thrown(Thrown { error, span: Some(expression.span) }))
    }

    async fn assign(&self, it: &Assignment) -> Run<()> {
        let value = self.evaluate(&it.value).await?;
        let value = match it.operator {
            "=" => value,
            operator => {
                let old = self.evaluate(&it.target).await?;
                let operator = if operator == "+=" { "+" } else { "-" };
                self.operate(
                    operator,
                    [&old, &value],
                    [it.target.span, it.value.span],
                    it.target.span.join(it.value.span),
                )?
            }
        };
        // Two variables of one value copy it when one of them changes.
        self.spend(value.bytes(), it.value.span)?;
        if let ExpressionKind::Name(name) = &it.target.kind {
            self.scope.assign(name, value);
            return Ok(());
        }
        let place = self.place(&it.target).await?;
        let value = self.inserted(value, place.1.len(), it.value.span)?;
        self.change(&place, it.target.span, move |slot| *slot = value)
    }

    /// Applies an operator to two values.
    fn operate(&self, operator: &'static str, both: [&Value; 2], spans: [Span; 2], span: Span) -> Run {
        self.caller.operate(operator, both, spans, span).map_err(|failure| Halt::of(failure, span))
    }

    /// Changes a part of a variable.
    pub(super) fn change<T>(
        &self,
        (name, steps): &(String, Vec<Step>),
        span: Span,
        change: impl FnOnce(&mut Value) -> T,
    ) -> Run<T> {
        let changed = self.scope.with(name, |value| {
            let slot = Step::slot(value, steps).map_err(|message| Halt::mistake(span, message))?;
            // The variable shares nothing with the slot's value while it is changed.
            Ok(change(slot))
        });
        changed.unwrap_or_else(|| Err(Halt::mistake(span, format!("`{name}` was never assigned"))))
    }

    /// Counts a step, and lets other tasks run from time to time.
    pub(super) async fn step(&self, span: Span) -> Run<()> {
        self.work.step().map_err(|failure| Halt::of(failure, span))?;
        self.state.breathe(span).await
    }

    /// Counts the work of looking at so many bytes.
    pub(super) fn spend(&self, bytes: usize, span: Span) -> Run<()> {
        self.work.spend(bytes).map_err(|failure| Halt::of(failure, span))
    }

    /// Checks a value that becomes a part of another, so many levels inside of it.
    pub(super) fn inserted(&self, value: Value, level: usize, span: Span) -> Run {
        self.caller.inserted(value, level).map_err(|failure| Halt::of(failure, span))
    }

    /// Checks a new value against the limits.
    pub(super) fn measured(&self, value: Value, span: Span) -> Run {
        self.caller.measured(value).map_err(|failure| Halt::of(failure, span))
    }
}

/// Returns `true` if a clause catches an error. `Error` and no name catch all.
fn catches(catch: &Catch, thrown: &Thrown) -> bool {
    let Some(path) = &catch.error else { return true };
    let name = path.name.text.as_str();
    name == "Error" || text_of(&thrown.error, "error") == Some(name)
}

/// Returns the elements that a loop goes over: those of a list, or the keys of an object. `[key, value]` takes the
/// fields of an object.
fn elements(of: &Value, target: &Target) -> Option<Vec<Value>> {
    match (of, of.fields()) {
        (Value::List(items), _) => Some(items.to_vec()),
        (_, Some(fields)) => {
            let each = fields.iter().map(|(key, value)| match target {
                Target::List(_) => Value::from(vec![key.as_str().into(), value.clone()]),
                _ => key.as_str().into(),
            });
            Some(each.collect())
        }
        _ => None,
    }
}

fn joined(names: &[crate::syntax::Name]) -> String {
    names.iter().map(|name| name.text.as_str()).collect::<Vec<_>>().join(", ")
}
