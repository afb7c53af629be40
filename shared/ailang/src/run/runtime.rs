//! A runtime: documents, and what their programs reach.

use std::sync::Arc;

use dialect::{GivenArgument, Interrupt, Invocation, Notes, Object, Registry, Value, Work};

use super::errors::{ErrorContext, ErrorHandler};
use super::linked::Linked;
use super::monitor::Monitor;
use super::recovery::{recover, recovery};
use super::settings::{RuntimeSettings, ValidationMode};
use super::setup::RuntimeSetup;
use super::state::{Ending, PROMPT, RunState};
use crate::capability::Capability;
use crate::documents::Documents;
use crate::throwable::Bindings;
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
        recovery(&self.linked, &self.errors, error, &known)
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
        let state = self.state();
        let _ending = Ending(Arc::clone(&state));
        let (work, notes) = (Work::new(&state.limits), Notes::default());
        let (error, call) = (error.into(), Some(context.into_call()));
        let result = recover(&state, &self.errors, &error, call, (&work, &notes)).await;
        result.map(|it| it.to_json()).map_err(|it| it.to_json())
    }

    /// Calls a tool with named arguments.
    ///
    /// # Errors
    /// The JSON of the error: see [`Interface::thrown`](crate::Interface::thrown).
    pub async fn call(&self, tool: &str, params: Object) -> Result<serde_json::Value, serde_json::Value> {
        let state = self.state();
        let _ending = Ending(Arc::clone(&state));
        let (work, notes) = (Work::new(&state.limits), Notes::default());
        let given = params.into_iter().map(|(name, value)| GivenArgument { name: Some(name), value });
        let result = state.called(tool, given.collect(), (&work, &notes)).await;
        result.map(|it| it.to_json()).map_err(|it| it.to_json())
    }

    /// Calls a tool for a program of Dialect around this runtime, which shares its work and its notes, in other
    /// surroundings than those of the runtime. What bodies print and log becomes a note. The result has no types of the
    /// documents, which programs know by other names.
    ///
    /// # Errors
    /// The failure of the tool, in the words of its declaration and without a place, or a limit of the program.
    pub async fn call_in(
        &self,
        tool: &str,
        setup: &RuntimeSetup,
        invocation: Invocation,
    ) -> Result<Value, Interrupt> {
        let state = RunState::new(Arc::clone(&self.linked), setup);
        let _ending = Ending(Arc::clone(&state));
        let Invocation { arguments, notes, work, .. } = invocation;
        let given = arguments
            .0
            .iter()
            .map(|(name, value)| GivenArgument { name: Some(name.clone()), value: value.plain() });
        let result = state.call(&state.caller(&work, &notes), tool, given.collect()).await;
        let records = state.take_records();
        let lines = records.output.lines().chain(records.log.iter().map(String::as_str));
        if lines.clone().next().is_some() {
            notes.add_lines(format!("`{tool}` says:"), lines);
        }
        result.map(|value| value.plain())
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
