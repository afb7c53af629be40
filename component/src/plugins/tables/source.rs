//! The source of a plugin: functions and classes that the plugin hands to its host. A process of its own beside the plugin runs
//! them. It is a plugin itself, and reaches the other one by a function of the host, which each of its calls is given.

use std::collections::HashMap;
use std::sync::Arc;

use dialect::{ARGS, Failure, Interrupt, KWARGS, Object as Fields, Requirement, Value};
use futures::FutureExt;
use futures::future::BoxFuture;
use plugin_protocol::connection::CallError;
use plugin_protocol::methods::{Arguments, HostCall};
use plugin_protocol::source::{HOST, Module, OBJECT, UNCONFINED};
use plugin_protocol::{Remote, Value as Wire};
use serde_json::Number;

use crate::permission::CallPermit;
use crate::plugins::tables::plugin_names::{PLUGIN_ERROR, permission, setter};
use crate::plugins::tables::values::{DEPTH, Outgoing, Stopped};
use crate::plugins::{Callbacks, Launch, Plugin};

/// The method by which an object of the source ends.
pub(super) const END: &str = "__del__";

tokio::task_local! {
    /// The surroundings of the code that runs in this task.
    static SURROUNDINGS: Surroundings;
}

/// The surroundings of a call: the permit of its program, and the libraries whose source waits for it.
#[derive(Clone, Default)]
pub(crate) struct Surroundings {
    permit: CallPermit,
    waiting: Vec<String>,
}

impl Surroundings {
    /// Returns the surroundings of a program's own calls.
    pub(crate) fn of_program(permit: CallPermit) -> Self {
        Self { permit, waiting: Vec::new() }
    }

    /// Returns those of the code that runs in this task. Outside of programs nothing is permitted.
    pub(super) fn current() -> Self {
        Self::default().or_current()
    }

    /// Returns those of the code that runs in this task, or else these.
    pub(super) fn or_current(self) -> Self {
        SURROUNDINGS.try_with(Clone::clone).unwrap_or(self)
    }

    /// Runs code in these surroundings.
    pub(crate) async fn during<T>(self, code: impl Future<Output = T>) -> T {
        SURROUNDINGS.scope(self, code).await
    }

    fn within(&self, library: &str) -> Self {
        let mut inner = self.clone();
        inner.waiting.push(library.to_owned());
        inner
    }
}

impl std::fmt::Debug for Surroundings {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        formatter.debug_struct("Surroundings").field("waiting", &self.waiting).finish_non_exhaustive()
    }
}

/// The plugin behind a source, as the source's calls reach it.
#[derive(Clone, Debug)]
pub(super) struct SourceHost {
    pub(super) plugin: Plugin,
    /// The name of its library in programs.
    pub(super) library: String,
    /// The permissions that its functions, constructors and members need, by their names in programs without the library.
    pub(super) needs: Arc<HashMap<String, Vec<Requirement>>>,
}

impl SourceHost {
    /// Returns the permissions that a call needs. What the plugin does not list may change something.
    fn needs(&self, name: &str) -> Vec<Requirement> {
        self.needs.get(name).cloned().unwrap_or_else(|| vec![permission(&self.library)])
    }
}

/// Starts the process that runs the source of a plugin; `None` if nothing of it is source.
///
/// # Errors
/// The reason why it does not run.
pub(crate) async fn start(launch: &Launch, plugin: &Plugin) -> Option<Result<Plugin, String>> {
    let module = Module::of(&plugin.description())?;
    let variables = match module.variables() {
        Ok(variables) => variables.into_iter().map(|(name, value)| (name.into(), value.into())),
        Err(why) => return Some(Err(why)),
    };
    let mut launch = launch.clone();
    launch.environment.extend(variables);
    Some(Plugin::start(launch).await.map_err(|error| error.to_string()))
}

/// Returns why the operating system does not confine the process of a source, if so.
pub(crate) fn unconfined(source: &Plugin) -> Option<String> {
    source.description().library.description.strip_prefix(UNCONFINED).map(str::to_owned)
}

/// Returns whether the object of an id lives in the source.
pub(super) fn is_of_source(id: &str) -> bool {
    id.starts_with(OBJECT)
}

/// Returns an id with the life of the plugin that it belongs to: source keeps it for longer.
pub(super) fn with_life(id: &str, generation: u64) -> String {
    format!("{generation}:{id}")
}

/// A call of source, from the side of the host.
#[derive(Clone)]
pub(super) struct CallOfSource {
    host: SourceHost,
    surroundings: Surroundings,
    /// The functions among its arguments.
    functions: Callbacks,
    stopped: Stopped,
}

impl CallOfSource {
    /// Adds the function by which source calls its plugin to a call of source.
    ///
    /// # Errors
    /// The source waits for this very call, and runs one at a time.
    pub(super) fn begin(
        host: &SourceHost,
        name: &str,
        call: &mut HostCall,
        outgoing: &mut Outgoing,
    ) -> Result<(), Failure> {
        let surroundings = Surroundings::current();
        if surroundings.waiting.contains(&host.library) {
            let library = &host.library;
            let why =
                format!("`{name}` is source, and that of `{library}` waits for the function that calls it");
            let failure = Failure::raised(PLUGIN_ERROR, why);
            return Err(failure.recovery("Call it before, and pass its result."));
        }
        let (functions, stopped) = (outgoing.callbacks.clone(), outgoing.stopped.clone());
        let of_source = Self { host: host.clone(), surroundings, functions, stopped };
        of_source.join(call, &mut outgoing.callbacks);
        Ok(())
    }

    fn join(self, call: &mut HostCall, callbacks: &mut Callbacks) {
        let (HostCall::Function { arguments, .. }
        | HostCall::New { arguments, .. }
        | HostCall::Method { arguments, .. }) = call
        else {
            return; // no other call runs source
        };
        let host = callbacks.add(move |given| self.clone().answer(given));
        arguments.kwargs.insert(HOST.to_owned(), host);
    }

    /// Makes the call that source asks for.
    fn answer(self, given: Arguments) -> BoxFuture<'static, Result<Wire, String>> {
        async move {
            let mut parts = given.args.into_iter();
            let (how, subject, args, kwargs) = (parts.next(), parts.next(), parts.next(), parts.next());
            let (Some(Wire::String(how)), Some(subject)) = (how, subject) else {
                return Err("the source asks for nothing".to_owned());
            };
            let (Some(Wire::List(args)), Some(Wire::Dict(kwargs))) = (args, kwargs) else {
                return Err("the source asks without arguments".to_owned());
            };
            let arguments = Arguments { args, kwargs };
            match (how.as_str(), subject) {
                ("callback", Wire::String(id)) => self.callback(&id, arguments).await,
                (_, subject) => self.call(&how, subject, arguments).await,
            }
        }
        .boxed()
    }

    /// Calls a function that the source was given.
    async fn callback(&self, id: &str, arguments: Arguments) -> Result<Wire, String> {
        let function = self.functions.get(id).ok_or_else(|| format!("unknown callback {id}"))?;
        let arguments = inward(arguments, &self.host.plugin, true)?;
        self.surroundings.within(&self.host.library).during(function(arguments)).await
    }

    /// Calls the plugin, as every call of a function of it: with what the function needs, and measured.
    async fn call(&self, how: &str, subject: Wire, arguments: Arguments) -> Result<Wire, String> {
        let plugin = &self.host.plugin;
        let arguments = inward(arguments, plugin, false)?;
        let Asked { name, call, class, generation } = self.asked(how, subject, arguments)?;
        let callable = format!("{}.{name}", self.host.library);
        let (needs, shown) = (self.host.needs(&name), shown_arguments(call.arguments()));
        let begun = self.surroundings.permit.enter(&callable, &needs, shown).await;
        let measured = begun.map_err(|failure| self.stopped.note(failure.into()))?;
        let (of_plugin, inner) = (plugin.clone(), self.surroundings.within(&self.host.library));
        let functions = self.functions.wrapped(move |function, arguments| {
            let (plugin, inner) = (of_plugin.clone(), inner.clone());
            async move { without_lives(inner.during(function(arguments)).await?, &plugin, false) }.boxed()
        });
        let answered = plugin.ask(call, functions, generation).await.and_then(|(answer, generation)| {
            let value = match class {
                Some(class) => {
                    let library = plugin.description().library.qualified_name();
                    Wire::Remote(Remote { library, class, id: answer.object()? })
                }
                None => answer.value(),
            };
            with_lives(value, generation).map_err(CallError::Unreadable)
        });
        let words = |error: &CallError| match error {
            CallError::Peer(peer) => peer.message.clone(),
            error => error.to_string(),
        };
        if let Some(measured) = measured {
            let failed = |error: &CallError| Interrupt::from(Failure::raised(PLUGIN_ERROR, words(error)));
            measured.end(&answered.as_ref().map(|_| Value::Null).map_err(failed));
        }
        answered.map_err(|error| words(&error))
    }

    fn asked(&self, how: &str, subject: Wire, arguments: Arguments) -> Result<Asked, String> {
        let plugin = &self.host.plugin;
        let own = plugin.description().library.qualified_name();
        let is_own = |library: &str| library == own || own.strip_prefix("plugin.") == Some(library);
        let subject = match subject {
            Wire::List(parts) => parts,
            one => vec![one],
        };
        Ok(match (how, subject.as_slice()) {
            ("function" | "new", [Wire::String(library), Wire::String(_)]) if !is_own(library) => {
                return Err(format!("unknown plugin library {library}: source calls its own plugin alone"));
            }
            ("function", [_, Wire::String(name)]) => {
                let call = HostCall::Function { name: name.clone(), arguments };
                Asked { name: name.clone(), call, class: None, generation: None }
            }
            ("new", [_, Wire::String(class)]) => {
                let call = HostCall::New { class: class.clone(), arguments };
                Asked { name: class.clone(), call, class: Some(class.clone()), generation: None }
            }
            ("method", [Wire::Remote(remote), Wire::String(method)]) => {
                let (object_id, life) = of_life(remote, plugin)?;
                let description = plugin.description();
                let is_property = description
                    .class(&remote.class)
                    .is_some_and(|it| it.properties.iter().any(|it| it.name == *method));
                let member = if is_property && !arguments.args.is_empty() { &setter(method) } else { method };
                let (name, method) = (format!("{}Ref.{member}", remote.class), method.clone());
                let call = HostCall::Method { object_id, method, arguments };
                Asked { name, call, class: None, generation: Some(life) }
            }
            ("release", [Wire::Remote(remote)]) => {
                let (object_id, life) = of_life(remote, plugin)?;
                let (name, call) = (format!("{}Ref.release", remote.class), HostCall::Destroy { object_id });
                Asked { name, call, class: None, generation: Some(life) }
            }
            _ => return Err("the source asks for what there is not".to_owned()),
        })
    }
}

/// Returns the arguments of a call for the audit log and the measurements.
fn shown_arguments(arguments: Option<&Arguments>) -> dialect::Arguments {
    let Some(Arguments { args, kwargs }) = arguments else { return dialect::Arguments::default() };
    let args = Value::List(args.iter().map(shown).collect::<Vec<_>>().into());
    let kwargs = Value::Object(kwargs.iter().map(|(key, it)| (key.clone(), shown(it))).collect());
    dialect::Arguments(Fields::from_iter([(ARGS.to_owned(), args), (KWARGS.to_owned(), kwargs)]))
}

fn shown(value: &Wire) -> Value {
    match value {
        Wire::Null | Wire::Callback(_) => Value::Null,
        Wire::Bool(it) => Value::Bool(*it),
        Wire::Int(it) => Value::Number((*it).into()),
        Wire::Float(it) => Number::from_f64(*it).map_or(Value::Null, Value::Number),
        Wire::String(it) => it.as_str().into(),
        Wire::List(items) => Value::List(items.iter().map(shown).collect::<Vec<_>>().into()),
        Wire::Dict(entries) => {
            Value::Object(entries.iter().map(|(key, it)| (key.clone(), shown(it))).collect())
        }
        Wire::Remote(Remote { class, id, .. }) => format!("{class} {id}").as_str().into(),
    }
}

/// A call that source asks for.
struct Asked {
    /// The name in programs, without the library.
    name: String,
    call: HostCall,
    /// The class of a new object.
    class: Option<String>,
    /// The life of the object that is called.
    generation: Option<u64>,
}

/// Returns the call that ends an object of the source.
pub(super) fn ending(host: SourceHost, surroundings: Surroundings, id: &str) -> (HostCall, Callbacks) {
    let (object_id, method, arguments) = (id.to_owned(), END.to_owned(), Arguments::default());
    let (mut call, mut callbacks) = (HostCall::Method { object_id, method, arguments }, Callbacks::default());
    let (functions, stopped) = (Callbacks::default(), Stopped::default());
    CallOfSource { host, surroundings, functions, stopped }.join(&mut call, &mut callbacks);
    (call, callbacks)
}

/// Returns a value of the source with the ids of the plugin's own objects. `may_be_of_source` says whether objects that live
/// in the source may be in it: the plugin cannot use them.
///
/// # Errors
/// An object is of an earlier life of the plugin, or lives in the source.
pub(super) fn without_lives(value: Wire, plugin: &Plugin, may_be_of_source: bool) -> Result<Wire, String> {
    with_objects(value, 0, &|remote| match is_of_source(&remote.id) {
        true if may_be_of_source => Ok(remote),
        true => Err(format!("cannot pass an object of {}, which is source, to the plugin", remote.class)),
        false => {
            let (id, _) = of_life(&remote, plugin)?;
            Ok(Remote { id, ..remote })
        }
    })
}

fn inward(arguments: Arguments, plugin: &Plugin, may_be_of_source: bool) -> Result<Arguments, String> {
    let inward = |it| without_lives(it, plugin, may_be_of_source);
    let args = arguments.args.into_iter().map(inward).collect::<Result<_, _>>()?;
    let kwargs = arguments.kwargs.into_iter().map(|(key, it)| Ok((key, inward(it)?)));
    Ok(Arguments { args, kwargs: kwargs.collect::<Result<_, String>>()? })
}

fn of_life(remote: &Remote, plugin: &Plugin) -> Result<(String, u64), String> {
    let parts = remote.id.split_once(':');
    let read = parts.and_then(|(life, id)| Some((id.to_owned(), life.parse::<u64>().ok()?)));
    let (id, life) = read.ok_or_else(|| format!("unknown object {}", remote.id))?;
    match life == plugin.generation() {
        true => Ok((id, life)),
        false => Err("the object is gone: the plugin has ended since it was made".to_owned()),
    }
}

fn with_lives(value: Wire, generation: u64) -> Result<Wire, String> {
    with_objects(value, 0, &|remote| Ok(Remote { id: with_life(&remote.id, generation), ..remote }))
}

/// Returns a value with other names of its objects.
///
/// # Errors
/// `change` fails, or the value is deeper than programs can use.
fn with_objects(
    value: Wire,
    depth: usize,
    change: &dyn Fn(Remote) -> Result<Remote, String>,
) -> Result<Wire, String> {
    if depth > DEPTH {
        return Err(format!("a value has more than {DEPTH} lists or objects in each other"));
    }
    let inner = |it| with_objects(it, depth + 1, change);
    Ok(match value {
        Wire::Remote(remote) => Wire::Remote(change(remote)?),
        Wire::List(items) => Wire::List(items.into_iter().map(inner).collect::<Result<_, _>>()?),
        Wire::Dict(entries) => {
            let each = entries.into_iter().map(|(key, it)| Ok((key, inner(it)?)));
            Wire::Dict(each.collect::<Result<_, String>>()?)
        }
        value => value,
    })
}
