//! What stands between a program and the code that it calls: tables are made once, and bound for each program.

use std::sync::Arc;

use futures::future::BoxFuture;

use super::{Callable, Registry, Route};
use crate::{Call, Failure, Function, Interrupt, Invocation, Requirement, Telling, Value};

/// Runs the rows that a program calls: their own code, or other code in its place, or none.
pub trait Binding: Send + Sync {
    /// Calls a row, with arguments that fit its signature. What comes back is checked as if the row's own code had
    /// given it.
    fn call(&self, row: Row<'_>, invocation: Invocation) -> BoxFuture<'static, Result<Value, Interrupt>>;

    /// Takes note of how a row failed whose failures are declared, in the words of the declaration.
    fn failed(&self, row: Row<'_>, failure: &Failure);
}

/// A function or a conversion that a program calls.
#[derive(Clone, Copy)]
#[expect(missing_debug_implementations)] // its code has none
pub struct Row<'a> {
    /// Who brings it.
    pub library: &'a str,
    /// What its signature calls it.
    pub name: &'a str,
    /// The permissions that calling it needs.
    pub requires: &'a [Requirement],
    /// What runs unless the binding says otherwise.
    pub code: &'a Arc<dyn Call>,
}

impl Registry {
    /// The same tables for one program, or for some: whatever it calls is called through `binding`.
    #[must_use]
    pub fn bound(&self, binding: impl Binding + 'static) -> Self {
        Self { tables: Arc::clone(&self.tables), binding: Some(Arc::new(binding)) }
    }

    /// Calls a row; its failures are told as its declarations do.
    pub(crate) async fn call(
        &self,
        row: Row<'_>,
        telling: Option<&Telling>,
        invocation: Invocation,
    ) -> Result<Value, Interrupt> {
        let called = match &self.binding {
            Some(binding) => binding.call(row, invocation),
            None => row.code.call(invocation),
        };
        called.await.map_err(|it| {
            // What stopped a function that it was given is not its own.
            let (telling, failure) = match (telling, it) {
                (Some(telling), Interrupt::Failure(failure)) => (telling, failure),
                (_, other) => return other,
            };
            let told = telling(failure);
            self.binding.iter().for_each(|it| it.failed(row, &told));
            Interrupt::Failure(told)
        })
    }
}

impl Callable {
    /// It, as the row of a function.
    pub(crate) fn row<'a>(&'a self, function: &'a Function) -> Row<'a> {
        let Self { library, signature, requires, .. } = self;
        Row { library, name: &signature.name, requires, code: &function.code }
    }
}

impl Route {
    /// It, as a row.
    pub(crate) fn row(&self) -> Row<'_> {
        let Self { library, signature, requires, code, .. } = self;
        Row { library, name: &signature.name, requires, code }
    }
}
