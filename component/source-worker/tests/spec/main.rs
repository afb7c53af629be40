//! Sources with the calls that they answer and make, each in a process of its own, behind the strictest wall. This program
//! is that process too.
//!
//! A chapter's source is a ```` ```py greet ```` for a function, a ```` ```py class Config ```` for a class; an empty block is
//! one that the plugin answers. Its calls are lines of JSON: a name, or the id of an object and a member, and the arguments
//! by position and by name; `any limit` behind the block's name leaves out which one stopped them, and `memory` leaves them
//! a minute for taking it. The plugin behind it is `answer` below.

#![expect(clippy::unwrap_used, reason = "a test that cannot go on fails")]

use std::io::{Read, Write};
use std::path::Path;
use std::process::{Child, Command, ExitCode, Stdio};
use std::time::Duration;

use libtest_mimic::Arguments as TestArguments;
use literate::{Actual, Case, chapters};
use plugin_protocol::connection::{Answer, CallError, Host, HostEvent};
use plugin_protocol::methods::{Arguments, Handshake, HostCall};
use plugin_protocol::source::{Entry, HOST, Module};
use plugin_protocol::{Limits, Remote, Value};
use serde_json::json;
use source_worker::{Bounds, UsedMemory};

/// The private memory of the process, in bytes.
const MEMORY: u64 = 512 * 1024 * 1024;

/// The bounds of a source here: tight, so that tests are short.
const BOUNDS: Bounds = Bounds { computing: Duration::from_millis(500), memory: 64 * 1024 * 1024, asks: 50 };

/// The argument of a process whose source takes memory, which a busy machine is slow to give.
const SLOWLY: &str = "slowly";

fn main() -> ExitCode {
    if std::env::args().nth(1).as_deref() == Some("worker") {
        let memory = UsedMemory::open();
        let module = Module::of_variables(|name| std::env::var(name).ok()).unwrap();
        let unconfined = confinement::isolate(MEMORY).err().map(|it| it.to_string());
        let bounds = match std::env::args().nth(2).as_deref() {
            Some(SLOWLY) => Bounds { computing: Duration::from_secs(60), ..BOUNDS },
            _ => BOUNDS,
        };
        let ended =
            source_worker::run(module, bounds, std::io::stdin(), std::io::stdout(), unconfined, memory);
        return ended.map_or_else(
            |why| {
                eprintln!("{why}");
                ExitCode::FAILURE
            },
            |()| ExitCode::SUCCESS,
        );
    }
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("spec");
    let trials = chapters(&folder).into_iter().flat_map(|it| it.trials(run)).collect();
    libtest_mimic::run(&TestArguments::from_args(), trials).exit_code()
}

fn run(case: &Case) -> Actual {
    let is_called = |subject: &str| case.inputs_of("calls").any(|it| it.subject == subject);
    let mut worker = Worker::start(&module(case), is_called("memory").then_some(SLOWLY));
    let mut told = Vec::new();
    let is_any_limit = is_called("any limit");
    for line in case.input("calls").unwrap().lines() {
        let call = call(&serde_json::from_str(line).unwrap());
        let (outcome, mut seen) = worker.call(&call);
        told.append(&mut seen);
        match outcome {
            Ok(answer) => told.push(format!("= {answer}")),
            Err(CallError::Peer(error)) if is_any_limit && error.message.starts_with("stopped: ") => {
                told.push("! stopped by a limit".to_owned());
            }
            Err(CallError::Closed(_)) if is_any_limit && worker.last_words().starts_with("one operation") => {
                told.push("! stopped by a limit".to_owned());
                break;
            }
            // Where memory runs out is not the same each time.
            Err(CallError::Peer(error)) if error.message.contains(" of memory (") => {
                told.push(format!("! {}", error.message.split(" (").next().unwrap_or_default()));
            }
            Err(CallError::Peer(error)) => told.push(format!("! {}", error.message)),
            Err(error) => {
                told.push(format!("died: {error}; {}", worker.last_words()));
                return Actual::new("died", told.join("\n"));
            }
        }
    }
    Actual::new("told", told.join("\n"))
}

fn module(case: &Case) -> Module {
    let mut module = Module { library: "plugin.test".to_owned(), ..Module::default() };
    for input in case.inputs_of("py") {
        let (entries, name) = match input.subject.strip_prefix("class ") {
            Some(name) => (&mut module.classes, name),
            None => (&mut module.functions, input.subject.as_str()),
        };
        let source = Some(input.text.clone()).filter(|it| !it.is_empty());
        entries.push(Entry { name: name.to_owned(), source, members: vec!["name".to_owned()] });
    }
    module
}

fn call(line: &serde_json::Value) -> HostCall {
    let part = |index: usize| line.get(index).cloned().unwrap_or_default();
    let args = part(1).as_array().into_iter().flatten().map(value).collect();
    let kwargs =
        part(2).as_object().into_iter().flatten().map(|(key, it)| (key.clone(), value(it))).collect();
    let (name, mut arguments) = (part(0).as_str().unwrap().to_owned(), Arguments { args, kwargs });
    arguments.kwargs.insert(HOST.to_owned(), Value::Callback("host".to_owned()));
    match name.split_once('.') {
        Some((object_id, method)) => {
            HostCall::Method { object_id: object_id.to_owned(), method: method.to_owned(), arguments }
        }
        None => HostCall::Function { name, arguments },
    }
}

/// Returns a value of the protocol: `"cb:x"` is a function, `"source:1"` an object of the source, `"plugin:7"` one of the plugin.
fn value(json: &serde_json::Value) -> Value {
    let remote = |id: String| {
        let (library, class) = ("plugin.test".to_owned(), "Remote".to_owned());
        Value::Remote(Remote { library, class, id })
    };
    match json {
        serde_json::Value::Null => Value::Null,
        serde_json::Value::Bool(it) => Value::Bool(*it),
        serde_json::Value::Number(it) => {
            it.as_i64().map_or_else(|| Value::Float(it.as_f64().unwrap()), Value::Int)
        }
        serde_json::Value::String(it) => match it.split_once(':') {
            Some(("cb", id)) => Value::Callback(id.to_owned()),
            Some(("source", id)) => remote(format!("dialect-source-{id}")),
            Some(("plugin", id)) => remote(format!("1:{id}")),
            _ => Value::String(it.clone()),
        },
        serde_json::Value::Array(items) => Value::List(items.iter().map(value).collect()),
        serde_json::Value::Object(entries) => {
            Value::Dict(entries.iter().map(|(key, it)| (key.clone(), value(it))).collect())
        }
    }
}

fn shown(value: &Value) -> serde_json::Value {
    match value {
        Value::Null => serde_json::Value::Null,
        Value::Bool(it) => json!(it),
        Value::Int(it) => json!(it),
        Value::Float(it) => json!(it),
        Value::String(it) => json!(it),
        Value::List(items) => items.iter().map(shown).collect(),
        Value::Dict(entries) => entries.iter().map(|(key, it)| (key.clone(), shown(it))).collect(),
        Value::Callback(id) => json!(format!("cb:{id}")),
        Value::Remote(it) => json!(format!("{} {}", it.class, it.id)),
    }
}

/// Answers what the source asks: `echo` with its arguments, `new` with an object, methods with their names, and everything
/// else with an error.
fn answer(given: &Arguments) -> Result<Value, String> {
    let [Value::String(how), subject, Value::List(args), Value::Dict(_)] = given.args.as_slice() else {
        return Err("odd".to_owned());
    };
    let parts: &[Value] = if let Value::List(parts) = subject { parts } else { &[] };
    let named = match parts.last() {
        Some(Value::String(name)) => name.as_str(),
        _ => "",
    };
    match (how.as_str(), named) {
        ("function", "echo") => Ok(Value::List(args.clone())),
        ("function", "greet") => Ok(Value::String(format!("Hello, {}", shown(&args[0]).as_str().unwrap()))),
        ("function", "takes") => Ok(Value::Null),
        ("function", name) => Err(format!("unknown function {name}")),
        ("new", class) => {
            let (library, class) = ("plugin.test".to_owned(), class.to_owned());
            Ok(Value::Remote(Remote { library, class, id: "1:7".to_owned() }))
        }
        ("method", "get") => Ok(Value::String(String::new())),
        ("method" | "release", _) => Ok(Value::Null),
        ("callback", _) => Ok(args.first().map_or(Value::Null, json_twice)),
        _ => Err("odd".to_owned()),
    }
}

fn json_twice(value: &Value) -> Value {
    Value::String(format!("{0} {0}", shown(value)))
}

struct Worker {
    child: Child,
    host: Host,
}

impl Worker {
    fn start(module: &Module, argument: Option<&str>) -> Self {
        let mut command = Command::new(std::env::current_exe().unwrap());
        command.arg("worker").args(argument).env_clear().envs(module.variables().unwrap());
        command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
        let mut worker = Self { child: command.spawn().unwrap(), host: Host::new(Limits::default()) };
        let handshake = HostCall::Handshake(Handshake::new("0.27.3"));
        let id = worker.host.call(&handshake).unwrap();
        loop {
            if let HostEvent::Answer { call, outcome } = worker.next() {
                assert_eq!(call, id);
                let Ok(Answer::Description(description)) = outcome else { panic!("{outcome:?}") };
                assert_eq!(description.library.description, "", "it is confined");
                return worker;
            }
        }
    }

    fn call(&mut self, call: &HostCall) -> (Result<String, CallError>, Vec<String>) {
        let id = self.host.call(call).unwrap();
        let mut seen = Vec::new();
        loop {
            match self.next() {
                HostEvent::Answer { call, outcome } if call == id => {
                    let shown = outcome.map(|it| match it {
                        Answer::Value(it) => shown(&it).to_string(),
                        other => format!("{other:?}"),
                    });
                    return (shown, seen);
                }
                HostEvent::Callback { ticket: Some(ticket), arguments, .. } => {
                    let words: Vec<_> = arguments.args.iter().map(|it| shown(it).to_string()).collect();
                    if seen.len() < 10 {
                        seen.push(format!("> {}", words.join(" ")));
                    }
                    let answered = answer(&arguments);
                    self.host.answer_callback(ticket, answered.as_ref().map_err(String::as_str));
                }
                HostEvent::Log(record) => {
                    let text: String = record.message.chars().take(60).collect();
                    seen.push(format!("log: {text}"));
                }
                _ => {}
            }
        }
    }

    fn next(&mut self) -> HostEvent {
        let mut chunk = vec![0; 65536];
        loop {
            if let Some(event) = self.host.next_event() {
                return event;
            }
            let output = self.host.take_output();
            let _ = self.child.stdin.as_mut().unwrap().write_all(&output); // it may have ended
            match self.child.stdout.as_mut().unwrap().read(&mut chunk).unwrap() {
                0 => self.host.end("the process ended"),
                count => self.host.receive(&chunk[..count]),
            }
        }
    }

    fn last_words(&mut self) -> String {
        let mut words = String::new();
        self.child.stderr.take().unwrap().read_to_string(&mut words).unwrap();
        words.lines().last().unwrap_or_default().to_owned()
    }
}

impl Drop for Worker {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}
