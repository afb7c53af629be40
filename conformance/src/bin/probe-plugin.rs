//! A plugin that behaves as it is told: at its start and end by its first argument, in a call by the
//! function's name.

use std::io::{Read, Write, stderr, stdin, stdout};
use std::net::TcpStream;
use std::ops::ControlFlow;
use std::os::unix::net::UnixStream;
use std::process::{Command, ExitCode};

use plugin_protocol::connection::{CallId, Plugin, PluginEvent, Ticket};
use plugin_protocol::envelope::ErrorObject;
use plugin_protocol::methods::{Arguments, HostCall, Level, LogRecord, PluginCall};
use plugin_protocol::schema::{Class, Description, Effect, Function, Library, Property};
use plugin_protocol::{Limits, Remote, Value};

/// The functions that it declares. It has a class `Counter` too.
const FUNCTIONS: &[&str] = &[
    "echo",
    "fail",
    "die",
    "half",
    "silent",
    "twice",
    "garbage",
    "flood",
    "shout",
    "huge",
    "child",
    "call",
    "caught",
    "log",
    "env",
    "destroyed",
    "read",
    "write",
    "connect",
    "unix",
    "variable",
    "leave",
    "pending",
];

/// The function that echoes and declares that it only reads.
const PEEK: &str = "peek";

fn main() -> ExitCode {
    let mode = std::env::args().nth(1).unwrap_or_default();
    if mode == "exits" {
        say("the library is missing\n");
        return ExitCode::from(3);
    }
    if mode == "noisy" {
        raw("Loading the model…\n");
    }
    let mut probe = Probe {
        plugin: Plugin::new(Limits { message_bytes: usize::MAX >> 1, ..Limits::default() }),
        counters: Vec::new(),
        destroyed: 0,
        outer: Vec::new(),
        handshakes: 0,
        mode,
    };
    let mut chunk = vec![0; 1 << 16];
    while let Ok(count @ 1..) = stdin().read(&mut chunk) {
        if probe.mode == KIT && String::from_utf8_lossy(&chunk[..count]).contains("\"id\":\"") {
            return ExitCode::from(2);
        }
        probe.plugin.receive(&chunk[..count]);
        while let Some(event) = probe.plugin.next_event() {
            if let ControlFlow::Break(code) = probe.event(event) {
                return ExitCode::from(code);
            }
        }
        probe.flush();
    }
    if probe.mode == "stays" {
        loop {
            std::thread::park();
        }
    }
    ExitCode::SUCCESS
}

/// The mode of plugins of other kits: an id is an integer, and functions are told in any order.
const KIT: &str = "kit";

struct Probe {
    mode: String,
    handshakes: usize,
    plugin: Plugin,
    counters: Vec<i64>,
    destroyed: i64,
    /// The calls of callbacks that are under way, the host's calls around them, and true for those that answer with
    /// the error of the callback.
    outer: Vec<(CallId, Ticket, bool)>,
}

fn say(text: &str) {
    let _ = stderr().write_all(text.as_bytes());
}

fn raw(text: &str) {
    let mut output = stdout().lock();
    let _ = output.write_all(text.as_bytes()).and_then(|()| output.flush());
}

impl Probe {
    fn flush(&mut self) {
        let mut output = stdout().lock();
        let _ = output.write_all(&self.plugin.take_output()).and_then(|()| output.flush());
    }

    fn event(&mut self, event: PluginEvent) -> ControlFlow<u8> {
        match event {
            PluginEvent::Call { ticket: Some(ticket), call } => return self.call(ticket, call),
            PluginEvent::Call { ticket: None, .. } if self.mode == "answers all" => {
                raw("{\"jsonrpc\":\"2.0\",\"id\":null,\"result\":null}\n");
            }
            PluginEvent::Answer { call, outcome } => {
                if let Some(at) = self.outer.iter().position(|it| it.0 == call) {
                    let (_, ticket, catches) = self.outer.remove(at);
                    let outcome = match outcome {
                        Err(error) if catches => Ok(Value::String(error.to_string())),
                        outcome => outcome.map_err(|it| ErrorObject::new(it.to_string())),
                    };
                    self.plugin.answer(ticket, outcome.as_ref().map_err(Clone::clone));
                }
            }
            _ => {}
        }
        ControlFlow::Continue(())
    }

    fn call(&mut self, ticket: Ticket, call: HostCall) -> ControlFlow<u8> {
        match call {
            HostCall::Handshake(_) => self.handshake(ticket),
            HostCall::Shutdown if self.mode == "never ends" => {}
            HostCall::Shutdown => self.plugin.answer_done(ticket),
            HostCall::Function { name, arguments } => return self.function(ticket, &name, arguments),
            HostCall::New { class, arguments } => {
                let Some(Value::Int(start)) = arguments.args.first() else {
                    self.plugin.answer(ticket, Err(ErrorObject::new("Counter wants a number")));
                    return ControlFlow::Continue(());
                };
                self.counters.push(*start);
                let id = self.counters.len().to_string();
                self.plugin.answer_object(ticket, &Remote { library: "probe".to_owned(), class, id });
            }
            HostCall::Method { object_id, method, arguments } => {
                let answer = self.method(&object_id, &method, &arguments);
                self.plugin.answer(ticket, answer.as_ref().map_err(|it| ErrorObject::new(it.clone())));
            }
            HostCall::Destroy { .. } => {
                self.destroyed += 1;
                self.plugin.answer_done(ticket);
            }
            HostCall::Environment => self.plugin.answer_done(ticket),
        }
        ControlFlow::Continue(())
    }

    fn handshake(&mut self, ticket: Ticket) {
        match self.mode.as_str() {
            "refuses" => self.plugin.answer(ticket, Err(ErrorObject::new("no licence"))),
            "silent" => {}
            "wrong" => raw("{\"id\":1,\"result\":{\"protocol\":\"2.0\"}}\n"),
            _ => {
                let mut description = description();
                if self.mode == KIT && self.handshakes % 2 == 1 {
                    description.functions.reverse();
                    description.classes.iter_mut().for_each(|it| it.methods.reverse());
                }
                self.plugin.answer_handshake(ticket, &description);
            }
        }
        self.handshakes += 1;
    }

    fn function(&mut self, ticket: Ticket, name: &str, arguments: Arguments) -> ControlFlow<u8> {
        let first = arguments.args.first().cloned().unwrap_or_default();
        let number = if let Value::Int(it) = first { usize::try_from(it).unwrap_or(0) } else { 0 };
        if self.mode == KIT && name != PEEK && !FUNCTIONS.contains(&name) {
            let available: Vec<&str> = FUNCTIONS.iter().copied().chain([PEEK]).collect();
            let text = format!("unknown function {name} (available: {})", available.join(", "));
            self.plugin.answer(ticket, Err(ErrorObject::new(text)));
            return ControlFlow::Continue(());
        }
        match name {
            "fail" => self.plugin.answer(ticket, Err(ErrorObject::new("it failed"))),
            "die" => {
                say("out of luck\n");
                return ControlFlow::Break(7);
            }
            "half" => {
                raw("{\"jsonrpc\":\"2.0\",\"id\":2,\"result\":{\"type\":\"str");
                return ControlFlow::Break(7);
            }
            "silent" => {}
            "twice" => {
                self.plugin.answer(ticket, Ok(&first));
                let answer = self.plugin.take_output();
                raw(&String::from_utf8_lossy(&answer).repeat(2));
            }
            "garbage" => {
                raw("Loading the model…\n{\"progress\": 1}\n[oops\n\u{0}\n");
                self.plugin.answer(ticket, Ok(&first));
            }
            "flood" => {
                raw(&"{\"jsonrpc\":\"2.0\",\"id\":1000001,\"result\":null}\n".repeat(number));
                self.plugin.answer(ticket, Ok(&first));
            }
            "shout" => {
                say(&"e".repeat(number));
                self.plugin.answer(ticket, Ok(&first));
            }
            "huge" => self.plugin.answer(ticket, Ok(&Value::String("x".repeat(number)))),
            "child" => {
                // It inherits the pipes, and outlives this process.
                let child = Command::new("/bin/sleep").arg("600").spawn();
                let id = child.map_or(0, |it| i64::from(it.id()));
                self.plugin.answer(ticket, Ok(&Value::Int(id)));
            }
            "call" | "caught" => {
                let mut arguments = arguments;
                if let Value::Callback(id) = arguments.args.remove(0)
                    && let Ok(call) = self.plugin.call(&PluginCall::Callback { id, arguments })
                {
                    self.outer.push((call, ticket, name == "caught"));
                }
            }
            "log" => {
                let record =
                    LogRecord { level: Level::Warn, message: "logged".to_owned(), args: arguments.args };
                if let Ok(call) = self.plugin.call(&PluginCall::Log(record)) {
                    self.outer.push((call, ticket, false));
                }
            }
            "env" => {
                let value = std::env::var("SCRIPTLING_PLUGIN_PEER").unwrap_or_default();
                self.plugin.answer(ticket, Ok(&Value::String(value)));
            }
            "read" | "write" | "connect" | "unix" | "variable" => {
                let Value::String(what) = &first else { return ControlFlow::Continue(()) };
                self.plugin.answer(ticket, Ok(&Value::String(tried(name, what))));
            }
            "leave" => {
                // It leaves the group of its parent, and holds its pipes.
                let child = Command::new("/usr/bin/setsid").args(["/bin/sleep", "600"]).spawn();
                let id = child.map_or(0, |it| i64::from(it.id()));
                self.plugin.answer(ticket, Ok(&Value::Int(id)));
            }
            "pending" => {
                let count = i64::try_from(self.outer.len()).unwrap_or(i64::MAX);
                self.plugin.answer(ticket, Ok(&Value::Int(count)));
            }
            "destroyed" => self.plugin.answer(ticket, Ok(&Value::Int(self.destroyed))),
            _ => self.plugin.answer(ticket, Ok(&first)),
        }
        ControlFlow::Continue(())
    }

    fn method(&mut self, id: &str, method: &str, arguments: &Arguments) -> Result<Value, String> {
        let at = id.parse::<usize>().ok().and_then(|it| it.checked_sub(1));
        let counter =
            at.and_then(|it| self.counters.get_mut(it)).ok_or_else(|| format!("unknown object {id}"))?;
        match (method, arguments.args.as_slice()) {
            ("get", []) => {}
            ("commit", args) => return Ok(Value::String(format!("commit {}", args.len()))),
            ("inc", [Value::Int(by)]) => *counter += by,
            ("value", [Value::Int(value)]) => *counter = *value,
            ("value", []) => {}
            _ => return Err(format!("unknown method {method} on Counter (available: inc, value)")),
        }
        Ok(Value::Int(*counter))
    }
}

/// Tries to reach something, and says what came of it.
fn tried(how: &str, what: &str) -> String {
    let tried = match how {
        "read" => std::fs::read_to_string(what).map(drop),
        "write" => std::fs::write(what, "written"),
        "connect" => TcpStream::connect(what).map(drop),
        "unix" => UnixStream::connect(what).map(drop),
        _ => return std::env::var(what).unwrap_or_default(),
    };
    tried.map_or_else(|error| error.kind().to_string(), |()| "done".to_owned())
}

fn description() -> Description {
    let function = |name: &&str| Function { name: (*name).to_owned(), ..Function::default() };
    let peek = Function { effect: Some(Effect::Reads), ..function(&PEEK) };
    let property = |name: &str, settable| Property { name: name.to_owned(), settable, ..Property::default() };
    Description {
        library: Library { name: "probe".to_owned(), ..Library::default() },
        functions: FUNCTIONS.iter().map(function).chain([peek]).collect(),
        classes: vec![Class {
            name: "Counter".to_owned(),
            constructor: function(&"Counter"),
            methods: ["inc", "get", "commit"].iter().map(function).collect(),
            properties: vec![property("value", true), property("label", false)],
            ..Class::default()
        }],
        ..Description::default()
    }
}
