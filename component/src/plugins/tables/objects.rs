//! Objects that live in plugins, as values of programs: records with a reference to the object.
//!
//! A reference names the plugin, its life and the object: `hello#2:1`. What a program made and cannot be reached
//! from its result is destroyed after it. The rest lives as long as its plugin, or until it is one of too many.

use std::collections::HashSet;
use std::sync::{Arc, Mutex};
use std::time::Duration;

use dialect::{Failure, Object as Fields, Value};
use indexmap::IndexMap;
use plugin_protocol::Remote;

use crate::plugins::tables::plugin_names::{PLUGIN_ERROR, PLUGIN_GONE, type_name};
use crate::plugins::tables::source::{SourceHost, Surroundings, ending, is_of_source};
use crate::plugins::{Object, Plugin};
use unpoisoned::lock;

/// The field of the reference.
pub(super) const REFERENCE: &str = "ref";

/// The time for the end of an object.
const DESTROY: Duration = Duration::from_secs(2);

/// The maximum number of live objects. The oldest are destroyed.
const LIVE: usize = 1_000;

/// The maximum number of programs that are remembered for objects that are gone.
const RECIPES: usize = 1_000;

/// The objects of one session.
#[derive(Debug, Default)]
pub(crate) struct Objects {
    live: Mutex<Live>,
    /// The types of objects, each with the names of its properties.
    types: Mutex<IndexMap<String, HashSet<String>>>,
}

#[derive(Debug, Default)]
struct Live {
    objects: IndexMap<String, LiveObject>,
    /// The programs that made objects which may be gone.
    recipes: IndexMap<String, String>,
    running: usize,
    /// The objects that were made since no program ran.
    undecided: HashSet<String>,
    /// Those of them that a result has.
    reachable: HashSet<String>,
    plugins: Vec<(String, Plugin)>,
    /// The processes of source, each with the plugin behind it.
    sources: Vec<(SourceHost, Plugin)>,
}

/// An object, with the plugin that has it.
#[derive(Clone, Debug)]
pub(super) struct LiveObject {
    pub(super) plugin: Plugin,
    pub(super) library: String,
    pub(super) object: Object,
    /// The plugin that the object calls, if it lives in the plugin's source, and the surroundings in which it was made.
    pub(super) host: Option<(SourceHost, Surroundings)>,
}

/// The run of a program, which ends when this is dropped.
pub(crate) struct ObjectsOfRun(Arc<Objects>);

impl Objects {
    /// Adds a plugin, with the types of its classes, each with the names of its properties.
    pub(super) fn add(
        &self,
        library: &str,
        plugin: &Plugin,
        types: impl Iterator<Item = (String, HashSet<String>)>,
    ) {
        lock(&self.live).plugins.push((library.to_owned(), plugin.clone()));
        lock(&self.types).extend(types);
    }

    /// Adds the process of a plugin's source.
    pub(super) fn add_source(&self, host: SourceHost, source: &Plugin) {
        lock(&self.live).sources.push((host, source.clone()));
    }

    /// Returns whether a type is one of objects in plugins.
    pub(crate) fn is_object(&self, type_name: &str) -> bool {
        lock(&self.types).contains_key(type_name)
    }

    /// Returns whether a type is one of objects in plugins, with a property of that name.
    pub(crate) fn has_property(&self, type_name: &str, name: &str) -> bool {
        lock(&self.types).get(type_name).is_some_and(|it| it.contains(name))
    }

    /// Returns the type and the reference of a value that is an object.
    pub(crate) fn reference<'v>(&self, value: &'v Value) -> Option<(&'v str, &'v str)> {
        let Value::Record(record) = value else { return None };
        let reference = record.fields.get(REFERENCE)?.as_text()?;
        self.is_object(&record.type_name).then_some((&*record.type_name, reference))
    }

    /// Returns the value of an object, from its type and its reference; `None` if there is no such type.
    pub(crate) fn referred(&self, type_name: &str, reference: &str) -> Option<Value> {
        let fields = || Fields::from_iter([(REFERENCE.to_owned(), reference.into())]);
        self.is_object(type_name).then(|| Value::record(type_name, fields()))
    }

    /// Returns whether a value has an object.
    pub(crate) fn are_in(&self, value: &Value) -> bool {
        !lock(&self.types).is_empty() && self.are_below(value)
    }

    fn are_below(&self, value: &Value) -> bool {
        match value {
            Value::Record(record) if self.is_object(&record.type_name) => true,
            Value::List(items) => items.iter().any(|it| self.are_below(it)),
            value => value.fields().is_some_and(|it| it.values().any(|it| self.are_below(it))),
        }
    }

    /// Returns the object of a value.
    ///
    /// # Errors
    /// It is gone.
    pub(super) fn find_in(&self, value: &Value) -> Result<LiveObject, Failure> {
        let reference = value.fields().and_then(|it| it.get(REFERENCE)?.as_text()).unwrap_or_default();
        let live = lock(&self.live);
        if let Some(found) = live.objects.get(reference) {
            return Ok(found.clone());
        }
        let failure = Failure::raised(PLUGIN_GONE, format!("the object `{reference}` is gone"));
        Err(match live.recipes.get(reference) {
            Some(recipe) => failure.recovery(format!("Make it again: {recipe}")),
            None => failure.recovery("Make it again, and use it in the same program."),
        })
    }

    /// Returns the value of an object that `recipe` made.
    pub(super) fn value(&self, plugin: &Plugin, library: &str, object: Object, recipe: String) -> Value {
        let reference = format!("{library}#{}:{}", object.generation, object.remote.id);
        let type_name = type_name(library, &object.remote.class);
        let mut live = lock(&self.live);
        live.undecided.insert(reference.clone());
        let is_of_source = is_of_source(&object.remote.id);
        let host = live.sources.iter().find(|it| is_of_source && it.0.library == library);
        let host = host.map(|it| (it.0.clone(), Surroundings::current()));
        let of_plugin = LiveObject { plugin: plugin.clone(), library: library.to_owned(), object, host };
        live.objects.insert(reference.clone(), of_plugin);
        live.recipes.insert(reference.clone(), recipe);
        while live.recipes.len() > RECIPES {
            live.recipes.shift_remove_index(0);
        }
        while live.objects.len() > LIVE {
            let oldest = live.objects.shift_remove_index(0);
            oldest.into_iter().for_each(|(_, it)| destroy(it));
        }
        Value::record(type_name, Fields::from_iter([(REFERENCE.to_owned(), reference.into())]))
    }

    /// Returns the value of an object that a plugin names in a result.
    ///
    /// # Errors
    /// Its schema has no such class.
    pub(super) fn value_of_remote(&self, remote: Remote, library: &str) -> Result<Value, Failure> {
        let type_name = type_name(library, &remote.class);
        let live = lock(&self.live);
        let plugin = match is_of_source(&remote.id) {
            true => live.sources.iter().find(|it| it.0.library == library).map(|it| it.1.clone()),
            false => live.plugins.iter().find(|it| it.0 == library).map(|it| it.1.clone()),
        };
        drop(live);
        match plugin.filter(|_| self.is_object(&type_name)) {
            Some(plugin) => {
                let object = Object { remote, generation: plugin.generation() };
                Ok(self.value(&plugin, library, object, format!("call the function of `{library}` again")))
            }
            None => {
                let message = format!(
                    "`{library}` returned an object of the class `{}`, which its schema does not have",
                    remote.class
                );
                Err(Failure::raised(PLUGIN_ERROR, message))
            }
        }
    }

    /// Takes an object out, to be destroyed by the caller.
    ///
    /// # Errors
    /// It is gone.
    pub(super) fn take(&self, value: &Value) -> Result<LiveObject, Failure> {
        let found = self.find_in(value)?;
        let reference = value.fields().and_then(|it| it.get(REFERENCE)?.as_text()).unwrap_or_default();
        lock(&self.live).objects.shift_remove(reference);
        Ok(found)
    }

    /// Begins the run of a program.
    pub(crate) fn run(self: &Arc<Self>) -> ObjectsOfRun {
        lock(&self.live).running += 1;
        ObjectsOfRun(Arc::clone(self))
    }
}

impl ObjectsOfRun {
    /// Keeps the objects of a value.
    pub(crate) fn keep(&self, value: &Value) {
        match value {
            Value::Text(text) => {
                let mut live = lock(&self.0.live);
                if live.undecided.contains(&**text) {
                    live.reachable.insert(text.to_string());
                }
            }
            Value::List(items) => items.iter().for_each(|it| self.keep(it)),
            value => value.fields().into_iter().flat_map(|it| it.values()).for_each(|it| self.keep(it)),
        }
    }
}

impl Drop for ObjectsOfRun {
    /// Destroys what no result has, once no program runs: which of several made it is not known.
    fn drop(&mut self) {
        let mut live = lock(&self.0.live);
        live.running -= 1;
        if live.running > 0 {
            return;
        }
        let reachable = std::mem::take(&mut live.reachable);
        let undecided = std::mem::take(&mut live.undecided);
        for reference in undecided.difference(&reachable) {
            live.objects.shift_remove(reference).into_iter().for_each(destroy);
        }
    }
}

/// Destroys an object in the background. A plugin that is gone has none.
fn destroy(live: LiveObject) {
    if let Ok(runtime) = tokio::runtime::Handle::try_current() {
        runtime.spawn(async move {
            let destroyed = async {
                let LiveObject { plugin, object, host, .. } = live;
                let Some((host, surroundings)) = host else { return drop(plugin.destroy(&object).await) };
                let (call, callbacks) = ending(host, surroundings, &object.remote.id);
                drop(plugin.ask(call, callbacks, Some(object.generation)).await);
            };
            let _ = tokio::time::timeout(DESTROY, destroyed).await;
        });
    }
}
