//! The state of one run: its limits, its counters and its records.

use std::fmt;
use std::sync::atomic::{AtomicUsize, Ordering};

use std::sync::{Arc, Mutex, MutexGuard};
use std::task::Poll;
use std::time::Duration;
use unpoisoned::lock;

use dialect::{Caller, Failure, FailureKind, GivenArgument, Interrupt, Limit, Limits, Object, Value};
use source_text::Span;

use super::fixtures::Fixtures;
use super::halt::{Halt, Run};
use super::host::{Gate, Host, PermissionRequest, Provider, Refusal};
use super::linked::Linked;
use super::monitor::{CapabilityAction, Event, Monitor};
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

/// The state of one run.
pub(super) struct RunState {
    pub(super) linked: Arc<Linked>,
    pub(super) settings: RuntimeSettings,
    pub(super) host: Arc<dyn Host>,
    pub(super) limits: Limits,
    pub(super) providers: Vec<Arc<dyn Provider>>,
    pub(super) fixtures: Option<Fixtures>,
    gate: Option<Arc<dyn Gate>>,
    pub(super) monitor: Option<Monitor>,
    /// The tries before the calls of this run.
    pub(super) retry_from: Tries,
    started: f64,
    depth: AtomicUsize,
    nesting: AtomicUsize,
    ticks: AtomicUsize,
    records: Mutex<Records>,
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
    /// The scopes that functions use. While they are here, dropping a function drops nothing else: a chain of functions
    /// that use each other may be longer than the stack.
    scopes: Vec<Arc<Scope>>,
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
        Self::after(linked, setup, Tries::default())
    }

    /// Makes the state of a run whose calls have been tried before.
    pub(super) fn after(linked: Arc<Linked>, setup: &RuntimeSetup, retry_from: Tries) -> Arc<Self> {
        let RuntimeSetup { settings, host, providers, fixtures, gate, monitor, .. } = setup.clone();
        let limits = Limits { steps: settings.steps, ..Limits::default() };
        let started = host.now();
        let state = Self {
            linked,
            settings,
            host,
            limits,
            providers,
            fixtures,
            gate,
            monitor,
            retry_from,
            started,
            depth: AtomicUsize::new(0),
            nesting: AtomicUsize::new(0),
            ticks: AtomicUsize::new(0),
            records: Mutex::default(),
        };
        Arc::new(state)
    }

    /// Calls a tool.
    pub(super) async fn call(
        &self,
        caller: &Caller,
        tool: &str,
        arguments: Vec<GivenArgument>,
    ) -> Result<Value, Interrupt> {
        let result = caller.call(tool, arguments).await;
        if let (Err(Interrupt::Failure(failure)), Some(monitor)) = (&result, &self.monitor)
            && is_refused(failure)
            && self.linked.tools.contains_key(tool)
        {
            monitor.refused(tool);
        }
        result
    }

    pub(super) fn now(&self) -> f64 {
        self.host.now()
    }

    /// Enters a call.
    pub(super) fn deeper(&self) -> Run<Level<'_>> {
        self.level(&self.depth, 1, self.settings.depth)
    }

    /// Enters a block, or an expression of so many levels.
    pub(super) fn nested(&self, levels: usize) -> Run<Level<'_>> {
        self.level(&self.nesting, levels, DEEPEST_NESTING)
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
        if self.ticks.fetch_add(1, Ordering::Relaxed) % BREATH != BREATH - 1 {
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
        let most = self.settings.time.as_secs_f64();
        let records = self.lock();
        if self.now() - self.started - records.decided <= most && records.waited <= most {
            return Ok(());
        }
        Err(Halt::over_limit(span, format!("the program takes longer than {most} seconds")))
    }

    /// Waits, within the time of the run.
    pub(super) async fn wait(&self, seconds: f64, span: Span) -> Run<()> {
        self.lock().waited += seconds.max(0.0);
        self.check_time(span)?;
        self.host.sleep(duration(seconds)).await;
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
        if let Some(fixtures) = self.fixtures.as_ref().filter(|it| it.has(PROMPT)) {
            let listed = options.into_iter().map(Value::from).collect::<Vec<_>>();
            let arguments = Object::from_iter([
                ("question".to_owned(), question.into()),
                ("options".to_owned(), Value::List(listed.into())),
            ]);
            return fixtures.call(PROMPT, &arguments).map_err(|it| Halt::of_interrupt(it, span));
        }
        match self.decision(|| self.host.ask(question, &options)).await {
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
        lock(&self.records)
    }

    /// Checks the permissions of a call.
    pub(super) async fn permit(&self, request: PermissionRequest) -> Result<(), Failure> {
        if request.requires.is_empty() {
            return Ok(());
        }
        let decision = match (self.settings.capabilities, &self.gate) {
            (CapabilityMode::Strict, Some(gate)) => self.decision(|| gate.permits(request.clone())).await,
            (CapabilityMode::Strict, None) => Err(Refusal::default()),
            (CapabilityMode::Permissive, _) => self.unasked(&request, "it is granted to all"),
            (CapabilityMode::Audit, _) => self.unasked(&request, "permissions are not checked"),
        };
        let action = match (self.settings.capabilities, decision.is_ok()) {
            (_, false) => CapabilityAction::Denied,
            (CapabilityMode::Audit, true) => CapabilityAction::Unchecked,
            (_, true) => CapabilityAction::Granted,
        };
        for requirement in &request.requires {
            self.record(|| Event::Capability {
                tool: request.tool.clone(),
                capability: requirement.capability.clone(),
                action,
            });
        }
        decision.map_err(|refusal| denied(&request, refusal))
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

    pub(super) fn record(&self, event: impl FnOnce() -> Event) {
        if let Some(monitor) = &self.monitor {
            monitor.record(event());
        }
    }
}

impl fmt::Debug for RunState {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("RunState").field("settings", &self.settings).finish_non_exhaustive()
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
