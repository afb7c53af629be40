//! The state of one run: its limits, its counters and its records.

use std::fmt;
use std::panic::AssertUnwindSafe;
use std::sync::atomic::{AtomicUsize, Ordering};

use std::sync::{Arc, Mutex, MutexGuard};
use std::task::Poll;
use std::time::Duration;
use unpoisoned::lock;

use dialect::{
    Caller, Failure, FailureKind, GivenArgument, Interrupt, Limit, Limits, Notes, Object, Value, Work,
};
use futures::FutureExt;
use source_text::Span;

use super::halt::{Halt, Run, error_of};
use super::host::{PermissionRequest, Refusal};
use super::linked::Linked;
use super::modules::RunModules;
use super::monitor::{CapabilityAction, Event};
use super::retry::Tries;
use super::scope::Scope;
use super::settings::{CapabilityMode, RuntimeSettings};
use super::setup::RuntimeSetup;

/// The evaluated expressions inside of each other, over all calls. The stack grows with them.
const DEEPEST_NESTING: usize = 2_000;

/// The steps after which other tasks get a turn.
const BREATH: usize = 4_096;

/// The most bytes that a program prints.
const LONGEST_OUTPUT: usize = 1 << 20;

/// The most calls that a trace shows, and lines that a log keeps.
const LONGEST_TRACE: usize = 8;
const LONGEST_LOG: usize = 1_000;

/// The built-in function that asks the user.
pub(super) const PROMPT: &str = "promptUser";

/// The state of one run, or of a runtime that its program made.
pub(super) struct RunState {
    pub(super) linked: Arc<Linked>,
    pub(super) setup: RuntimeSetup,
    pub(super) limits: Limits,
    /// The tries before the calls of this run.
    pub(super) retry_from: Tries,
    /// The run whose program made this runtime.
    outer: Option<Arc<RunState>>,
    shared: Arc<Shared>,
}

/// The counters and the records of a run, which the runtimes that its program makes share.
struct Shared {
    started: f64,
    depth: AtomicUsize,
    nesting: AtomicUsize,
    ticks: AtomicUsize,
    records: Mutex<Records>,
    /// The code of the built-in modules.
    modules: Option<Arc<dyn RunModules>>,
}

/// The records of a run.
#[derive(Debug, Default)]
pub(super) struct Records {
    pub(super) output: String,
    pub(super) log: Vec<String>,
    /// The bodies that the last error went through, the innermost first.
    pub(super) trace: Vec<TraceEntry>,
    /// The seconds that the program asked to wait.
    waited: f64,
    /// The seconds that it waited for the user.
    decided: f64,
    /// The call that failed last, so that a handler of errors can repeat it.
    failed: Option<FailedCall>,
    /// The scopes that functions use. While they are here, dropping a function drops nothing else: a chain of functions
    /// that use each other may be longer than the stack.
    scopes: Vec<Arc<Scope>>,
}

/// A call that failed.
#[derive(Clone, Debug)]
pub(super) struct FailedCall {
    pub(super) tool: String,
    pub(super) arguments: Vec<GivenArgument>,
    /// The error as a value.
    pub(super) error: Value,
}

/// A body that an error went through.
#[derive(Clone, Debug)]
pub(super) struct TraceEntry {
    pub(super) tool: String,
    pub(super) span: Option<Span>,
}

/// A run, whose functions end with it.
pub(super) struct Ending(pub(super) Arc<RunState>);

impl Drop for Ending {
    fn drop(&mut self) {
        self.0.release();
    }
}

/// Levels of calls or of nesting, until they are dropped.
pub(super) struct Level<'a>(&'a AtomicUsize, usize);

impl Drop for Level<'_> {
    fn drop(&mut self) {
        self.0.fetch_sub(self.1, Ordering::Relaxed);
    }
}

impl RunState {
    pub(super) fn new(linked: Arc<Linked>, setup: &RuntimeSetup) -> Arc<Self> {
        let limits = Limits { steps: setup.settings.steps, ..Limits::default() };
        let shared = Shared {
            started: setup.host.now(),
            depth: AtomicUsize::new(0),
            nesting: AtomicUsize::new(0),
            ticks: AtomicUsize::new(0),
            records: Mutex::default(),
            modules: setup.modules.as_ref().map(|it| it.begin()),
        };
        let (setup, shared) = (setup.clone(), Arc::new(shared));
        Arc::new(Self { linked, setup, limits, retry_from: Tries::default(), outer: None, shared })
    }

    /// Makes the state of a runtime that the program of this run made. It has the limits and the records of the run.
    pub(super) fn inside(self: &Arc<Self>, linked: Arc<Linked>, setup: RuntimeSetup) -> Arc<Self> {
        let (limits, shared) = (self.limits, Arc::clone(&self.shared));
        let outer = Some(Arc::clone(self));
        Arc::new(Self { linked, setup, limits, retry_from: Tries::default(), outer, shared })
    }

    /// Returns the same state, for a call that was tried before.
    pub(super) fn retrying(&self, retry_from: Tries) -> Arc<Self> {
        let (linked, setup) = (Arc::clone(&self.linked), self.setup.clone());
        let (outer, shared) = (self.outer.clone(), Arc::clone(&self.shared));
        Arc::new(Self { linked, setup, limits: self.limits, retry_from, outer, shared })
    }

    /// Returns the code of the built-in modules, if this run has any.
    pub(super) fn modules(&self) -> Option<&Arc<dyn RunModules>> {
        self.shared.modules.as_ref()
    }

    /// Returns the settings.
    pub(super) fn settings(&self) -> &RuntimeSettings {
        &self.setup.settings
    }

    /// Calls a tool.
    pub(super) async fn call(
        &self,
        caller: &Caller,
        tool: &str,
        arguments: Vec<GivenArgument>,
    ) -> Result<Value, Interrupt> {
        let result = caller.call(tool, arguments).await;
        if let (Err(Interrupt::Failure(failure)), Some(monitor)) = (&result, &self.setup.monitor)
            && is_refused(failure)
            && self.linked.tools.contains_key(tool)
        {
            monitor.refused(tool);
        }
        result
    }

    /// Calls a tool, and returns its value or its error.
    pub(super) async fn called(
        self: &Arc<Self>,
        tool: &str,
        given: Vec<GivenArgument>,
        (work, notes): (&Work, &Notes),
    ) -> Result<Value, Value> {
        let result = self.call(&self.caller(work, notes), tool, given).await;
        result.map_err(|interrupt| match Halt::of_interrupt(interrupt, Span::default()) {
            Halt::Thrown(thrown) => thrown.error,
            halt => {
                let message = dialect::diagnostic(&halt.into_failure()).message;
                error_of(&Failure::raised("InternalError", message))
            }
        })
    }

    pub(super) fn now(&self) -> f64 {
        self.setup.host.now()
    }

    /// Enters a call.
    pub(super) fn deeper(&self) -> Run<Level<'_>> {
        self.level(&self.shared.depth, 1, self.setup.settings.depth)
    }

    /// Enters a block, or an expression of so many levels.
    pub(super) fn nested(&self, levels: usize) -> Run<Level<'_>> {
        self.level(&self.shared.nesting, levels, DEEPEST_NESTING)
    }

    fn level<'a>(&self, counter: &'a AtomicUsize, levels: usize, most: usize) -> Run<Level<'a>> {
        let before = counter.fetch_add(levels, Ordering::Relaxed);
        let level = Level(counter, levels);
        if before < most {
            return Ok(level);
        }
        let kind = FailureKind::LimitReached { limit: Limit::Depth, at_most: most };
        Err(Halt::Fatal(Box::new(kind.into())))
    }

    /// Lets other tasks run from time to time, and ends a program whose time is over.
    pub(super) async fn breathe(&self, span: Span) -> Run<()> {
        if self.shared.ticks.fetch_add(1, Ordering::Relaxed) % BREATH != BREATH - 1 {
            return Ok(());
        }
        let mut is_back = false;
        std::future::poll_fn(|context| {
            if is_back {
                return Poll::Ready(());
            }
            is_back = true;
            context.waker().wake_by_ref();
            Poll::Pending
        })
        .await;
        self.check_time(span)
    }

    fn check_time(&self, span: Span) -> Run<()> {
        let most = self.setup.settings.time.as_secs_f64();
        let records = self.lock();
        if self.now() - self.shared.started - records.decided <= most && records.waited <= most {
            return Ok(());
        }
        Err(Halt::over_limit(span, format!("the program takes longer than {most} seconds")))
    }

    /// Waits, within the time of the run.
    pub(super) async fn wait(&self, seconds: f64, span: Span) -> Run<()> {
        self.lock().waited += seconds.max(0.0);
        self.check_time(span)?;
        self.setup.host.sleep(duration(seconds)).await;
        self.check_time(span)
    }

    /// Waits for the user. That takes none of the time of the run.
    async fn decision<T, F: Future<Output = T>>(&self, ask: impl FnOnce() -> F) -> T {
        let begun = self.now();
        let answer = ask().await;
        let taken = (self.now() - begun).max(0.0);
        self.lock().decided += taken;
        answer
    }

    /// Asks the user, or takes the answer of a fixture. Returns the chosen option, or null.
    pub(super) async fn ask(&self, question: &str, options: Vec<String>, span: Span) -> Run {
        if let Some(fixtures) = self.setup.fixtures.as_ref().filter(|it| it.has(PROMPT)) {
            let listed = options.into_iter().map(Value::from).collect::<Vec<_>>();
            let arguments = Object::from_iter([
                ("question".to_owned(), question.into()),
                ("options".to_owned(), Value::List(listed.into())),
            ]);
            return fixtures.call(PROMPT, &arguments).map_err(|it| Halt::of_interrupt(it, span));
        }
        match self.decision(|| self.setup.host.ask(question, &options)).await {
            Ok(answer) => Ok(answer.map_or(Value::Null, Value::from)),
            Err(reason) => Err(Halt::mistake(span, format!("`{PROMPT}` has no answer: {reason}"))),
        }
    }

    /// Adds a line to the output.
    pub(super) fn print(&self, line: &str, span: Span) -> Run<()> {
        let mut records = self.lock();
        if records.output.len() + line.len() >= LONGEST_OUTPUT {
            let message = format!("the program prints more than {LONGEST_OUTPUT} bytes");
            return Err(Halt::over_limit(span, message));
        }
        records.output.push_str(line);
        records.output.push('\n');
        Ok(())
    }

    pub(super) fn log(&self, line: String) {
        let mut records = self.lock();
        if records.log.len() < LONGEST_LOG {
            records.log.push(line);
        }
    }

    /// Records that an error went through a body.
    pub(super) fn trace(&self, tool: &str, span: Option<Span>) {
        let mut records = self.lock();
        if records.trace.len() < LONGEST_TRACE {
            records.trace.push(TraceEntry { tool: tool.to_owned(), span });
        }
    }

    pub(super) fn forget_trace(&self) {
        self.lock().trace.clear();
    }

    /// Keeps a scope that a function uses until the end.
    pub(super) fn keep(&self, scope: &Arc<Scope>) {
        let mut records = self.lock();
        if records.scopes.last().is_none_or(|last| !Arc::ptr_eq(last, scope)) {
            records.scopes.push(Arc::clone(scope));
        }
    }

    /// Drops the variables that functions use. They would live forever where such a function is one of them.
    fn release(&self) {
        let scopes = std::mem::take(&mut self.lock().scopes);
        // All are taken before the first is dropped, so that none is dropped inside of another one.
        let variables: Vec<_> = scopes.iter().map(|scope| scope.take()).collect();
        drop(variables);
    }

    /// Takes the records of the run.
    pub(super) fn take_records(&self) -> Records {
        let mut records = self.lock();
        let scopes = std::mem::take(&mut records.scopes);
        std::mem::replace(&mut *records, Records { scopes, ..Records::default() })
    }

    pub(super) fn lock(&self) -> MutexGuard<'_, Records> {
        lock(&self.shared.records)
    }

    /// Checks the permissions of a call.
    pub(super) async fn permit(&self, request: PermissionRequest) -> Result<(), Failure> {
        self.permits(&request).await.map_err(|refusal| denied(&request, refusal))
    }

    /// Decides about the permissions of a call.
    pub(super) async fn permits(&self, request: &PermissionRequest) -> Result<(), Refusal> {
        if request.requires.is_empty() {
            return Ok(());
        }
        let decision = match (self.setup.settings.capabilities, &self.setup.gate) {
            (CapabilityMode::Strict, Some(gate)) => self.decision(|| gate.permits(request.clone())).await,
            (CapabilityMode::Strict, None) => Err(Refusal::default()),
            (CapabilityMode::Permissive, _) => self.unasked(request, "it is granted to all"),
            (CapabilityMode::Audit, _) => self.unasked(request, "permissions are not checked"),
        };
        let action = match (self.setup.settings.capabilities, decision.is_ok()) {
            (_, false) => CapabilityAction::Denied,
            (CapabilityMode::Audit, true) => CapabilityAction::Unchecked,
            (_, true) => CapabilityAction::Granted,
        };
        if self.is_watched() {
            for requirement in &request.requires {
                let (tool, capability) = (request.tool.clone(), requirement.capability.clone());
                self.record(Event::Capability { tool, capability, action }).await;
            }
        }
        decision
    }

    /// Logs that nobody was asked, once for each tool.
    fn unasked(&self, request: &PermissionRequest, why: &str) -> Result<(), Refusal> {
        let line = format!("`{}` uses {}: {why}", request.tool, names(request));
        let is_known = self.lock().log.contains(&line);
        if !is_known {
            self.log(line);
        }
        Ok(())
    }

    /// Counts an event here and in the run around it, and tells the nearest observer.
    pub(super) async fn record(&self, event: Event) {
        let mut states = std::iter::successors(Some(self), |it| it.outer.as_deref());
        states.clone().filter_map(|it| it.setup.monitor.as_ref()).for_each(|it| it.record(&event));
        let Some(observer) = states.find_map(|it| it.setup.observer.as_ref()) else { return };
        if AssertUnwindSafe(observer.observe(event)).catch_unwind().await.is_err() {
            self.log("an observer of calls panicked".to_owned());
        }
    }

    /// Returns `true` if somebody counts or observes events.
    pub(super) fn is_watched(&self) -> bool {
        let mut states = std::iter::successors(Some(self), |it| it.outer.as_deref());
        states.any(|it| it.setup.monitor.is_some() || it.setup.observer.is_some())
    }

    /// Keeps the call that failed last.
    pub(super) fn keep_failed(&self, call: FailedCall) {
        self.lock().failed = Some(call);
    }

    /// Returns the call that failed last, if it failed with that error.
    pub(super) fn failed_with(&self, error: &Value) -> Option<FailedCall> {
        self.lock().failed.clone().filter(|it| it.error.equals(error))
    }
}

impl fmt::Debug for RunState {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("RunState").field("setup", &self.setup).finish_non_exhaustive()
    }
}

/// Returns the names of the permissions that are needed.
fn names(request: &PermissionRequest) -> String {
    let names: Vec<&str> = request.requires.iter().map(|it| it.capability.as_str()).collect();
    names.join(", ")
}

fn denied(request: &PermissionRequest, refusal: Refusal) -> Failure {
    let names = names(request);
    let or = |text: String, other: String| if text.is_empty() { other } else { text };
    let reason = or(refusal.reason, format!("nobody granted {names}"));
    let message = format!("`{}` is not permitted: {reason}", request.tool);
    let carries = Object::from_iter([("capability".to_owned(), names.as_str().into())]);
    let recovery = or(refusal.recovery, "Go on without it, or say what it is for.".to_owned());
    let advice = dialect::Advice { recovery: Some(recovery), ..dialect::Advice::default() };
    FailureKind::Raised { name: "CapabilityDeniedError".to_owned(), message, carries, advice }.into()
}

/// Returns a time to wait; the longest one for what is no time.
fn duration(seconds: f64) -> Duration {
    Duration::try_from_secs_f64(seconds.max(0.0)).unwrap_or(Duration::MAX)
}

/// Returns `true` if a call failed before it reached the tool.
fn is_refused(failure: &Failure) -> bool {
    matches!(
        &*failure.kind,
        FailureKind::WrongType { .. }
            | FailureKind::BrokenRefinement { .. }
            | FailureKind::NothingGiven { .. }
            | FailureKind::MissingArguments { .. }
            | FailureKind::UnknownArgument { .. }
            | FailureKind::RepeatedArgument { .. }
            | FailureKind::TooManyArguments { .. }
    )
}
