//! What stands before the code of everything that needs a permission.

use std::sync::{Arc, OnceLock};

use dialect::{Call, Interrupt, Invocation, Library, Requirement, Value};
use futures::FutureExt;
use futures::future::BoxFuture;

use super::gate::Permit;

/// The permission of one call of the tool, once there is one.
pub(crate) type Pass = Arc<OnceLock<Permit>>;

/// The library with a guard before each row that needs something. Rows that only read stay as they are.
pub(crate) fn guarded(mut library: Library, pass: &Pass) -> Library {
    for row in &mut library.functions {
        let requirements = row.requirements(&library.name);
        guard(&mut row.code, name(&row.signature), requirements, pass);
    }
    for row in &mut library.conversions {
        guard(&mut row.code, name(&row.signature), row.requires.clone(), pass);
    }
    library
}

fn name(signature: &str) -> String {
    signature.split('(').next().unwrap_or_default().trim().to_owned()
}

fn guard(code: &mut Arc<dyn Call>, callable: String, requirements: Vec<Requirement>, pass: &Pass) {
    if !requirements.is_empty() {
        let (inner, pass) = (Arc::clone(code), Arc::clone(pass));
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
        let (inner, pass) = (Arc::clone(&self.inner), Arc::clone(&self.pass));
        let (callable, requirements) = (self.callable.clone(), Arc::clone(&self.requirements));
        async move {
            let permit = pass.get().cloned().unwrap_or_default();
            permit.use_for(&callable, &requirements, &invocation.arguments).await?;
            inner.call(invocation).await
        }
        .boxed()
    }
}
