//! The functions, classes and constants of a plugin.

use std::collections::BTreeMap;
use std::fmt;
use std::process::ExitCode;

use plugin_protocol::Parameter;
use plugin_protocol::methods::{Arguments, REMOTE_OBJECTS};
use plugin_protocol::schema::{Constant, Description, Effect, Function, Library};
use schemars::JsonSchema;
use serde::Serialize;
use serde::de::DeserializeOwned;
use serde_json::{Map, Value};

use crate::class::{Class, Code};
use crate::convert::{to_json, to_wire};
use crate::error::Error;
use crate::host::Host;
use crate::parameters::{bound, fields_of, signature, signature_text};
use crate::serve::serve;

pub(crate) type Handler = Box<dyn Fn(Given, &Host) -> Result<Value, Error> + Send + Sync>;

/// A plugin: its name, and what it offers. The name is the prefix of its functions in programs.
pub struct Plugin {
    pub(crate) description: Description,
    pub(crate) functions: BTreeMap<String, Handler>,
    pub(crate) classes: BTreeMap<String, Code>,
}

impl fmt::Debug for Plugin {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.description.fmt(formatter)
    }
}

impl Plugin {
    /// Creates a plugin without functions.
    pub fn new(name: &str) -> Self {
        let library = Library { name: name.to_owned(), ..Library::default() };
        let capabilities = vec![REMOTE_OBJECTS.to_owned()];
        let description = Description { library, capabilities, ..Description::default() };
        Self { description, functions: BTreeMap::new(), classes: BTreeMap::new() }
    }

    /// Sets the version.
    #[must_use]
    pub fn version(mut self, version: &str) -> Self {
        version.clone_into(&mut self.description.library.version);
        self
    }

    /// Sets the text for people.
    #[must_use]
    pub fn describe(mut self, description: &str) -> Self {
        description.clone_into(&mut self.description.library.description);
        self
    }

    /// Adds a function whose result depends on its arguments alone.
    #[must_use]
    pub fn pure<A: DeserializeOwned + JsonSchema, R: Serialize + JsonSchema>(
        self,
        name: &str,
        description: &str,
        run: impl Fn(A, &Host) -> Result<R, Error> + Send + Sync + 'static,
    ) -> Self {
        self.function(name, description, Effect::Pure, run)
    }

    /// Adds a function that only reads files or other state.
    #[must_use]
    pub fn reads<A: DeserializeOwned + JsonSchema, R: Serialize + JsonSchema>(
        self,
        name: &str,
        description: &str,
        run: impl Fn(A, &Host) -> Result<R, Error> + Send + Sync + 'static,
    ) -> Self {
        self.function(name, description, Effect::Reads, run)
    }

    /// Adds a function that changes something. Its user is asked before it runs.
    #[must_use]
    pub fn writes<A: DeserializeOwned + JsonSchema, R: Serialize + JsonSchema>(
        self,
        name: &str,
        description: &str,
        run: impl Fn(A, &Host) -> Result<R, Error> + Send + Sync + 'static,
    ) -> Self {
        self.function(name, description, Effect::Writes, run)
    }

    fn function<A: DeserializeOwned + JsonSchema, R: Serialize + JsonSchema>(
        mut self,
        name: &str,
        description: &str,
        effect: Effect,
        run: impl Fn(A, &Host) -> Result<R, Error> + Send + Sync + 'static,
    ) -> Self {
        let function = declared::<A, R>(name, description, effect);
        let parameters = function.signature.as_ref().map(|it| it.parameters.clone()).unwrap_or_default();
        self.description.functions.push(function);
        let own = name.to_owned();
        let handler: Handler = Box::new(move |given, host| {
            let result = run(given.read(&own, &parameters)?, host)?;
            Ok(serde_json::to_value(result)?)
        });
        self.functions.insert(name.to_owned(), handler);
        self
    }

    /// Adds a constant.
    ///
    /// # Panics
    /// The value is no JSON, or an integer beyond those of the protocol.
    #[must_use]
    pub fn constant(mut self, name: &str, value: impl Serialize) -> Self {
        let value = serde_json::to_value(value).map_err(|it| it.to_string());
        let value = value.and_then(|it| to_wire(it, &self.description.library.name));
        let value = value.unwrap_or_else(|error| panic!("the constant {name}: {error}"));
        self.description.constants.push(Constant { name: name.to_owned(), value });
        self
    }

    /// Adds a class.
    #[must_use]
    pub fn class<T>(mut self, class: Class<T>) -> Self {
        self.classes.insert(class.schema.name.clone(), class.code);
        self.description.classes.push(class.schema);
        self
    }

    /// Serves one host until it closes the input.
    pub fn serve(self) -> ExitCode {
        serve(self)
    }
}

/// Declares a function or a method.
pub(crate) fn declared<A: JsonSchema, R: JsonSchema>(
    name: &str,
    description: &str,
    effect: Effect,
) -> Function {
    let fields = fields_of::<R>();
    let dot = if fields.is_empty() || description.ends_with('.') { "" } else { "." };
    Function {
        name: name.to_owned(),
        description: Some(format!("{description}{dot} {fields}").trim_end().to_owned()),
        signature: Some(signature::<A, R>()),
        effect: Some(effect),
        ..Function::default()
    }
}

/// The arguments of a call, as JSON.
pub(crate) struct Given {
    pub(crate) args: Vec<Value>,
    pub(crate) kwargs: Map<String, Value>,
}

impl Given {
    pub(crate) fn new(arguments: Arguments) -> Self {
        let Arguments { args, kwargs } = arguments;
        let kwargs = kwargs.into_iter().map(|(key, it)| (key, to_json(it)));
        Self { args: args.into_iter().map(to_json).collect(), kwargs: kwargs.collect() }
    }

    /// Returns the arguments as the struct of their function.
    pub(crate) fn read<A: DeserializeOwned>(self, name: &str, parameters: &[Parameter]) -> Result<A, Error> {
        let all = bound(self.args, self.kwargs, parameters, name).map_err(Error::new)?;
        // `()` is null, and a struct without fields is an object.
        let unit = parameters.is_empty().then(|| serde_json::from_value(Value::Null)).and_then(Result::ok);
        let read = unit.map_or_else(|| serde_json::from_value(all.into()), Ok);
        read.map_err(|error| Error::new(format!("{}: {error}", signature_text(name, parameters))))
    }
}
