//! Evaluation of each kind of expression.

use std::borrow::Cow;
use std::sync::Arc;

use source_text::Span;

use super::embedded::object_of;
use super::function::BoundFunction;
use super::gather::gather;
use super::member::field_of;
use super::operator::may_skip_right;
use super::run::{Env, Evaluated, MAX_CONCURRENT, Run, wrong_operand};
use crate::interrupt::{ElementQuestion, PendingQuestion};
use crate::node::{ElementNode, Node, NodeKind};
use crate::{Effect, Failure, FailureKind, Limit, Object, Stop, Value, candidates, explain};

impl Run {
    /// Evaluates a node; `depth` is the depth of evaluation around it.
    pub(crate) fn node<'a>(self: &'a Arc<Self>, node: &'a Node, env: &Env, depth: usize) -> Evaluated<'a> {
        if let Some(value) = self.available_value(node, env) {
            return Evaluated::now(Ok(value.clone()));
        }
        if let Some(result) = self.operate_available(node, env) {
            return Evaluated::now(result);
        }
        if !self.spend_steps(1) {
            return Evaluated::now(Err(limit_reached(Limit::Steps, self.limits.steps, node.span)));
        }
        match &node.kind {
            NodeKind::Literal(value) => Evaluated::now(Ok(value.clone())),
            NodeKind::Local { up } => Evaluated::now(Ok(env.get(*up).clone())),
            // Each of them is dropped inside the next.
            NodeKind::Lambda(_) if env.functions() >= self.limits.value_depth() => {
                Evaluated::now(Err(limit_reached(Limit::Depth, self.limits.value_depth(), node.span)))
            }
            NodeKind::Lambda(lambda) => {
                let closure = BoundFunction::lambda(self.clone(), lambda.clone(), env.clone(), depth);
                Evaluated::now(Ok(Value::Function(closure)))
            }
            NodeKind::Function(callable) => {
                let closure = BoundFunction::callable(self.clone(), callable.clone(), node.span, depth);
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
            NodeKind::Embedded(embedded) => self.embedded(embedded, node.span, env, depth),
            NodeKind::OrNull { receiver, call } => {
                self.node(receiver, env, depth).then(env, move |value, env| match value {
                    Value::Null => Evaluated::now(Ok(Value::Null)),
                    value => self.node(call, &env.clone().bind(value), depth),
                })
            }
        }
    }

    /// Returns the value of a node that needs no evaluation, without a copy. Returns `None` if there is none,
    /// or if no step is left: evaluating the node reports that.
    fn available_value<'v>(&self, node: &'v Node, env: &'v Env) -> Option<&'v Value> {
        let (value, steps) = available(node, env)?;
        self.spend_steps(steps).then_some(value)
    }

    /// Applies an operator to two values that are available.
    fn operate_available(&self, node: &Node, env: &Env) -> Option<Result<Value, Stop>> {
        let NodeKind::Binary { operator, left, right } = &node.kind else { return None };
        if may_skip_right(operator) {
            return None;
        }
        let ((left_value, left_steps), (right_value, right_steps)) =
            (available(left, env)?, available(right, env)?);
        let both = [left_value, right_value].map(Cow::Borrowed);
        let operate = || self.operate(operator, both, [left.span, right.span], node.span);
        self.spend_steps(left_steps + right_steps + 1).then(operate)
    }

    /// Returns the value of a node if it is ready, to be borrowed.
    fn operand<'a, 'v>(
        self: &'a Arc<Self>,
        node: &'a Node,
        env: &'v Env,
        depth: usize,
    ) -> Result<Cow<'v, Value>, Evaluated<'a>>
    where
        'a: 'v,
    {
        match self.available_value(node, env) {
            Some(value) => Ok(Cow::Borrowed(value)),
            None => self.node(node, env, depth).at_once().map(Cow::Owned),
        }
    }

    /// Evaluates two nodes concurrently, and applies `next` to their values.
    pub(super) fn both<'a>(
        self: &'a Arc<Self>,
        left: &'a Node,
        right: &'a Node,
        env: &Env,
        depth: usize,
        next: impl FnOnce([Cow<'_, Value>; 2]) -> Result<Value, Stop> + Send + 'a,
    ) -> Evaluated<'a> {
        if env.embedding().is_some() {
            // The left one may change what the right one reads.
            let env = env.clone();
            let values = self.gather([left, right].into_iter().map(move |it| self.node(it, &env, depth)));
            return values.and_then(|values| next(both_of(values)));
        }
        match (self.operand(left, env, depth), self.operand(right, env, depth)) {
            (Ok(left), Ok(right)) => Evaluated::now(next([left, right])),
            (left, right) => {
                let each = [left, right]
                    .map(|it| it.map_or_else(|later| later, |value| Evaluated::now(Ok(value.into_owned()))));
                self.gather(each.into_iter()).and_then(|values| next(both_of(values)))
            }
        }
    }

    /// Evaluates expressions concurrently, or one after the other if the program writes. Returns the values
    /// in order, or everything that stopped them.
    pub(super) fn gather<'a>(
        &self,
        each: impl Iterator<Item = Evaluated<'a>> + Send + 'a,
    ) -> Evaluated<'a, Vec<Value>> {
        gather(if self.effect == Effect::Writes { 1 } else { MAX_CONCURRENT }, each)
    }

    fn list<'a>(
        self: &'a Arc<Self>,
        elements: &'a [ElementNode],
        span: Span,
        env: &Env,
        depth: usize,
    ) -> Evaluated<'a> {
        let env = env.clone();
        let values = self.gather(elements.iter().map(move |it| self.node(&it.node, &env, depth)));
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
        let values = self.gather(fields.iter().map(move |(_, node)| self.node(node, &env, depth)));
        values.and_then(move |values| {
            let object = object_of(fields, values)?;
            Ok(self.measured(object).map_err(|it| it.or_at(span))?)
        })
    }

    async fn bindings(
        self: &Arc<Self>,
        bindings: &[Node],
        result: &Node,
        env: Env,
        depth: usize,
    ) -> Result<Value, Stop> {
        let env = self.bound(bindings, env, depth).await?;
        self.node(result, &env, depth).await
    }

    /// Returns the environment in which each of the bindings has its value.
    pub(super) async fn bound(
        self: &Arc<Self>,
        bindings: &[Node],
        mut env: Env,
        depth: usize,
    ) -> Result<Env, Stop> {
        for binding in bindings {
            let value = self.node(binding, &env, depth).await?;
            env = env.bind(value);
        }
        Ok(env)
    }

    async fn apply(
        self: &Arc<Self>,
        function: &Node,
        arguments: &[Node],
        env: Env,
        depth: usize,
    ) -> Result<Value, Stop> {
        let inner = env.clone();
        let values = self.gather(arguments.iter().map(move |it| self.node(it, &inner, depth))).await?;
        match self.node(function, &env, depth).await? {
            Value::Function(closure) => closure.at_depth(depth).apply(values).await,
            _ => {
                let name = self.text(function.span).to_owned();
                Err(Failure::at(function.span, FailureKind::NotFunction { name }).into())
            }
        }
    }

    /// Evaluates an expression into an object with its value, failure or ambiguity. So one of many does not
    /// stop the others.
    async fn attempt(self: &Arc<Self>, of: &Node, env: Env, depth: usize) -> Result<Value, Stop> {
        let (key, value) = match self.node(of, &env, depth).await {
            Ok(value) => ("value", value),
            Err(stop) => {
                self.count_explanation(&stop.failures).map_err(|it| it.or_at(of.span))?;
                self.note_caught(&stop.failures);
                match stop.question {
                    Some(question) if stop.failures.is_empty() => self.question_in_data(*question, of, &env),
                    _ => ("failure", explain::failure_in_data(&stop.failures).into()),
                }
            }
        };
        let attempted = Value::Object(Object::from_iter([(key.to_owned(), value)]));
        Ok(self.measured(attempted).map_err(|it| it.or_at(of.span))?)
    }

    /// Returns a question as data. The candidates of a question about an element are programs for that
    /// element alone.
    fn question_in_data(&self, question: PendingQuestion, of: &Node, env: &Env) -> (&'static str, Value) {
        let ambiguity = match question {
            PendingQuestion::Program(ambiguity) => Ok(ambiguity),
            PendingQuestion::Element(question) => {
                let ElementQuestion { question, place, otherwise, .. } = *question;
                let alone = place.and_then(|place| candidates::alone(self, of, env, place, question));
                alone.ok_or(otherwise)
            }
        };
        match ambiguity {
            Ok(ambiguity) => ("ambiguity", explain::ambiguity_in_data(&ambiguity)),
            Err(failure) => ("failure", explain::failure_in_data(&[failure]).into()),
        }
    }
}

fn both_of(values: Vec<Value>) -> [Cow<'static, Value>; 2] {
    let mut values = values.into_iter().map(Cow::Owned);
    std::array::from_fn(|_| values.next().expect("there are two"))
}

/// The names that are passed in one step on the way to one that was bound before them.
const FRAMES: usize = 64;

/// Returns the value of a node that needs no evaluation, and the number of steps that it counts for.
fn available<'v>(node: &'v Node, env: &'v Env) -> Option<(&'v Value, usize)> {
    match &node.kind {
        NodeKind::Literal(value) => Some((value, 1)),
        NodeKind::Local { up } => Some((env.get(*up), 1 + up / FRAMES)),
        NodeKind::Member { of, name, place, .. } => {
            let (value, steps) = available(of, env)?;
            let fields = value.fields()?;
            Some((place.find(fields, name).or_else(|| field_of(value, name))?, steps + 1))
        }
        _ => None,
    }
}

fn limit_reached(limit: Limit, at_most: usize, span: Span) -> Stop {
    Failure::at(span, FailureKind::LimitReached { limit, at_most }).into()
}
