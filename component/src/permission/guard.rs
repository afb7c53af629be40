//! The guard before each function that needs a permission, and the check of how functions fail.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, OnceLock};

use dialect::{
    Arguments, Binding, Failure, FailureKind, Handler, Interrupt, Invocation, Requirement, Row, Value,
};
use futures::FutureExt;
use futures::future::BoxFuture;
use ide_library::Host;

use super::approval::Approval;
use super::later_requests::LaterRequests;
use super::undeclared::UndeclaredError;
use crate::call_metrics::{Meter, OpenCall, Said};
use unpoisoned::lock;

/// Code that asks for permissions of its own while it runs, such as the body of a skill's tool.
pub(crate) trait AskingCode: std::fmt::Debug + Send + Sync {
    /// Returns the code of a function, for a program with that permit.
    fn bound(&self, function: &str, permit: &CallPermit) -> Arc<dyn Handler>;
}

/// The code of libraries that asks for permissions of its own, by the name of the library.
pub(crate) type AskingLibraries = Arc<HashMap<String, Arc<dyn AskingCode>>>;

/// The permit of one call, shared by the guards of its functions.
#[derive(Clone, Default)]
pub(crate) struct CallPermit(Arc<PermitState>);

#[derive(Default)]
struct PermitState {
    approval: OnceLock<Approval>,
    /// The way to ask for what only shows while the program runs; absent in a dry run.
    later: Option<LaterRequests>,
    /// The measurements of the program.
    meter: Meter,
    undeclared: Mutex<Vec<UndeclaredError>>,
    /// True when arguments are noted and no permission is given.
    is_dry_run: bool,
    /// The arguments of the first guarded function in a dry run.
    first_arguments: Mutex<Option<Arguments>>,
}

impl CallPermit {
    /// Returns a permit for a program whose calls are measured.
    pub(crate) fn measured(meter: Meter) -> Self {
        Self(Arc::new(PermitState { meter, ..PermitState::default() }))
    }

    /// Sets the way to ask for permissions while the program runs.
    pub(crate) fn asking(self, later: LaterRequests) -> Self {
        let meter = self.0.meter.clone();
        Self(Arc::new(PermitState { meter, later: Some(later), ..PermitState::default() }))
    }

    /// Permits one call within a function, and records it: by the approval of the program, or after a question to the
    /// user.
    ///
    /// # Errors
    /// A permission is denied, or nobody can be asked.
    pub(crate) async fn request(
        &self,
        callable: &str,
        requires: &[Requirement],
        arguments: &Arguments,
    ) -> Result<(), Failure> {
        if requires.is_empty() {
            return Ok(());
        }
        let approved = self.approval().use_for(callable, requires, arguments).await;
        match (approved, &self.0.later) {
            (Err(_), Some(later)) => {
                later.approval(callable, requires).await?.use_for(callable, requires, arguments).await
            }
            (approved, _) => approved,
        }
    }

    /// Returns a permit that lets nothing run, and notes the arguments of the first guarded function.
    pub(crate) fn dry_run() -> Self {
        Self(Arc::new(PermitState { is_dry_run: true, ..PermitState::default() }))
    }

    /// Takes the arguments of the first guarded function, if one was called.
    pub(crate) fn take_first_arguments(&self) -> Option<Arguments> {
        lock(&self.0.first_arguments).take()
    }

    fn note_arguments(&self, arguments: &Arguments) {
        if self.0.is_dry_run {
            lock(&self.0.first_arguments).get_or_insert_with(|| arguments.clone());
        }
    }

    /// Sets the approval of the call. There is none before, and the first one counts.
    pub(crate) fn approve(&self, approval: Approval) {
        let _ = self.0.approval.set(approval); // a second one is ignored
    }

    /// Takes the undeclared errors that have not been recorded yet.
    pub(crate) fn take_undeclared(&self) -> Vec<UndeclaredError> {
        std::mem::take(&mut *lock(&self.0.undeclared))
    }

    /// Begins a call that a function makes while it runs for the program: it needs its permissions, and is measured, like
    /// every call. Returns its measurement. The user is not asked, so that a function does what its row says, and no more.
    ///
    /// # Errors
    /// It is not permitted.
    pub(crate) async fn enter(
        &self,
        callable: &str,
        requires: &[Requirement],
        arguments: Arguments,
    ) -> Result<Option<OpenCall>, Failure> {
        if !requires.is_empty() {
            self.note_arguments(&arguments);
            self.approval().use_for(callable, requires, &arguments).await?;
        }
        Ok(self.0.meter.begin(callable, || Said::Value(Value::Object(arguments.0))))
    }

    fn approval(&self) -> Approval {
        self.0.approval.get().cloned().unwrap_or_default()
    }

    fn note_undeclared(&self, library: &str, failure: &Failure) {
        let FailureKind::Undeclared { callable, .. } = &*failure.kind else { return };
        let (callable, reason) = (format!("{library}/{callable}"), dialect::diagnostic(failure).message);
        lock(&self.0.undeclared).push(UndeclaredError { callable, reason });
    }
}

/// The binding of one program. A guard stands before each function that needs a permission, and undeclared errors
/// are noted.
pub(crate) struct Guarded {
    /// The functions of the library [`ide_library::NAME`], bound to this program's host.
    code: HashMap<String, Arc<dyn Handler>>,
    /// The code that asks for itself.
    asking: AskingLibraries,
    permit: CallPermit,
}

impl Guarded {
    /// Creates the binding of a program whose questions `host` answers.
    pub(crate) fn new(host: Arc<dyn Host>, asking: &AskingLibraries, permit: &CallPermit) -> Self {
        let code = ide_library::code(host).collect();
        Self { code, asking: Arc::clone(asking), permit: permit.clone() }
    }
}

impl Guarded {
    /// Calls a function that needs a permission, once that is granted.
    fn guarded(
        &self,
        row: Row<'_>,
        code: Arc<dyn Handler>,
        invocation: Invocation,
    ) -> BoxFuture<'static, Result<Value, Interrupt>> {
        let (permit, callable, requires) = (self.permit.clone(), row.name.to_owned(), row.requires.to_vec());
        async move {
            permit.note_arguments(&invocation.arguments);
            permit.approval().use_for(&callable, &requires, &invocation.arguments).await?;
            code.call(invocation).await
        }
        .boxed()
    }
}

impl Binding for Guarded {
    fn call(&self, row: Row<'_>, invocation: Invocation) -> BoxFuture<'static, Result<Value, Interrupt>> {
        let Row { library, name, requires, code } = row;
        let own = (library == ide_library::NAME).then(|| self.code.get(name)).flatten();
        let asking = self.asking.get(library).map(|it| it.bound(name, &self.permit));
        let code = own.or(asking.as_ref()).unwrap_or(code);
        let given = || Said::Value(Value::Object(invocation.arguments.0.clone()));
        let call = self.permit.0.meter.begin(name, given);
        let called = match requires.is_empty() {
            true => code.call(invocation),
            false => self.guarded(row, Arc::clone(code), invocation),
        };
        let Some(call) = call else { return called };
        async move {
            let result = called.await;
            call.end(&result);
            result
        }
        .boxed()
    }

    fn failed(&self, row: Row<'_>, failure: &Failure) {
        self.permit.note_undeclared(row.library, failure);
    }
}
