//! The life of a plugin, seen from the host, as a state machine without IO. Time is passed in, as the time
//! since any fixed moment.
//!
//! A life goes from starting over ready to stopping, and ends. Then everything that is pending fails with the
//! reason, and a new life may start: after a crash with a delay. Objects belong to one life, since ids begin
//! anew.

mod restart;
mod settings;
#[cfg(test)]
mod tests;

use std::collections::VecDeque;
use std::time::Duration;

use thiserror::Error;

use crate::connection::{Answer, CallError, CallId, Host, HostEvent, Ticket};
use crate::methods::{Handshake, HostCall};
use crate::schema::Description;
use crate::session::restart::Crashes;
pub use crate::session::settings::Settings;
use crate::value::Value;

/// The time since a fixed moment.
pub type Time = Duration;

/// The reason for which a process of the plugin ended.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
pub enum End {
    /// The plugin was asked to end, and did. An error that it answered with is kept.
    #[error("the plugin was shut down")]
    Stopped(Option<String>),
    /// The plugin was not taken, for the reason in [`crate::schema::Refusal`].
    #[error("{0}")]
    Refused(String),
    /// The process ended by itself.
    #[error("{0}")]
    Crashed(String),
}

/// A reason why no process of the plugin is started.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Error)]
pub enum NotStarted {
    /// A process of the plugin runs already.
    #[error("the plugin is running")]
    Running,
    /// The last process ended too recently.
    #[error("the plugin starts again later")]
    Wait {
        /// The time from which on it may start.
        until: Time,
    },
}

/// An event for whoever runs the process, or calls the plugin.
#[derive(Debug)]
pub enum SessionEvent {
    /// The handshake was answered: calls may be made.
    Ready,
    /// The plugin is not taken. It is being ended.
    Refused(String),
    /// An event of the connection, but for those of the handshake and the shutdown.
    Connection(HostEvent),
    /// The input of the process has to be closed, after the output that is left.
    CloseInput,
    /// The process has to be killed, with all that it started.
    Kill,
    /// The life is over. All calls were answered before.
    Ended(End),
}

#[derive(Clone, Debug)]
enum State {
    Ended(Option<End>),
    Starting {
        call: CallId,
        until: Time,
    },
    Ready(Box<Description>),
    /// Asked to end.
    Stopping {
        call: CallId,
        until: Time,
        end: End,
    },
    /// The input is closed.
    Draining {
        until: Time,
        end: End,
    },
    Killed {
        end: End,
    },
}

/// The host's side of a plugin over all its lives.
#[derive(Debug)]
pub struct Session {
    settings: Settings,
    host: Host,
    state: State,
    generation: u64,
    started: Time,
    restart_at: Option<Time>,
    crashes: Crashes,
    events: VecDeque<SessionEvent>,
}

impl Session {
    /// Creates a session that has not started.
    pub fn new(settings: Settings) -> Self {
        Self {
            host: Host::new(settings.limits),
            settings,
            state: State::Ended(None),
            generation: 0,
            started: Time::ZERO,
            restart_at: None,
            crashes: Crashes::default(),
            events: VecDeque::new(),
        }
    }

    /// Starts a life, whose process is about to be spawned. The handshake is the first output.
    pub fn start(&mut self, now: Time) -> Result<(), NotStarted> {
        if !matches!(self.state, State::Ended(_)) {
            return Err(NotStarted::Running);
        }
        if let Some(until) = self.restart_at.filter(|it| now < *it) {
            return Err(NotStarted::Wait { until });
        }
        self.generation += 1;
        self.started = now;
        self.host = Host::new(self.settings.limits);
        let handshake = HostCall::Handshake(Handshake::new(&self.settings.host_version));
        let call =
            self.host.call(&handshake).expect("a new connection is open, and a handshake has no values");
        self.state = State::Starting { call, until: now + self.settings.handshake };
        Ok(())
    }

    /// Returns the number of the life, which objects of it keep. The first one is 1.
    pub fn generation(&self) -> u64 {
        self.generation
    }

    /// Returns the plugin's description while calls may be made.
    pub fn description(&self) -> Option<&Description> {
        match &self.state {
            State::Ready(description) => Some(description),
            _ => None,
        }
    }

    /// Returns the end of the last life, if it is over.
    pub fn end(&self) -> Option<&End> {
        match &self.state {
            State::Ended(end) => end.as_ref(),
            _ => None,
        }
    }

    /// Returns the time from which on another life may start after a crash.
    pub fn restart_at(&self) -> Option<Time> {
        self.restart_at
    }

    /// Returns the connection of this life.
    pub fn host(&self) -> &Host {
        &self.host
    }

    /// Returns the next event.
    pub fn next_event(&mut self) -> Option<SessionEvent> {
        self.events.pop_front()
    }

    /// Returns the bytes to write, which are whole lines.
    pub fn take_output(&mut self) -> Vec<u8> {
        self.host.take_output()
    }

    /// Returns the time at which [`Session::tick`] has something to do.
    pub fn deadline(&self) -> Option<Time> {
        match self.state {
            State::Starting { until, .. } | State::Stopping { until, .. } | State::Draining { until, .. } => {
                Some(until)
            }
            _ => None,
        }
    }

    /// Sends a call. Only a plugin that is ready is called.
    pub fn call(&mut self, call: &HostCall) -> Result<CallId, CallError> {
        self.may_call()?;
        self.host.call(call)
    }

    /// Sends several calls as one array. They may have no callbacks.
    pub fn call_all(&mut self, calls: &[HostCall]) -> Result<Vec<CallId>, CallError> {
        self.may_call()?;
        self.host.call_all(calls)
    }

    fn may_call(&self) -> Result<(), CallError> {
        let reason = match &self.state {
            State::Ready(_) => return Ok(()),
            State::Starting { .. } => "the plugin is starting".to_owned(),
            State::Stopping { .. } | State::Draining { .. } | State::Killed { .. } => {
                "the plugin is shutting down".to_owned()
            }
            State::Ended(None) => "the plugin has not started".to_owned(),
            State::Ended(Some(end)) => end.to_string(),
        };
        Err(CallError::Closed(reason))
    }

    /// Checks that an object of this generation can still be used.
    pub fn check_generation(&self, generation: u64) -> Result<(), CallError> {
        if generation == self.generation && !matches!(self.state, State::Ended(_)) {
            return Ok(());
        }
        Err(CallError::Closed("the object is gone: the plugin has ended since it was made".to_owned()))
    }

    /// Stops waiting for a call. Nothing is sent, and its late answer is dropped.
    pub fn give_up(&mut self, call: CallId, now: Time) -> bool {
        let given_up = self.host.give_up(call);
        self.forward(now);
        given_up
    }

    /// Answers a call of a callback: its result, or its error in words.
    pub fn answer_callback(&mut self, ticket: Ticket, outcome: Result<&Value, &str>) {
        self.host.answer_callback(ticket, outcome);
    }

    /// Takes bytes that the plugin wrote.
    pub fn receive(&mut self, bytes: &[u8], now: Time) {
        self.host.receive(bytes);
        self.forward(now);
    }

    /// Asks the plugin to end. Calls that are pending may still be answered.
    pub fn shutdown(&mut self, now: Time) {
        match self.state {
            State::Starting { call, .. } => drop(self.host.give_up(call)),
            State::Ready(_) => {}
            _ => return,
        }
        self.stop(End::Stopped(None), now);
    }

    fn stop(&mut self, end: End, now: Time) {
        match self.host.call(&HostCall::Shutdown) {
            Ok(call) => self.state = State::Stopping { call, until: now + self.settings.shutdown, end },
            Err(_) => self.drain(end, now),
        }
    }

    fn drain(&mut self, end: End, now: Time) {
        self.state = State::Draining { until: now + self.settings.exit, end };
        self.events.push_back(SessionEvent::CloseInput);
    }

    fn refuse(&mut self, reason: String, now: Time) {
        self.events.push_back(SessionEvent::Refused(reason.clone()));
        self.stop(End::Refused(reason), now);
    }

    /// Acts on time that has passed.
    pub fn tick(&mut self, now: Time) {
        if self.deadline().is_none_or(|until| now < until) {
            return;
        }
        match self.state.clone() {
            State::Starting { call, .. } => {
                self.host.give_up(call);
                let seconds = self.settings.handshake.as_secs_f64();
                self.refuse(format!("the handshake was not answered within {seconds} s"), now);
            }
            State::Stopping { call, end, .. } => {
                self.host.give_up(call);
                self.drain(end, now);
            }
            State::Draining { end, .. } => {
                self.state = State::Killed { end };
                self.events.push_back(SessionEvent::Kill);
            }
            _ => {}
        }
    }

    /// Takes the end of the plugin's output, while its process lives.
    pub fn output_ended(&mut self, now: Time) {
        if !matches!(self.state, State::Ended(_)) {
            self.host.end("the plugin closed its output");
            self.forward(now);
        }
    }

    /// Takes the end of the process. All of its output was received before.
    pub fn exited(&mut self, status: &str, now: Time) {
        let reason = format!("plugin process exited ({status})");
        if let State::Starting { call, .. } | State::Stopping { call, .. } = self.state {
            self.host.give_up(call);
        }
        let end = match std::mem::replace(&mut self.state, State::Ended(None)) {
            ended @ State::Ended(_) => {
                self.state = ended;
                return;
            }
            State::Starting { .. } => End::Refused(reason.clone()),
            State::Ready(_) => End::Crashed(reason.clone()),
            State::Stopping { end, .. } | State::Draining { end, .. } | State::Killed { end } => end,
        };
        self.host.end(&reason);
        self.forward(now);
        self.restart_at = match end {
            End::Stopped(_) => None,
            _ => Some(now + self.crashes.crashed(now, now.saturating_sub(self.started))),
        };
        self.state = State::Ended(Some(end.clone()));
        self.events.push_back(SessionEvent::Ended(end));
    }

    /// Passes on the events of the connection.
    fn forward(&mut self, now: Time) {
        while let Some(event) = self.host.next_event() {
            let rest = self.own(event, now);
            self.events.extend(rest.map(SessionEvent::Connection));
        }
    }

    fn is_own(&self, event: &HostEvent) -> bool {
        let (State::Starting { call: own, .. } | State::Stopping { call: own, .. }) = self.state else {
            return false;
        };
        matches!(event, HostEvent::Answer { call, .. } if *call == own)
    }

    /// Acts on an event of the connection that concerns the life. Returns any other.
    fn own(&mut self, event: HostEvent, now: Time) -> Option<HostEvent> {
        let is_own = self.is_own(&event);
        match (&self.state, event) {
            (State::Starting { .. }, HostEvent::Answer { outcome, .. }) if is_own => match outcome {
                Ok(Answer::Description(description)) => {
                    self.state = State::Ready(description);
                    self.events.push_back(SessionEvent::Ready);
                }
                Ok(_) => self.refuse("the handshake has no description".to_owned(), now),
                Err(error) => self.refuse(error.to_string(), now),
            },
            (State::Stopping { end, .. }, HostEvent::Answer { outcome, .. }) if is_own => {
                // Many plugins exit in place of an answer.
                let error = outcome.err().filter(|it| !matches!(it, CallError::Closed(_)));
                let error = error.map(|it| it.to_string());
                let end = if *end == End::Stopped(None) { End::Stopped(error) } else { end.clone() };
                self.drain(end, now);
            }
            (State::Ready(_), HostEvent::Closed(reason)) => {
                self.drain(End::Crashed(reason.clone()), now);
                return Some(HostEvent::Closed(reason));
            }
            (_, event) => return Some(event),
        }
        None
    }
}
