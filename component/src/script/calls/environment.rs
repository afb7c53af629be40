//! The means of the calls of one program.

use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;

use ide_protocol::{SelectionResult, UnsavedText};
use tokio::sync::mpsc::UnboundedSender;
use tokio::time::Instant;

use super::outcomes::RESULT;
use crate::acp::upstream::{CallClient, ProgressStep, TimeLimits, Upstream};
use crate::call_metrics::Meter;
use crate::config::Form;
use crate::permission::{Caller, Gate, Waiting};
use crate::session::plugins::Loaded;
use crate::tool::interpret::RunContext;

/// The means of the calls of one program: the client, permissions and limits.
pub(crate) struct Environment {
    pub(crate) upstream: Arc<Upstream>,
    pub(crate) gate: Arc<Gate>,
    pub(crate) loaded: Arc<Loaded>,
    /// The call of the tool, whose program is that of the agent.
    pub(crate) caller: Caller,
    pub(crate) selected: Arc<SelectionResult>,
    /// The folders of the session.
    pub(crate) roots: Vec<PathBuf>,
    pub(crate) steps: UnboundedSender<ProgressStep>,
    pub(crate) patience: Duration,
    /// The time that one call may take.
    pub(crate) deadline: Duration,
    pub(crate) wait: Option<Duration>,
    pub(crate) read_only: bool,
    /// The measurements of its calls.
    pub(crate) meter: Meter,
}

impl Environment {
    /// Returns a client for one call, with a deadline of its own.
    pub(crate) fn client(&self) -> Arc<CallClient> {
        self.client_about(Vec::new())
    }

    /// Returns a client for one call about texts that are not on disk.
    pub(super) fn client_about(&self, texts: Vec<UnsavedText>) -> Arc<CallClient> {
        let Self { upstream, caller, selected, steps, deadline, wait, .. } = self;
        let limits = TimeLimits { deadline: Instant::now() + *deadline, wait: *wait };
        let (session, selected) = (caller.session.clone(), Arc::clone(selected));
        Arc::new(upstream.call_client(session, selected, limits, steps.clone()).about(texts))
    }

    /// Returns the environment of one call of Dialect.
    pub(super) fn context(&self, client: Arc<CallClient>) -> RunContext {
        let Environment { loaded, gate, steps, patience, deadline, meter, .. } = self;
        RunContext {
            client,
            extensions: Arc::clone(&loaded.extensions),
            objects: Arc::clone(&loaded.objects),
            is_part: true,
            missing: Vec::new(),
            gate: Arc::clone(gate),
            waiting: Waiting { steps: steps.clone(), patience: *patience },
            while_asking: None,
            deadline: *deadline,
            form: Form::Json,
            budget: RESULT,
            bindings: None,
            meter: meter.clone(),
        }
    }
}
