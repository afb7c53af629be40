//! Values of programs as values of the protocol, and back.

use std::collections::BTreeMap;
use std::sync::{Arc, Mutex};

use dialect::{Closure, Failure, Interrupt, Object, Value};
use plugin_protocol::Remote;
use plugin_protocol::Value as Wire;
use plugin_protocol::methods::Arguments;
use serde_json::Number;

use crate::plugins::Callbacks;
use crate::plugins::tables::objects::{LiveObject, Objects};
use crate::plugins::tables::plugin_names::{PLUGIN_ERROR, PLUGIN_GONE};
use crate::plugins::tables::source::{Surroundings, is_of_source, with_life};
use unpoisoned::lock;

/// The maximum nesting of a result. Deeper values are beyond every limit of programs.
pub(super) const DEPTH: usize = 200;

/// The arguments of one call on their way to a plugin, with the functions among them.
pub(super) struct Outgoing {
    pub(super) callbacks: Callbacks,
    objects: Arc<Objects>,
    /// The name of the library that is called.
    library: String,
    /// The earliest life that an object among the arguments belongs to.
    pub(super) generation: Option<u64>,
    /// True for a call of source, which keeps objects for longer than a life.
    is_for_source: bool,
    pub(super) stopped: Stopped,
}

/// The first thing that stopped a function of the host during a call. It says more than the text that the plugin gets.
#[derive(Clone, Debug, Default)]
pub(super) struct Stopped(Arc<Mutex<Option<(String, Interrupt)>>>);

impl Stopped {
    /// Keeps what stopped a function. Returns its text.
    pub(super) fn note(&self, interrupt: Interrupt) -> String {
        let text = text_of(&interrupt);
        lock(&self.0).get_or_insert_with(|| (text.clone(), interrupt));
        text
    }

    /// Takes what stopped a function, if the call failed with the text of that.
    pub(super) fn take(&self, message: &str) -> Option<Interrupt> {
        let stopped = lock(&self.0).take();
        stopped.filter(|(text, _)| message.contains(text.as_str())).map(|it| it.1)
    }
}

impl Outgoing {
    pub(super) fn new(objects: Arc<Objects>, library: &str, is_for_source: bool) -> Self {
        let (callbacks, stopped) = (Callbacks::default(), Stopped::default());
        Self { callbacks, objects, library: library.to_owned(), generation: None, is_for_source, stopped }
    }

    /// Converts an argument. `at` names it in failures.
    ///
    /// # Errors
    /// A number beyond the range of the protocol, or an object of another plugin.
    pub(super) fn value(&mut self, value: &Value, at: &str) -> Result<Wire, Failure> {
        Ok(match value {
            Value::Bool(it) => Wire::Bool(*it),
            Value::Number(it) => number(it, at)?,
            Value::Text(it) => Wire::String(it.to_string()),
            Value::List(items) => {
                let each =
                    items.iter().enumerate().map(|(index, it)| self.value(it, &format!("{at}[{index}]")));
                Wire::List(each.collect::<Result<_, _>>()?)
            }
            Value::Record(record) if self.objects.is_object(&record.type_name) => {
                let live = self.objects.find_in(value)?;
                if live.library != self.library {
                    let message = format!(
                        "{at} is an object of the plugin `{}`, which `{}` cannot use",
                        live.library, self.library
                    );
                    return Err(Failure::raised(PLUGIN_ERROR, message));
                }
                self.remote(live, at)?
            }
            Value::Object(fields) => self.fields(fields, at)?,
            Value::Record(record) => self.fields(&record.fields, at)?,
            Value::Function(function) => self.function(function.clone()),
            _ => Wire::Null,
        })
    }

    fn remote(&mut self, LiveObject { object, plugin, .. }: LiveObject, at: &str) -> Result<Wire, Failure> {
        let Remote { library, class, id } = object.remote;
        if object.generation != plugin.generation() {
            let message = format!("{at} is gone: the plugin has ended since it was made");
            return Err(Failure::raised(PLUGIN_GONE, message));
        }
        let id = match (self.is_for_source, is_of_source(&id)) {
            (false, true) => {
                let message =
                    format!("{at} is an object of {class}, which is source: the plugin cannot use it");
                return Err(Failure::raised(PLUGIN_ERROR, message));
            }
            (true, false) => with_life(&id, object.generation),
            (false, false) | (true, true) => {
                let earliest = self.generation.map_or(object.generation, |it| it.min(object.generation));
                self.generation = Some(earliest);
                id
            }
        };
        Ok(Wire::Remote(Remote { library, class, id }))
    }

    fn fields(&mut self, fields: &Object, at: &str) -> Result<Wire, Failure> {
        let each = fields.iter().map(|(key, it)| Ok((key.clone(), self.value(it, &format!("{at}.{key}"))?)));
        Ok(Wire::Dict(each.collect::<Result<_, Failure>>()?))
    }

    fn function(&mut self, function: Closure) -> Wire {
        let (objects, library) = (Arc::clone(&self.objects), self.library.clone());
        let (stopped, is_for_source) = (self.stopped.clone(), self.is_for_source);
        // The function runs in a task of the plugin's, for this one.
        let surroundings = Surroundings::current();
        self.callbacks.add(move |arguments| {
            let (function, objects, library) = (function.clone(), Arc::clone(&objects), library.clone());
            let (stopped, surroundings) = (stopped.clone(), surroundings.clone());
            async move {
                let given = given(arguments, &objects, &library)?;
                let called = surroundings.or_current().during(function.call(given)).await;
                let result = called.map_err(|interrupt| stopped.note(interrupt))?;
                if result.holds_function() {
                    return Err("callbacks can only be passed during plugin calls".to_owned());
                }
                Self::new(objects, &library, is_for_source)
                    .value(&result, "the result")
                    .map_err(|it| text_of(&it.into()))
            }
        })
    }
}

/// Returns the arguments that a plugin gives to a function: named ones as an object behind the others.
fn given(arguments: Arguments, objects: &Arc<Objects>, library: &str) -> Result<Vec<Value>, String> {
    let Arguments { args, kwargs } = arguments;
    let text = |it: Failure| text_of(&it.into());
    let each = args.into_iter().map(|it| from_wire(it, objects, library, 0).map_err(text));
    let mut given = each.collect::<Result<Vec<_>, _>>()?;
    if !kwargs.is_empty() {
        given.push(fields(kwargs, objects, library, 0).map_err(text)?);
    }
    Ok(given)
}

/// Returns the text of what stopped a function, for the plugin that called it.
fn text_of(interrupt: &Interrupt) -> String {
    dialect::interruption(interrupt)
}

/// Converts a number: integers stay exact, and `3.0` is no integer.
fn number(number: &Number, at: &str) -> Result<Wire, Failure> {
    if let Some(it) = number.as_i64() {
        return Ok(Wire::Int(it));
    }
    match number.as_f64().filter(|it| it.is_finite() && !number.is_u64()) {
        Some(it) => Ok(Wire::Float(it)),
        None => {
            let message = format!("{at} is {number}, and plugins take integers from -2^63 to 2^63-1");
            Err(Failure::raised(PLUGIN_ERROR, message))
        }
    }
}

/// Converts a result, or an argument of a callback, of the plugin `library`.
///
/// # Errors
/// A function or an object that programs cannot use, or a value that is too deep.
pub(super) fn from_wire(
    value: Wire,
    objects: &Arc<Objects>,
    library: &str,
    depth: usize,
) -> Result<Value, Failure> {
    let refused = |message: String| Err(Failure::raised(PLUGIN_ERROR, message));
    if depth > DEPTH {
        return refused(format!(
            "`{library}` returned a value of more than {DEPTH} lists or objects in each other"
        ));
    }
    Ok(match value {
        Wire::Null => Value::Null,
        Wire::Bool(it) => Value::Bool(it),
        Wire::Int(it) => Value::Number(it.into()),
        Wire::Float(it) => match Number::from_f64(it) {
            Some(it) => Value::Number(it),
            None => return refused(format!("`{library}` returned a number that is not finite")),
        },
        Wire::String(it) => it.into(),
        Wire::List(items) => {
            let each = items.into_iter().map(|it| from_wire(it, objects, library, depth + 1));
            Value::List(each.collect::<Result<Vec<_>, _>>()?.into())
        }
        Wire::Dict(entries) => fields(entries, objects, library, depth + 1)?,
        Wire::Callback(_) => {
            return refused(format!("`{library}` returned a function, which cannot be called"));
        }
        Wire::Remote(remote) => objects.value_of_remote(remote, library)?,
    })
}

fn fields(
    entries: BTreeMap<String, Wire>,
    objects: &Arc<Objects>,
    library: &str,
    depth: usize,
) -> Result<Value, Failure> {
    let each = entries.into_iter().map(|(key, it)| Ok((key, from_wire(it, objects, library, depth)?)));
    Ok(Value::Object(each.collect::<Result<_, Failure>>()?))
}
