//! What stands before the code of everything that needs a permission, and what looks at how code fails.

use std::sync::{Arc, Mutex, OnceLock};

use dialect::{
    Arguments, Call, Failure, FailureKind, Interrupt, Invocation, Library, Requirement, Telling, Value,
};
use futures::FutureExt;
use futures::future::BoxFuture;

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

    /// The same words, and a note of those that a declaration does not cover.
    fn noting(&self, library: &str, telling: Telling) -> Telling {
        let (pass, library) = (self.clone(), library.to_owned());
        Arc::new(move |failure| {
            let told = telling(failure);
            pass.note(&library, &told);
            told
        })
    }
}

/// The library with a guard before each row that needs something, and a note of each failure that breaks a declaration.
pub(crate) fn guarded(mut library: Library, pass: &Pass) -> Library {
    for row in &mut library.functions {
        row.telling = row.telling.take().map(|it| pass.noting(&library.name, it));
        let requirements = row.requirements(&library.name);
        guard(&mut row.code, name(&row.signature), requirements, pass);
    }
    for row in &mut library.conversions {
        row.telling = row.telling.take().map(|it| pass.noting(&library.name, it));
        guard(&mut row.code, name(&row.signature), row.requires.clone(), pass);
    }
    library
}

fn name(signature: &str) -> String {
    signature.split('(').next().unwrap_or_default().trim().to_owned()
}

fn guard(code: &mut Arc<dyn Call>, callable: String, requirements: Vec<Requirement>, pass: &Pass) {
    if !requirements.is_empty() {
        let (inner, pass) = (Arc::clone(code), pass.clone());
        *code = Arc::new(Guarded { inner, callable, requirements: requirements.into(), pass });
    }
}

struct Guarded {
    inner: Arc<dyn Call>,
    callable: String,
    requirements: Arc<[Requirement]>,
    pass: Pass,
}

impl Call for Guarded {
    fn call(&self, invocation: Invocation) -> BoxFuture<'static, Result<Value, Interrupt>> {
        let (inner, pass) = (Arc::clone(&self.inner), self.pass.clone());
        let (callable, requirements) = (self.callable.clone(), Arc::clone(&self.requirements));
        async move {
            pass.rehearse(&invocation.arguments);
            pass.given().use_for(&callable, &requirements, &invocation.arguments).await?;
            inner.call(invocation).await
        }
        .boxed()
    }
}
