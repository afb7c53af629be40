//! Functions as values: lambdas of the program, and functions of the registry.

use std::sync::Arc;

use futures::future::BoxFuture;
use futures::{FutureExt, StreamExt, stream};
use source_text::Span;

use super::gather::gather;
use super::run::{Env, Evaluated, MAX_CONCURRENT, Run};
use crate::closure::Applicable;
use crate::node::LambdaNode;
use crate::registry::Callable;
use crate::shape::{fits, shape};
use crate::{Closure, Effect, Failure, FailureKind, Interrupt, Limit, Stop, Type, Value};

/// The code of a function that is made outside of a program.
pub(super) type NativeCode =
    Arc<dyn Fn(Vec<Value>) -> BoxFuture<'static, Result<Value, Interrupt>> + Send + Sync>;

/// The depth of a call, counted in nested expressions.
const CALL: usize = 3;

/// A function, with the run and the environment in which it is called.
#[derive(Clone)]
pub(super) struct BoundFunction {
    code: Code,
    run: Arc<Run>,
    /// The type that its results must have.
    returns: Option<Arc<Type>>,
    /// The depth of evaluation at the place where it is called.
    depth: usize,
}

#[derive(Clone)]
enum Code {
    Lambda(Arc<LambdaNode>, Env),
    /// A function of the registry, and the place that names it.
    Callable(Arc<Callable>, Span),
    /// Code from outside of a program, with the names of its parameters; without, it gets all arguments.
    Native {
        source: Arc<str>,
        parameters: Option<Arc<[String]>>,
        code: NativeCode,
    },
}

impl BoundFunction {
    pub(super) fn lambda(run: Arc<Run>, lambda: Arc<LambdaNode>, env: Env, depth: usize) -> Closure {
        Closure::new(Self { code: Code::Lambda(lambda, env), run, returns: None, depth })
    }

    pub(super) fn callable(run: Arc<Run>, callable: Arc<Callable>, place: Span, depth: usize) -> Closure {
        Closure::new(Self { code: Code::Callable(callable, place), run, returns: None, depth })
    }

    pub(super) fn native(
        run: Arc<Run>,
        source: &str,
        parameters: Option<&[String]>,
        code: NativeCode,
    ) -> Closure {
        let code = Code::Native { source: source.into(), parameters: parameters.map(Arc::from), code };
        Closure::new(Self { code, run, returns: None, depth: 0 })
    }

    /// Returns the number of calls at a time. The effect of the whole program decides, since a lambda may
    /// call other functions by name.
    fn concurrency(&self) -> usize {
        if self.run.effect() == Effect::Writes { 1 } else { MAX_CONCURRENT }
    }

    /// Calls it with each of the items, in order.
    fn calls<'a>(&'a self, items: &'a [Value]) -> impl Iterator<Item = Evaluated<'a>> + Send {
        let mut last = None;
        items.iter().enumerate().map(move |(index, item)| self.run_item(index, item, &mut last))
    }

    /// Calls it with an item. `last` is the environment of the call before, for reuse.
    fn run_item<'a>(&'a self, index: usize, item: &'a Value, last: &mut Option<Env>) -> Evaluated<'a> {
        let result = match &self.code {
            Code::Lambda(lambda, env) if lambda.parameters.len() == 1 => {
                match last {
                    Some(last) => last.rebind(item.clone()),
                    None => *last = Some(env.clone().bind(item.clone())),
                }
                self.run_lambda(lambda, last.as_ref().unwrap_or(env))
            }
            Code::Lambda(lambda, _) if lambda.parameters.len() > 1 => {
                self.run_once([item.clone(), index.into()])
            }
            Code::Native { parameters, .. } if parameters.as_ref().is_none_or(|it| it.len() > 1) => {
                self.run_once([item.clone(), index.into()])
            }
            _ => self.run_once([item.clone()]),
        };
        result.map(|it| it.map_err(|stop| self.stopped(stop, item)))
    }

    /// Returns what stopped a call with an item. The work counts, as the calls with other items go on.
    fn stopped(&self, stop: Stop, item: &Value) -> Stop {
        match self.run.count_explanation(&stop.failures) {
            Ok(()) => stop.for_element(item).of_element(|| self.bound(item)),
            // The limit may be what stopped it, at a place of its own.
            Err(_) if stop.is_enough() => stop,
            Err(failure) => failure.into(),
        }
    }

    fn run_lambda<'a>(&'a self, lambda: &'a LambdaNode, env: &Env) -> Evaluated<'a> {
        if let Some(stop) = self.too_deep() {
            return Evaluated::now(Err(stop));
        }
        let value = self.run.node(&lambda.body, env, self.depth + self.weight());
        if self.returns.is_none() { value } else { value.and_then(|value| self.checked(value)) }
    }

    fn too_deep(&self) -> Option<Stop> {
        let limits = &self.run.limits;
        (self.depth + self.weight() > limits.run_depth()).then(|| {
            let kind = FailureKind::LimitReached { limit: Limit::Depth, at_most: limits.depth };
            Failure::from(kind).into()
        })
    }

    /// Returns ``n = `User` ``, the value of its first parameter.
    fn bound(&self, value: &Value) -> String {
        let value = self.run.print_start(value);
        match &self.code {
            Code::Lambda(lambda, _) if !lambda.parameters.is_empty() => {
                format!("{} = {value}", lambda.parameters[0])
            }
            Code::Callable(callable, _) => format!("{} = {value}", callable.signature.parameters[0].name),
            Code::Native { parameters: Some(parameters), .. } if !parameters.is_empty() => {
                format!("{} = {value}", parameters[0])
            }
            Code::Lambda(..) | Code::Native { .. } => value,
        }
    }

    /// Returns the depth that a call may add.
    fn weight(&self) -> usize {
        match &self.code {
            Code::Lambda(lambda, _) => CALL + lambda.depth,
            Code::Callable(..) | Code::Native { .. } => CALL,
        }
    }

    fn run_once(
        &self,
        arguments: impl IntoIterator<Item = Value, IntoIter: ExactSizeIterator>,
    ) -> Evaluated<'_> {
        let arguments = arguments.into_iter();
        match &self.code {
            Code::Lambda(lambda, env) => {
                if lambda.parameters.len() > arguments.len() {
                    let kind =
                        FailureKind::LambdaArity { takes: lambda.parameters.len(), given: arguments.len() };
                    return Evaluated::now(Err(Failure::at(lambda.span, kind).into()));
                }
                let taken = arguments.take(lambda.parameters.len());
                let env = taken.fold(env.clone(), |env, value| env.bind(value));
                self.run_lambda(lambda, &env)
            }
            Code::Native { code, parameters, .. } => {
                let taken = parameters.as_ref().map_or(usize::MAX, |it| it.len());
                let (code, arguments) = (Arc::clone(code), arguments.take(taken).collect());
                let value = async move {
                    code(arguments).await.map_err(|interrupt| match interrupt {
                        Interrupt::Failure(failure) => failure.into(),
                        Interrupt::Inside(stop) => stop,
                        Interrupt::Ambiguous(question) => {
                            Stop::from(Failure::raised("ambiguous", question.question))
                        }
                    })
                };
                Evaluated::later(value).and_then(|value| self.checked(value))
            }
            Code::Callable(callable, place) => match self.too_deep() {
                Some(stop) => Evaluated::now(Err(stop)),
                None => {
                    let depth = self.depth + self.weight();
                    let arguments = arguments.collect();
                    let value = Evaluated::later(self.run.call_with(callable, arguments, *place, depth));
                    value.and_then(|value| self.checked(value))
                }
            },
        }
    }

    /// Returns the result, if it has the wanted type.
    fn checked(&self, value: Value) -> Result<Value, Stop> {
        let Some(expected) = &self.returns else { return Ok(value) };
        if fits(self.run.registry.types(), &value, expected) {
            return Ok(value);
        }
        shape(self.run.registry.types(), &value, expected).ok_or_else(|| {
            let found = value.type_name().to_owned();
            let failure = Failure::from(FailureKind::LambdaResult { expected: Type::clone(expected), found });
            match &self.code {
                Code::Lambda(lambda, _) => failure.or_at(lambda.body.span).into(),
                Code::Callable(..) | Code::Native { .. } => failure.into(),
            }
        })
    }
}

impl Applicable for BoundFunction {
    fn source(&self) -> &str {
        match &self.code {
            Code::Lambda(lambda, _) => self.run.text(lambda.span),
            Code::Callable(callable, _) => &callable.signature.name,
            Code::Native { source, .. } => source,
        }
    }

    fn parameters(&self) -> Vec<&str> {
        match &self.code {
            Code::Lambda(lambda, _) => lambda.parameters.iter().map(String::as_str).collect(),
            Code::Callable(callable, _) => {
                callable.signature.parameters.iter().map(|it| it.name.as_str()).collect()
            }
            Code::Native { parameters, .. } => {
                parameters.iter().flat_map(|it| it.iter()).map(String::as_str).collect()
            }
        }
    }

    fn identity(&self) -> *const () {
        match &self.code {
            Code::Lambda(lambda, _) => Arc::as_ptr(lambda).cast(),
            Code::Callable(callable, _) => Arc::as_ptr(callable).cast(),
            Code::Native { code, .. } => Arc::as_ptr(code).cast(),
        }
    }

    fn functions(&self) -> usize {
        match &self.code {
            Code::Lambda(_, env) => env.functions() + 1,
            Code::Callable(..) | Code::Native { .. } => 1,
        }
    }

    fn scope(&self) -> *const () {
        match &self.code {
            Code::Lambda(_, env) => env.address(),
            Code::Callable(..) | Code::Native { .. } => std::ptr::null(),
        }
    }

    fn at_depth(mut self: Arc<Self>, depth: usize) -> Arc<dyn Applicable> {
        Arc::make_mut(&mut self).depth = depth;
        self
    }

    fn returning(mut self: Arc<Self>, ty: &Type) -> Arc<dyn Applicable> {
        Arc::make_mut(&mut self).returns = Some(Arc::new(ty.clone()));
        self
    }

    fn apply(&self, arguments: Vec<Value>) -> Evaluated<'_> {
        self.run_once(arguments)
    }

    fn apply_each<'a>(&'a self, items: &'a [Value]) -> Evaluated<'a, Vec<Value>> {
        gather(self.concurrency(), self.calls(items))
    }

    fn position<'a>(
        &'a self,
        items: &'a [Value],
        wanted: &'a Value,
    ) -> BoxFuture<'a, Result<Option<usize>, Stop>> {
        async move {
            let mut results = stream::iter(self.calls(items)).buffered(self.concurrency()).enumerate();
            while let Some((index, result)) = results.next().await {
                if result? == *wanted {
                    return Ok(Some(index));
                }
            }
            Ok(None)
        }
        .boxed()
    }
}
