//! Functions as values: what `x => x.path` evaluates to, and how a library calls it.

// A value can be a function, a call of it can be interrupted, and an interrupt carries failures and questions,
// which carry values. So `value`, `closure`, `interrupt` and `failure` are one recursive type in four files.

use std::fmt;
use std::sync::Arc;

use futures::FutureExt;
use futures::future::BoxFuture;

use crate::evaluated::Evaluated;
use crate::{Interrupt, Stop, Type, Value};

/// A function as a value. A clone is cheap.
#[derive(Clone)]
pub struct Closure(Arc<dyn Applicable>);

/// A function that the evaluator made.
pub(crate) trait Applicable: Send + Sync {
    /// Returns its text in the program.
    fn source(&self) -> &str;

    /// Returns the names of its parameters, in order.
    fn parameters(&self) -> Vec<&str>;

    /// Returns the address of its code, which identifies the function.
    fn identity(&self) -> *const ();

    /// Returns how many functions are in each other in it and the values that it uses, itself included.
    fn functions(&self) -> usize;

    /// Returns the address of the values that it uses.
    fn scope(&self) -> *const ();

    /// Returns the same function, to be called at that depth of evaluation.
    fn at_depth(self: Arc<Self>, depth: usize) -> Arc<dyn Applicable>;

    /// Returns the same function, whose results must be of type `ty`.
    fn returning(self: Arc<Self>, ty: &Type) -> Arc<dyn Applicable>;

    /// Calls it once; see [`Closure::call`].
    fn apply(&self, arguments: Vec<Value>) -> Evaluated<'_, Value, Stop>;

    /// Calls it with each of the items; see [`Closure::call_each`].
    fn apply_each<'a>(&'a self, items: &'a [Value]) -> Evaluated<'a, Vec<Value>, Stop>;

    /// Calls it until it returns `wanted`; see [`Closure::position`].
    fn position<'a>(
        &'a self,
        items: &'a [Value],
        wanted: &'a Value,
    ) -> BoxFuture<'a, Result<Option<usize>, Stop>>;
}

impl Closure {
    pub(crate) fn new(function: impl Applicable + 'static) -> Self {
        Self(Arc::new(function))
    }

    pub(crate) fn at_depth(self, depth: usize) -> Self {
        Self(self.0.at_depth(depth))
    }

    pub(crate) fn returning(self, ty: &Type) -> Self {
        Self(self.0.returning(ty))
    }

    /// Returns how many functions are in each other in it and the values that it uses, itself included.
    pub(crate) fn functions(&self) -> usize {
        self.0.functions()
    }

    /// Returns the address of the values that it uses, which identifies them.
    pub(crate) fn scope(&self) -> *const () {
        self.0.scope()
    }

    /// Returns its text in the program.
    pub(crate) fn source(&self) -> &str {
        self.0.source()
    }

    /// Returns the names of its parameters, in order.
    pub fn parameters(&self) -> Vec<&str> {
        self.0.parameters()
    }

    /// Calls it, for the evaluator.
    pub(crate) fn apply(&self, arguments: Vec<Value>) -> Evaluated<'_, Value, Stop> {
        self.0.apply(arguments)
    }

    /// Calls it. Arguments beyond those that it takes are left out.
    ///
    /// # Errors
    /// Returns what stopped the call, to be passed on with `?`. Fails if it takes more arguments than these.
    pub fn call(&self, arguments: Vec<Value>) -> BoxFuture<'static, Result<Value, Interrupt>> {
        let function = Arc::clone(&self.0);
        async move { function.apply(arguments).await.map_err(Stop::into_interrupt) }.boxed()
    }

    /// Calls it with each of the items, and with its index (from 0) if it takes two parameters. Returns the
    /// results in the order of the items. Runs up to eight calls at a time, or one if the program writes.
    ///
    /// # Errors
    /// Returns everything that stopped any of the calls, to be passed on with `?`.
    pub async fn call_each(&self, items: &[Value]) -> Result<Vec<Value>, Interrupt> {
        self.0.apply_each(items).await.map_err(Stop::into_interrupt)
    }

    /// Returns the index (from 0) of the first item for which it returns `wanted`. Results and failures of
    /// later items are ignored. Runs up to eight calls at a time, or one if the program writes.
    ///
    /// # Errors
    /// Returns what stopped a call before that item, to be passed on with `?`.
    pub async fn position(&self, items: &[Value], wanted: &Value) -> Result<Option<usize>, Interrupt> {
        self.0.position(items, wanted).await.map_err(Stop::into_interrupt)
    }
}

/// Two functions are equal if they are the same function.
impl PartialEq for Closure {
    fn eq(&self, other: &Self) -> bool {
        self.0.identity() == other.0.identity()
    }
}

impl fmt::Debug for Closure {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Closure({})", self.source())
    }
}
