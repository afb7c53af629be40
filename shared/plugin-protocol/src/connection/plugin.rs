//! The plugin's side of a connection.

use std::collections::VecDeque;

use serde_json::value::RawValue;

use crate::connection::{CallError, CallId, Connection, Counts, Event, Ticket};
use crate::envelope::{Broken, ErrorObject, Payload, payload};
use crate::limits::Limits;
use crate::methods::{HostCall, PluginCall, remote_reference};
use crate::schema::Description;
use crate::value::{Remote, Value};

/// The plugin's side of a connection. Methods that no plugin has are refused here.
#[derive(Debug)]
pub struct Plugin {
    connection: Connection,
    events: VecDeque<PluginEvent>,
}

/// An event of the connection that the plugin has to handle.
#[derive(Debug)]
pub enum PluginEvent {
    /// A call by the host.
    Call {
        /// The ticket to answer, unless the host wants no answer.
        ticket: Option<Ticket>,
        /// The method of the host, with its arguments.
        call: HostCall,
    },
    /// The answer to a call of this plugin.
    Answer {
        /// The call that is over, as [`Plugin::call`] returned it.
        call: CallId,
        /// The answer of the host, or the reason why there is none.
        outcome: Result<Value, CallError>,
    },
    /// A part of the stream that was no message.
    Skipped(Broken),
    /// The end of the connection. All calls were answered before.
    Closed(String),
}

impl Plugin {
    /// Creates a connection.
    pub fn new(limits: Limits) -> Self {
        Self { connection: Connection::new(limits), events: VecDeque::new() }
    }

    /// Takes bytes that the host wrote.
    pub fn receive(&mut self, bytes: &[u8]) {
        self.connection.receive(bytes);
        self.drain();
    }

    /// Takes the end of the host's output.
    pub fn end(&mut self, reason: &str) {
        self.connection.end(reason);
        self.drain();
    }

    /// Returns the next event.
    pub fn next_event(&mut self) -> Option<PluginEvent> {
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

    /// Sends a call to the host.
    pub fn call(&mut self, call: &PluginCall) -> Result<CallId, CallError> {
        let params = call.params()?;
        self.connection.call(call.method(), Some(&params))
    }

    /// Stops waiting for a call. Returns false if it is not pending.
    pub fn give_up(&mut self, call: CallId) -> bool {
        self.connection.give_up(call)
    }

    /// Answers a call with a value, or with an error's text.
    pub fn answer(&mut self, ticket: Ticket, outcome: Result<&Value, ErrorObject>) {
        self.respond(ticket, outcome.and_then(|value| Ok(value.write("result")?)));
    }

    /// Answers the creation of an object.
    pub fn answer_object(&mut self, ticket: Ticket, object: &Remote) {
        self.respond(ticket, Ok(remote_reference(object)));
    }

    /// Answers the handshake with the description of this plugin. One that cannot be written is answered as
    /// an error.
    pub fn answer_handshake(&mut self, ticket: Ticket, description: &Description) {
        self.respond(ticket, description.write().map_err(ErrorObject::from));
    }

    /// Answers what has no result: the end of an object, and the shutdown.
    pub fn answer_done(&mut self, ticket: Ticket) {
        self.respond(ticket, Ok(payload("null".to_owned())));
    }

    fn respond(&mut self, ticket: Ticket, outcome: Result<Payload, ErrorObject>) {
        self.connection.respond(ticket, outcome);
    }

    fn drain(&mut self) {
        while let Some(event) = self.connection.events.pop_front() {
            let event = match event {
                Event::Request { ticket, method, params } => {
                    self.request(Some(ticket), &method, params.as_deref())
                }
                Event::Notification { method, params } => self.request(None, &method, params.as_deref()),
                Event::Answer { call, outcome } => {
                    Some(PluginEvent::Answer { call, outcome: outcome.and_then(|it| value(it.as_deref())) })
                }
                Event::Skipped(broken) => Some(PluginEvent::Skipped(broken)),
                Event::Closed(reason) => Some(PluginEvent::Closed(reason)),
            };
            self.events.extend(event);
        }
    }

    fn request(
        &mut self,
        ticket: Option<Ticket>,
        method: &str,
        params: Option<&RawValue>,
    ) -> Option<PluginEvent> {
        let answer = match HostCall::read(method, params) {
            Ok(HostCall::Environment) => Ok(payload("null".to_owned())),
            Ok(call) => return Some(PluginEvent::Call { ticket, call }),
            Err(error) => Err(error),
        };
        if let Some(ticket) = ticket {
            self.respond(ticket, answer);
        }
        None
    }
}

fn value(result: Option<&RawValue>) -> Result<Value, CallError> {
    let value = result.map(|it| Value::read(it, "result")).transpose();
    value.map(Option::unwrap_or_default).map_err(|it| CallError::Unreadable(it.to_string()))
}
