//! What stands before the code of everything that needs a permission, and what looks at how code fails.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, OnceLock};

use dialect::{Arguments, Binding, Failure, FailureKind, Handler, Interrupt, Invocation, Row, Value};
use futures::FutureExt;
use futures::future::BoxFuture;
use ide_library::Host;

use super::gate::Permit;
use crate::lock;

/// What one call of the tool goes through with.
#[derive(Clone, Default)]
pub(crate) struct Pass(Arc<Passing>);

#[derive(Default)]
struct Passing {
    permit: OnceLock<Permit>,
    breaches: Mutex<Vec<Breach>>,
    /// Whether what needs a permission is looked at instead of done.
    rehearses: bool,
    /// What the first of that was called with.
    rehearsed: Mutex<Option<Arguments>>,
}

/// Code failed with what its document does not declare.
#[derive(Clone, Debug)]
pub(crate) struct Breach {
    /// Whose and which: `files/write`.
    pub(crate) callable: String,
    /// What it failed with, in a sentence.
    pub(crate) reason: String,
}

impl Pass {
    /// One that lets nothing through, and takes down what would have been done first.
    pub(crate) fn rehearsing() -> Self {
        Self(Arc::new(Passing { rehearses: true, ..Passing::default() }))
    }

    /// With what the first function was called that needs a permission, if one was.
    pub(crate) fn take_rehearsed(&self) -> Option<Arguments> {
        lock(&self.0.rehearsed).take()
    }

    fn rehearse(&self, arguments: &Arguments) {
        if self.0.rehearses {
            lock(&self.0.rehearsed).get_or_insert_with(|| arguments.clone());
        }
    }

    /// The permission of the call, which has none before, and never another.
    pub(crate) fn permit(&self, permit: Permit) {
        let _ = self.0.permit.set(permit); // a second one would not count
    }

    /// How code failed that broke its word, as far as nobody has taken note of it.
    pub(crate) fn take_breaches(&self) -> Vec<Breach> {
        std::mem::take(&mut *lock(&self.0.breaches))
    }

    fn given(&self) -> Permit {
        self.0.permit.get().cloned().unwrap_or_default()
    }

    fn note(&self, library: &str, failure: &Failure) {
        let FailureKind::Undeclared { callable, .. } = &*failure.kind else { return };
        let (callable, reason) = (format!("{library}/{callable}"), dialect::diagnostic(failure).message);
        lock(&self.0.breaches).push(Breach { callable, reason });
    }
}

/// What runs the rows that one program calls: a guard before each that needs something, and a note of each failure that
/// breaks a declaration.
pub(crate) struct Guarded {
    /// Code of the library [`ide_library::NAME`] whose questions go where this program's go.
    code: HashMap<String, Arc<dyn Handler>>,
    pass: Pass,
}

impl Guarded {
    /// For a program whose questions `host` answers.
    pub(crate) fn new(host: Arc<dyn Host>, pass: &Pass) -> Self {
        Self { code: ide_library::code(host).collect(), pass: pass.clone() }
    }
}

impl Binding for Guarded {
    fn call(&self, row: Row<'_>, invocation: Invocation) -> BoxFuture<'static, Result<Value, Interrupt>> {
        let Row { library, name, requires, code } = row;
        let own = (library == ide_library::NAME).then(|| self.code.get(name)).flatten();
        let code = own.unwrap_or(code);
        if requires.is_empty() {
            return code.call(invocation);
        }
        let (code, pass) = (Arc::clone(code), self.pass.clone());
        let (callable, requires) = (name.to_owned(), requires.to_vec());
        async move {
            pass.rehearse(&invocation.arguments);
            pass.given().use_for(&callable, &requires, &invocation.arguments).await?;
            code.call(invocation).await
        }
        .boxed()
    }

    fn failed(&self, row: Row<'_>, failure: &Failure) {
        self.pass.note(row.library, failure);
    }
}
