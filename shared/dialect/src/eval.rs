//! Running a program whose names are resolved.

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use futures::future::BoxFuture;
use futures::{FutureExt, StreamExt, stream};
use source_text::Span;

use crate::ambiguity::{ambiguity_at, ambiguity_of_argument};
use crate::convert::{Cause, Misfit};
use crate::registry::{Callable, Code, Route};
use crate::resolve::{CallNode, Given, Node, NodeKind};
use crate::shape::shape;
use crate::{
    Ambiguity, Arguments, Effect, Failure, FailureKind, Interrupt, Invocation, Limit, Limits, Notes, Object,
    Outcome, Parameter, Program, Question, Record, Registry, Signature, Success, Value,
};

/// Arguments that look at the world are asked for together, so many at a time.
const AT_A_TIME: usize = 8;

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
        let evaluator = Evaluator {
            registry,
            limits,
            program: self,
            notes: Notes::default(),
            calls: AtomicUsize::new(0),
        };
        match evaluator.node(&self.root).await {
            Ok(value) => Outcome::Success(Success { value, notes: evaluator.notes.to_vec() }),
            Err(Stop { failures, ambiguity: Some(ambiguity) }) if failures.is_empty() => {
                Outcome::Ambiguity(ambiguity)
            }
            Err(stop) => Outcome::Failure(stop.failures),
        }
    }
}

/// One run of one program.
pub(crate) struct Evaluator<'run> {
    pub(crate) registry: &'run Registry,
    limits: &'run Limits,
    program: &'run Program,
    notes: Notes,
    calls: AtomicUsize,
}

/// Why an expression has no value: all independent failures, and the first ambiguity.
///
/// Invariant: there is a failure or an ambiguity.
#[derive(Debug)]
pub(crate) struct Stop {
    failures: Vec<Failure>,
    ambiguity: Option<Ambiguity>,
}

impl From<Failure> for Stop {
    fn from(failure: Failure) -> Self {
        Self { failures: vec![failure], ambiguity: None }
    }
}

impl From<Ambiguity> for Stop {
    fn from(ambiguity: Ambiguity) -> Self {
        Self { failures: Vec::new(), ambiguity: Some(ambiguity) }
    }
}

impl Evaluator<'_> {
    fn node<'a>(&'a self, node: &'a Node) -> BoxFuture<'a, Result<Value, Stop>> {
        match &node.kind {
            NodeKind::Literal(value) => std::future::ready(Ok(value.clone())).boxed(),
            NodeKind::List(items) => {
                self.together(items.iter().map(|item| self.node(item))).map(|it| it.map(Value::List)).boxed()
            }
            NodeKind::Object(fields) => self.object(fields).boxed(),
            NodeKind::Call(call) => self.call(call, node.span).boxed(),
        }
    }

    /// The values in order, or everything that stopped them. What writes is not done at the same time.
    async fn together<'a>(
        &'a self,
        each: impl Iterator<Item = BoxFuture<'a, Result<Value, Stop>>>,
    ) -> Result<Vec<Value>, Stop> {
        let at_a_time = if self.program.effect() == Effect::Writes { 1 } else { AT_A_TIME };
        let each: Vec<_> = each.collect();
        let mut stop = Stop { failures: Vec::new(), ambiguity: None };
        let mut values = Vec::with_capacity(each.len());
        let mut results = stream::iter(each).buffered(at_a_time);
        while let Some(result) = results.next().await {
            match result {
                Ok(value) => values.push(value),
                Err(Stop { failures, ambiguity }) => {
                    stop.failures.extend(failures);
                    stop.ambiguity = stop.ambiguity.or(ambiguity);
                }
            }
        }
        if stop.failures.is_empty() && stop.ambiguity.is_none() { Ok(values) } else { Err(stop) }
    }

    async fn object(&self, fields: &[(String, Node)]) -> Result<Value, Stop> {
        let values = self.together(fields.iter().map(|(_, node)| self.node(node))).await?;
        let keys = fields.iter().map(|(key, _)| key.clone());
        Ok(Value::Object(keys.zip(values).collect()))
    }

    async fn call(&self, call: &CallNode, span: Span) -> Result<Value, Stop> {
        let signature = &call.callable.signature;
        let values =
            self.together(call.arguments.iter().map(|it| self.argument(signature, it).boxed())).await?;
        let mut arguments = Object::new();
        for (given, value) in call.arguments.iter().zip(values) {
            let parameter = &signature.parameters[given.parameter];
            if value != Value::Null || !parameter.optional {
                arguments.insert(parameter.name.clone(), value);
            }
        }
        match self.run_callable(&call.callable, arguments).await {
            Ok(value) => Ok(value),
            Err(Interrupt::Failure(failure)) => Err(failure.or_at(span).into()),
            Err(Interrupt::Ambiguous(question)) => Err(self.asked_by(call, span, question)),
        }
    }

    async fn argument(&self, signature: &Arc<Signature>, given: &Given) -> Result<Value, Stop> {
        let parameter = &signature.parameters[given.parameter];
        let value = self.node(&given.node).await?;
        if parameter.optional && value == Value::Null {
            return Ok(Value::Null);
        }
        let whole = value.clone();
        self.convert(value, &parameter.ty)
            .await
            .map_err(|misfit| self.misfit(misfit, &given.node, &whole, signature, parameter))
    }

    fn misfit(
        &self,
        misfit: Misfit,
        node: &Node,
        whole: &Value,
        signature: &Arc<Signature>,
        parameter: &Parameter,
    ) -> Stop {
        let (signature, name) = (signature.clone(), parameter.name.clone());
        let kind = match misfit.cause {
            Cause::Interrupt(Interrupt::Failure(failure)) => return failure.or_at(node.span).into(),
            Cause::Interrupt(Interrupt::Ambiguous(question)) => {
                return self.asked(
                    ambiguity_at(self.registry, &self.program.source, node, whole, &misfit.path, question),
                    &signature,
                    node.span,
                );
            }
            Cause::NoWay { found, expected } => FailureKind::WrongType {
                signature,
                parameter: name,
                expected,
                found: found.type_name().to_owned(),
            },
            Cause::Nothing(expected) => FailureKind::NothingGiven { signature, parameter: name, expected },
        };
        Failure::at(node.span, kind).into()
    }

    fn asked_by(&self, call: &CallNode, span: Span, question: Question) -> Stop {
        let ambiguity = ambiguity_of_argument(self.registry, &self.program.source, call, span, question);
        self.asked(ambiguity, &call.callable.signature, span)
    }

    /// A library that asks among fewer than two has a bug.
    fn asked(&self, ambiguity: Option<Ambiguity>, signature: &Arc<Signature>, span: Span) -> Stop {
        match ambiguity {
            Some(ambiguity) => ambiguity.into(),
            None => {
                let found = "a question with fewer than two different choices".to_owned();
                Failure::at(span, FailureKind::BrokenPromise { signature: signature.clone(), found }).into()
            }
        }
    }

    async fn run_callable(&self, callable: &Callable, arguments: Object) -> Result<Value, Interrupt> {
        self.count_call()?;
        match &callable.code {
            Code::Constructor(shape) => {
                Ok(Value::Record(Record { type_name: shape.name.clone(), fields: arguments }))
            }
            Code::Function(row) => {
                let value = row.code.call(self.invocation(arguments)).await?;
                self.checked(value, &callable.signature)
            }
        }
    }

    pub(crate) async fn run_conversion(&self, route: &Route, value: Value) -> Result<Value, Interrupt> {
        self.count_call()?;
        let arguments = Object::from_iter([(route.signature.parameters[0].name.clone(), value)]);
        let value = route.code.call(self.invocation(arguments)).await?;
        self.checked(value, &route.signature)
    }

    fn invocation(&self, arguments: Object) -> Invocation {
        Invocation { arguments: Arguments(arguments), notes: self.notes.clone() }
    }

    fn count_call(&self) -> Result<(), Failure> {
        if self.calls.fetch_add(1, Ordering::Relaxed) < self.limits.calls {
            return Ok(());
        }
        Err(FailureKind::LimitReached { limit: Limit::Calls, at_most: self.limits.calls }.into())
    }

    /// What a library's code gave, with plain objects made into the records that its signature promises.
    fn checked(&self, value: Value, signature: &Arc<Signature>) -> Result<Value, Interrupt> {
        match shape(self.registry, &value, &signature.returns) {
            Some(value) => Ok(value),
            None => {
                let found = value.type_name().to_owned();
                Err(Failure::from(FailureKind::BrokenPromise { signature: signature.clone(), found }).into())
            }
        }
    }
}
