//! The methods of the protocol, with their params.
//!
//! A property has no method of its own: it is read by a call of its name without arguments, and set by one
//! with one argument.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};
use serde_json::value::RawValue;

use crate::envelope::{ErrorObject, Payload, payload};
use crate::value::{Remote, Value, ValueError};

/// The version of the protocol.
pub const PROTOCOL: &str = "1.0";
/// The only transport.
pub const TRANSPORT: &str = "json";
/// The capability of both sides to name objects of a plugin.
pub const REMOTE_OBJECTS: &str = "remote_objects";

const HANDSHAKE: &str = "scriptling.handshake";
const FUNCTION_CALL: &str = "function.call";
const OBJECT_NEW: &str = "object.new";
const OBJECT_CALL_METHOD: &str = "object.call_method";
const OBJECT_DESTROY: &str = "object.destroy";
const SHUTDOWN: &str = "plugin.shutdown";
const ENVIRONMENT_OPEN: &str = "environment.open";
const ENVIRONMENT_CLOSE: &str = "environment.close";
const CALLBACK_CALL: &str = "callback.call";
const LOG: &str = "host.log";

/// A request that only hosts send, by its method on the wire.
#[derive(Clone, Debug, PartialEq)]
pub enum HostCall {
    /// The first message of a connection.
    Handshake(Handshake),
    /// A call of a function.
    Function {
        /// The name of the function in the plugin's library.
        name: String,
        /// The arguments in the order and by the names of the program.
        arguments: Arguments,
    },
    /// The creation of an object.
    New {
        /// The name of the class in the plugin's library.
        class: String,
        /// The arguments of its constructor.
        arguments: Arguments,
    },
    /// A call of a method, or the use of a property.
    Method {
        /// The id that the plugin gave the object ([`crate::Remote::id`]).
        object_id: String,
        /// The method or property.
        method: String,
        /// The arguments in the order and by the names of the program.
        arguments: Arguments,
    },
    /// The end of an object.
    Destroy {
        /// The id that the plugin gave the object ([`crate::Remote::id`]).
        object_id: String,
    },
    /// The request to end.
    Shutdown,
    /// The start or end of an environment. Hosts do not send it; a plugin answers null.
    Environment,
}

/// A request that only plugins send, by its method on the wire.
#[derive(Clone, Debug, PartialEq)]
pub enum PluginCall {
    /// A call of a function that the host passed as an argument.
    Callback {
        /// The id of the callback.
        id: String,
        /// The arguments in the order and by the names of the program.
        arguments: Arguments,
    },
    /// A record for the host's log.
    Log(LogRecord),
}

/// Arguments by position and by name.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Arguments {
    /// The arguments by position.
    pub args: Vec<Value>,
    /// The arguments by name.
    pub kwargs: BTreeMap<String, Value>,
}

/// A record for the host's log.
#[derive(Clone, Debug, PartialEq)]
pub struct LogRecord {
    /// The severity.
    pub level: Level,
    /// The text.
    pub message: String,
    /// Keys and values in turn. The last key may be alone.
    pub args: Vec<Value>,
}

/// The severity of a log record.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Level {
    /// Of interest for tracing.
    Trace,
    /// Of interest for debugging.
    Debug,
    /// Of interest in general, and any level that is not known.
    Info,
    /// A problem that was dealt with.
    Warn,
    /// A problem. A fatal one is a problem of the plugin and not of the host.
    Error,
}

/// The params of the handshake.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct Handshake {
    /// The version of the protocol.
    pub protocol: String,
    /// The name of the host's language.
    pub host: String,
    /// The version of the host's language.
    pub host_version: String,
    /// The transports that the host speaks.
    pub transports: Vec<String>,
    /// The capabilities of the host.
    pub capabilities: Vec<String>,
}

impl Handshake {
    /// Creates the params of a host with this version.
    pub fn new(host_version: &str) -> Self {
        Self {
            protocol: PROTOCOL.to_owned(),
            host: "scriptling".to_owned(),
            host_version: host_version.to_owned(),
            transports: vec![TRANSPORT.to_owned()],
            capabilities: vec![REMOTE_OBJECTS.to_owned()],
        }
    }
}

/// The members of all params but those of the handshake, in their order.
#[derive(Default, Serialize)]
struct Written<'a> {
    #[serde(skip_serializing_if = "Option::is_none")]
    name: Option<&'a str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    class: Option<&'a str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    object_id: Option<&'a str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    method: Option<&'a str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    id: Option<&'a str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    level: Option<&'a str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    message: Option<&'a str>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    args: Vec<Payload>,
    #[serde(skip_serializing_if = "BTreeMap::is_empty")]
    kwargs: BTreeMap<&'a str, Payload>,
}

impl<'a> Written<'a> {
    fn of(arguments: &'a Arguments) -> Result<Self, ValueError> {
        let args = arguments.args.iter().enumerate().map(|(at, it)| it.write(&format!("args[{at}]")));
        let kwargs =
            arguments.kwargs.iter().map(|(key, it)| Ok((&**key, it.write(&format!("kwargs.{key}"))?)));
        Ok(Self {
            args: args.collect::<Result<_, _>>()?,
            kwargs: kwargs.collect::<Result<_, _>>()?,
            ..Self::default()
        })
    }

    fn payload(&self) -> Payload {
        json(self)
    }
}

fn json(value: &impl Serialize) -> Payload {
    payload(serde_json::to_string(value).expect("raw JSON and strings are JSON"))
}

/// The members of all params but those of the handshake, read leniently: null is absent.
#[derive(Default, Deserialize)]
#[serde(default)]
struct Read<'a> {
    name: Option<String>,
    class: Option<String>,
    object_id: Option<String>,
    method: Option<String>,
    id: Option<String>,
    level: Option<String>,
    message: Option<String>,
    #[serde(borrow)]
    args: Option<Vec<&'a RawValue>>,
    #[serde(borrow)]
    kwargs: Option<BTreeMap<String, &'a RawValue>>,
}

impl<'a> Read<'a> {
    fn of(method: &str, params: Option<&'a RawValue>) -> Result<Self, ErrorObject> {
        read(method, params)
    }

    fn arguments(self) -> Result<Arguments, ValueError> {
        let args = self.args.unwrap_or_default().into_iter().enumerate();
        let kwargs = self.kwargs.unwrap_or_default().into_iter();
        Ok(Arguments {
            args: args.map(|(at, it)| Value::read(it, &format!("args[{at}]"))).collect::<Result<_, _>>()?,
            kwargs: kwargs
                .map(|(key, it)| Value::read(it, &format!("kwargs.{key}")).map(|value| (key, value)))
                .collect::<Result<_, _>>()?,
        })
    }
}

fn read<'a, T: Deserialize<'a> + Default>(
    method: &str,
    params: Option<&'a RawValue>,
) -> Result<T, ErrorObject> {
    let Some(params) = params else { return Ok(T::default()) };
    // Serde reads an array as the members of a struct in order.
    if !params.get().starts_with('{') {
        return Err(ErrorObject::new(format!("the params of {method} are not an object")));
    }
    serde_json::from_str(params.get())
        .map_err(|error| ErrorObject::new(format!("the params of {method} cannot be read: {error}")))
}

fn required(method: &str, name: &str, member: &mut Option<String>) -> Result<String, ErrorObject> {
    member.take().ok_or_else(|| ErrorObject::new(format!("the params of {method} have no {name}")))
}

fn unknown(method: &str) -> ErrorObject {
    ErrorObject::new(format!("unknown method {method}"))
}

impl HostCall {
    /// Creates the read of a property.
    pub fn get(object_id: &str, property: &str) -> Self {
        let (object_id, method) = (object_id.to_owned(), property.to_owned());
        Self::Method { object_id, method, arguments: Arguments::default() }
    }

    /// Creates the assignment of a property.
    pub fn set(object_id: &str, property: &str, value: Value) -> Self {
        let arguments = Arguments { args: vec![value], kwargs: BTreeMap::new() };
        Self::Method { object_id: object_id.to_owned(), method: property.to_owned(), arguments }
    }

    /// Returns the method's name.
    pub fn method(&self) -> &'static str {
        match self {
            Self::Handshake(_) => HANDSHAKE,
            Self::Function { .. } => FUNCTION_CALL,
            Self::New { .. } => OBJECT_NEW,
            Self::Method { .. } => OBJECT_CALL_METHOD,
            Self::Destroy { .. } => OBJECT_DESTROY,
            Self::Shutdown => SHUTDOWN,
            Self::Environment => ENVIRONMENT_OPEN,
        }
    }

    /// Returns the arguments, if the call has any.
    pub fn arguments(&self) -> Option<&Arguments> {
        match self {
            Self::Function { arguments, .. }
            | Self::New { arguments, .. }
            | Self::Method { arguments, .. } => Some(arguments),
            _ => None,
        }
    }

    /// Writes the params.
    pub fn params(&self) -> Result<Option<Payload>, ValueError> {
        let arguments = self.arguments().map(Written::of).transpose()?.unwrap_or_default();
        let written = match self {
            Self::Handshake(handshake) => return Ok(Some(json(handshake))),
            Self::Shutdown | Self::Environment => return Ok(None),
            Self::Function { name, .. } => Written { name: Some(name), ..arguments },
            Self::New { class, .. } => Written { class: Some(class), ..arguments },
            Self::Method { object_id, method, .. } => {
                Written { object_id: Some(object_id), method: Some(method), ..arguments }
            }
            Self::Destroy { object_id } => Written { object_id: Some(object_id), ..arguments },
        };
        Ok(Some(written.payload()))
    }

    /// Reads a call of the host.
    pub fn read(method: &str, params: Option<&RawValue>) -> Result<Self, ErrorObject> {
        match method {
            HANDSHAKE => return read(method, params).map(Self::Handshake),
            SHUTDOWN => return Ok(Self::Shutdown),
            ENVIRONMENT_OPEN | ENVIRONMENT_CLOSE => return Ok(Self::Environment),
            FUNCTION_CALL | OBJECT_NEW | OBJECT_CALL_METHOD | OBJECT_DESTROY => {}
            _ => return Err(unknown(method)),
        }
        let mut read = Read::of(method, params)?;
        Ok(match method {
            FUNCTION_CALL => Self::Function {
                name: required(method, "name", &mut read.name)?,
                arguments: read.arguments()?,
            },
            OBJECT_NEW => {
                Self::New { class: required(method, "class", &mut read.class)?, arguments: read.arguments()? }
            }
            OBJECT_DESTROY => {
                Self::Destroy { object_id: required(method, "object_id", &mut read.object_id)? }
            }
            _ => Self::Method {
                object_id: required(method, "object_id", &mut read.object_id)?,
                method: required(method, "method", &mut read.method)?,
                arguments: read.arguments()?,
            },
        })
    }
}

impl From<ValueError> for ErrorObject {
    fn from(error: ValueError) -> Self {
        Self::new(error.to_string())
    }
}

impl PluginCall {
    /// Returns the method's name.
    pub fn method(&self) -> &'static str {
        match self {
            Self::Callback { .. } => CALLBACK_CALL,
            Self::Log(_) => LOG,
        }
    }

    /// Writes the params.
    pub fn params(&self) -> Result<Payload, ValueError> {
        Ok(match self {
            Self::Callback { id, arguments } => Written { id: Some(id), ..Written::of(arguments)? }.payload(),
            Self::Log(LogRecord { level, message, args }) => {
                let arguments = Arguments { args: args.clone(), kwargs: BTreeMap::new() };
                let (level, message) = (Some(level.name()), Some(&**message));
                Written { level, message, ..Written::of(&arguments)? }.payload()
            }
        })
    }

    /// Reads a call of the plugin.
    pub fn read(method: &str, params: Option<&RawValue>) -> Result<Self, ErrorObject> {
        match method {
            CALLBACK_CALL => {
                let mut read = Read::of(method, params)?;
                let id = required(method, "id", &mut read.id)?;
                Ok(Self::Callback { id, arguments: read.arguments()? })
            }
            LOG => {
                let mut read = Read::of(method, params)?;
                let level = Level::of(read.level.take().as_deref().unwrap_or_default());
                let message = read.message.take().unwrap_or_default();
                Ok(Self::Log(LogRecord { level, message, args: read.arguments()?.args }))
            }
            _ => Err(unknown(method)),
        }
    }
}

impl Arguments {
    /// Returns the ids of all callbacks in the arguments.
    pub fn callbacks(&self) -> Vec<&str> {
        let mut found = Vec::new();
        self.args.iter().chain(self.kwargs.values()).for_each(|it| it.callbacks(&mut found));
        found
    }
}

impl Level {
    /// Returns the level of this name, in any case.
    pub fn of(name: &str) -> Self {
        match name.to_ascii_lowercase().as_str() {
            "trace" => Self::Trace,
            "debug" => Self::Debug,
            "warn" | "warning" => Self::Warn,
            "error" | "fatal" => Self::Error,
            _ => Self::Info,
        }
    }

    /// Returns the name.
    pub fn name(self) -> &'static str {
        match self {
            Self::Trace => "trace",
            Self::Debug => "debug",
            Self::Info => "info",
            Self::Warn => "warn",
            Self::Error => "error",
        }
    }
}

/// A reference to an object, which `object.new` answers without the form of a value.
#[derive(Serialize)]
struct Reference<'a> {
    library: &'a str,
    class: &'a str,
    id: &'a str,
}

/// Reads the answer to `object.new`. Only the id counts: the host knows the rest, and may know it better.
pub(crate) fn object_id(result: Option<&RawValue>) -> Result<String, String> {
    #[derive(Deserialize)]
    struct Id {
        id: String,
    }
    let text = result.map_or("null", RawValue::get);
    let id = serde_json::from_str::<Id>(text).map(|it| it.id);
    let id = id.map_err(|error| format!("the reference to the new object cannot be read: {error}"))?;
    if id.is_empty() { Err("the reference to the new object has an empty id".to_owned()) } else { Ok(id) }
}

/// Writes the answer to `object.new`.
pub(crate) fn remote_reference(object: &Remote) -> Payload {
    json(&Reference { library: &object.library, class: &object.class, id: &object.id })
}
