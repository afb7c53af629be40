//! The host, as a function of a plugin sees it.

use std::any::Any;
use std::borrow::Cow;
use std::sync::Arc;

use plugin_protocol::methods::{Arguments, Level, LogRecord, PluginCall};
use schemars::{JsonSchema, Schema, SchemaGenerator, json_schema};
use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};
use serde_json::Value;

use crate::convert::{to_json, to_wire};
use crate::error::Error;
use crate::parameters::TYPE;
use crate::serve::Shared;

/// The host of this plugin.
#[derive(Clone)]
pub struct Host(pub(crate) Arc<Shared>);

impl std::fmt::Debug for Host {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        formatter.write_str("Host")
    }
}

/// A function that the program passed as an argument. It can be called until the call that passed it is answered.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize)]
pub struct Callback {
    #[serde(rename = "\u{0}callback")]
    id: String,
}

/// An object of one of the plugin's classes, as a result.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Instance {
    #[serde(rename = "\u{0}object")]
    name: (String, String),
}

impl Host {
    /// Writes a record to the host's log.
    ///
    /// # Errors
    /// The host is gone.
    pub fn log(&self, level: Level, message: impl Into<String>) -> Result<(), Error> {
        let record = LogRecord { level, message: message.into(), args: Vec::new() };
        self.0.ask(&PluginCall::Log(record)).map(drop)
    }

    /// Keeps an object of a class, for a result.
    pub fn create<T: Any + Send>(&self, class: &str, object: T) -> Instance {
        let id = self.0.keep(class, Box::new(object));
        Instance { name: (class.to_owned(), id) }
    }
}

impl Callback {
    /// Calls the function with arguments by position, and waits for the result. It may call this plugin.
    ///
    /// # Errors
    /// The function failed, its result is of another type, or the call that passed it is over.
    pub fn call<R: DeserializeOwned>(&self, host: &Host, arguments: &[Value]) -> Result<R, Error> {
        let args = arguments.iter().map(|it| to_wire(it.clone(), host.0.library()));
        let args = args.collect::<Result<_, _>>().map_err(Error::new)?;
        let arguments = Arguments { args, ..Arguments::default() };
        let result = host.0.ask(&PluginCall::Callback { id: self.id.clone(), arguments })?;
        let result = serde_json::from_value(to_json(result));
        result.map_err(|error| Error::new(format!("the result of the function that was passed: {error}")))
    }
}

impl JsonSchema for Callback {
    fn schema_name() -> Cow<'static, str> {
        "Callback".into()
    }

    fn inline_schema() -> bool {
        true
    }

    fn json_schema(_: &mut SchemaGenerator) -> Schema {
        json_schema!({"type": "object", TYPE: "function"})
    }
}

impl JsonSchema for Instance {
    fn schema_name() -> Cow<'static, str> {
        "Instance".into()
    }

    fn inline_schema() -> bool {
        true
    }

    fn json_schema(_: &mut SchemaGenerator) -> Schema {
        json_schema!({"type": "object", TYPE: "any"})
    }
}
