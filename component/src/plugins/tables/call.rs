//! The calls of a plugin's functions.

use std::sync::{Arc, Mutex};

use dialect::{ARGS, Choice, Failure, Handler, Interrupt, Invocation, KWARGS, Question, Value};
use plugin_protocol::Value as Wire;
use plugin_protocol::connection::CallError;
use plugin_protocol::methods::{Arguments, HostCall};
use plugin_protocol::schema::Class;
use plugin_protocol::{Remote, Signature, Takes};
use serde::Deserialize;

use crate::plugins::tables::objects::Objects;
use crate::plugins::tables::plugin_names::{PLUGIN_ERROR, PLUGIN_GONE, not_run};
use crate::plugins::tables::signatures::{SELF, value_parameter};
use crate::plugins::tables::source::{CallOfSource, END, SourceHost, without_lives};
use crate::plugins::tables::values::{Outgoing, from_wire};
use crate::plugins::{Object, Plugin};
use unpoisoned::lock;

/// The call that a function makes.
#[derive(Clone)]
pub(super) enum Kind {
    Function(String),
    New(String),
    Method(String),
    Set {
        class: Arc<Class>,
        property: String,
    },
    Release,
    /// None: it is source, which does not run here.
    Source,
}

/// The process that answers a call: the plugin, or that of its source with the plugin behind it.
#[derive(Clone)]
pub(super) struct Side {
    pub(super) plugin: Plugin,
    pub(super) host: Option<SourceHost>,
}

/// The code of a plugin's function.
#[derive(Clone)]
pub(super) struct Call {
    pub(super) side: Side,
    pub(super) objects: Arc<Objects>,
    pub(super) library: String,
    /// The name in programs.
    pub(super) name: String,
    pub(super) kind: Kind,
    pub(super) signature: Option<Signature>,
}

/// The bytes of a call that a failure shows with its arguments.
const LONGEST_CALL: usize = 300;

tokio::task_local! {
    /// The calls that the program of this task waits for.
    static OPEN: Arc<OpenCalls>;
}

/// The calls of plugins that one program waits for.
#[derive(Debug, Default)]
pub(crate) struct OpenCalls(Mutex<Vec<OpenCall>>);

/// A call that has no answer.
#[derive(Clone, Debug)]
struct OpenCall {
    name: String,
    plugin: Plugin,
    /// The number of lines that were no messages before it.
    skipped: u64,
}

impl OpenCalls {
    /// Runs a program, whose calls are kept here while they are open.
    pub(crate) async fn during<T>(self: Arc<Self>, program: impl Future<Output = T>) -> T {
        OPEN.scope(self, program).await
    }

    /// Returns the functions that have not answered: the name of each, and the last line of its plugin since the call
    /// that was no message.
    pub(crate) fn waiting(&self) -> Vec<(String, Option<String>)> {
        let each = lock(&self.0).clone().into_iter().map(|it| {
            let skipped = it.plugin.skipped();
            (it.name, (skipped.count > it.skipped).then_some(skipped.last))
        });
        each.collect()
    }
}

/// A call that is open until this is dropped.
struct Open(Option<(Arc<OpenCalls>, String)>);

impl Open {
    fn new(name: &str, plugin: &Plugin) -> Self {
        // A callback runs outside of its program's task; the call around it is open there.
        let calls = OPEN.try_with(Arc::clone).ok();
        let (plugin, skipped) = (plugin.clone(), plugin.skipped().count);
        let call = OpenCall { name: name.to_owned(), plugin, skipped };
        calls.iter().for_each(|it| lock(&it.0).push(call.clone()));
        Self(calls.map(|it| (it, name.to_owned())))
    }
}

impl Drop for Open {
    fn drop(&mut self) {
        let Some((calls, name)) = &self.0 else { return };
        let mut open = lock(&calls.0);
        if let Some(at) = open.iter().position(|it| it.name == *name) {
            open.swap_remove(at);
        }
    }
}

impl Handler for Call {
    fn call(&self, invocation: Invocation) -> futures::future::BoxFuture<'static, Result<Value, Interrupt>> {
        let call = self.clone();
        Box::pin(async move { call.run(&invocation).await })
    }
}

impl Call {
    async fn run(self, invocation: &Invocation) -> Result<Value, Interrupt> {
        if matches!(self.kind, Kind::Source) {
            return Err(Failure::raised(PLUGIN_ERROR, not_run(&self.name)).into());
        }
        let given = &invocation.arguments;
        let object = match given.get(SELF).filter(|_| !matches!(self.kind, Kind::Function(_) | Kind::New(_)))
        {
            Some(object) if matches!(self.kind, Kind::Release) => Some(self.objects.take(object)?.object),
            Some(object) => Some(self.objects.find_in(object)?.object),
            None => None,
        };
        let Side { plugin, host } = &self.side;
        let mut outgoing = Outgoing::new(Arc::clone(&self.objects), &self.library, host.is_some());
        let arguments = self.arguments(given, &mut outgoing)?;
        let mut call = self.host_call(object.as_ref(), arguments).map_err(|it| self.error(&it, given))?;
        if let Some(host) = host {
            CallOfSource::begin(host, &self.name, &mut call, &mut outgoing)?;
        }
        let class = match &call {
            HostCall::New { class, .. } => Some(class.clone()),
            _ => None,
        };
        // The oldest object decides: it is the one that may be gone.
        let generation = object.map(|it| it.generation).into_iter().chain(outgoing.generation).min();
        let _open = Open::new(&self.name, host.as_ref().map_or(plugin, |it| &it.plugin));
        let done = plugin.ask(call, std::mem::take(&mut outgoing.callbacks), generation).await;
        let (answer, generation) = done.map_err(|error| self.interrupt(error, &outgoing, given))?;
        match (class, answer) {
            (None, _) if matches!(self.kind, Kind::Set { .. } | Kind::Release) => Ok(Value::Null),
            (Some(class), answer) => {
                let id = answer.object().map_err(|it| self.error(&it, given))?;
                let library = plugin.description().library.qualified_name();
                let remote = Remote { library, class, id };
                let object = Object { remote, generation };
                let recipe = serde_json::json!({&*self.name: Value::Object(given.0.clone()).to_json()});
                Ok(self.objects.value(plugin, &self.library, object, recipe.to_string()))
            }
            (None, answer) => {
                let value = match host {
                    Some(host) => without_lives(answer.value(), &host.plugin, true)
                        .map_err(|it| self.error(&CallError::Unreadable(it), given))?,
                    None => answer.value(),
                };
                Ok(from_wire(value, &self.objects, &self.library, 0)?)
            }
        }
    }

    fn host_call(&self, object: Option<&Object>, arguments: Arguments) -> Result<HostCall, CallError> {
        let object_id = object.map(|it| it.remote.id.clone()).unwrap_or_default();
        Ok(match &self.kind {
            Kind::Function(name) => HostCall::Function { name: name.clone(), arguments },
            Kind::New(class) => HostCall::New { class: class.clone(), arguments },
            Kind::Method(method) => HostCall::Method { object_id, method: method.clone(), arguments },
            Kind::Set { class, property } => {
                let value = arguments.args.into_iter().next().unwrap_or(Wire::Null);
                class.assignment(&object_id, property, value).map_err(CallError::Unreadable)?
            }
            Kind::Release if self.side.host.is_some() => {
                HostCall::Method { object_id, method: END.to_owned(), arguments }
            }
            Kind::Release => HostCall::Destroy { object_id },
            Kind::Source => return Err(CallError::Unreadable(not_run(&self.name))),
        })
    }

    /// Returns the arguments by position as far as none is left out, and the others by name: many plugins take
    /// positional ones alone.
    fn arguments(&self, given: &dialect::Arguments, outgoing: &mut Outgoing) -> Result<Arguments, Failure> {
        let mut all = Arguments::default();
        let parameters = self.signature.as_ref().map(|it| it.parameters.as_slice()).unwrap_or_default();
        // A setter has a signature of its own.
        let own = [value_parameter()];
        let parameters = if matches!(self.kind, Kind::Set { .. }) { &own } else { parameters };
        let mut has_gap = false;
        for parameter in parameters.iter().filter(|it| matches!(it.takes, Takes::One | Takes::Keyword)) {
            let Some(value) = given.get(&parameter.name) else {
                has_gap = true;
                continue;
            };
            let value = outgoing.value(value, &format!("`{}`", parameter.name))?;
            match has_gap || parameter.takes == Takes::Keyword {
                true => drop(all.kwargs.insert(parameter.name.clone(), value)),
                false => all.args.push(value),
            }
        }
        for (index, value) in given.get(ARGS).and_then(Value::as_list).unwrap_or_default().iter().enumerate()
        {
            all.args.push(outgoing.value(value, &format!("args[{index}]"))?);
        }
        for (key, value) in given.get(KWARGS).and_then(Value::fields).into_iter().flat_map(|it| it.iter()) {
            all.kwargs.insert(key.clone(), outgoing.value(value, &format!("`{key}`"))?);
        }
        Ok(all)
    }

    fn interrupt(&self, error: CallError, outgoing: &Outgoing, given: &dialect::Arguments) -> Interrupt {
        let text = error.to_string();
        match outgoing.stopped.take(&text).or_else(|| question(&error)) {
            Some(interrupt) => interrupt,
            None => self.error(&error, given).into(),
        }
    }

    /// Returns the failure of a call, with the text of the plugin.
    fn error(&self, error: &CallError, given: &dialect::Arguments) -> Failure {
        let name = &self.name;
        match error {
            CallError::Peer(peer) => {
                let failure = Failure::raised(PLUGIN_ERROR, format!("`{name}` failed: {}", peer.message));
                match self.signature {
                    Some(_) => failure,
                    None => failure.recovery(format!(
                        "Its parameters are not known. If the arguments are wrong, give them in order (`args`) or \
                         by name (`kwargs`): {}",
                        self.explicit(given)
                    )),
                }
            }
            CallError::Closed(reason) => {
                let whose = if self.side.host.is_some() { "its source was stopped: " } else { "" };
                let failure =
                    Failure::raised(PLUGIN_GONE, format!("`{name}` has no answer: {whose}{reason}"));
                failure.recovery("The plugin starts again with the next call.").retryable()
            }
            error => Failure::raised(PLUGIN_ERROR, format!("`{name}` failed: {error}")),
        }
    }

    /// Returns the call in the form that leaves nothing to guess, with its arguments in order: most plugins want them
    /// so. Long ones are left out.
    fn explicit(&self, given: &dialect::Arguments) -> String {
        let args = given.get(ARGS).and_then(Value::as_list).unwrap_or_default();
        let kwargs = given.get(KWARGS).and_then(Value::fields);
        let args = args.iter().chain(kwargs.into_iter().flat_map(|it| it.values()));
        let args: Vec<_> = args.map(Value::to_json).collect();
        let call = |args: Vec<serde_json::Value>| {
            serde_json::json!({&*self.name: {"args": args, "kwargs": {}}}).to_string()
        };
        let whole = call(args);
        if whole.len() <= LONGEST_CALL { whole } else { call(Vec::new()) }
    }
}

/// The question of a plugin, in the data of its error.
#[derive(Deserialize)]
struct ErrorData {
    dialect: AmbiguityData,
}

#[derive(Deserialize)]
struct AmbiguityData {
    outcome: String,
    argument: Option<String>,
    #[serde(default)]
    alternatives: Vec<Alternative>,
}

#[derive(Deserialize)]
struct Alternative {
    description: String,
    value: Option<serde_json::Value>,
}

/// Returns the question that a plugin asks by an error with alternatives.
fn question(error: &CallError) -> Option<Interrupt> {
    let CallError::Peer(peer) = error else { return None };
    let ErrorData { dialect } = serde_json::from_str(peer.data.as_ref()?.get()).ok()?;
    let each = dialect.alternatives.into_iter();
    let choice = |it: Alternative| Some(Choice { description: it.description, value: it.value?.into() });
    let choices: Vec<Choice> = each.filter_map(choice).collect();
    let is_question = dialect.outcome == "ambiguous" && choices.len() > 1;
    let question = peer.message.clone();
    is_question.then(|| Interrupt::Ambiguous(Question { question, argument: dialect.argument, choices }))
}
