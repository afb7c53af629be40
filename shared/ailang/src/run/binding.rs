//! The binding between the calls of a run and the code of tools: permissions, retries, and measurements.

use std::sync::Arc;

use dialect::{
    ArgumentCheck, Binding, Caller, Failure, FailureKind, Handler, Interrupt, Invocation, Notes, Object,
    Registry, Requirement, ResultCheck, Row, Value, Work,
};
use futures::FutureExt;
use futures::future::BoxFuture;
use source_text::Span;

use super::halt::Halt;
use super::host::PermissionRequest;
use super::linked::LinkedTool;
use super::modules::ActiveRun;
use super::monitor::Event;
use super::retry;
use super::settings::ValidationMode;
use super::state::{Ending, RunState};
use super::tool::Body;

impl RunState {
    /// Returns the registry, bound to this run.
    pub(super) fn bound(self: &Arc<Self>) -> Registry {
        self.linked.registry.bound(RunBinding { state: Arc::clone(self), _ending: None })
    }

    /// Returns the registry, bound to a run that ends with it.
    pub(super) fn into_bound(self: Arc<Self>) -> Registry {
        let ending = Some(Ending(Arc::clone(&self)));
        self.linked.registry.bound(RunBinding { state: Arc::clone(&self), _ending: ending })
    }

    /// Returns a caller of the tools.
    pub(super) fn caller(self: &Arc<Self>, work: &Work, notes: &Notes) -> Caller {
        let (arguments, results) = match self.setup.settings.validation {
            ValidationMode::Strict => (ArgumentCheck::Exact, ResultCheck::Fail),
            ValidationMode::Runtime => (ArgumentCheck::Convert, ResultCheck::Note),
            ValidationMode::None => (ArgumentCheck::Skip, ResultCheck::Skip),
        };
        Caller::new(&self.bound(), &self.limits, work, notes).checking(arguments, results)
    }

    /// Returns the code of a tool: its body, a provider's code, fixtures, or that of its built-in module.
    fn code(self: &Arc<Self>, name: &str, tool: &LinkedTool) -> Option<Arc<dyn Handler>> {
        if tool.is_program {
            return Some(Arc::new(Body { state: Arc::clone(self), tool: name.to_owned() }));
        }
        if let Some(code) = self.setup.providers.iter().find_map(|it| it.implementation(name)) {
            return Some(code);
        }
        let Some(fixtures) = self.setup.fixtures.as_ref().filter(|it| it.has(name)).cloned() else {
            return self.modules()?.implementation(tool.module?, name, &ActiveRun::new(self));
        };
        let name = name.to_owned();
        Some(Arc::new(move |invocation: Invocation| {
            let result = fixtures.call(&name, &invocation.arguments.0);
            async move { result }
        }))
    }

    /// Returns a permission that a call needs. That of a built-in module is no wider than its arguments.
    fn needed(
        &self,
        requirement: &Requirement,
        tool: Option<&LinkedTool>,
        arguments: &Object,
    ) -> Requirement {
        let modules = self.modules().filter(|_| tool.is_some_and(|it| it.module.is_some()));
        match modules {
            Some(modules) => modules.narrowed(requirement.clone(), arguments),
            None => requirement.clone(),
        }
    }

    async fn guarded(
        self: &Arc<Self>,
        request: PermissionRequest,
        tool: &LinkedTool,
        code: Arc<dyn Handler>,
        invocation: Invocation,
    ) -> Result<Value, Interrupt> {
        self.permit(request).await?;
        let from = self.retry_from.clone();
        retry::call(&*code, invocation, tool, &*self.setup.host, self.setup.settings.seed, from).await
    }

    /// Runs a tool, and measures it.
    async fn run(
        self: &Arc<Self>,
        request: PermissionRequest,
        code: Arc<dyn Handler>,
        invocation: Invocation,
    ) -> Result<Value, Interrupt> {
        let name = request.tool.clone();
        let Some(tool) = self.linked.tools.get(&name) else { return code.call(invocation).await };
        let (at, is_watched) = (self.now(), self.is_watched());
        let arguments = request.arguments.clone();
        if is_watched {
            let arguments = Value::Object(arguments.clone()).to_json();
            self.record(Event::Started { tool: name.clone(), arguments, at }).await;
        }
        let result = self.guarded(request, tool, code, invocation).await;
        if is_watched {
            let milliseconds = ((self.now() - at) * 1_000.0).max(0.0);
            self.record(finished(name, &result, milliseconds)).await;
        }
        result
    }
}

/// Returns the event of a call that ended.
fn finished(tool: String, result: &Result<Value, Interrupt>, milliseconds: f64) -> Event {
    match result {
        Ok(value) => Event::Completed { tool, result: value.to_json(), milliseconds },
        Err(interrupt) => {
            let error = match Halt::of_interrupt(interrupt.clone(), Span::default()) {
                Halt::Thrown(thrown) => thrown.error.to_json(),
                halt => dialect::diagnostic(&halt.into_failure()).message.into(),
            };
            Event::Failed { tool, error, milliseconds }
        }
    }
}

/// The code between a run and the rows of its registry.
struct RunBinding {
    state: Arc<RunState>,
    _ending: Option<Ending>,
}

impl RunBinding {
    /// Returns `true` for the requirement that a tool which may write has when it declares none. A body does nothing but
    /// call other tools, which have requirements of their own.
    fn is_only_of_body(&self, tool: &str, requirement: &Requirement) -> bool {
        let linked = &self.state.linked;
        let id = &requirement.capability;
        linked.tools.get(tool).is_some_and(|it| it.is_program)
            && id.rsplit('/').next() == Some(tool)
            && !linked.capabilities.iter().any(|it| it.id == *id)
    }
}

impl Binding for RunBinding {
    fn call(&self, row: Row<'_>, invocation: Invocation) -> BoxFuture<'static, Result<Value, Interrupt>> {
        let tool = self.state.linked.tools.get(row.name);
        let own = tool.map(|tool| self.state.code(row.name, tool));
        // Nobody is asked about a call that ends with `NotImplementedError`.
        let is_there = !matches!(own, Some(None));
        let code = own.flatten().unwrap_or_else(|| Arc::clone(row.code));
        let requires = row.requires.iter().filter(|it| is_there && !self.is_only_of_body(row.name, it));
        let arguments = &invocation.arguments.0;
        let requires = requires.map(|it| self.state.needed(it, tool, arguments)).collect();
        let request = PermissionRequest {
            tool: row.name.to_owned(),
            requires,
            arguments: invocation.arguments.0.clone(),
            declared: Arc::clone(&self.state.linked.capabilities),
        };
        let state = Arc::clone(&self.state);
        async move { state.run(request, code, invocation).await }.boxed()
    }

    fn failed(&self, row: Row<'_>, failure: &Failure) {
        if matches!(&*failure.kind, FailureKind::Undeclared { .. }) {
            self.state.log(format!("{}: {}", row.name, dialect::diagnostic(failure).message));
        }
    }
}
