//! A runtime: documents, and what their programs reach.

use std::sync::Arc;
use std::time::Duration;

use dialect::{Advice, Failure, GivenArgument, Notes, Object, Registry, Work};
use source_text::Span;

use super::errors::{ErrorContext, ErrorHandler};
use super::halt::Halt;
use super::linked::Linked;
use super::monitor::Monitor;
use super::retry::{Tries, first_delay};
use super::settings::{RuntimeSettings, ValidationMode};
use super::setup::RuntimeSetup;
use super::state::{Ending, PROMPT, RunState};
use crate::capability::Capability;
use crate::documents::Documents;
use crate::throwable::{Bindings, Throwable};
use crate::values::Values;

/// Documents whose tools can be called, and whose examples can be run.
///
/// It loads no documents: that reads files, and a runtime does not. The loader with its caches is the crate `packages`,
/// and what it loads is passed to [`Runtime::new`].
#[derive(Clone, Debug)]
pub struct Runtime {
    pub(super) linked: Arc<Linked>,
    pub(super) setup: RuntimeSetup,
    errors: ErrorHandler,
}

impl Runtime {
    /// Makes the document at `path` ready to run, with everything that it imports.
    ///
    /// # Errors
    /// The documents have errors, or their tools and those of the libraries have the same names. The message has
    /// the places.
    pub fn new(documents: Documents, path: &str, mut setup: RuntimeSetup) -> Result<Self, String> {
        if setup.settings.monitoring {
            setup.monitor.get_or_insert_with(Monitor::new);
        }
        let linked = Self::linked(documents, path, None, &setup)?;
        if let Some(fixtures) =
            setup.fixtures.as_ref().filter(|_| setup.settings.validation != ValidationMode::None)
        {
            let local: Vec<&str> = local_tools(&linked.documents).chain([PROMPT]).collect();
            fixtures.check(&linked.registry, &linked.values, &local)?;
        }
        Ok(Self { linked: Arc::new(linked), setup, errors: ErrorHandler::default() })
    }

    pub(super) fn linked(
        documents: Documents,
        path: &str,
        local: Option<usize>,
        setup: &RuntimeSetup,
    ) -> Result<Linked, String> {
        let host = Arc::clone(&setup.host);
        Linked::new(documents, path, local, &setup.libraries, move || host.now())
    }

    /// Returns the settings.
    pub fn settings(&self) -> &RuntimeSettings {
        &self.setup.settings
    }

    /// Returns the measurements of calls, if they are measured.
    pub fn monitor(&self) -> Option<&Monitor> {
        self.setup.monitor.as_ref()
    }

    /// Returns the capabilities that the documents declare. What is granted is known to the gate of the setup.
    pub fn capabilities(&self) -> &[Capability] {
        &self.linked.capabilities
    }

    /// Returns the checker of values for the types of the documents.
    pub fn values(&self) -> &Values {
        &self.linked.values
    }

    /// Returns the errors that were registered and logged.
    pub fn errors(&self) -> &ErrorHandler {
        &self.errors
    }

    /// Returns the registry of all tools, bound to the surroundings, for programs of Dialect.
    pub fn registry(&self) -> Registry {
        self.state().into_bound()
    }

    /// Returns the advice of an error that the documents declare or that was registered, for its parameters; `None` if
    /// there is none.
    pub fn recovery(&self, error: &str, params: &serde_json::Value) -> Option<String> {
        let known = Bindings { params, now: Some(self.setup.host.now()) };
        self.declared(error)?.recovery.as_ref().map(|it| it.filled(&known))
    }

    /// Returns the declaration of an error; that of a document counts before a registered one.
    fn declared(&self, error: &str) -> Option<Arc<Throwable>> {
        self.linked.error(self.linked.home, error).or_else(|| self.errors.registered(error))
    }

    /// Handles an error that a tool failed with: logs it, waits as it says, and calls the tool again, where a second call
    /// does no harm and may help. The failed call counts as the first of at most three.
    ///
    /// # Errors
    /// The error, if no second call is made; otherwise the error of the last call.
    pub async fn handle_error(
        &self,
        error: serde_json::Value,
        context: ErrorContext,
    ) -> Result<serde_json::Value, serde_json::Value> {
        self.errors.log(&error, Some(&context));
        let may_repeat = self.linked.tools.get(&context.tool).is_some_and(|it| it.may_repeat);
        let advice = self.advice(&error);
        let Some(delay) = first_delay(&advice, self.setup.settings.seed).filter(|_| may_repeat) else {
            return Err(error);
        };
        self.setup.host.sleep(Duration::from_secs_f64(delay)).await;
        let tried = Tries { tries: 2, waited: delay };
        let state = RunState::after(Arc::clone(&self.linked), &self.setup, tried);
        let result = Self::called(&state, &context.tool, context.params).await;
        if let Err(error) = &result {
            self.errors.log(error, None);
        }
        result
    }

    /// Returns what an error says about another try: its own words, and those of its declaration.
    fn advice(&self, error: &serde_json::Value) -> Advice {
        let now = self.setup.host.now();
        let known = Bindings { params: &error["params"], now: Some(now) };
        let declared = self.declared(error["error"].as_str().unwrap_or_default());
        let declared = declared.map(|it| it.advice(&known)).unwrap_or_default();
        let own = error["retryAfter"].as_f64().map(|after| (after - now).ceil().max(0.0));
        #[expect(
            clippy::cast_possible_truncation,
            clippy::cast_sign_loss,
            reason = "saturates, and is not negative"
        )]
        let own = own.map(|it| it as u64);
        let retryable = declared.retryable || error["retryable"] == true;
        Advice { retryable, wait: own.or(declared.wait), ..declared }
    }

    /// Calls a tool with named arguments.
    ///
    /// # Errors
    /// The JSON of the error: see [`Interface::thrown`](crate::Interface::thrown).
    pub async fn call(&self, tool: &str, params: Object) -> Result<serde_json::Value, serde_json::Value> {
        Self::called(&self.state(), tool, params).await
    }

    async fn called(
        state: &Arc<RunState>,
        tool: &str,
        params: Object,
    ) -> Result<serde_json::Value, serde_json::Value> {
        let caller = state.caller(&Work::new(&state.limits), &Notes::default());
        let given =
            params.into_iter().map(|(name, value)| GivenArgument { name: Some(name), value }).collect();
        let _ending = Ending(Arc::clone(state));
        let result = state.call(&caller, tool, given).await;
        match result.map_err(|interrupt| Halt::of_interrupt(interrupt, Span::default())) {
            Ok(value) => Ok(value.to_json()),
            Err(Halt::Thrown(thrown)) => Err(thrown.error.to_json()),
            Err(halt) => {
                let message = dialect::diagnostic(&halt.into_failure()).message;
                let failure = Failure::raised("InternalError", message);
                match Halt::of(failure, Span::default()) {
                    Halt::Thrown(thrown) => Err(thrown.error.to_json()),
                    _ => Err(serde_json::Value::Null),
                }
            }
        }
    }

    pub(super) fn state(&self) -> Arc<RunState> {
        RunState::new(Arc::clone(&self.linked), &self.setup)
    }
}

/// Returns the names of the tools that examples define for themselves.
fn local_tools(documents: &Documents) -> impl Iterator<Item = &str> {
    let examples = documents.iter().flat_map(|(_, document)| &document.examples);
    let definitions = examples.flat_map(|it| it.program.definitions());
    definitions.filter(|it| it.kind.keyword() == "tool").map(|it| it.name.text.as_str())
}
