//! A runtime: documents, and what their programs reach.

use std::sync::Arc;

use dialect::{Failure, GivenArgument, Notes, Object, Registry, Work};
use source_text::Span;

use super::halt::Halt;
use super::linked::Linked;
use super::monitor::Monitor;
use super::settings::RuntimeSettings;
use super::setup::RuntimeSetup;
use super::state::{Ending, RunState};
use crate::documents::Documents;
use crate::throwable::Bindings;

/// Documents whose tools can be called, and whose examples can be run.
#[derive(Clone, Debug)]
pub struct Runtime {
    pub(super) linked: Arc<Linked>,
    pub(super) setup: RuntimeSetup,
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
        Ok(Self { linked: Arc::new(linked), setup })
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

    /// Returns the registry of all tools, bound to the surroundings, for programs of Dialect.
    pub fn registry(&self) -> Registry {
        self.state().into_bound()
    }

    /// Returns the advice of an error that the document knows, for its parameters; `None` if there is none.
    pub fn recovery(&self, error: &str, params: &serde_json::Value) -> Option<String> {
        let known = Bindings { params, now: Some(self.setup.host.now()) };
        self.linked.error(self.linked.home, error)?.recovery.as_ref().map(|it| it.filled(&known))
    }

    /// Calls a tool with named arguments.
    ///
    /// # Errors
    /// The JSON of the error: see [`Interface::thrown`](crate::Interface::thrown).
    pub async fn call(&self, tool: &str, params: Object) -> Result<serde_json::Value, serde_json::Value> {
        let state = self.state();
        let caller = state.caller(&Work::new(&state.limits), &Notes::default());
        let given =
            params.into_iter().map(|(name, value)| GivenArgument { name: Some(name), value }).collect();
        let _ending = Ending(Arc::clone(&state));
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
