//! One connection as a state machine without IO: bytes go in, events and bytes come out. Both sides are alike
//! here; [`Host`] and [`Plugin`] know the methods of theirs.
//!
//! Every call gets one answer, and every request of the peer is answered once. The connection outlives
//! whatever a peer sends, but for a loss after which no message can be told from another.

mod batch;
mod host;
mod plugin;
#[cfg(test)]
mod tests;

use std::collections::{BTreeSet, VecDeque};

use serde_json::value::RawValue;
use thiserror::Error;

use crate::connection::batch::Tickets;
use crate::envelope::{self, Broken, Content, ErrorObject, Message, Payload};
use crate::frames::{Frame, Loss, Splitter};
use crate::limits::Limits;
use crate::value::ValueError;

pub use crate::connection::batch::Ticket;
pub use crate::connection::host::{Answer, Host, HostEvent};
pub use crate::connection::plugin::{Plugin, PluginEvent};

/// A call of this side. The numbers are the ids on the wire; they begin with 1.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct CallId(pub u64);

/// A reason why a call has no result.
#[derive(Clone, Debug, Error)]
pub enum CallError {
    /// The peer answered with an error.
    #[error("{0}")]
    Peer(ErrorObject),
    /// The answer cannot be read.
    #[error("{0}")]
    Unreadable(String),
    /// An argument cannot be sent, so nothing was.
    #[error("{0}")]
    NotSent(#[from] ValueError),
    /// The connection ended before the answer, or before the call.
    #[error("{0}")]
    Closed(String),
}

/// An event of a connection, before its method is known.
#[derive(Debug)]
enum Event {
    /// A request of the peer, which waits for an answer to its ticket.
    Request { ticket: Ticket, method: String, params: Option<Payload> },
    /// A request that wants no answer.
    Notification { method: String, params: Option<Payload> },
    /// The peer's answer to a call of this side, or the reason why none will come.
    Answer { call: CallId, outcome: Result<Option<Payload>, CallError> },
    /// A part of the stream that was no message. Whoever waits for it has been told, as far as it names them.
    Skipped(Broken),
    /// The end. All calls were answered before.
    Closed(String),
}

/// The counts of a connection.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Counts {
    /// Answers to calls that were not made, were answered before, or were given up.
    pub dropped_answers: u64,
    /// Parts of the stream that were no messages.
    pub skipped: u64,
}

/// The maximum number of ids that are remembered since they were answered too early.
const EARLY: usize = 1_000;

#[derive(Debug)]
struct Connection {
    limits: Limits,
    splitter: Splitter,
    last_id: u64,
    pending: BTreeSet<u64>,
    /// The ids that were answered before a call had them. No call gets them.
    answered_early: BTreeSet<u64>,
    tickets: Tickets,
    events: VecDeque<Event>,
    output: String,
    counts: Counts,
    /// The parts since the last message that were none.
    bad_lines: usize,
    closed: Option<String>,
}

impl Connection {
    fn new(limits: Limits) -> Self {
        Self {
            limits,
            splitter: Splitter::new(limits),
            last_id: 0,
            pending: BTreeSet::new(),
            answered_early: BTreeSet::new(),
            tickets: Tickets::default(),
            events: VecDeque::new(),
            output: String::new(),
            counts: Counts::default(),
            bad_lines: 0,
            closed: None,
        }
    }

    /// Takes bytes of the peer.
    fn receive(&mut self, bytes: &[u8]) {
        if self.closed.is_some() {
            return;
        }
        let mut frames = Vec::new();
        self.splitter.push(bytes, &mut |frame| frames.push(frame));
        frames.into_iter().for_each(|it| self.frame(it));
    }

    /// Takes the end of the peer's stream. Half a message has no reason of its own.
    fn end(&mut self, reason: &str) {
        if self.closed.is_some() {
            return;
        }
        let mut frames = Vec::new();
        self.splitter.finish(&mut |frame| frames.push(frame));
        for frame in frames {
            match frame {
                Frame::Message(_) => self.frame(frame),
                Frame::Skipped(skipped) => {
                    self.counts.skipped += 1;
                    self.events.push_back(Event::Skipped(Broken::from(&skipped)));
                }
            }
        }
        self.close(reason);
    }

    /// Ends the connection. All pending calls fail with the reason.
    fn close(&mut self, reason: &str) {
        if self.closed.is_some() {
            return;
        }
        self.closed = Some(reason.to_owned());
        self.tickets = Tickets::default();
        for id in std::mem::take(&mut self.pending) {
            let outcome = Err(CallError::Closed(reason.to_owned()));
            self.events.push_back(Event::Answer { call: CallId(id), outcome });
        }
        self.events.push_back(Event::Closed(reason.to_owned()));
    }

    fn frame(&mut self, frame: Frame) {
        if self.closed.is_some() {
            return;
        }
        match frame {
            Frame::Message(text) => match envelope::read(&text) {
                Content::Single(message) => self.message(message, None),
                Content::Batch(messages) => {
                    let batch = self.tickets.batch(&messages);
                    messages.into_iter().for_each(|it| self.message(it, batch));
                }
            },
            Frame::Skipped(skipped) => {
                let is_answered = self.broken(Broken::from(&skipped), None);
                if skipped.loss == Loss::Stream || (skipped.loss == Loss::Message && !is_answered) {
                    self.close(&format!("a message of the peer is {}", skipped.reason));
                }
            }
        }
    }

    fn message(&mut self, message: Message, batch: Option<u64>) {
        match message {
            Message::Broken(broken) => {
                self.broken(broken, batch);
                return;
            }
            Message::Request { id, method, params } => {
                let ticket = self.tickets.issue(id, batch);
                self.events.push_back(Event::Request { ticket, method, params });
            }
            Message::Notification { method, params } => {
                self.events.push_back(Event::Notification { method, params });
            }
            Message::Response { id, outcome } => {
                let outcome = outcome.map_err(CallError::Peer);
                self.answer(id.as_deref(), outcome);
            }
        }
        self.bad_lines = 0;
    }

    /// Takes an answer. One whose id is a text fails the call of that number: no call has it, and one waits.
    fn answer(&mut self, id: Option<&RawValue>, outcome: Result<Option<Payload>, CallError>) {
        let own = id.and_then(envelope::own_id);
        if own.is_some_and(|it| it > self.last_id) && self.answered_early.len() < EARLY {
            self.answered_early.extend(own);
        }
        if self.settle(own, outcome) {
            return;
        }
        self.counts.dropped_answers += 1;
        if let Some(number) = id.and_then(envelope::id_in_text) {
            let reason = format!("its id is the text \"{number}\", and the call's is the number {number}");
            self.settle(
                Some(number),
                Err(CallError::Unreadable(format!("the answer does not count: {reason}"))),
            );
        }
    }

    /// Answers a pending call. Returns false if there is none of this id.
    fn settle(&mut self, id: Option<u64>, outcome: Result<Option<Payload>, CallError>) -> bool {
        let Some(id) = id.filter(|it| self.pending.remove(it)) else { return false };
        self.events.push_back(Event::Answer { call: CallId(id), outcome });
        true
    }

    /// Tells whoever waits for a part of the stream that is no message. Returns false if nobody is found.
    fn broken(&mut self, broken: Broken, batch: Option<u64>) -> bool {
        self.counts.skipped += 1;
        self.bad_lines += 1;
        let is_answered = match &broken.id {
            Some(id) if broken.is_request => {
                let ticket = self.tickets.issue(id.clone(), batch);
                let error = ErrorObject::new(format!("the request cannot be read: {}", broken.reason));
                self.respond(ticket, Err(error));
                true
            }
            Some(id) => {
                let error = CallError::Unreadable(format!("the answer cannot be read: {}", broken.reason));
                self.settle(envelope::own_id(id), Err(error))
            }
            None => false,
        };
        self.events.push_back(Event::Skipped(broken));
        if self.bad_lines > self.limits.bad_lines {
            self.close(&format!("{} lines in a row were no messages", self.bad_lines));
        }
        is_answered
    }

    /// Sends a call.
    fn call(&mut self, method: &str, params: Option<&RawValue>) -> Result<CallId, CallError> {
        self.call_all(&[(method, params)]).map(|calls| calls[0])
    }

    /// Sends calls, several as one array.
    fn call_all(&mut self, calls: &[(&str, Option<&RawValue>)]) -> Result<Vec<CallId>, CallError> {
        if let Some(reason) = &self.closed {
            return Err(CallError::Closed(reason.clone()));
        }
        let (mut ids, mut lines) = (Vec::new(), Vec::new());
        for (method, params) in calls {
            self.last_id += 1;
            while self.answered_early.remove(&self.last_id) {
                self.last_id += 1;
            }
            self.pending.insert(self.last_id);
            ids.push(CallId(self.last_id));
            lines.push(envelope::request(self.last_id, method, *params));
        }
        match lines.as_slice() {
            [] => {}
            [line] => self.write(line),
            lines => self.write(&format!("[{}]", lines.join(","))),
        }
        Ok(ids)
    }

    /// Stops waiting for an answer, which is dropped when it comes. Nothing is sent. Returns false if the
    /// call is not pending.
    fn give_up(&mut self, call: CallId) -> bool {
        self.pending.remove(&call.0)
    }

    /// Answers a request of the peer. A ticket that was answered before is ignored.
    fn respond(&mut self, ticket: Ticket, outcome: Result<Payload, ErrorObject>) {
        if let Some(line) = self.tickets.answer(ticket, &outcome) {
            self.write(&line);
        }
    }

    fn write(&mut self, line: &str) {
        self.output.push_str(line);
        self.output.push('\n');
    }
}
