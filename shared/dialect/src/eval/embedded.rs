//! Expressions in a language of statements, which says what their names mean and what is called.

use std::sync::Arc;

use source_text::Span;

use super::caller::Caller;
use super::member::Missing;
use super::run::{Env, Evaluated, Run, wrong_operand};
use crate::embedded::{Embedded, EmbeddedArgument, EmbeddedCall, EmbeddedCallee, EmbeddedNode, PlaceStep};
use crate::node::{Node, NodeKind};
use crate::{Callee, Embedding, Failure, FailureKind, GivenArgument, Interrupt, Object, Place, Stop, Value};

impl Caller {
    /// Evaluates an expression.
    ///
    /// # Errors
    /// Returns what stopped it.
    pub async fn evaluate(
        &self,
        expression: &Embedded,
        embedding: Arc<dyn Embedding>,
    ) -> Result<Value, Interrupt> {
        let env = Env::embedded(embedding);
        self.run().node(&expression.node, &env, 0).await.map_err(Stop::into_interrupt)
    }

    /// Evaluates a condition.
    ///
    /// # Errors
    /// Returns what stopped it, also if its value is no condition.
    pub async fn holds(
        &self,
        condition: &Embedded,
        embedding: Arc<dyn Embedding>,
    ) -> Result<bool, Interrupt> {
        let env = Env::embedded(embedding);
        self.run().condition(&condition.node, &env, 0).await.map_err(Stop::into_interrupt)
    }

    /// Evaluates the steps to what an expression stands for; `None` if that cannot change.
    ///
    /// # Errors
    /// Returns what stopped an index.
    pub async fn place(
        &self,
        target: &Embedded,
        embedding: Arc<dyn Embedding>,
    ) -> Result<Option<Place>, Interrupt> {
        let Some((variable, steps)) = target.node.place() else { return Ok(None) };
        let env = Env::embedded(embedding);
        let place = self.run().steps_to(variable, steps, &env, 0).await;
        place.map(Some).map_err(Stop::into_interrupt)
    }
}

impl Run {
    pub(super) fn embedded<'a>(
        self: &'a Arc<Self>,
        kind: &'a EmbeddedNode,
        span: Span,
        env: &Env,
        depth: usize,
    ) -> Evaluated<'a> {
        let embedding = embedding_of(env);
        match kind {
            EmbeddedNode::Name(name) => {
                Evaluated::now(embedding.name(name, span).map_err(|it| stopped(it, span)))
            }
            EmbeddedNode::Template(parts) => {
                let (embedding, env) = (Arc::clone(embedding), env.clone());
                let values = self.gather(parts.iter().map(move |it| self.node(it, &env, depth)));
                values.and_then(move |values| {
                    let bytes = values.iter().map(Value::bytes).fold(0, usize::saturating_add);
                    self.work.spend(bytes).map_err(|it| it.or_at(span))?;
                    let mut text = String::new();
                    for value in &values {
                        match value {
                            Value::Text(part) => text.push_str(part),
                            value => text.push_str(&embedding.spelled(value)),
                        }
                    }
                    Ok(self.measured(text.into()).map_err(|it| it.or_at(span))?)
                })
            }
            EmbeddedNode::Spread(of) => self.node(of, env, depth),
            EmbeddedNode::Call(call) => Evaluated::later(self.embedded_call(call, span, env.clone(), depth)),
            EmbeddedNode::Lambda(lambda) => Evaluated::now(Ok(embedding.lambda(lambda))),
            EmbeddedNode::Is { of, owner, name } => {
                let embedding = Arc::clone(embedding);
                self.node(of, env, depth).and_then(move |value| {
                    let is = embedding.is(&value, owner.as_deref(), name, span);
                    is.map(Value::Bool).map_err(|it| stopped(it, span))
                })
            }
            EmbeddedNode::In { item, of } => {
                Evaluated::later(self.contains(item, of, span, env.clone(), depth))
            }
            EmbeddedNode::Block => Evaluated::now(Err(refused("this has no value of its own", span))),
            EmbeddedNode::Refused(reason) => Evaluated::now(Err(refused(reason, span))),
        }
    }

    async fn contains(
        self: &Arc<Self>,
        item: &Node,
        of: &Node,
        span: Span,
        env: Env,
        depth: usize,
    ) -> Result<Value, Stop> {
        let item = self.node(item, &env, depth).await?;
        let callee = Callee::Method(self.node(of, &env, depth).await?, "contains");
        let given = vec![GivenArgument { name: None, value: item }];
        embedding_of(&env).call(callee, given, span).await.map_err(|it| stopped(it, span))
    }

    async fn embedded_call(
        self: &Arc<Self>,
        call: &EmbeddedCall,
        span: Span,
        env: Env,
        depth: usize,
    ) -> Result<Value, Stop> {
        let embedding = embedding_of(&env);
        let callee = match &call.callee {
            EmbeddedCallee::Name(name) => Callee::Name(name),
            EmbeddedCallee::Value(of) => Callee::Value(self.node(of, &env, depth).await?),
            EmbeddedCallee::Method(of, name) => {
                let owner = of.embedded_name().filter(|owner| embedding.calls_definition(owner, name));
                let place = of.place().filter(|(variable, _)| embedding.changes(variable, name));
                match (owner, place) {
                    (Some(owner), _) => Callee::Definition(owner, name),
                    (None, Some((variable, steps))) => {
                        Callee::Place(self.steps_to(variable, steps, &env, depth).await?, name)
                    }
                    (None, None) => {
                        let value = self.node(of, &env, depth).await?;
                        if call.or_null && value == Value::Null {
                            return Ok(Value::Null);
                        }
                        Callee::Method(value, name)
                    }
                }
            }
        };
        let given = self.given(&call.arguments, &env, depth).await?;
        embedding.call(callee, given, span).await.map_err(|it| stopped(it, span))
    }

    /// Evaluates arguments, in the order in which they are written.
    async fn given(
        self: &Arc<Self>,
        arguments: &[EmbeddedArgument],
        env: &Env,
        depth: usize,
    ) -> Result<Vec<GivenArgument>, Stop> {
        let mut given = Vec::with_capacity(arguments.len());
        for EmbeddedArgument { name, spread, node } in arguments {
            let value = self.node(node, env, depth).await?;
            if !spread {
                given.push(GivenArgument { name: name.clone(), value });
                continue;
            }
            self.work.spend(value.bytes()).map_err(|it| it.or_at(node.span))?;
            match (&value, value.fields()) {
                (Value::List(items), _) => {
                    given.extend(items.iter().map(|it| GivenArgument { name: None, value: it.clone() }));
                }
                (_, Some(fields)) => {
                    let named = |(key, it): (&String, &Value)| GivenArgument {
                        name: Some(key.clone()),
                        value: it.clone(),
                    };
                    given.extend(fields.iter().map(named));
                }
                _ => return Err(wrong_operand("...", "List", &value, node.span)),
            }
        }
        Ok(given)
    }

    async fn steps_to(
        self: &Arc<Self>,
        variable: &str,
        steps: Vec<PlaceStep<'_>>,
        env: &Env,
        depth: usize,
    ) -> Result<Place, Stop> {
        let mut values = Vec::with_capacity(steps.len());
        for step in steps {
            values.push(match step {
                PlaceStep::Member(name) => name.into(),
                PlaceStep::Index(index) => self.node(index, env, depth).await?,
            });
        }
        Ok(Place { variable: variable.to_owned(), steps: values })
    }

    pub(super) fn embedded_member<'a>(
        self: &'a Arc<Self>,
        of: &'a Node,
        name: &'a str,
        or_null: bool,
        span: Span,
        env: &Env,
        depth: usize,
    ) -> Evaluated<'a> {
        let embedding = embedding_of(env);
        let place = Span::new(of.span.end, span.end);
        if let Some(owner) = of.embedded_name() {
            match embedding.defined(owner, name, place) {
                Ok(None) => {}
                Ok(Some(value)) => return Evaluated::now(Ok(value)),
                Err(interrupt) => return Evaluated::now(Err(stopped(interrupt, place))),
            }
        }
        let embedding = Arc::clone(embedding);
        self.node(of, env, depth).and_then(move |value| {
            if or_null && value == Value::Null {
                return Ok(Value::Null);
            }
            if let Value::Text(text) = &value {
                self.work.spend(text.len()).map_err(|it| it.or_at(span))?;
            }
            match embedding.member(&value, name, place).map_err(|it| stopped(it, place))? {
                Some(member) => Ok(member),
                None if or_null => Ok(Value::Null),
                None => Err(self.missing(Missing::Member(name), &value, place)),
            }
        })
    }

    pub(super) fn embedded_index<'a>(
        self: &'a Arc<Self>,
        of: &'a Node,
        index: &'a Node,
        span: Span,
        env: &Env,
        depth: usize,
    ) -> Evaluated<'a> {
        let embedding = Arc::clone(embedding_of(env));
        let place = Span::new(of.span.end, span.end);
        self.both(of, index, env, depth, move |[value, at]| {
            let length = at.as_text().map_or(0, str::len).saturating_add(value.as_text().map_or(0, str::len));
            self.work.spend(length).map_err(|it| it.or_at(span))?;
            match embedding.element(&value, &at, place).map_err(|it| stopped(it, place))? {
                Some(element) => Ok(element),
                None => Err(self.missing(Missing::Element(&at), &value, place)),
            }
        })
    }

    /// Evaluates `a ?? b`, in which `a` may also be a member or an element that is not there.
    pub(super) async fn embedded_otherwise(
        self: &Arc<Self>,
        left: &Node,
        right: &Node,
        env: Env,
        depth: usize,
    ) -> Result<Value, Stop> {
        match self.node(left, &env, depth).await {
            Ok(Value::Null) => self.node(right, &env, depth).await,
            Err(stop) if is_absent(&stop, left) => self.node(right, &env, depth).await,
            result => result,
        }
    }
}

/// Returns an object with the fields of those that are spread in it.
pub(super) fn object_of(fields: &[(String, Node)], values: Vec<Value>) -> Result<Value, Stop> {
    let mut object = Object::new();
    for ((key, node), value) in fields.iter().zip(values) {
        match (&node.kind, value.fields()) {
            (NodeKind::Embedded(EmbeddedNode::Spread(_)), Some(more)) => {
                object.extend(more.iter().map(|(key, value)| (key.clone(), value.clone())));
            }
            (NodeKind::Embedded(EmbeddedNode::Spread(_)), None) if value == Value::Null => {}
            (NodeKind::Embedded(EmbeddedNode::Spread(_)), None) => {
                return Err(wrong_operand("...", "object", &value, node.span));
            }
            _ => {
                object.insert(key.clone(), value);
            }
        }
    }
    Ok(object.into())
}

fn embedding_of(env: &Env) -> &Arc<dyn Embedding> {
    env.embedding().expect("expressions of this kind are evaluated in a language of statements")
}

/// Returns `true` if a member or an element was not there.
fn is_absent(stop: &Stop, node: &Node) -> bool {
    let (NodeKind::Member { of, .. } | NodeKind::Index { of, .. }) = &node.kind else { return false };
    let place = Some(Span::new(of.span.end, node.span.end));
    let [failure] = stop.failures.as_slice() else { return false };
    let is_reason = matches!(&*failure.kind, FailureKind::NoMember { .. } | FailureKind::NoElement { .. });
    is_reason && failure.span == place
}

fn stopped(interrupt: Interrupt, span: Span) -> Stop {
    let stop = Stop::from_interrupt(interrupt, span);
    stop.unwrap_or_else(|question| Failure::raised("ambiguous", question.question).or_at(span).into())
}

fn refused(reason: &str, span: Span) -> Stop {
    let carries = Object::from_iter([("message".to_owned(), reason.into())]);
    let (name, message) = ("InternalError".to_owned(), reason.to_owned());
    let kind = FailureKind::Raised { name, message, carries, advice: crate::Advice::default() };
    Failure::at(span, kind).into()
}
