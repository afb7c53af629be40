//! Running a program whose names are found.

mod call;
mod evaluated;
mod measure;
mod member;
mod operator;
pub(crate) mod stop;

use std::borrow::Cow;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, PoisonError};

use source_text::Span;

use crate::Form;
use crate::closure::Closure;
use crate::node::{ElementNode, Node, NodeKind};
use crate::{
    Effect, Failure, FailureKind, Failures, Limit, Limits, Notes, Object, Outcome, Program, Registry,
    Success, Value, ambiguity, explain,
};

pub(crate) use evaluated::{Evaluated, together};
pub(crate) use measure::Size;
use member::field_of;
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
            done: Mutex::default(),
        });
        let result = run.node(&self.root, &Env::default(), 0).await;
        match result.and_then(|value| run.presentable(value, self.root.span)) {
            Ok(value) => Outcome::Success(Success { value, notes: run.notes.to_vec() }),
            Err(stop) => {
                let done = std::mem::take(&mut *run.done.lock().unwrap_or_else(PoisonError::into_inner));
                match stop.into_outcome() {
                    Ok(ambiguity) => Outcome::Ambiguity(ambiguity.after(done)),
                    Err(all) => {
                        let failures = Failures { done, ..Failures::from(all) };
                        Outcome::Failure(self.correct(registry, limits, failures))
                    }
                }
            }
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
    /// Calls that have changed the world, as one reads them.
    done: Mutex<Vec<String>>,
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

    /// Gives the innermost name another value, in its place unless something still looks at the old one.
    pub(crate) fn rebind(&mut self, value: Value) {
        let frame = self.0.as_mut().expect("a name is bound");
        match Arc::get_mut(frame) {
            Some(frame) => frame.value = value,
            None => *self = frame.outer.clone().bind(value),
        }
    }

    pub(crate) fn get(&self, up: usize) -> &Value {
        let mut frame = self.0.as_deref().expect("the resolver found the binding");
        for _ in 0..up {
            frame = frame.outer.0.as_deref().expect("the resolver found the binding");
        }
        &frame.value
    }
}

impl Run {
    /// What the program may do to the world at most.
    pub(crate) fn effect(&self) -> Effect {
        self.effect
    }

    pub(crate) fn text(&self, span: Span) -> &str {
        &self.source[span.range()]
    }

    /// What a node comes to; `depth` is how deeply calls of lambdas are nested.
    pub(crate) fn node<'a>(self: &'a Arc<Self>, node: &'a Node, env: &Env, depth: usize) -> Evaluated<'a> {
        if let Some(value) = self.seen(node, env) {
            return Evaluated::now(Ok(value.clone()));
        }
        if let Some(result) = self.operated(node, env) {
            return Evaluated::now(result);
        }
        if !self.takes_steps(1) {
            return Evaluated::now(Err(limit_reached(Limit::Steps, self.limits.steps, node.span)));
        }
        match &node.kind {
            NodeKind::Literal(value) => Evaluated::now(Ok(value.clone())),
            NodeKind::Local { up } => Evaluated::now(Ok(env.get(*up).clone())),
            NodeKind::Lambda(lambda) => {
                let closure = Closure::lambda(self.clone(), lambda.clone(), env.clone(), depth);
                Evaluated::now(Ok(Value::Function(closure)))
            }
            NodeKind::Function(callable) => {
                let closure = Closure::callable(self.clone(), callable.clone(), depth);
                Evaluated::now(Ok(Value::Function(closure)))
            }
            NodeKind::List(elements) => self.list(elements, node.span, env, depth),
            NodeKind::Object(fields) => self.object(fields, node.span, env, depth),
            NodeKind::Call(call) => Evaluated::later(self.call(call, node, env.clone(), depth)),
            NodeKind::Apply { function, arguments } => {
                Evaluated::later(self.apply(function, arguments, env.clone(), depth))
            }
            NodeKind::Member { of, name, or_null, .. } => {
                self.member(of, name, *or_null, node.span, env, depth)
            }
            NodeKind::Index { of, index } => self.index(of, index, node.span, env, depth),
            NodeKind::Unary { operator, of } => self.unary(operator, of, env, depth),
            NodeKind::Binary { operator, left, right } => {
                self.binary(operator, left, right, node.span, env, depth)
            }
            NodeKind::Conditional { condition, then, otherwise } => self
                .condition(condition, env, depth)
                .then(env, move |holds, env| self.node(if holds { then } else { otherwise }, env, depth)),
            NodeKind::Let { bindings, result, .. } => {
                Evaluated::later(self.bindings(bindings, result, env.clone(), depth))
            }
            NodeKind::Attempt(of) => Evaluated::later(self.attempt(of, env.clone(), depth)),
            NodeKind::Method(method) => {
                self.node(&method.receiver, env, depth).then(env, move |value, env| {
                    match self.method(method, &value) {
                        Ok(call) => self.node(call, &env.clone().bind(value), depth),
                        Err(failure) => Evaluated::now(Err(failure.into())),
                    }
                })
            }
            NodeKind::OrNull { receiver, call } => {
                self.node(receiver, env, depth).then(env, move |value, env| match value {
                    Value::Null => Evaluated::now(Ok(Value::Null)),
                    value => self.node(call, &env.clone().bind(value), depth),
                })
            }
        }
    }

    /// The values in order, or everything that stopped them. What writes is not done at the same time.
    fn together<'a>(
        &self,
        each: impl Iterator<Item = Evaluated<'a>> + Send + 'a,
    ) -> Evaluated<'a, Vec<Value>> {
        together(if self.effect == Effect::Writes { 1 } else { AT_A_TIME }, each)
    }

    /// The value of a node that is there already, to be looked at without a copy of it. Where there is none, or no
    /// step is left, nothing is said: evaluating the node says why.
    fn seen<'v>(&self, node: &'v Node, env: &'v Env) -> Option<&'v Value> {
        let (value, steps) = there(node, env)?;
        self.takes_steps(steps).then_some(value)
    }

    /// Whether so many steps were left.
    fn takes_steps(&self, steps: usize) -> bool {
        self.steps.fetch_add(steps, Ordering::Relaxed) + steps <= self.limits.steps
    }

    /// What an operator makes of two values that are there already.
    fn operated(&self, node: &Node, env: &Env) -> Option<Result<Value, Stop>> {
        let NodeKind::Binary { operator, left, right } = &node.kind else { return None };
        if operator::may_skip_right(operator) {
            return None;
        }
        let ((left_value, left_steps), (right_value, right_steps)) = (there(left, env)?, there(right, env)?);
        let both = [left_value, right_value].map(Cow::Borrowed);
        let operate = || self.operate(operator, both, [left.span, right.span], node.span);
        self.takes_steps(left_steps + right_steps + 1).then(operate)
    }

    /// A value to be looked at, unless it comes later or is none.
    fn operand<'a, 'v>(
        self: &'a Arc<Self>,
        node: &'a Node,
        env: &'v Env,
        depth: usize,
    ) -> Result<Cow<'v, Value>, Evaluated<'a>>
    where
        'a: 'v,
    {
        match self.seen(node, env) {
            Some(value) => Ok(Cow::Borrowed(value)),
            None => self.node(node, env, depth).at_once().map(Cow::Owned),
        }
    }

    /// What `next` makes of the values of two nodes; or everything that stopped them.
    fn both<'a>(
        self: &'a Arc<Self>,
        left: &'a Node,
        right: &'a Node,
        env: &Env,
        depth: usize,
        next: impl FnOnce([Cow<'_, Value>; 2]) -> Result<Value, Stop> + Send + 'a,
    ) -> Evaluated<'a> {
        match (self.operand(left, env, depth), self.operand(right, env, depth)) {
            (Ok(left), Ok(right)) => Evaluated::now(next([left, right])),
            (left, right) => {
                let each = [left, right]
                    .map(|it| it.map_or_else(|later| later, |value| Evaluated::now(Ok(value.into_owned()))));
                self.together(each.into_iter()).and_then(|values| {
                    let mut values = values.into_iter().map(Cow::Owned);
                    next(std::array::from_fn(|_| values.next().expect("there are two")))
                })
            }
        }
    }

    fn list<'a>(
        self: &'a Arc<Self>,
        elements: &'a [ElementNode],
        span: Span,
        env: &Env,
        depth: usize,
    ) -> Evaluated<'a> {
        let env = env.clone();
        let values = self.together(elements.iter().map(move |it| self.node(&it.node, &env, depth)));
        values.and_then(move |values| {
            let mut list = Vec::with_capacity(elements.len());
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
        })
    }

    fn object<'a>(
        self: &'a Arc<Self>,
        fields: &'a [(String, Node)],
        span: Span,
        env: &Env,
        depth: usize,
    ) -> Evaluated<'a> {
        let env = env.clone();
        let values = self.together(fields.iter().map(move |(_, node)| self.node(node, &env, depth)));
        values.and_then(move |values| {
            let keys = fields.iter().map(|(key, _)| key.clone());
            let object = Value::Object(keys.zip(values).collect());
            Ok(self.measured(object).map_err(|it| it.or_at(span))?)
        })
    }

    async fn bindings(
        self: &Arc<Self>,
        bindings: &[Node],
        result: &Node,
        mut env: Env,
        depth: usize,
    ) -> Result<Value, Stop> {
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
        env: Env,
        depth: usize,
    ) -> Result<Value, Stop> {
        let inner = env.clone();
        let values = self.together(arguments.iter().map(move |it| self.node(it, &inner, depth))).await?;
        match self.node(function, &env, depth).await? {
            Value::Function(closure) => closure.at_depth(depth).run_once(values).await,
            _ => {
                let name = self.text(function.span).to_owned();
                Err(Failure::at(function.span, FailureKind::NotFunction { name }).into())
            }
        }
    }

    /// What a program comes to, as data, so that one of many does not stop the others: a question too.
    async fn attempt(self: &Arc<Self>, of: &Node, env: Env, depth: usize) -> Result<Value, Stop> {
        let (key, value) = match self.node(of, &env, depth).await {
            Ok(value) => ("value", value),
            Err(stop) => match stop.asked {
                Some(asked) if stop.failures.is_empty() => self.asked_in_data(*asked, of, &env),
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

/// The value of a node that nothing has to be made for, and how many steps it takes.
fn there<'v>(node: &'v Node, env: &'v Env) -> Option<(&'v Value, usize)> {
    match &node.kind {
        NodeKind::Literal(value) => Some((value, 1)),
        NodeKind::Local { up } => Some((env.get(*up), 1)),
        NodeKind::Member { of, name, place, .. } => {
            let (value, steps) = there(of, env)?;
            let fields = value.fields()?;
            Some((place.find(fields, name).or_else(|| field_of(value, name))?, steps + 1))
        }
        _ => None,
    }
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
