//! Classes of objects that live in the plugin.

use std::any::Any;
use std::collections::BTreeMap;
use std::fmt;
use std::marker::PhantomData;

use plugin_protocol::schema::{self, Effect, Property};
use schemars::JsonSchema;
use serde::Serialize;
use serde::de::DeserializeOwned;
use serde_json::Value;

use crate::error::Error;
use crate::host::Host;
use crate::plugin::{Given, declared};

/// The state of an object, whatever its type.
pub(crate) type State = dyn Any + Send;

pub(crate) type Constructor = Box<dyn Fn(Given, &Host) -> Result<Box<State>, Error> + Send + Sync>;
pub(crate) type Method = Box<dyn Fn(&mut State, Given, &Host) -> Result<Value, Error> + Send + Sync>;

/// A class: `Class::new("Counter", "Counts", create).writes("inc", "Adds", inc)`.
///
/// Programs create an object with `library.Counter(…)`, and call `object.inc(…)`. It lives until nothing of the program
/// reaches it.
pub struct Class<T> {
    pub(crate) schema: schema::Class,
    pub(crate) code: Code,
    state: PhantomData<fn(T)>,
}

/// The code of a class.
pub(crate) struct Code {
    pub(crate) create: Constructor,
    /// The methods and properties by name.
    pub(crate) members: BTreeMap<String, Member>,
}

/// A member of a class.
pub(crate) enum Member {
    Method(Method),
    /// A property. One that cannot be set has no setter.
    Property {
        get: Method,
        set: Option<Method>,
    },
}

impl Member {
    /// Returns the code of a call. A property is read by a call without arguments, and set by one with one.
    pub(crate) fn code(&self, name: &str, given: &Given) -> Result<&Method, Error> {
        let (get, set) = match self {
            Self::Method(method) => return Ok(method),
            Self::Property { get, set } => (get, set),
        };
        let problem = match (given.args.len(), set) {
            _ if !given.kwargs.is_empty() => {
                format!("property {name} getter does not accept keyword arguments")
            }
            (0, _) => return Ok(get),
            (1, Some(set)) => return Ok(set),
            (1, None) => format!("can't set attribute '{name}': property is read-only"),
            _ => format!("property {name} expects zero arguments for get or one argument for set"),
        };
        Err(Error::new(problem))
    }
}

impl<T> fmt::Debug for Class<T> {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.schema.fmt(formatter)
    }
}

impl<T: Send + 'static> Class<T> {
    /// Creates a class without methods.
    pub fn new<A: DeserializeOwned + JsonSchema>(
        name: &str,
        description: &str,
        create: impl Fn(A, &Host) -> Result<T, Error> + Send + Sync + 'static,
    ) -> Self {
        let constructor = declared::<A, Value>(name, description, Effect::Writes);
        let parameters = constructor.signature.as_ref().map(|it| it.parameters.clone()).unwrap_or_default();
        let own = name.to_owned();
        let create: Constructor = Box::new(move |given, host| {
            Ok(Box::new(create(given.read(&own, &parameters)?, host)?) as Box<State>)
        });
        let schema = schema::Class {
            name: name.to_owned(),
            description: Some(description.to_owned()),
            constructor,
            ..schema::Class::default()
        };
        let code = Code { create, members: BTreeMap::new() };
        Self { schema, code, state: PhantomData }
    }

    /// Adds a method that only reads.
    #[must_use]
    pub fn reads<A: DeserializeOwned + JsonSchema, R: Serialize + JsonSchema>(
        self,
        name: &str,
        description: &str,
        run: impl Fn(&mut T, A, &Host) -> Result<R, Error> + Send + Sync + 'static,
    ) -> Self {
        self.method(name, description, Effect::Reads, run)
    }

    /// Adds a method that changes something.
    #[must_use]
    pub fn writes<A: DeserializeOwned + JsonSchema, R: Serialize + JsonSchema>(
        self,
        name: &str,
        description: &str,
        run: impl Fn(&mut T, A, &Host) -> Result<R, Error> + Send + Sync + 'static,
    ) -> Self {
        self.method(name, description, Effect::Writes, run)
    }

    fn method<A: DeserializeOwned + JsonSchema, R: Serialize + JsonSchema>(
        mut self,
        name: &str,
        description: &str,
        effect: Effect,
        run: impl Fn(&mut T, A, &Host) -> Result<R, Error> + Send + Sync + 'static,
    ) -> Self {
        let function = declared::<A, R>(name, description, effect);
        let parameters = function.signature.as_ref().map(|it| it.parameters.clone()).unwrap_or_default();
        self.schema.methods.push(function);
        let own = name.to_owned();
        let method: Method = Box::new(move |state, given, host| {
            let result = run(typed(state)?, given.read(&own, &parameters)?, host)?;
            Ok(serde_json::to_value(result)?)
        });
        self.code.members.insert(name.to_owned(), Member::Method(method));
        self
    }

    /// Adds a property that can be read.
    #[must_use]
    pub fn property<R: Serialize + JsonSchema>(
        mut self,
        name: &str,
        description: &str,
        get: impl Fn(&T) -> R + Send + Sync + 'static,
    ) -> Self {
        let signature = crate::parameters::signature::<(), R>();
        self.schema.properties.push(Property {
            name: name.to_owned(),
            description: Some(description.to_owned()),
            settable: false,
            returns: signature.returns,
        });
        let reader: Method = Box::new(move |state, _, _| Ok(serde_json::to_value(get(typed(state)?))?));
        self.code.members.insert(name.to_owned(), Member::Property { get: reader, set: None });
        self
    }

    /// Adds a property that can be read and set.
    #[must_use]
    pub fn settable<R: Serialize + DeserializeOwned + JsonSchema>(
        self,
        name: &str,
        description: &str,
        get: impl Fn(&T) -> R + Send + Sync + 'static,
        set: impl Fn(&mut T, R) + Send + Sync + 'static,
    ) -> Self {
        let mut class = self.property(name, description, get);
        class.schema.properties.iter_mut().filter(|it| it.name == name).for_each(|it| it.settable = true);
        let own = name.to_owned();
        let writer: Method = Box::new(move |state, given, _| {
            let value = given.args.into_iter().next().unwrap_or_default();
            let value = serde_json::from_value(value).map_err(|error| format!("`{own}`: {error}"));
            set(typed(state)?, value.map_err(Error::new)?);
            Ok(Value::Null)
        });
        if let Some(Member::Property { set, .. }) = class.code.members.get_mut(name) {
            *set = Some(writer);
        }
        class
    }
}

fn typed<T: 'static>(state: &mut State) -> Result<&mut T, Error> {
    state.downcast_mut().ok_or_else(|| Error::new("the object is of another class"))
}
