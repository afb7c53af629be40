//! Requests of the peer that wait for an answer. Those of one array are answered by one array, in their
//! order.

use std::collections::BTreeMap;

use crate::envelope::{self, ErrorObject, Message, Payload};

/// A request of the peer that waits for an answer. It is not the peer's id, which may be used twice.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Ticket(u64);

#[derive(Debug, Default)]
pub(super) struct Tickets {
    last: u64,
    open: BTreeMap<Ticket, Open>,
    batches: BTreeMap<u64, Batch>,
}

#[derive(Debug)]
struct Open {
    id: Payload,
    /// The array that the request was in, and its place among the requests there.
    batch: Option<(u64, usize)>,
}

/// The answers to the requests of one array.
#[derive(Debug)]
struct Batch {
    answers: Vec<Option<String>>,
    issued: usize,
}

impl Tickets {
    /// Begins an array. Returns its number if an answer to it is wanted.
    pub(super) fn batch(&mut self, messages: &[Message]) -> Option<u64> {
        let wants_answer = |message: &&Message| match message {
            Message::Request { .. } => true,
            Message::Broken(broken) => broken.is_request && broken.id.is_some(),
            _ => false,
        };
        let count = messages.iter().filter(wants_answer).count();
        if count == 0 {
            return None;
        }
        self.last += 1;
        self.batches.insert(self.last, Batch { answers: vec![None; count], issued: 0 });
        Some(self.last)
    }

    /// Issues a ticket for a request with this id.
    pub(super) fn issue(&mut self, id: Payload, batch: Option<u64>) -> Ticket {
        self.last += 1;
        let ticket = Ticket(self.last);
        let batch = batch.and_then(|number| {
            let batch = self.batches.get_mut(&number)?;
            batch.issued += 1;
            Some((number, batch.issued - 1))
        });
        self.open.insert(ticket, Open { id, batch });
        ticket
    }

    /// Returns the line to write for an answer: none if the ticket is not open, or if other answers of its
    /// array are missing.
    pub(super) fn answer(
        &mut self,
        ticket: Ticket,
        outcome: &Result<Payload, ErrorObject>,
    ) -> Option<String> {
        let Open { id, batch } = self.open.remove(&ticket)?;
        let line = envelope::response(&id, outcome);
        let Some((number, place)) = batch else { return Some(line) };
        let batch = self.batches.get_mut(&number)?;
        *batch.answers.get_mut(place)? = Some(line);
        let answers: Option<Vec<&str>> = batch.answers.iter().map(Option::as_deref).collect();
        let line = format!("[{}]", answers?.join(","));
        self.batches.remove(&number);
        Some(line)
    }
}
