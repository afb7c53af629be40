//! The service of one host: a reader, and a thread for each call that runs.

#[cfg(test)]
mod tests;

use std::any::Any;
use std::collections::HashMap;
use std::fs::File;
use std::io::{self, Read, Write};
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::process::ExitCode;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::mpsc::{Sender, channel};
use std::sync::{Arc, Condvar, Mutex, MutexGuard};
use std::time::Duration;

use plugin_protocol::connection::{CallError, CallId, Plugin as Connection, PluginEvent, Ticket};
use plugin_protocol::methods::{HostCall, PluginCall};
use plugin_protocol::{Limits, Remote, Value as Wire};
use serde_json::Value;

use crate::class::State;
use crate::convert::to_wire;
use crate::error::Error;
use crate::host::Host;
use crate::plugin::{Given, Plugin};
use crate::workers::Workers;
use unpoisoned::lock;

/// The time for calls to end after the host has gone.
const LAST_CALLS: Duration = Duration::from_secs(1);

/// The state of the service.
pub(crate) struct Shared {
    plugin: Plugin,
    connection: Mutex<Talk>,
    output: Mutex<Box<dyn Write + Send>>,
    workers: Arc<Workers>,
    /// The number of calls that run.
    running: Mutex<usize>,
    ended: Condvar,
    objects: Mutex<Objects>,
}

/// The connection, and what waits for it.
struct Talk {
    connection: Connection,
    /// The calls of the host that are under way.
    waiting: HashMap<CallId, Sender<Result<Wire, CallError>>>,
}

#[derive(Default)]
struct Objects {
    last: u64,
    live: HashMap<String, Arc<Live>>,
}

/// An object. Its methods run one after another, in the order in which they were called.
struct Live {
    class: String,
    state: Mutex<Box<State>>,
    /// The number of calls so far. Each waits for its turn.
    calls: AtomicU64,
    turn: Mutex<u64>,
    turned: Condvar,
}

/// A call's place in the queue of its object. The next one has its turn when this is dropped.
struct Place {
    live: Arc<Live>,
    number: u64,
}

impl Place {
    fn new(live: Arc<Live>) -> Self {
        let number = live.calls.fetch_add(1, Ordering::Relaxed);
        Self { live, number }
    }

    fn wait(&self) {
        let turn = lock(&self.live.turn);
        drop(self.live.turned.wait_while(turn, |it| *it != self.number));
    }
}

impl Drop for Place {
    fn drop(&mut self) {
        self.wait(); // a call that never ran still has its turn
        *lock(&self.live.turn) += 1;
        self.live.turned.notify_all();
    }
}

/// Serves until the input ends.
pub(crate) fn serve(plugin: Plugin) -> ExitCode {
    match standard_streams() {
        Ok((input, output)) => run(plugin, input, output),
        Err(error) => {
            eprintln!("the standard streams cannot be used: {error}");
            ExitCode::FAILURE
        }
    }
}

/// Takes standard input and output for the protocol. Everything else, children included, reads nothing and writes to
/// standard error.
fn standard_streams() -> io::Result<(File, File)> {
    let input = File::from(rustix::io::dup(rustix::stdio::stdin())?);
    let output = File::from(rustix::io::dup(rustix::stdio::stdout())?);
    for copy in [&input, &output] {
        rustix::io::fcntl_setfd(copy, rustix::io::FdFlags::CLOEXEC)?;
    }
    rustix::stdio::dup2_stdin(File::open("/dev/null")?)?;
    rustix::stdio::dup2_stdout(rustix::stdio::stderr())?;
    Ok((input, output))
}

fn run(plugin: Plugin, mut input: impl Read, output: impl Write + Send + 'static) -> ExitCode {
    let shared = Arc::new(Shared {
        plugin,
        connection: Mutex::new(Talk {
            connection: Connection::new(Limits::default()),
            waiting: HashMap::new(),
        }),
        output: Mutex::new(Box::new(output)),
        workers: Arc::default(),
        running: Mutex::new(0),
        ended: Condvar::new(),
        objects: Mutex::default(),
    });
    let mut chunk = vec![0; 1 << 16];
    loop {
        match input.read(&mut chunk) {
            Ok(0) => break,
            Ok(count) => receive(&shared, &chunk[..count]),
            Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
            Err(_) => break,
        }
    }
    // What waits for the host fails. What is nearly done is answered, and objects end.
    lock(&shared.connection).waiting.clear();
    let running = lock(&shared.running);
    drop(shared.ended.wait_timeout_while(running, LAST_CALLS, |it| *it > 0));
    let objects = std::mem::take(&mut lock(&shared.objects).live);
    drop(objects);
    ExitCode::SUCCESS
}

fn receive(shared: &Arc<Shared>, bytes: &[u8]) {
    let mut talk = lock(&shared.connection);
    talk.connection.receive(bytes);
    while let Some(event) = talk.connection.next_event() {
        match event {
            PluginEvent::Answer { call, outcome } => {
                // Whoever waited may have ended.
                talk.waiting.remove(&call).map(|it| it.send(outcome));
            }
            PluginEvent::Call { ticket, call: HostCall::Handshake(_) } => {
                if let Some(ticket) = ticket {
                    talk.connection.answer_handshake(ticket, &shared.plugin.description);
                }
            }
            PluginEvent::Call { ticket, call: HostCall::Shutdown } => {
                if let Some(ticket) = ticket {
                    talk.connection.answer_done(ticket);
                }
            }
            PluginEvent::Call { ticket, call } => {
                let own = Arc::clone(shared);
                let place = own.place(&call);
                *lock(&shared.running) += 1;
                let answer = move || {
                    own.answer(ticket, call, place);
                    *lock(&own.running) -= 1;
                    own.ended.notify_all();
                };
                if let Err(error) = shared.workers.run(answer) {
                    eprintln!("a call waits for the others, since there can be no thread for it: {error}");
                }
            }
            PluginEvent::Skipped(broken) => eprintln!("skipped: {broken:?}"),
            PluginEvent::Closed(_) => {}
        }
    }
    shared.write(talk);
}

/// The result of a call.
enum Done {
    Value(Wire),
    Object(Remote),
    Nothing,
}

impl Shared {
    pub(crate) fn library(&self) -> &str {
        &self.plugin.description.library.name
    }

    /// Calls the host, and waits for its answer.
    pub(crate) fn ask(&self, call: &PluginCall) -> Result<Wire, Error> {
        let (sender, answer) = channel();
        {
            let mut talk = lock(&self.connection);
            let id = talk.connection.call(call)?;
            talk.waiting.insert(id, sender);
            self.write(talk);
        }
        let answer = answer.recv().map_err(|_| Error::new("the host has closed the connection"))?;
        Ok(answer?)
    }

    /// Writes what the connection has to say: whole lines, outside of its lock.
    fn write(&self, mut talk: MutexGuard<'_, Talk>) {
        let bytes = talk.connection.take_output();
        drop(talk);
        if !bytes.is_empty() {
            let mut output = lock(&self.output);
            // The host is gone if this fails, and the end of the input follows.
            let _ = output.write_all(&bytes).and_then(|()| output.flush());
        }
    }

    /// Keeps an object, and returns its id.
    pub(crate) fn keep(&self, class: &str, object: Box<State>) -> String {
        let mut objects = lock(&self.objects);
        objects.last += 1;
        let id = objects.last.to_string();
        let live = Live {
            class: class.to_owned(),
            state: Mutex::new(object),
            calls: AtomicU64::new(0),
            turn: Mutex::new(0),
            turned: Condvar::new(),
        };
        objects.live.insert(id.clone(), Arc::new(live));
        id
    }

    /// Takes the place of a method's call in the queue of its object, if that is there.
    fn place(&self, call: &HostCall) -> Option<Place> {
        let HostCall::Method { object_id, .. } = call else { return None };
        lock(&self.objects).live.get(object_id).cloned().map(Place::new)
    }

    fn answer(self: &Arc<Self>, ticket: Option<Ticket>, call: HostCall, place: Option<Place>) {
        let done = catch_unwind(AssertUnwindSafe(|| self.run(call, place.as_ref())));
        let done =
            done.unwrap_or_else(|panic| Err(Error::new(format!("panic in builtin: {}", text(&*panic)))));
        let Some(ticket) = ticket else { return };
        let mut talk = lock(&self.connection);
        match done {
            Ok(Done::Value(value)) => talk.connection.answer(ticket, Ok(&value)),
            Ok(Done::Object(object)) => talk.connection.answer_object(ticket, &object),
            Ok(Done::Nothing) => talk.connection.answer_done(ticket),
            Err(error) => talk.connection.answer(ticket, Err(error.to_wire())),
        }
        self.write(talk);
        drop(place); // answers of one object have its calls' order
    }

    fn run(self: &Arc<Self>, call: HostCall, place: Option<&Place>) -> Result<Done, Error> {
        let host = Host(Arc::clone(self));
        match call {
            HostCall::Function { name, arguments } => {
                let function = self.plugin.functions.get(&name);
                let function =
                    function.ok_or_else(|| unknown("function", &name, "", self.plugin.functions.keys()))?;
                self.value(function(Given::new(arguments), &host)?)
            }
            HostCall::New { class, arguments } => {
                let code = self.plugin.classes.get(&class);
                let code = code.ok_or_else(|| unknown("class", &class, "", self.plugin.classes.keys()))?;
                let object = (code.create)(Given::new(arguments), &host)?;
                let id = self.keep(&class, object);
                Ok(Done::Object(Remote { library: self.library().to_owned(), class, id }))
            }
            HostCall::Method { object_id, method, arguments } => {
                let place = place.ok_or_else(|| Error::new(format!("unknown object {object_id}")))?;
                place.wait();
                self.method(&place.live, &method, Given::new(arguments), &host)
            }
            HostCall::Destroy { object_id } => {
                let live = lock(&self.objects).live.remove(&object_id);
                drop(live); // outside the lock: its end may run code of the plugin
                Ok(Done::Nothing)
            }
            HostCall::Handshake(_) | HostCall::Shutdown | HostCall::Environment => Ok(Done::Nothing),
        }
    }

    fn method(&self, live: &Live, method: &str, given: Given, host: &Host) -> Result<Done, Error> {
        let class = &live.class;
        let code = self.plugin.classes.get(class);
        let code = code.ok_or_else(|| unknown("class", class, "", self.plugin.classes.keys()))?;
        let of = format!(" on {class}");
        let member = code.members.get(method);
        let member = member.ok_or_else(|| unknown("method", method, &of, code.members.keys()))?;
        let result = member.code(method, &given)?(&mut **lock(&live.state), given, host)?;
        self.value(result)
    }

    fn value(&self, result: Value) -> Result<Done, Error> {
        to_wire(result, self.library()).map(Done::Value).map_err(Error::new)
    }
}

fn unknown<'a>(kind: &str, name: &str, of: &str, names: impl Iterator<Item = &'a String>) -> Error {
    let names: Vec<_> = names.map(String::as_str).collect();
    Error::new(format!("unknown {kind} {name}{of} (available: {})", names.join(", ")))
}

fn text(panic: &(dyn Any + Send)) -> &str {
    let text = panic.downcast_ref::<&str>().copied();
    text.or_else(|| panic.downcast_ref::<String>().map(String::as_str)).unwrap_or("no message")
}
