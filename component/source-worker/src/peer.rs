//! The host at the other end of the pipes.

use std::collections::VecDeque;
use std::io::{Read, Write};

use plugin_protocol::connection::{CallError, CallId, Plugin, PluginEvent, Ticket};
use plugin_protocol::methods::{Arguments, HostCall, Level, LogRecord, PluginCall};
use plugin_protocol::{Limits, Value};

use crate::engine::Host;

pub(crate) struct Peer<I, O> {
    pub(crate) plugin: Plugin,
    input: I,
    output: O,
    /// The calls that came while another one ran.
    waiting: VecDeque<(Ticket, HostCall)>,
}

impl<I: Read, O: Write> Peer<I, O> {
    pub(crate) fn new(input: I, output: O) -> Self {
        Self { plugin: Plugin::new(Limits::default()), input, output, waiting: VecDeque::new() }
    }

    /// Waits for the next event; `None` when the host is gone.
    fn next(&mut self) -> Option<PluginEvent> {
        let mut chunk = vec![0; 1 << 16];
        loop {
            if let Some(event) = self.plugin.next_event() {
                return Some(event);
            }
            self.flush()?;
            match self.input.read(&mut chunk) {
                Ok(0) | Err(_) => return None,
                Ok(count) => self.plugin.receive(&chunk[..count]),
            }
        }
    }

    /// Writes what there is to write; `None` when the host is gone.
    pub(crate) fn flush(&mut self) -> Option<()> {
        let bytes = self.plugin.take_output();
        self.output.write_all(&bytes).and_then(|()| self.output.flush()).ok()
    }

    /// Waits for the next call.
    pub(crate) fn next_call(&mut self) -> Option<(Ticket, HostCall)> {
        loop {
            if let Some(call) = self.waiting.pop_front() {
                return Some(call);
            }
            if let PluginEvent::Call { ticket: Some(ticket), call } = self.next()? {
                return Some((ticket, call));
            }
        }
    }

    /// Waits for the answer to a call of the host. Calls that come meanwhile wait.
    fn answer(&mut self, wanted: CallId) -> Result<Value, CallError> {
        while let Some(event) = self.next() {
            match event {
                PluginEvent::Answer { call, outcome } if call == wanted => return outcome,
                PluginEvent::Call { ticket: Some(ticket), call } => self.waiting.push_back((ticket, call)),
                _ => {}
            }
        }
        Err(CallError::Closed("the host is gone".to_owned()))
    }
}

/// The function of the host that one call was given.
pub(crate) struct Callback<'p, I, O> {
    pub(crate) peer: &'p mut Peer<I, O>,
    pub(crate) id: String,
}

impl<I: Read, O: Write> Host for Callback<'_, I, O> {
    fn ask(&mut self, args: Vec<Value>) -> Result<Value, String> {
        let arguments = Arguments { args, ..Arguments::default() };
        let call = self.peer.plugin.call(&PluginCall::Callback { id: self.id.clone(), arguments });
        let answered = call.and_then(|call| self.peer.answer(call));
        answered.map_err(|error| match error {
            CallError::Peer(peer) => peer.message,
            error => error.to_string(),
        })
    }

    fn log(&mut self, text: &str) {
        let record = LogRecord { level: Level::Info, message: text.to_owned(), args: Vec::new() };
        let _ = self.peer.plugin.call(&PluginCall::Log(record)); // its answer is of no interest
    }
}
