//! Functions as values: what `x => x.path` evaluates to, and what a library does with it.

use std::fmt;
use std::sync::Arc;

use futures::future::BoxFuture;
use futures::{FutureExt, StreamExt, stream};

use crate::eval::stop::Stop;
use crate::eval::{AT_A_TIME, Env, Evaluated, Run, together};
use crate::node::LambdaNode;
use crate::registry::Callable;
use crate::shape::{fits, shape};
use crate::{Effect, Failure, FailureKind, Interrupt, Limit, Type, Value};

/// How deep a call is, counted in expressions that stand in each other.
pub(crate) const CALL: usize = 3;

/// A function as a value. A clone is cheap.
#[derive(Clone)]
pub struct Closure(Arc<Bound>);

/// What runs, and where.
#[derive(Clone)]
struct Bound {
    code: Code,
    run: Arc<Run>,
    /// What it has to give.
    returns: Option<Arc<Type>>,
    /// How deeply evaluation is nested where it is called.
    depth: usize,
}

#[derive(Clone)]
enum Code {
    Lambda(Arc<LambdaNode>, Env),
    Callable(Arc<Callable>),
}

impl Closure {
    pub(crate) fn lambda(run: Arc<Run>, lambda: Arc<LambdaNode>, env: Env, depth: usize) -> Self {
        Self(Arc::new(Bound { code: Code::Lambda(lambda, env), run, returns: None, depth }))
    }

    pub(crate) fn callable(run: Arc<Run>, callable: Arc<Callable>, depth: usize) -> Self {
        Self(Arc::new(Bound { code: Code::Callable(callable), run, returns: None, depth }))
    }

    pub(crate) fn at_depth(mut self, depth: usize) -> Self {
        Arc::make_mut(&mut self.0).depth = depth;
        self
    }

    pub(crate) fn returning(mut self, ty: &Type) -> Self {
        Arc::make_mut(&mut self.0).returns = Some(Arc::new(ty.clone()));
        self
    }

    /// Its text in the program.
    pub(crate) fn source(&self) -> &str {
        match &self.0.code {
            Code::Lambda(lambda, _) => self.0.run.text(lambda.span),
            Code::Callable(callable) => &callable.signature.name,
        }
    }

    /// Calls it. Of arguments that it does not take, those at the end are left out.
    ///
    /// # Errors
    /// Whatever stops it, to be passed on with `?`; and a failure when it takes more arguments than that.
    pub fn call(&self, arguments: Vec<Value>) -> BoxFuture<'static, Result<Value, Interrupt>> {
        let closure = self.clone();
        async move { closure.run_once(arguments).await.map_err(Stop::into_interrupt) }.boxed()
    }

    /// Calls it with each of the items, and its index where it takes two parameters; up to eight at a time, unless
    /// the program writes. What comes back is in the order of the items.
    ///
    /// # Errors
    /// Everything that stopped any of the calls, to be passed on with `?`.
    pub async fn call_each(&self, items: &[Value]) -> Result<Vec<Value>, Interrupt> {
        together(self.at_a_time(), self.calls(items)).await.map_err(Stop::into_interrupt)
    }

    /// The index of the first item with which it gives `wanted`; those behind it do not count, whatever they come
    /// to. Up to eight are tried at a time, unless the program writes.
    ///
    /// # Errors
    /// What stopped a call before that, to be passed on with `?`.
    pub async fn position(&self, items: &[Value], wanted: &Value) -> Result<Option<usize>, Interrupt> {
        let mut results = stream::iter(self.calls(items)).buffered(self.at_a_time()).enumerate();
        while let Some((index, result)) = results.next().await {
            if result.map_err(Stop::into_interrupt)? == *wanted {
                return Ok(Some(index));
            }
        }
        Ok(None)
    }

    /// Of a lambda it is not enough to know what it calls itself: it may call others by their names.
    fn at_a_time(&self) -> usize {
        if self.0.run.effect() == Effect::Writes { 1 } else { AT_A_TIME }
    }

    /// What calling it with each of the items comes to.
    fn calls<'a>(&'a self, items: &'a [Value]) -> impl Iterator<Item = Evaluated<'a>> + Send {
        let mut last = None;
        items.iter().enumerate().map(move |(index, item)| self.run_item(index, item, &mut last))
    }

    /// `last` is what it saw in the run before.
    fn run_item<'a>(&'a self, index: usize, item: &'a Value, last: &mut Option<Env>) -> Evaluated<'a> {
        let result = match &self.0.code {
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
            _ => self.run_once([item.clone()]),
        };
        result.map(|it| it.map_err(|stop| stop.of_element(|| self.bound(item))))
    }

    fn run_lambda<'a>(&'a self, lambda: &'a LambdaNode, env: &Env) -> Evaluated<'a> {
        if let Some(stop) = self.too_deep() {
            return Evaluated::now(Err(stop));
        }
        let value = self.0.run.node(&lambda.body, env, self.0.depth + self.weight());
        if self.0.returns.is_none() { value } else { value.and_then(|value| self.checked(value)) }
    }

    fn too_deep(&self) -> Option<Stop> {
        let limits = &self.0.run.limits;
        (self.0.depth + self.weight() > limits.run_depth()).then(|| {
            let kind = FailureKind::LimitReached { limit: Limit::Depth, at_most: limits.depth };
            Failure::from(kind).into()
        })
    }

    /// ``n = `User` ``: what its first parameter is.
    fn bound(&self, value: &Value) -> String {
        let value = self.0.run.print(value);
        match &self.0.code {
            Code::Lambda(lambda, _) if !lambda.parameters.is_empty() => {
                format!("{} = {value}", lambda.parameters[0])
            }
            Code::Callable(callable) => format!("{} = {value}", callable.signature.parameters[0].name),
            Code::Lambda(..) => value,
        }
    }

    /// How much deeper evaluation may get in it.
    fn weight(&self) -> usize {
        match &self.0.code {
            Code::Lambda(lambda, _) => CALL + lambda.depth,
            Code::Callable(_) => CALL,
        }
    }

    pub(crate) fn run_once(
        &self,
        arguments: impl IntoIterator<Item = Value, IntoIter: ExactSizeIterator>,
    ) -> Evaluated<'_> {
        let arguments = arguments.into_iter();
        match &self.0.code {
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
            Code::Callable(callable) => match self.too_deep() {
                Some(stop) => Evaluated::now(Err(stop)),
                None => {
                    let depth = self.0.depth + self.weight();
                    let value = Evaluated::later(self.0.run.call_with(callable, arguments.collect(), depth));
                    value.and_then(|value| self.checked(value))
                }
            },
        }
    }

    /// What it gave, if that is what is wanted.
    fn checked(&self, value: Value) -> Result<Value, Stop> {
        let Some(expected) = &self.0.returns else { return Ok(value) };
        if fits(&self.0.run.registry, &value, expected) {
            return Ok(value);
        }
        shape(&self.0.run.registry, &value, expected).ok_or_else(|| {
            let found = value.type_name().to_owned();
            let failure = Failure::from(FailureKind::LambdaResult { expected: Type::clone(expected), found });
            match &self.0.code {
                Code::Lambda(lambda, _) => failure.or_at(lambda.body.span).into(),
                Code::Callable(_) => failure.into(),
            }
        })
    }
}

/// Two functions are equal when they are the same one.
impl PartialEq for Closure {
    fn eq(&self, other: &Self) -> bool {
        match (&self.0.code, &other.0.code) {
            (Code::Lambda(one, _), Code::Lambda(other, _)) => Arc::ptr_eq(one, other),
            (Code::Callable(one), Code::Callable(other)) => Arc::ptr_eq(one, other),
            _ => false,
        }
    }
}

impl fmt::Debug for Closure {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Closure({})", self.source())
    }
}
