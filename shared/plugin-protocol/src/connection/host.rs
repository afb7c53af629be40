//! The host's side of a connection.

use std::collections::{BTreeMap, VecDeque};

use serde_json::value::RawValue;

use crate::connection::{CallError, CallId, Connection, Counts, Event, Ticket};
use crate::envelope::{Broken, ErrorObject, Payload};
use crate::limits::Limits;
use crate::methods::{Arguments, HostCall, LogRecord, PluginCall, object_id};
use crate::schema::Description;
use crate::value::{Value, ValueError};

/// The host's side of a connection.
///
/// A callback that is an argument of a call holds until that call is settled. While it runs, the plugin may
/// be called again.
#[derive(Debug)]
pub struct Host {
    connection: Connection,
    calls: BTreeMap<CallId, Kind>,
    /// The call that each callback belongs to.
    callbacks: BTreeMap<String, CallId>,
    /// The callbacks that run, and the call that each belongs to.
    running: BTreeMap<Ticket, CallId>,
    events: VecDeque<HostEvent>,
}

/// An event of the connection that the host has to handle.
#[derive(Debug)]
pub enum HostEvent {
    /// The answer to a call.
    Answer {
        /// The call that is over, as [`Host::call`] returned it.
        call: CallId,
        /// The answer of the plugin, or the reason why there is none.
        outcome: Result<Answer, CallError>,
    },
    /// A call of a callback. It is answered with [`Host::answer_callback`].
    Callback {
        /// The ticket to answer, unless the plugin wants no answer.
        ticket: Option<Ticket>,
        /// The call that the callback was an argument of.
        outer: CallId,
        /// The id of the callback.
        id: String,
        /// The arguments of the callback.
        arguments: Arguments,
    },
    /// The end of the call around a callback that runs. The plugin has been answered; the result is of no
    /// use.
    CallbackEnded(Ticket),
    /// A record of the plugin, for the host's log.
    Log(LogRecord),
    /// A part of the stream that was no message.
    Skipped(Broken),
    /// The end of the connection. All calls were answered before.
    Closed(String),
}

/// The result of a call.
#[derive(Clone, Debug, PartialEq)]
pub enum Answer {
    /// The result of a function, a method or a property.
    Value(Value),
    /// The id of a new object.
    Object(String),
    /// The plugin's description, from the handshake.
    Description(Box<Description>),
    /// The end of what has no result.
    Done,
}

/// The kind of answer that a call gets.
#[derive(Clone, Copy, Debug)]
enum Kind {
    Value,
    Object,
    Description,
    Nothing,
}

impl Host {
    /// Creates a connection.
    pub fn new(limits: Limits) -> Self {
        Self {
            connection: Connection::new(limits),
            calls: BTreeMap::new(),
            callbacks: BTreeMap::new(),
            running: BTreeMap::new(),
            events: VecDeque::new(),
        }
    }

    /// Takes bytes that the plugin wrote.
    pub fn receive(&mut self, bytes: &[u8]) {
        self.connection.receive(bytes);
        self.drain();
    }

    /// Takes the end of the plugin's output.
    pub fn end(&mut self, reason: &str) {
        self.connection.end(reason);
        self.drain();
    }

    /// Returns the next event.
    pub fn next_event(&mut self) -> Option<HostEvent> {
        self.events.pop_front()
    }

    /// Returns the bytes to write, which are whole lines.
    pub fn take_output(&mut self) -> Vec<u8> {
        std::mem::take(&mut self.connection.output).into_bytes()
    }

    /// Returns the counts of the connection.
    pub fn counts(&self) -> Counts {
        self.connection.counts
    }

    /// Sends a call.
    pub fn call(&mut self, call: &HostCall) -> Result<CallId, CallError> {
        let params = call.params()?;
        let id = self.connection.call(call.method(), params.as_deref())?;
        self.register(id, call);
        Ok(id)
    }

    /// Sends several calls as one array. They may have no callbacks.
    pub fn call_all(&mut self, calls: &[HostCall]) -> Result<Vec<CallId>, CallError> {
        let params = calls.iter().map(HostCall::params).collect::<Result<Vec<_>, _>>()?;
        let has_callback = |it: &HostCall| it.arguments().is_some_and(|it| !it.callbacks().is_empty());
        if let Some(call) = calls.iter().find(|it| has_callback(it)) {
            let problem = "a callback cannot be passed in an array of calls".to_owned();
            return Err(ValueError { problem, at: call.method().to_owned() }.into());
        }
        let written: Vec<_> =
            calls.iter().zip(&params).map(|(call, it)| (call.method(), it.as_deref())).collect();
        let ids = self.connection.call_all(&written)?;
        ids.iter().zip(calls).for_each(|(id, call)| self.register(*id, call));
        Ok(ids)
    }

    fn register(&mut self, id: CallId, call: &HostCall) {
        let kind = match call {
            HostCall::Handshake(_) => Kind::Description,
            HostCall::Function { .. } | HostCall::Method { .. } => Kind::Value,
            HostCall::New { .. } => Kind::Object,
            HostCall::Destroy { .. } | HostCall::Shutdown | HostCall::Environment => Kind::Nothing,
        };
        self.calls.insert(id, kind);
        for callback in call.arguments().map(Arguments::callbacks).unwrap_or_default() {
            self.callbacks.insert(callback.to_owned(), id);
        }
    }

    /// Stops waiting for a call, and ends its callbacks. Returns false if it is not pending.
    pub fn give_up(&mut self, call: CallId) -> bool {
        let is_pending = self.connection.give_up(call);
        if is_pending {
            self.leave(call);
        }
        is_pending
    }

    /// Answers a callback. An answer after the end of the call around it is ignored.
    pub fn answer_callback(&mut self, ticket: Ticket, outcome: Result<&Value, &str>) {
        if self.running.remove(&ticket).is_some() {
            self.connection.respond(ticket, outcome.map_err(ErrorObject::new).and_then(callback_result));
        }
    }

    fn drain(&mut self) {
        while let Some(event) = self.connection.events.pop_front() {
            match event {
                Event::Request { ticket, method, params } => {
                    self.request(Some(ticket), &method, params.as_deref());
                }
                Event::Notification { method, params } => self.request(None, &method, params.as_deref()),
                Event::Answer { call, outcome } => {
                    let kind = self.calls.get(&call).copied().unwrap_or(Kind::Nothing);
                    self.leave(call);
                    let outcome = outcome.and_then(|result| kind.read(result.as_deref()));
                    self.events.push_back(HostEvent::Answer { call, outcome });
                }
                Event::Skipped(broken) => self.events.push_back(HostEvent::Skipped(broken)),
                Event::Closed(reason) => self.events.push_back(HostEvent::Closed(reason)),
            }
        }
    }

    fn request(&mut self, ticket: Option<Ticket>, method: &str, params: Option<&RawValue>) {
        let answer = match PluginCall::read(method, params) {
            Ok(PluginCall::Log(record)) => {
                self.events.push_back(HostEvent::Log(record));
                Value::Null.write("result").map_err(ErrorObject::from)
            }
            Ok(PluginCall::Callback { id, arguments }) => match self.callbacks.get(&id) {
                Some(&outer) => {
                    self.running.extend(ticket.map(|it| (it, outer)));
                    self.events.push_back(HostEvent::Callback { ticket, outer, id, arguments });
                    return;
                }
                None => Err(ErrorObject::new(format!("unknown callback {id}"))),
            },
            Err(error) => Err(error),
        };
        if let Some(ticket) = ticket {
            self.connection.respond(ticket, answer);
        }
    }

    /// Ends what holds only during a call: its callbacks, also those that run.
    fn leave(&mut self, call: CallId) {
        self.calls.remove(&call);
        self.callbacks.retain(|_, outer| *outer != call);
        let ended: Vec<_> = self.running.iter().filter(|it| *it.1 == call).map(|it| *it.0).collect();
        for ticket in ended {
            self.running.remove(&ticket);
            let error = ErrorObject::new("the call that this callback was an argument of has ended");
            self.connection.respond(ticket, Err(error));
            self.events.push_back(HostEvent::CallbackEnded(ticket));
        }
    }
}

fn callback_result(value: &Value) -> Result<Payload, ErrorObject> {
    let mut callbacks = Vec::new();
    value.callbacks(&mut callbacks);
    if !callbacks.is_empty() {
        return Err(ErrorObject::new("callbacks can only be passed during plugin calls"));
    }
    Ok(value.write("result")?)
}

impl Kind {
    fn read(self, result: Option<&RawValue>) -> Result<Answer, CallError> {
        let unreadable = CallError::Unreadable;
        Ok(match self {
            Self::Nothing => Answer::Done,
            Self::Object => Answer::Object(object_id(result).map_err(unreadable)?),
            Self::Description => {
                let description = Description::read(result).map_err(|it| unreadable(it.to_string()))?;
                Answer::Description(Box::new(description))
            }
            Self::Value => Answer::Value(value(result).map_err(unreadable)?),
        })
    }
}

/// Reads the result of a call. A callback in it could not be called, as the call is over.
fn value(result: Option<&RawValue>) -> Result<Value, String> {
    let value = result.map(|it| Value::read(it, "result")).transpose().map_err(|it| it.to_string())?;
    let value = value.unwrap_or_default();
    let mut callbacks = Vec::new();
    value.callbacks(&mut callbacks);
    match callbacks.first() {
        Some(id) => Err(format!("the result has a callback ({id}), which nobody can call any more")),
        None => Ok(value),
    }
}
