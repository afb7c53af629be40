//! The process that runs the source of a plugin: functions and classes that the plugin hands to its host instead of answering
//! their calls itself.
//!
//! It is a plugin itself, between two pipes. Each call has a function of the host among its named arguments, by which the
//! source calls the plugin that it comes from. The interpreter runs on a thread of its own and checks its limits between
//! instructions, but not inside of every native loop, so the main thread watches it. Nothing here confines the process;
//! whoever starts it does.

mod engine;
mod memory;
mod module;
mod peer;
mod print;
mod values;

use std::io::{Read, Write};
use std::sync::mpsc::{Receiver, RecvTimeoutError, channel};
use std::thread;
use std::time::{Duration, Instant};

use plugin_protocol::connection::Ticket;
use plugin_protocol::envelope::ErrorObject;
use plugin_protocol::methods::{Arguments, HostCall};
use plugin_protocol::schema::{Description, Library};
use plugin_protocol::source::{HOST, Module, UNCONFINED};
use plugin_protocol::{Remote, Value};

pub use crate::engine::Bounds;
use crate::engine::{Call, Engine};
pub use crate::memory::UsedMemory;
use crate::peer::{Callback, Peer};

/// The stack of the thread of the interpreter.
const STACK: usize = 16 * 1024 * 1024;

/// The time that the interpreter may take to stop by itself.
const GRACE: Duration = Duration::from_secs(2);

/// The time between two looks at the memory while the source computes.
const LOOK: Duration = Duration::from_millis(2);

/// Answers calls until the input ends. `unconfined` is the reason why the operating system does not confine this process, if
/// it does not.
///
/// # Errors
/// The reason why the source was stopped where its interpreter does not stop by itself. Its thread may still run, so end the
/// process.
pub fn run(
    module: Module,
    bounds: Bounds,
    input: impl Read + Send + 'static,
    output: impl Write + Send + 'static,
    unconfined: Option<String>,
    mut memory: UsedMemory,
) -> Result<(), String> {
    let (told, heard) = channel();
    let library = module.library.clone();
    let engine = thread::Builder::new().name("source".into()).stack_size(STACK).spawn(move || {
        let engine = Engine::new(module, bounds, told);
        let mut worker = Worker { peer: Peer::new(input, output), library, unconfined, engine };
        while let Some((ticket, call)) = worker.peer.next_call() {
            worker.call(ticket, call);
            if worker.engine.is_used_up() {
                let _ = worker.peer.flush(); // the host may be gone
                return;
            }
        }
    });
    let engine = engine.map_err(|error| format!("the interpreter does not start: {error}"))?;
    watch(&heard, bounds.computing + GRACE, &mut memory)?;
    engine.join().map_err(|_| "the interpreter broke off".to_owned())
}

/// Watches the interpreter, which tells when it begins and stops computing, until it is gone.
///
/// # Errors
/// It computed for too long without a stop.
fn watch(heard: &Receiver<bool>, most: Duration, memory: &mut UsedMemory) -> Result<(), String> {
    while let Ok(computes) = heard.recv() {
        let begun = Instant::now();
        let mut computes = computes;
        while computes {
            memory.count();
            match heard.recv_timeout(LOOK) {
                Ok(still) => computes = still,
                Err(RecvTimeoutError::Timeout) if begun.elapsed() < most => {}
                Err(RecvTimeoutError::Timeout) => {
                    let seconds = most.as_secs_f64();
                    return Err(format!("one operation of the source took more than {seconds} s"));
                }
                Err(RecvTimeoutError::Disconnected) => return Ok(()),
            }
        }
    }
    Ok(())
}

struct Worker<I, O> {
    peer: Peer<I, O>,
    library: String,
    unconfined: Option<String>,
    engine: Engine,
}

impl<I: Read, O: Write> Worker<I, O> {
    fn call(&mut self, ticket: Ticket, call: HostCall) {
        let outcome = match call {
            HostCall::Handshake(_) => {
                let description = self.description();
                return self.peer.plugin.answer_handshake(ticket, &description);
            }
            HostCall::Shutdown | HostCall::Environment => return self.peer.plugin.answer_done(ticket),
            // The end of an object may call the plugin, so that it is a method here.
            HostCall::Destroy { .. } => return self.peer.plugin.answer_done(ticket),
            HostCall::New { class, arguments } => match self.run(Call::Function(class), arguments) {
                Ok(Value::Remote(object)) => return self.peer.plugin.answer_object(ticket, &object),
                Ok(_) => Err("it made no object".to_owned()),
                Err(error) => Err(error),
            },
            HostCall::Function { name, arguments } => self.run(Call::Function(name), arguments),
            HostCall::Method { object_id, method, arguments } => {
                self.run(Call::Method { object: object_id, name: method }, arguments)
            }
        };
        self.peer.plugin.answer(ticket, outcome.as_ref().map_err(|it| ErrorObject::new(it.clone())));
    }

    fn description(&self) -> Description {
        let why = self.unconfined.as_ref().map(|why| format!("{UNCONFINED}{why}"));
        let library = Library {
            name: self.library.clone(),
            description: why.unwrap_or_default(),
            ..Library::default()
        };
        Description { library, ..Description::default() }
    }

    fn run(&mut self, call: Call, mut arguments: Arguments) -> Result<Value, String> {
        let Some(Value::Callback(id)) = arguments.kwargs.remove(HOST) else {
            return Err("the host gave no function for the plugin".to_owned());
        };
        let mut host = Callback { peer: &mut self.peer, id };
        let value = self.engine.run(&call, &arguments, &mut host)?;
        Ok(named(value, &self.library))
    }
}

/// Gives the objects of the source in a value the name of their library.
fn named(value: Value, library: &str) -> Value {
    match value {
        Value::Remote(Remote { library: own, class, id }) => {
            let library = if own.is_empty() { library.to_owned() } else { own };
            Value::Remote(Remote { library, class, id })
        }
        Value::List(items) => Value::List(items.into_iter().map(|it| named(it, library)).collect()),
        Value::Dict(entries) => {
            Value::Dict(entries.into_iter().map(|(key, it)| (key, named(it, library))).collect())
        }
        value => value,
    }
}
