//! The task that owns the process and the session of a plugin.

use std::collections::HashMap;
use std::panic::AssertUnwindSafe;
use std::sync::Arc;

use futures::FutureExt;
use plugin_protocol::Value;
use plugin_protocol::connection::{Answer, CallError, CallId, HostEvent, Ticket};
use plugin_protocol::envelope::Broken;
use plugin_protocol::methods::{Arguments, HostCall, Level, LogRecord};
use plugin_protocol::schema::Description;
use plugin_protocol::session::{End, NotStarted, Session, SessionEvent, Time};
use tokio::sync::{mpsc, oneshot, watch};
use tokio::task::{AbortHandle, JoinSet};
use tokio::time::{Instant, sleep_until};

use crate::plugins::callbacks::Callbacks;
use crate::plugins::lives::ending;
use crate::plugins::process::{Happening, Process};
use crate::plugins::{Launch, SkippedLines};

/// The lines without a message that one life warns of. Further ones are only of interest for debugging.
const WARNINGS: u64 = 10;

/// The time that calls wait for a plugin to start again after a crash. After further crashes they fail instead.
const PATIENCE: Time = Time::from_secs(2);

/// A command of a handle.
#[derive(Debug)]
pub(super) enum Command {
    Call(Box<Request>),
    /// The future of the call with this token was dropped.
    GiveUp(u64),
    Shutdown(oneshot::Sender<End>),
}

/// A call that a handle wants to be made.
#[derive(Debug)]
pub(super) struct Request {
    pub(super) token: u64,
    pub(super) call: HostCall,
    pub(super) callbacks: Callbacks,
    /// The life that the call's object belongs to.
    pub(super) generation: Option<u64>,
    pub(super) reply: oneshot::Sender<Result<Done, CallError>>,
}

/// The result of a call, and the life that gave it.
#[derive(Debug)]
pub(super) struct Done {
    pub(super) answer: Answer,
    pub(super) generation: u64,
}

/// The answer to the start: the first one counts.
type Started = Option<oneshot::Sender<Result<(), CallError>>>;

/// The things that handles know of the plugin.
#[derive(Debug)]
pub(super) struct StateSenders {
    pub(super) description: watch::Sender<Arc<Description>>,
    pub(super) generation: watch::Sender<u64>,
    pub(super) skipped: watch::Sender<SkippedLines>,
}

#[derive(Debug)]
pub(super) struct Actor {
    launch: Launch,
    session: Session,
    process: Option<Process>,
    commands: mpsc::UnboundedReceiver<Command>,
    state: StateSenders,
    /// The moment that the session's times count from.
    epoch: Instant,
    /// The calls that were sent.
    pending: HashMap<CallId, Request>,
    /// The calls that wait for the plugin to be ready.
    waiting: Vec<Request>,
    /// The time at which the plugin starts again for the calls that wait.
    restart: Option<Time>,
    callbacks: JoinSet<(Option<Ticket>, Result<Value, String>)>,
    running: HashMap<Ticket, AbortHandle>,
    started: Started,
    shutdowns: Vec<oneshot::Sender<End>>,
    /// True after the last handle is gone or a shutdown was asked for: then no other life starts.
    is_last_life: bool,
}

impl Actor {
    pub(super) fn new(
        launch: Launch,
        commands: mpsc::UnboundedReceiver<Command>,
        state: StateSenders,
    ) -> Self {
        Self {
            session: Session::new(launch.settings.clone()),
            launch,
            process: None,
            commands,
            state,
            epoch: Instant::now(),
            pending: HashMap::new(),
            waiting: Vec::new(),
            restart: None,
            callbacks: JoinSet::new(),
            running: HashMap::new(),
            started: None,
            shutdowns: Vec::new(),
            is_last_life: false,
        }
    }

    pub(super) async fn run(mut self, started: oneshot::Sender<Result<(), CallError>>) {
        self.started = Some(started);
        if let Err(error) = self.start_life() {
            self.fail_start(error);
        }
        self.pump();
        while self.process.is_some() || !self.is_last_life {
            let deadline = self.session.deadline().map(|it| self.epoch + it);
            let restart = self.restart.map(|it| self.epoch + it);
            let may_be_told = !self.is_last_life || !self.commands.is_closed();
            tokio::select! {
                // What was written before a call is no answer to it.
                biased;
                happening = next_of(&mut self.process) => self.happening(happening),
                () = ending(), if !self.is_last_life => self.stop(),
                command = self.commands.recv(), if may_be_told => self.command(command),
                Some(ended) = self.callbacks.join_next() => self.callback_ended(ended.ok()),
                () = sleep_until(deadline.unwrap_or_else(Instant::now)), if deadline.is_some() => {
                    let now = self.now();
                    self.session.tick(now);
                }
                () = sleep_until(restart.unwrap_or_else(Instant::now)), if restart.is_some() => self.restart(),
            }
            self.pump();
        }
    }

    /// Returns the name of the plugin's library, for records.
    fn name(&self) -> String {
        self.state.description.borrow().library.name.clone()
    }

    fn now(&self) -> Time {
        self.epoch.elapsed()
    }

    /// Starts a life of the plugin, unless it ended too recently.
    fn start_life(&mut self) -> Result<(), CallError> {
        let now = self.now();
        match self.session.start(now) {
            Ok(()) => {}
            Err(NotStarted::Running) => return Ok(()),
            Err(NotStarted::Wait { until }) => {
                let end = self.session.end().map(ToString::to_string).unwrap_or_default();
                let seconds = until.saturating_sub(now).as_secs_f64();
                return Err(CallError::Closed(format!("{end}; it may start again in {seconds:.1} s")));
            }
        }
        match Process::spawn(&self.launch) {
            Ok(process) => {
                self.process = Some(process);
                Ok(())
            }
            Err(error) => {
                self.session.exited(&format!("not started: {error}"), now);
                let program = self.launch.program.display();
                Err(CallError::Closed(format!("{program} does not start: {error}")))
            }
        }
    }

    /// Starts the next life, for which calls have waited.
    fn restart(&mut self) {
        self.restart = None;
        if let Err(error) = self.start_life() {
            self.refused(&error.to_string());
        }
    }

    fn fail_start(&mut self, error: CallError) {
        self.is_last_life |= self.started.is_some();
        self.started.take().map(|it| it.send(Err(error)));
    }

    fn command(&mut self, command: Option<Command>) {
        match command {
            Some(Command::Call(request)) => self.call(*request),
            Some(Command::GiveUp(token)) => self.give_up(token),
            Some(Command::Shutdown(reply)) => {
                self.shutdowns.push(reply);
                self.commands.close();
                self.stop();
            }
            None => self.stop(),
        }
    }

    fn stop(&mut self) {
        self.is_last_life = true;
        let now = self.now();
        self.session.shutdown(now);
    }

    fn call(&mut self, request: Request) {
        let is_stale = request.generation.map(|it| self.session.check_generation(it));
        if let Some(Err(error)) = is_stale {
            let _ = request.reply.send(Err(error));
            return;
        }
        let now = self.now();
        let later = self.session.restart_at().filter(|it| now < *it && self.process.is_none());
        if let Some(until) = later.filter(|it| it.saturating_sub(now) <= PATIENCE) {
            self.restart = Some(until);
            self.waiting.push(request);
            return;
        }
        if self.process.is_none()
            && let Err(error) = self.start_life()
        {
            let _ = request.reply.send(Err(error));
            return;
        }
        if self.session.description().is_none() && !self.is_last_life {
            self.waiting.push(request);
            return;
        }
        match self.session.call(&request.call) {
            Ok(id) => drop(self.pending.insert(id, request)),
            Err(error) => drop(request.reply.send(Err(error))),
        }
    }

    fn give_up(&mut self, token: u64) {
        self.waiting.retain(|it| it.token != token);
        let given_up = self.pending.iter().find(|it| it.1.token == token).map(|it| *it.0);
        if let Some(id) = given_up {
            self.pending.remove(&id);
            let now = self.now();
            self.session.give_up(id, now);
        }
    }

    fn happening(&mut self, happening: Happening) {
        let now = self.now();
        match happening {
            Happening::Output(bytes) => self.session.receive(&bytes, now),
            Happening::OutputEnded => self.session.output_ended(now),
            Happening::Exited(status) => self.session.exited(&status, now),
        }
    }

    fn callback_ended(&mut self, ended: Option<(Option<Ticket>, Result<Value, String>)>) {
        let Some((Some(ticket), outcome)) = ended else { return };
        self.running.remove(&ticket);
        self.session.answer_callback(ticket, outcome.as_ref().map_err(String::as_str));
    }

    /// Writes what there is to write, and acts on what there is to act on.
    fn pump(&mut self) {
        loop {
            let output = self.session.take_output();
            if let Some(process) = &mut self.process {
                process.write(output);
            }
            let Some(event) = self.session.next_event() else { return };
            self.event(event);
        }
    }

    fn event(&mut self, event: SessionEvent) {
        match event {
            SessionEvent::Ready => self.ready(),
            SessionEvent::Refused(reason) => self.refused(&reason),
            SessionEvent::Connection(event) => self.connection_event(event),
            SessionEvent::CloseInput => self.process.iter_mut().for_each(Process::close_input),
            SessionEvent::Kill => self.process.iter_mut().for_each(Process::kill),
            SessionEvent::Ended(end) => self.ended(&end),
        }
    }

    fn ready(&mut self) {
        if let Some(description) = self.session.description() {
            for warning in &description.warnings {
                tracing::warn!(plugin = description.library.name, "{warning}");
            }
            self.state.description.send_replace(Arc::new(description.clone()));
            self.state.generation.send_replace(self.session.generation());
        }
        self.started.take().map(|it| it.send(Ok(())));
        std::mem::take(&mut self.waiting).into_iter().for_each(|it| self.call(it));
    }

    fn refused(&mut self, reason: &str) {
        self.fail_start(CallError::Closed(reason.to_owned()));
        for request in std::mem::take(&mut self.waiting) {
            let _ = request.reply.send(Err(CallError::Closed(reason.to_owned())));
        }
    }

    fn ended(&mut self, end: &End) {
        self.process = None;
        self.refused(&end.to_string());
        for reply in std::mem::take(&mut self.shutdowns) {
            let _ = reply.send(end.clone());
        }
    }

    fn connection_event(&mut self, event: HostEvent) {
        match event {
            HostEvent::Answer { call, outcome } => {
                if let Some(request) = self.pending.remove(&call) {
                    let generation = self.session.generation();
                    let _ = request.reply.send(outcome.map(|answer| Done { answer, generation }));
                }
            }
            HostEvent::Callback { ticket, outer, id, arguments } => {
                self.run_callback(ticket, outer, &id, arguments);
            }
            HostEvent::CallbackEnded(ticket) => drop(self.running.remove(&ticket).map(|it| it.abort())),
            HostEvent::Log(record) => log(&self.name(), &record),
            HostEvent::Skipped(it) => self.skipped(&it),
            HostEvent::Closed(reason) => tracing::debug!(plugin = self.name(), "{reason}"),
        }
    }

    /// Warns of a line that was no message, and keeps it for the calls that wait.
    fn skipped(&self, it: &Broken) {
        self.state.skipped.send_modify(|all| {
            all.count += 1;
            all.last.clone_from(&it.excerpt);
        });
        match self.session.host().counts().skipped {
            ..=WARNINGS => tracing::warn!(plugin = self.name(), "no message: {} ({})", it.excerpt, it.reason),
            _ => tracing::debug!(plugin = self.name(), "no message: {} ({})", it.excerpt, it.reason),
        }
    }

    fn run_callback(&mut self, ticket: Option<Ticket>, outer: CallId, id: &str, arguments: Arguments) {
        let Some(function) = self.pending.get(&outer).and_then(|it| it.callbacks.get(id)) else {
            if let Some(ticket) = ticket {
                self.session.answer_callback(ticket, Err(&format!("unknown callback {id}")));
            }
            return;
        };
        let run = async move { AssertUnwindSafe(function(arguments)).catch_unwind().await };
        let task =
            async move { (ticket, run.await.unwrap_or_else(|_| Err("panic in the callback".to_owned()))) };
        let handle = self.callbacks.spawn(task);
        self.running.extend(ticket.map(|it| (it, handle)));
    }
}

/// Waits for what happens to the process, for ever if there is none.
async fn next_of(process: &mut Option<Process>) -> Happening {
    match process {
        Some(process) => process.next().await,
        None => std::future::pending().await,
    }
}

fn log(plugin: &str, record: &LogRecord) {
    let LogRecord { level, message, args } = record;
    match level {
        Level::Trace => tracing::trace!(plugin, ?args, "{message}"),
        Level::Debug => tracing::debug!(plugin, ?args, "{message}"),
        Level::Info => tracing::info!(plugin, ?args, "{message}"),
        Level::Warn => tracing::warn!(plugin, ?args, "{message}"),
        Level::Error => tracing::error!(plugin, ?args, "{message}"),
    }
}
