//! Running a program whose names are found.

mod call;
mod measure;
mod member;
mod operator;
pub(crate) mod stop;

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use futures::future::BoxFuture;
use futures::{FutureExt, StreamExt, stream};
use source_text::Span;

use crate::Form;
use crate::closure::Closure;
use crate::node::{ElementNode, Node, NodeKind};
use crate::{
    Effect, Failure, FailureKind, Failures, Limit, Limits, Notes, Object, Outcome, Program, Registry,
    Success, Value, ambiguity, explain,
};

use stop::{Asked, ElementQuestion, Stop};

/// What only looks at the world is asked for together, so many at a time.
pub(crate) const AT_A_TIME: usize = 8;

/// Reads, checks and runs a program.
pub async fn run(registry: &Registry, source: &str, limits: &Limits) -> Outcome {
    match Program::parse(registry, source, limits) {
        Ok(program) => program.run(registry, limits).await,
        Err(failures) => Outcome::Failure(failures),
    }
}

impl Program {
    /// Runs the program, with the registry that it was read with.
    pub async fn run(&self, registry: &Registry, limits: &Limits) -> Outcome {
        let run = Arc::new(Run {
            registry: registry.clone(),
            limits: *limits,
            source: self.source.clone(),
            form: self.form,
            effect: self.effect(),
            notes: Notes::default(),
            calls: AtomicUsize::new(0),
            steps: AtomicUsize::new(0),
            bytes: AtomicUsize::new(0),
        });
        let result = run.node(&self.root, &Env::default(), 0).await;
        match result.and_then(|value| run.presentable(value, self.root.span)) {
            Ok(value) => Outcome::Success(Success { value, notes: run.notes.to_vec() }),
            Err(stop) => match stop.into_outcome() {
                Ok(ambiguity) => Outcome::Ambiguity(ambiguity),
                Err(failures) => Outcome::Failure(self.correct(registry, limits, Failures::from(failures))),
            },
        }
    }
}

/// One run of one program.
#[derive(Debug)]
pub(crate) struct Run {
    pub(crate) registry: Registry,
    pub(crate) limits: Limits,
    pub(crate) source: Arc<str>,
    pub(crate) form: Form,
    effect: Effect,
    notes: Notes,
    calls: AtomicUsize,
    steps: AtomicUsize,
    bytes: AtomicUsize,
}

/// The values that names are bound to, the innermost first.
#[derive(Clone, Debug, Default)]
pub(crate) struct Env(Option<Arc<Frame>>);

#[derive(Debug)]
struct Frame {
    value: Value,
    outer: Env,
}

impl Env {
    pub(crate) fn bind(self, value: Value) -> Self {
        Self(Some(Arc::new(Frame { value, outer: self })))
    }

    pub(crate) fn get(&self, up: usize) -> &Value {
        let mut frame = self.0.as_deref().expect("the resolver found the binding");
        for _ in 0..up {
            frame = frame.outer.0.as_deref().expect("the resolver found the binding");
        }
        &frame.value
    }
}

type Evaluated<'a> = BoxFuture<'a, Result<Value, Stop>>;

impl Run {
    /// What the program may do to the world at most.
    pub(crate) fn effect(&self) -> Effect {
        self.effect
    }

    pub(crate) fn text(&self, span: Span) -> &str {
        &self.source[span.range()]
    }

    /// What a node comes to; `depth` is how deeply calls of lambdas are nested.
    pub(crate) fn node<'a>(self: &'a Arc<Self>, node: &'a Node, env: &'a Env, depth: usize) -> Evaluated<'a> {
        if self.steps.fetch_add(1, Ordering::Relaxed) >= self.limits.steps {
            return done(Err(limit_reached(Limit::Steps, self.limits.steps, node.span)));
        }
        match &node.kind {
            NodeKind::Literal(value) => done(Ok(value.clone())),
            NodeKind::Local { up } => done(Ok(env.get(*up).clone())),
            NodeKind::Lambda(lambda) => {
                let closure = Closure::lambda(self.clone(), lambda.clone(), env.clone(), depth);
                done(Ok(Value::Function(closure)))
            }
            NodeKind::Function(callable) => {
                done(Ok(Value::Function(Closure::callable(self.clone(), callable.clone(), depth))))
            }
            NodeKind::List(elements) => self.list(elements, node.span, env, depth).boxed(),
            NodeKind::Object(fields) => self.object(fields, node.span, env, depth).boxed(),
            NodeKind::Call(call) => self.call(call, node, env, depth).boxed(),
            NodeKind::Apply { function, arguments } => self.apply(function, arguments, env, depth).boxed(),
            NodeKind::Member { of, name, or_null } => {
                self.member(of, name, *or_null, node.span, env, depth).boxed()
            }
            NodeKind::Index { of, index } => self.index(of, index, node.span, env, depth).boxed(),
            NodeKind::Unary { operator, of } => self.unary(operator, of, env, depth).boxed(),
            NodeKind::Binary { operator, left, right } => {
                self.binary(operator, left, right, node.span, env, depth).boxed()
            }
            NodeKind::Conditional { condition, then, otherwise } => async move {
                let chosen = if self.condition(condition, env, depth).await? { then } else { otherwise };
                self.node(chosen, env, depth).await
            }
            .boxed(),
            NodeKind::Let { bindings, result, .. } => self.bindings(bindings, result, env, depth).boxed(),
            NodeKind::Attempt(of) => self.attempt(of, env, depth).boxed(),
            NodeKind::OrNull { receiver, call } => async move {
                match self.node(receiver, env, depth).await? {
                    Value::Null => Ok(Value::Null),
                    value => self.node(call, &env.clone().bind(value), depth).await,
                }
            }
            .boxed(),
        }
    }

    /// The values in order, or everything that stopped them. What writes is not done at the same time.
    async fn together<'a>(&'a self, each: Vec<Evaluated<'a>>) -> Result<Vec<Value>, Stop> {
        let at_a_time = if self.effect == Effect::Writes { 1 } else { AT_A_TIME };
        let mut stop = Stop::default();
        let mut values = Vec::with_capacity(each.len());
        let mut results = stream::iter(each).buffered(at_a_time);
        while let Some(result) = results.next().await {
            match result {
                Ok(value) => values.push(value),
                Err(other) => stop.join(other),
            }
            // After a failure nothing more is written.
            if at_a_time == 1 && !stop.is_empty() {
                break;
            }
        }
        if stop.is_empty() { Ok(values) } else { Err(stop) }
    }

    async fn list(
        self: &Arc<Self>,
        elements: &[ElementNode],
        span: Span,
        env: &Env,
        depth: usize,
    ) -> Result<Value, Stop> {
        let values =
            self.together(elements.iter().map(|it| self.node(&it.node, env, depth)).collect()).await?;
        let mut list = Vec::with_capacity(values.len());
        for (element, value) in elements.iter().zip(values) {
            match value {
                Value::List(items) if element.spread => list.extend(items),
                found if element.spread => {
                    return Err(wrong_operand("...", "List", &found, element.node.span));
                }
                value => list.push(value),
            }
        }
        Ok(self.measured(list.into()).map_err(|it| it.or_at(span))?)
    }

    async fn object(
        self: &Arc<Self>,
        fields: &[(String, Node)],
        span: Span,
        env: &Env,
        depth: usize,
    ) -> Result<Value, Stop> {
        let values =
            self.together(fields.iter().map(|(_, node)| self.node(node, env, depth)).collect()).await?;
        let keys = fields.iter().map(|(key, _)| key.clone());
        let object = Value::Object(keys.zip(values).collect());
        Ok(self.measured(object).map_err(|it| it.or_at(span))?)
    }

    async fn bindings(
        self: &Arc<Self>,
        bindings: &[Node],
        result: &Node,
        env: &Env,
        depth: usize,
    ) -> Result<Value, Stop> {
        let mut env = env.clone();
        for binding in bindings {
            let value = self.node(binding, &env, depth).await?;
            env = env.bind(value);
        }
        self.node(result, &env, depth).await
    }

    async fn apply(
        self: &Arc<Self>,
        function: &Node,
        arguments: &[Node],
        env: &Env,
        depth: usize,
    ) -> Result<Value, Stop> {
        let values = self.together(arguments.iter().map(|it| self.node(it, env, depth)).collect()).await?;
        match self.node(function, env, depth).await? {
            Value::Function(closure) => closure.at_depth(depth).run_once(values).await,
            _ => {
                let name = self.text(function.span).to_owned();
                Err(Failure::at(function.span, FailureKind::NotFunction { name }).into())
            }
        }
    }

    /// What a program comes to, as data, so that one of many does not stop the others: a question too.
    async fn attempt(self: &Arc<Self>, of: &Node, env: &Env, depth: usize) -> Result<Value, Stop> {
        let (key, value) = match self.node(of, env, depth).await {
            Ok(value) => ("value", value),
            Err(stop) => match stop.asked {
                Some(asked) if stop.failures.is_empty() => self.asked_in_data(*asked, of, env),
                _ => ("failure", explain::failure_in_data(&stop.failures).into()),
            },
        };
        let attempted = Value::Object(Object::from_iter([(key.to_owned(), value)]));
        Ok(self.measured(attempted).map_err(|it| it.or_at(of.span))?)
    }

    /// About an element the question is asked with its programs for this element alone.
    fn asked_in_data(&self, asked: Asked, of: &Node, env: &Env) -> (&'static str, Value) {
        let ambiguity = match asked {
            Asked::Author(ambiguity) => Ok(ambiguity),
            Asked::Element(question) => {
                let ElementQuestion { question, place, otherwise, .. } = *question;
                let alone = place.and_then(|place| ambiguity::alone(self, of, env, place, question));
                alone.ok_or(otherwise)
            }
        };
        match ambiguity {
            Ok(ambiguity) => ("ambiguity", explain::ambiguity_in_data(&ambiguity)),
            Err(failure) => ("failure", explain::failure_in_data(&[failure]).into()),
        }
    }

    /// What is not a function, nor holds one: the result of a program can be sent back.
    fn presentable(&self, value: Value, span: Span) -> Result<Value, Stop> {
        if holds_function(&value) {
            Err(Failure::at(span, FailureKind::FunctionAsResult).into())
        } else {
            Ok(value)
        }
    }

    pub(crate) fn count_call(&self) -> Result<(), Failure> {
        if self.calls.fetch_add(1, Ordering::Relaxed) < self.limits.calls {
            return Ok(());
        }
        Err(FailureKind::LimitReached { limit: Limit::Calls, at_most: self.limits.calls }.into())
    }
}

fn done<'a>(result: Result<Value, Stop>) -> Evaluated<'a> {
    std::future::ready(result).boxed()
}

fn limit_reached(limit: Limit, at_most: usize, span: Span) -> Stop {
    Failure::at(span, FailureKind::LimitReached { limit, at_most }).into()
}

fn wrong_operand(operator: &'static str, expected: &'static str, found: &Value, span: Span) -> Stop {
    let found = found.type_name().to_owned();
    Failure::at(span, FailureKind::WrongOperand { operator, expected, found }).into()
}

fn holds_function(value: &Value) -> bool {
    match value {
        Value::Function(_) => true,
        Value::List(items) => items.iter().any(holds_function),
        value => value.fields().is_some_and(|fields| fields.values().any(holds_function)),
    }
}
