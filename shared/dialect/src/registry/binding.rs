//! Bindings: code between programs and rows. Tables are made once, and bound for each program.

use std::sync::Arc;

use futures::future::BoxFuture;

use super::rows::{Callable, RegisteredConversion};
use crate::{Failure, Function, Handler, Interrupt, Invocation, Requirement, Value};

/// The code that runs the rows that a program calls: their own code, other code, or none.
pub trait Binding: Send + Sync {
    /// Calls a row, with arguments that fit its signature. The result is checked like one of the row's own
    /// code.
    fn call(&self, row: Row<'_>, invocation: Invocation) -> BoxFuture<'static, Result<Value, Interrupt>>;

    /// Records a failure of a row whose failures are declared, in the words of the declaration.
    fn failed(&self, row: Row<'_>, failure: &Failure);
}

/// A function or a conversion that a program calls.
#[derive(Clone, Copy)]
#[expect(missing_debug_implementations)] // its code has none
pub struct Row<'a> {
    /// The name of the library.
    pub library: &'a str,
    /// The name in its signature.
    pub name: &'a str,
    /// The permissions that calling it needs.
    pub requires: &'a [Requirement],
    /// The code of the row.
    pub code: &'a Arc<dyn Handler>,
}

impl Callable {
    /// Returns the row of a function.
    pub(crate) fn row<'a>(&'a self, function: &'a Function) -> Row<'a> {
        let Self { library, signature, requires, .. } = self;
        Row { library, name: &signature.name, requires, code: &function.code }
    }
}

impl RegisteredConversion {
    /// Returns the row of a conversion.
    pub(crate) fn row(&self) -> Row<'_> {
        let Self { library, signature, requires, code, .. } = self;
        Row { library, name: &signature.name, requires, code }
    }
}
