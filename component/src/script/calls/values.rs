//! Values that cross between a program and the functions that it calls: data, objects of plugins, and functions of the
//! program, which the functions that it calls may call.

use std::sync::Arc;

use dialect::{Caller, Failure, Interrupt, Limits, Notes, Object, Value, Work};
use script_protocol::{Exact, Marked, ReturnedValue};
use tokio::sync::mpsc::UnboundedSender;
use tokio::sync::oneshot;

use super::Calls;
use crate::plugins::tables::Objects;

/// The failure of a function of the program.
const SCRIPT_ERROR: &str = "ScriptError";

/// A call of a function of the program.
pub(crate) struct Invoked {
    /// The program's call that the function is an argument of.
    pub(crate) call: u64,
    /// The number of the function.
    pub(crate) function: u64,
    pub(crate) arguments: Exact,
    /// Takes what came of it; it is dropped with the program.
    pub(crate) reply: oneshot::Sender<Result<ReturnedValue, String>>,
}

impl Calls {
    /// Returns a reader of the arguments of a call.
    pub(super) fn values(&self, call: u64, mark: Option<&str>) -> Values {
        let registry = self.environment.loaded.extensions.tables();
        let limits = Limits::default();
        let caller = Caller::new(registry, &limits, &Work::new(&limits), &Notes::default());
        Values {
            call,
            mark: mark.map(str::to_owned),
            objects: Arc::clone(&self.environment.loaded.objects),
            invoked: self.invoked.clone(),
            caller,
            functions: Object::default(),
        }
    }

    /// Returns a value as JSON for a program.
    pub(super) fn exact(&self, value: &Value) -> Exact {
        exact(value, &self.environment.loaded.objects)
    }
}

/// Returns a value as JSON for a program, whose objects of plugins are marked.
fn exact(value: &Value, objects: &Objects) -> Exact {
    let json = value.to_json().to_string();
    match objects.are_in(value) {
        true => Exact::with(&json, |mark| marked(value, objects, mark).to_string()),
        false => Exact::new(json),
    }
}

fn marked(value: &Value, objects: &Objects, mark: &str) -> serde_json::Value {
    if let Some((type_name, reference)) = objects.reference(value) {
        let (type_name, reference) = (type_name.to_owned(), reference.to_owned());
        return Marked::Object { type_name, reference }.write(mark).into();
    }
    match (value, value.fields()) {
        (Value::List(items), _) => items.iter().map(|it| marked(it, objects, mark)).collect(),
        (_, Some(fields)) => {
            fields.iter().map(|(key, it)| (key.clone(), marked(it, objects, mark))).collect()
        }
        (value, None) => value.to_json(),
    }
}

/// A reader of the values of one call.
pub(super) struct Values {
    call: u64,
    mark: Option<String>,
    objects: Arc<Objects>,
    invoked: UnboundedSender<Invoked>,
    caller: Caller,
    /// The functions of the program among the values, by their names in programs of Dialect.
    pub(super) functions: Object,
}

impl Values {
    /// Reads a value.
    ///
    /// # Errors
    /// There is no such type of objects.
    pub(super) fn read(&mut self, json: serde_json::Value) -> Result<Value, String> {
        let Some(mark) = self.mark.clone() else { return Ok(json.into()) };
        let objects = Arc::clone(&self.objects);
        read(json, &mark, &objects, &mut |number| Ok(self.function(number)))
    }

    /// Returns the function of the program with that number.
    fn function(&mut self, number: u64) -> Value {
        let name = format!("function{number}");
        if let Some(known) = self.functions.get(&name) {
            return known.clone();
        }
        let (call, objects, invoked) = (self.call, Arc::clone(&self.objects), self.invoked.clone());
        let function = self.caller.named_function(&name, move |arguments| {
            let (objects, invoked) = (Arc::clone(&objects), invoked.clone());
            Box::pin(async move {
                let (reply, returned) = oneshot::channel();
                let arguments = exact(&Value::List(arguments.into()), &objects);
                let failed = |text: String| Interrupt::from(Failure::raised(SCRIPT_ERROR, text));
                let ended = || failed("the program of the function has ended".to_owned());
                invoked.send(Invoked { call, function: number, arguments, reply }).map_err(|_| ended())?;
                let ReturnedValue { value, mark } = returned.await.map_err(|_| ended())?.map_err(failed)?;
                let json: serde_json::Value =
                    serde_json::from_str(value.get()).map_err(|error| failed(error.to_string()))?;
                let Some(mark) = mark else { return Ok(json.into()) };
                let refused = &mut |_: u64| Err("a function returned a function".to_owned());
                read(json, &mark, &objects, refused).map_err(failed)
            })
        });
        self.functions.insert(name, function.clone());
        function
    }
}

/// Reads a value in which functions and objects are marked.
fn read(
    json: serde_json::Value,
    mark: &str,
    objects: &Objects,
    function: &mut impl FnMut(u64) -> Result<Value, String>,
) -> Result<Value, String> {
    Ok(match json {
        serde_json::Value::String(text) => match Marked::read(&text, mark) {
            Some(Marked::Function(number)) => function(number)?,
            Some(Marked::Object { type_name, reference }) => objects
                .referred(&type_name, &reference)
                .ok_or_else(|| format!("there is no type `{type_name}` of objects"))?,
            None => text.into(),
        },
        serde_json::Value::Array(items) => {
            let each = items.into_iter().map(|it| read(it, mark, objects, function));
            Value::List(each.collect::<Result<Vec<_>, _>>()?.into())
        }
        serde_json::Value::Object(fields) => {
            let each = fields.into_iter().map(|(key, it)| Ok((key, read(it, mark, objects, function)?)));
            Value::Object(each.collect::<Result<_, String>>()?)
        }
        plain => plain.into(),
    })
}
