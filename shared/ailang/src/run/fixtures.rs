//! Fixtures: results of tools for runs without their implementations, as JSON.
//!
//! ```json
//! {
//!   "search": [
//!     {"args": {"query": "a"}, "result": ["x"]},
//!     {"error": {"name": "RateLimitError", "params": {"resetAt": 1760000000}}},
//!     {"result": [], "repeat": true}
//!   ]
//! }
//! ```
//!
//! Each call takes the first entry of its tool that was not taken before and whose `args` it has. An entry with
//! `"repeat": true` is taken again and again. An error is a name, or an object with `name`, `params` and `message`.
//!
//! `promptUser` can have entries too: the `question` and the `options` are its arguments, and the result is the option
//! that the user would choose, or null for a dismissed question.

use std::collections::HashMap;
use std::fmt;
use std::sync::{Arc, Mutex};

use unpoisoned::lock;

use dialect::{Advice, Failure, FailureKind, Interrupt, Object, Registry, Value, show_start};
use serde::Deserialize;

use crate::diagnostic::nearest;
use crate::values::Values;

/// The results of tools.
#[derive(Clone, Debug, Default)]
pub struct Fixtures {
    tools: HashMap<String, Arc<Entries>>,
}

/// Fixtures that are not what they should be.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FixtureError(String);

impl std::error::Error for FixtureError {}

impl fmt::Display for FixtureError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

/// The entries of one tool.
#[derive(Debug, Default)]
struct Entries {
    all: Vec<Entry>,
    /// `true` for those that were taken.
    taken: Mutex<Vec<bool>>,
}

#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct Entry {
    args: Option<serde_json::Map<String, serde_json::Value>>,
    #[serde(default, deserialize_with = "given")]
    result: Option<serde_json::Value>,
    error: Option<EntryError>,
    #[serde(default)]
    repeat: bool,
}

#[derive(Clone, Debug, Deserialize)]
#[serde(untagged)]
enum EntryError {
    Name(String),
    Full {
        name: String,
        #[serde(default)]
        params: serde_json::Map<String, serde_json::Value>,
        #[serde(default)]
        message: String,
    },
}

/// Reads a value that may be null, which is not the same as none.
fn given<'de, D: serde::Deserializer<'de>>(reader: D) -> Result<Option<serde_json::Value>, D::Error> {
    serde_json::Value::deserialize(reader).map(Some)
}

impl Fixtures {
    /// Parses fixtures.
    ///
    /// # Errors
    /// The text is no JSON of that form; the message has the place.
    pub fn parse(text: &str) -> Result<Self, FixtureError> {
        let wrong = |error: serde_json::Error| FixtureError(format!("these are no fixtures: {error}"));
        let read: HashMap<String, Vec<Entry>> = serde_json::from_str(text).map_err(wrong)?;
        let mut tools = HashMap::new();
        for (tool, all) in read {
            if let Some(at) = all.iter().position(|it| it.result.is_some() == it.error.is_some()) {
                let message = format!("entry {} of `{tool}` has to have either `result` or `error`", at + 1);
                return Err(FixtureError(message));
            }
            let taken = Mutex::new(vec![false; all.len()]);
            tools.insert(tool, Arc::new(Entries { all, taken }));
        }
        Ok(Self { tools })
    }

    /// Checks that each tool exists, and that each result has the type that its tool declares. `local` are the tools that
    /// examples define for themselves.
    ///
    /// # Errors
    /// All that is wrong, a line each.
    pub(super) fn check(&self, registry: &Registry, values: &Values, local: &[&str]) -> Result<(), String> {
        let values = values.clone().ignoring_unknown_fields();
        let mut tools: Vec<_> =
            self.tools.iter().filter(|(tool, _)| !local.contains(&tool.as_str())).collect();
        tools.sort_by_key(|(tool, _)| *tool);
        let mut wrong = Vec::new();
        for (tool, entries) in tools {
            let Some(signature) = registry.signatures().find(|it| it.name == *tool) else {
                let known = registry.signatures().map(|it| it.name.as_str());
                let near = nearest(tool, known);
                let near = near.first().map(|near| format!("; did you mean `{near}`?"));
                wrong.push(format!("no tool is called `{tool}`{}", near.unwrap_or_default()));
                continue;
            };
            for (at, entry) in entries.all.iter().enumerate() {
                let Some(Err(problems)) =
                    entry.result.as_ref().map(|it| values.check(&signature.returns, it))
                else {
                    continue;
                };
                let each = problems.iter().map(|it| format!("entry {} of `{tool}`: {it}", at + 1));
                wrong.extend(each);
            }
        }
        if wrong.is_empty() { Ok(()) } else { Err(format!("the fixtures do not fit:\n{}", wrong.join("\n"))) }
    }

    /// Returns the same fixtures, none of which is taken.
    #[must_use]
    pub fn fresh(&self) -> Self {
        let fresh = |entries: &Arc<Entries>| {
            let all = entries.all.clone();
            Arc::new(Entries { taken: Mutex::new(vec![false; all.len()]), all })
        };
        Self { tools: self.tools.iter().map(|(tool, entries)| (tool.clone(), fresh(entries))).collect() }
    }

    /// Returns `true` if there are results of a tool.
    pub fn has(&self, tool: &str) -> bool {
        self.tools.contains_key(tool)
    }

    /// Takes the result of a call.
    pub(super) fn call(&self, tool: &str, arguments: &Object) -> Result<Value, Interrupt> {
        let entry = self.tools.get(tool).and_then(|entries| entries.take(arguments));
        let Some(entry) = entry else {
            let arguments = show_start(&Value::Object(arguments.clone()), 300);
            let message = format!("no fixture of `{tool}` is left for {arguments}");
            return Err(Failure::raised("InternalError", message).into());
        };
        match (entry.result, entry.error) {
            (Some(result), _) => Ok(result.into()),
            (None, error) => Err(Failure::from(error.map(failure).unwrap_or_else(nothing)).into()),
        }
    }
}

fn failure(error: EntryError) -> FailureKind {
    let (name, params, message) = match error {
        EntryError::Name(name) => (name, serde_json::Map::new(), String::new()),
        EntryError::Full { name, params, message } => (name, params, message),
    };
    let carries = match Value::from(serde_json::Value::Object(params)) {
        Value::Object(carries) => carries,
        _ => Object::new(),
    };
    FailureKind::Raised { name, message, carries, advice: Advice::default() }
}

fn nothing() -> FailureKind {
    let message = "the fixture has no result".to_owned();
    FailureKind::Raised {
        name: "InternalError".to_owned(),
        message,
        carries: Object::new(),
        advice: Advice::default(),
    }
}

impl Entries {
    fn take(&self, arguments: &Object) -> Option<Entry> {
        let mut taken = lock(&self.taken);
        let at =
            self.all.iter().zip(taken.iter()).position(|(entry, taken)| !taken && entry.fits(arguments))?;
        let entry = self.all[at].clone();
        taken[at] = !entry.repeat;
        Some(entry)
    }
}

impl Entry {
    fn fits(&self, arguments: &Object) -> bool {
        let mut wanted = self.args.iter().flatten();
        wanted.all(|(name, wanted)| arguments.get(name).is_some_and(|it| it.equals(&wanted.clone().into())))
    }
}
