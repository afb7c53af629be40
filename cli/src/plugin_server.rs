//! `dialect plugin`: the IDE functions as a plugin of a Scriptling host, over standard input and output.

use std::io;
use std::process::ExitCode;

use agent_client_protocol::Error;
use component::{ide_functions, vocabulary};
use dialect::{Effect, Form, Function, GivenArgument, Registry, Signature, Type, print_call};
use plugin_protocol::connection::{Plugin, PluginEvent, Ticket};
use plugin_protocol::envelope::ErrorObject;
use plugin_protocol::methods::{Arguments, HostCall, Level, LogRecord, PluginCall};
use plugin_protocol::{Limits, Origin, Parameter, Value as Wire, schema};
use serde_json::{Value, json};
use tokio::io::{AsyncReadExt, AsyncWriteExt, stdin, stdout};
use tokio::task::JoinSet;

use crate::answer::Answer;
use crate::arguments::PluginServer;
use crate::environment::workspace;
use crate::eval::chain_for;
use crate::failure::Failure;
use crate::os;
use crate::stub::{Session, converse};

/// The size of a value in an answer, in bytes. Hosts have no budget of tokens.
const BUDGET: usize = 32 << 20;

/// The answer to a call, with the notes on it.
type Answered = (Ticket, Result<Wire, ErrorObject>, Vec<String>);

pub(crate) async fn run(arguments: PluginServer) -> Result<ExitCode, Failure> {
    let workspace = workspace(arguments.workspace.as_deref())?;
    let mut chain = chain_for(arguments.trust, &[], arguments.timeout, arguments.wait)?;
    chain.component.budget = BUDGET;
    let serving = converse(chain, &workspace, Box::new(|_| {}), async |session| {
        serve(&session).await.map_err(Error::into_internal_error)
    });
    tokio::select! {
        served = serving => served?,
        () = os::asked_to_end()? => {}
    }
    Ok(ExitCode::SUCCESS)
}

/// Answers the calls of the host until it closes the input.
async fn serve(session: &Session) -> io::Result<()> {
    let server = Server { registry: vocabulary(), functions: offered() };
    let (mut plugin, mut running) = (Plugin::new(Limits::default()), JoinSet::new());
    let (mut input, mut output, mut chunk) = (stdin(), stdout(), vec![0; 1 << 16]);
    loop {
        tokio::select! {
            read = input.read(&mut chunk) => match read? {
                0 => return Ok(()),
                count => plugin.receive(&chunk[..count]),
            },
            Some(Ok(answered)) = running.join_next() => answer(&mut plugin, answered),
        }
        while let Some(event) = plugin.next_event() {
            if let PluginEvent::Call { ticket: Some(ticket), call } = event {
                server.call(&mut plugin, &mut running, session, ticket, call);
            }
        }
        output.write_all(&plugin.take_output()).await?;
        output.flush().await?;
    }
}

/// Answers a call. What limits the meaning of its value goes to the host's log, since a value has no place for it.
fn answer(plugin: &mut Plugin, (ticket, outcome, notes): Answered) {
    for message in notes {
        let record = LogRecord { level: Level::Warn, message, args: Vec::new() };
        let _ = plugin.call(&PluginCall::Log(record)); // the host need not have a log
    }
    plugin.answer(ticket, outcome.as_ref().map_err(Clone::clone));
}

/// Returns the functions that a host can call: those that take data alone, and change nothing.
fn offered() -> Vec<(Signature, Function)> {
    let takes_data = |it: &Signature| !it.parameters.iter().any(|it| holds_function(&it.ty));
    let each = ide_functions().into_iter().filter(|it| it.effect != Effect::Writes);
    each.filter_map(|it| Some((Signature::parse(&it.signature).ok().filter(takes_data)?, it))).collect()
}

fn holds_function(ty: &Type) -> bool {
    match ty {
        Type::Function { .. } => true,
        Type::Optional(inner) | Type::List(inner) | Type::Refined(inner, _) => holds_function(inner),
        Type::Union(members) => members.iter().any(holds_function),
        _ => false,
    }
}

struct Server {
    registry: Registry,
    functions: Vec<(Signature, Function)>,
}

impl Server {
    fn call(
        &self,
        plugin: &mut Plugin,
        running: &mut JoinSet<Answered>,
        session: &Session,
        ticket: Ticket,
        call: HostCall,
    ) {
        let (name, arguments) = match call {
            HostCall::Handshake(_) => return plugin.answer_handshake(ticket, &self.description()),
            HostCall::Function { name, arguments } => (name, arguments),
            HostCall::New { class, .. } => {
                return plugin.answer(ticket, Err(ErrorObject::new(format!("unknown class {class}"))));
            }
            HostCall::Method { object_id, .. } => {
                return plugin.answer(ticket, Err(ErrorObject::new(format!("unknown object {object_id}"))));
            }
            HostCall::Destroy { .. } | HostCall::Shutdown | HostCall::Environment => {
                return plugin.answer_done(ticket);
            }
        };
        match self.program(&name, arguments) {
            Err(message) => plugin.answer(ticket, Err(ErrorObject::new(message))),
            Ok(program) => {
                let session = session.clone();
                running.spawn(async move {
                    let (outcome, notes) = match session.ask(&program).await {
                        Ok(result) => outcome_of(&Answer::of(&result)),
                        Err(error) => (Err(ErrorObject::new(error.to_string())), Vec::new()),
                    };
                    (ticket, outcome, notes)
                });
            }
        }
    }

    /// Returns a program in JSON form that makes a call.
    fn program(&self, name: &str, arguments: Arguments) -> Result<String, String> {
        let Some((signature, _)) = self.functions.iter().find(|it| it.0.name == name) else {
            let names: Vec<_> = self.functions.iter().map(|it| it.0.name.as_str()).collect();
            return Err(format!("unknown function {name} (available: {})", names.join(", ")));
        };
        let Arguments { args, kwargs } = arguments;
        if args.len() > signature.parameters.len() {
            let (most, got) = (signature.parameters.len(), args.len());
            return Err(format!("got {got} arguments, want at most {most}: {signature}"));
        }
        let positional = args.into_iter().enumerate();
        let positional = positional.map(|(at, it)| (signature.parameters[at].name.clone(), it));
        let given = positional.chain(kwargs).map(|(name, value)| {
            Ok(GivenArgument { name: Some(name), value: dialect::Value::from(plain(value)?) })
        });
        let given = given.collect::<Result<Vec<_>, String>>()?;
        Ok(print_call(&self.registry, Form::Json, name, &given))
    }

    fn description(&self) -> schema::Description {
        schema::Description {
            library: schema::Library {
                name: "dialect".to_owned(),
                version: env!("CARGO_PKG_VERSION").to_owned(),
                description: "What an IDE knows about the code of a workspace".to_owned(),
            },
            functions: self.functions.iter().map(|(signature, row)| function(signature, row)).collect(),
            ..schema::Description::default()
        }
    }
}

fn function(signature: &Signature, row: &Function) -> schema::Function {
    let parameters = signature.parameters.iter().map(|it| Parameter {
        name: it.name.clone(),
        kind: Some(it.ty.to_string()),
        optional: it.optional,
        default: it.default.as_ref().map(Value::to_string),
        ..Parameter::default()
    });
    let names =
        signature.parameters.iter().map(|it| format!("{}{}", it.name, if it.optional { "?" } else { "" }));
    let call = format!("{}({})", signature.name, names.collect::<Vec<_>>().join(", "));
    schema::Function {
        name: signature.name.clone(),
        description: Some(format!("{call} - {}", row.summary)),
        signature: Some(plugin_protocol::Signature {
            parameters: parameters.collect(),
            returns: Some(signature.returns.to_string()),
            origin: Origin::Declared,
        }),
        effect: Some(if row.effect == Effect::Pure { schema::Effect::Pure } else { schema::Effect::Reads }),
        ..schema::Function::default()
    }
}

/// Returns an argument as JSON.
fn plain(value: Wire) -> Result<Value, String> {
    Ok(match value {
        Wire::Null => Value::Null,
        Wire::Bool(it) => it.into(),
        Wire::Int(it) => it.into(),
        Wire::Float(it) => it.into(),
        Wire::String(it) => it.into(),
        Wire::List(items) => items.into_iter().map(plain).collect::<Result<Value, _>>()?,
        Wire::Dict(entries) => {
            let each = entries.into_iter().map(|(key, it)| Ok((key, plain(it)?)));
            Value::Object(each.collect::<Result<_, String>>()?)
        }
        Wire::Callback(_) => return Err("functions are no data, and this one takes data".to_owned()),
        Wire::Remote(_) => return Err("an object of a plugin is no data, and this one takes data".to_owned()),
    })
}

/// Returns the value or the error of an outcome, and its notes.
fn outcome_of(answer: &Answer) -> (Result<Wire, ErrorObject>, Vec<String>) {
    let said = answer.to_json();
    let message = || said["message"].as_str().unwrap_or_default().to_owned();
    match said["outcome"].as_str() {
        Some("success") => {
            let notes = said["notes"].as_array().into_iter().flatten();
            let notes = notes.filter_map(|it| it.as_str().map(str::to_owned)).collect();
            (Ok(wire(said["value"].clone())), notes)
        }
        Some("ambiguity") => {
            let alternatives = &said["candidates"];
            let data = json!({"dialect": {"outcome": "ambiguous", "alternatives": alternatives}});
            (Err(ErrorObject { data: Some(payload(&data)), ..ErrorObject::new(message()) }), Vec::new())
        }
        _ => (Err(ErrorObject::new(message())), Vec::new()),
    }
}

fn payload(value: &Value) -> plugin_protocol::envelope::Payload {
    serde_json::value::to_raw_value(value).expect("plain data is JSON")
}

fn wire(value: Value) -> Wire {
    match value {
        Value::Null => Wire::Null,
        Value::Bool(it) => Wire::Bool(it),
        Value::Number(it) => match it.as_i64() {
            Some(it) => Wire::Int(it),
            None => it.as_f64().map_or(Wire::Null, Wire::Float),
        },
        Value::String(it) => Wire::String(it),
        Value::Array(items) => Wire::List(items.into_iter().map(wire).collect()),
        Value::Object(fields) => Wire::Dict(fields.into_iter().map(|(key, it)| (key, wire(it))).collect()),
    }
}
