//! One program from its start to its end: its process, its calls, its output and its limits.

use std::collections::{HashMap, VecDeque};
use std::sync::Arc;
use std::time::{Duration, Instant};

use futures::future::BoxFuture;
use futures::stream::{FuturesUnordered, StreamExt};
use script_protocol::{
    Answered, Call, CallError, CallOutcome, CallTarget, Callback, Done, ErrorKind, Failed, FromRuntime, Log,
    Place, ReturnedValue, ToRuntime,
};
use tokio::sync::mpsc::UnboundedReceiver;
use tokio::sync::oneshot;

use super::calls::{Calls, Invoked};
use super::clock::Clock;
use super::worker::Worker;

/// The calls that run at a time, if they only read.
const IN_FLIGHT: usize = 8;

/// The bytes that a process prints; it stops by itself before.
pub(super) const PRINTED: usize = 5 * 1024 * 1024;

/// The bytes of arguments of calls that wait.
const WAITING: usize = 32 * 1024 * 1024;

/// The calls of files and those above their limit that are answered; a program that goes on ends.
const FLOOD: usize = 200_000;

/// The characters of a call's subject, and the bytes of arguments in which it is looked for.
const SUBJECT: usize = 60;
const SUBJECT_READ: usize = 16 * 1024;

/// The time between two calls that are shown as progress.
const STEP: Duration = Duration::from_millis(100);

/// A call of a program, for its report and its progress messages.
#[derive(Clone, Debug)]
pub(super) struct CallRecord {
    pub(super) label: String,
    /// The first argument, if that is short.
    pub(super) subject: Option<String>,
    pub(super) place: Option<Place>,
    /// The kind of error; `None` for a success, and for a call without an answer.
    pub(super) error: Option<ErrorKind>,
    pub(super) is_answered: bool,
    pub(super) time: Duration,
}

/// A run that is over.
#[derive(Debug)]
pub(super) struct Ran {
    pub(super) end: End,
    pub(super) calls: Vec<CallRecord>,
    pub(super) output: Vec<Log>,
    /// The notes about the values that the program got, each once.
    pub(super) notes: Vec<CallNote>,
    /// The error of each failed call, by its number.
    pub(super) errors: Vec<(u64, CallError)>,
    /// The reason why the operating system does not confine the process.
    pub(super) unconfined: Option<String>,
}

/// A note about the value of a call.
#[derive(Debug)]
pub(super) struct CallNote {
    /// The index of the call.
    pub(super) call: usize,
    pub(super) text: String,
}

/// The end of a run.
#[derive(Debug)]
pub(super) enum End {
    Done(Done),
    Failed(Failed),
    /// The run took longer than it may.
    Late,
    /// The process ended without a word.
    Died(String),
}

/// A call that waits or runs.
struct Pending {
    call: Call,
    changes: bool,
}

/// The calls that run.
#[derive(Default)]
struct Active {
    /// True for those that change something.
    running: HashMap<u64, bool>,
    /// The callbacks without an answer, each with its call.
    callbacks: HashMap<u64, (u64, oneshot::Sender<Result<ReturnedValue, String>>)>,
    /// The number of callbacks so far.
    count: u64,
}

impl Active {
    /// Returns whether a call can start: reads run together, and each change alone. A call whose callback runs waits for
    /// the program itself, so that calls of the callback do not wait for it.
    fn lets_start(&self, changes: bool) -> bool {
        let is_waiting = |call: &u64| self.callbacks.values().any(|it| it.0 == *call);
        let mut busy = self.running.iter().filter(|it| !is_waiting(it.0));
        match changes {
            true => busy.next().is_none(),
            false => busy.clone().all(|it| !it.1) && busy.count() < IN_FLIGHT,
        }
    }

    /// Returns the frame that calls a function of the program.
    fn callback(&mut self, invoked: Invoked) -> ToRuntime {
        let Invoked { call, function, arguments, reply } = invoked;
        self.count += 1;
        self.callbacks.insert(self.count, (call, reply));
        ToRuntime::Callback(Callback { call, callback: self.count, function, arguments })
    }

    /// Takes what came of a callback.
    fn returned(&mut self, callback: u64, outcome: Result<ReturnedValue, String>) {
        let waiting = self.callbacks.remove(&callback);
        drop(waiting.map(|(_, reply)| reply.send(outcome))); // the call may be over
    }

    /// Forgets a call that is over.
    fn ended(&mut self, call: u64) {
        self.running.remove(&call);
        self.callbacks.retain(|_, it| it.0 != call);
    }
}

/// Runs a program. `most` is the number of calls that it may make; `line` returns the line of a place in it.
pub(super) async fn run(
    mut worker: Worker,
    start: ToRuntime,
    calls: Arc<Calls>,
    mut invoked: UnboundedReceiver<Invoked>,
    clock: &Clock,
    most: usize,
    line: impl Fn(Place) -> u32,
) -> Ran {
    let mut ran = Ran {
        end: End::Late,
        calls: Vec::new(),
        output: Vec::new(),
        notes: Vec::new(),
        errors: Vec::new(),
        unconfined: None,
    };
    if let Err(error) = worker.send(&start) {
        ran.end = End::Died(error.to_string());
        return ran;
    }
    let mut queue: VecDeque<Pending> = VecDeque::new();
    type Running = BoxFuture<'static, (u64, Duration, CallOutcome)>;
    let mut running: FuturesUnordered<Running> = FuturesUnordered::new();
    let (mut active, mut shown) = (Active::default(), None::<Instant>);
    let (mut waiting_bytes, mut printed, mut counted) = (0, 0, 0);
    let mut expired = std::pin::pin!(clock.expired());
    loop {
        // In the order of the program: reads together, and each change alone.
        while let Some(next) = queue.front() {
            if !active.lets_start(next.changes) || !worker.keeps_up() {
                break;
            }
            let Some(Pending { call, changes }) = queue.pop_front() else { break };
            waiting_bytes -= size(&call.target);
            active.running.insert(call.call, changes);
            let calls = Arc::clone(&calls);
            running.push(Box::pin(async move {
                let begun = Instant::now();
                let outcome = calls.call(call.call, call.target).await;
                (call.call, begun.elapsed(), outcome)
            }));
        }
        let has_read = worker.has_read();
        tokio::select! {
            () = &mut expired => return ran,
            () = has_read, if !queue.is_empty() => {}
            Some(invoked) = invoked.recv() => {
                let frame = active.callback(invoked);
                if worker.send(&frame).is_err() {
                    active.returned(active.count, Err("the arguments of the function are too large".to_owned()));
                }
            }
            Some((number, time, outcome)) = running.next(), if !running.is_empty() => {
                active.ended(number);
                let index = usize::try_from(number).unwrap_or(0).wrapping_sub(1);
                if let Some(record) = ran.calls.get_mut(index) {
                    (record.is_answered, record.time) = (true, time);
                    if let CallOutcome::Error(error) = &outcome {
                        record.error = Some(error.kind);
                    }
                }
                ran.answered(number, &outcome);
                send(&worker, number, outcome);
            }
            frame = worker.next() => match frame {
                Ok(Some(FromRuntime::Ready { unconfined })) => ran.unconfined = unconfined,
                Ok(Some(FromRuntime::Returned(it))) => active.returned(it.callback, it.outcome),
                // The process counts what it prints. One that does not is not what we started.
                Ok(Some(FromRuntime::Log(log))) if printed <= PRINTED => {
                    printed += log.text.len() + 1;
                    ran.output.push(log);
                }
                Ok(Some(FromRuntime::Log(_))) => {
                    ran.end = End::Died("it prints without end".to_owned());
                    return ran;
                }
                Ok(Some(FromRuntime::Call(call))) => {
                    let changes = calls.changes(&call.target);
                    let (label, place) = (Calls::label(&call.target), call.place);
                    ran.calls.push(CallRecord {
                        label: label.clone(),
                        subject: subject(&call.target),
                        place,
                        error: None,
                        is_answered: false,
                        time: Duration::ZERO,
                    });
                    counted += usize::from(Calls::counts(&call.target));
                    if ran.calls.len() > most + FLOOD {
                        ran.end = End::Died("it calls without end".to_owned());
                        return ran;
                    }
                    let bytes = size(&call.target);
                    let is_too_many = counted > most && Calls::counts(&call.target);
                    let too_many = is_too_many.then(|| calls.too_many(most));
                    let too_large = (waiting_bytes + bytes > WAITING).then(|| "the arguments of the calls that wait are too large; await them".to_owned());
                    if let Some(why) = too_many.or(too_large) {
                        let message = format!("{label}: {why}");
                        let outcome = CallOutcome::Error(CallError {
                            operation: label, kind: ErrorKind::Limit, message, candidates: Vec::new(),
                        });
                        ran.answered(call.call, &outcome);
                        send(&worker, call.call, outcome);
                    } else {
                        // A loop would flood the agent; the next call that is shown has its number.
                        if shown.is_none_or(|it| it.elapsed() >= STEP) {
                            calls.show(ran.calls.len(), &call.target, place.map(&line));
                            shown = Some(Instant::now());
                        }
                        waiting_bytes += bytes;
                        queue.push_back(Pending { call, changes });
                    }
                }
                Ok(Some(FromRuntime::Done(done))) => {
                    ran.end = End::Done(done);
                    return ran;
                }
                Ok(Some(FromRuntime::Failed(failed))) => {
                    ran.end = End::Failed(failed);
                    return ran;
                }
                Ok(None) => {
                    ran.end = End::Died(worker.status().await);
                    return ran;
                }
                Err(error) => {
                    ran.end = End::Died(error);
                    return ran;
                }
            },
        }
    }
}

impl Ran {
    fn answered(&mut self, number: u64, outcome: &CallOutcome) {
        let index = usize::try_from(number).unwrap_or(0).wrapping_sub(1);
        match outcome {
            CallOutcome::Success { notes, .. } => {
                for note in notes {
                    if !self.notes.iter().any(|it| it.text == *note) {
                        self.notes.push(CallNote { call: index, text: note.clone() });
                    }
                }
            }
            CallOutcome::Error(error) => self.errors.push((number, error.clone())),
        }
    }
}

fn send(worker: &Worker, call: u64, outcome: CallOutcome) {
    let operation = match &outcome {
        CallOutcome::Error(error) => error.operation.clone(),
        CallOutcome::Success { .. } => String::new(),
    };
    if let Err(error) = worker.send(&ToRuntime::Answered(Answered { call, outcome })) {
        let (kind, message, candidates) = (ErrorKind::Limit, error.to_string(), Vec::new());
        let outcome = CallOutcome::Error(CallError { operation, kind, message, candidates });
        let _ = worker.send(&ToRuntime::Answered(Answered { call, outcome })); // a short frame fits
    }
}

/// Returns the first argument of a call if it is a short text, or the name in it.
fn subject(target: &CallTarget) -> Option<String> {
    let CallTarget::Function { positional, named, .. } = target else { return None };
    if positional.get().len() + named.get().len() > SUBJECT_READ {
        return None;
    }
    let positional: Vec<serde_json::Value> = serde_json::from_str(positional.get()).ok()?;
    let named: serde_json::Map<String, serde_json::Value> = serde_json::from_str(named.get()).ok()?;
    let first = positional.first().or_else(|| named.values().next())?;
    let text = first.as_str().or_else(|| first.get("name")?.as_str())?;
    (text.chars().count() <= SUBJECT && !text.contains('\n')).then(|| text.to_owned())
}

/// Returns the size of the arguments of a call, in bytes.
fn size(target: &CallTarget) -> usize {
    match target {
        CallTarget::Function { positional, named, .. } => positional.get().len() + named.get().len(),
        CallTarget::Candidate { .. } => 0,
    }
}
