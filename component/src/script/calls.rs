//! The calls of a program: functions of the registry, and functions of files over the overlay.

mod commit;
mod environment;
mod files;
mod functions;
mod outcomes;
mod values;

use std::collections::HashMap;
use std::sync::{Arc, Mutex};

use dialect::{Effect, Object};
use ide_protocol::{ChangedFile, FileTexts};
use script_protocol::{CallOutcome, CallTarget, too_long};
use serde_json::{Map, Value, json};

pub(crate) use self::environment::Environment;
use self::outcomes::{invalid, returned};
pub(super) use self::values::Invoked;
use super::clock::Clock;
use super::file_functions::{self, FileFunction};
use super::outputs::Outputs;
use super::overlay::Overlay;
use super::stubs;
use crate::acp::upstream::ProgressStep;
use crate::audit::Ending;
use tokio::sync::mpsc::UnboundedSender;
use unpoisoned::lock;

/// The tool's name.
pub(crate) const NAME: &str = "script";

/// The arguments of a call.
struct Given {
    positional: Vec<Value>,
    named: Map<String, Value>,
    /// The mark of functions and objects among them.
    mark: Option<String>,
}

/// The calls of one program.
pub(super) struct Calls {
    environment: Environment,
    clock: Arc<Clock>,
    overlay: Mutex<Overlay>,
    /// The programs of the candidates of ambiguous calls, with the functions that they name.
    candidates: Mutex<HashMap<u64, (Vec<String>, Object)>>,
    /// Takes the calls of functions of the program.
    invoked: UnboundedSender<Invoked>,
    /// The files that calls have written to disk already.
    written: Mutex<Vec<ChangedFile>>,
    outputs: Arc<Outputs>,
    /// The notes on work trees that the functions of files came to, until a call takes them.
    tree_notes: Mutex<Vec<String>>,
    /// True when nothing is written, and nobody is asked.
    is_dry: bool,
}

impl Calls {
    pub(super) fn new(
        environment: Environment,
        clock: Arc<Clock>,
        outputs: Arc<Outputs>,
        invoked: UnboundedSender<Invoked>,
        is_dry: bool,
    ) -> Self {
        let (overlay, candidates, written) = (Mutex::default(), Mutex::default(), Mutex::default());
        let tree_notes = Mutex::default();
        Self { environment, clock, overlay, candidates, invoked, written, outputs, tree_notes, is_dry }
    }

    /// Returns the name of what is called, for people.
    pub(super) fn label(target: &CallTarget) -> String {
        match target {
            CallTarget::Function { namespace, name, .. } => format!("{namespace}.{name}"),
            CallTarget::Candidate { .. } => "candidate.choose".to_owned(),
        }
    }

    /// Returns whether a call is one of those that a program may make only so many of. Files change in memory.
    pub(super) fn counts(target: &CallTarget) -> bool {
        match target {
            CallTarget::Function { namespace, name, .. } if namespace == file_functions::NAMESPACE => {
                FileFunction::find(name) == Some(FileFunction::Commit)
            }
            _ => true,
        }
    }

    /// Returns what a program can do that may make no more calls.
    pub(super) fn too_many(&self, most: usize) -> String {
        let keep = match self.staged() {
            0 => String::new(),
            _ => " Keep the changes so far: `await fs.commit()`.".to_owned(),
        };
        format!(
            "a program may make {most} calls besides those of `fs`, and this is one more. One call can ask for many: \
             await dialect.run(\"[`a`, `b`].map(n => findReferences(n).count())\"). Or catch this error, return what is \
             left, and send it as `args` of the next program.{keep}"
        )
    }

    /// Returns true for calls that have to wait for those before them, and keep those after them waiting.
    pub(super) fn changes(&self, target: &CallTarget) -> bool {
        match target {
            CallTarget::Function { namespace, name, .. } if namespace == file_functions::NAMESPACE => {
                FileFunction::find(name).is_some_and(FileFunction::changes)
            }
            CallTarget::Function { namespace, name, .. } => {
                let registry = self.environment.loaded.extensions.tables();
                // A whole program may do anything.
                stubs::find(registry, namespace, name).is_none_or(|(_, effect)| effect == Effect::Writes)
            }
            CallTarget::Candidate { .. } => true,
        }
    }

    pub(super) async fn call(&self, number: u64, target: CallTarget) -> CallOutcome {
        let label = Self::label(&target);
        match target {
            CallTarget::Candidate { of, index } => {
                let found = lock(&self.candidates).get(&of).cloned();
                let found = found.and_then(|(all, functions)| Some((all.get(index).cloned()?, functions)));
                match found {
                    Some((program, functions)) => {
                        let program = self.parsed(&program, &functions);
                        self.run(number, &label, program, functions).await
                    }
                    None => invalid(&label, "there is no such candidate"),
                }
            }
            CallTarget::Function { namespace, name, positional, named, mark } => {
                if let Some(number) = too_long(positional.get()).or_else(|| too_long(named.get())) {
                    let problem = format!("{number} has more than 64 bits; pass it as a text");
                    return invalid(&label, &problem);
                }
                let arguments = (serde_json::from_str(positional.get()), serde_json::from_str(named.get()));
                let (Ok(positional), Ok(named)) = arguments else {
                    return invalid(
                        &label,
                        "a text in the arguments has half of a surrogate pair, which is no character",
                    );
                };
                let given = Given { positional, named, mark };
                self.function(number, &label, (&namespace, &name), given).await
            }
        }
    }

    async fn function(
        &self,
        number: u64,
        label: &str,
        (namespace, name): (&str, &str),
        given: Given,
    ) -> CallOutcome {
        if ![file_functions::NAMESPACE, stubs::DIALECT].contains(&namespace) {
            return self.library_function(number, label, (namespace, name), given).await;
        }
        let Given { positional, named, mark } = given;
        if mark.is_some() {
            return invalid(label, "it takes no objects of plugins");
        }
        if namespace == file_functions::NAMESPACE {
            return self.file_function(label, name, positional, named).await;
        }
        match name {
            stubs::RUN => match named.get("program").or_else(|| positional.first()).and_then(Value::as_str) {
                Some(program) => {
                    let none = Object::default();
                    self.run(number, label, self.parsed(program, &none), none).await
                }
                None => invalid(label, "`program` must be a string that holds a program of Dialect"),
            },
            stubs::OUTPUT => self.earlier_output(label, &positional, &named),
            _ => invalid(label, "there is no such function"),
        }
    }

    /// Returns lines of an output of an earlier program.
    fn earlier_output(&self, label: &str, positional: &[Value], named: &Map<String, Value>) -> CallOutcome {
        let number = |index: usize, name: &str| named.get(name).or_else(|| positional.get(index))?.as_u64();
        let Some(id) = number(0, "id") else {
            return invalid(label, "`id` must be the number of an output");
        };
        let line = |index, name, default| {
            number(index, name).map_or(default, |it| usize::try_from(it).unwrap_or(usize::MAX))
        };
        match self.outputs.lines(id, line(1, "first", 1), line(2, "last", usize::MAX)) {
            Ok(text) => returned(label, &json!(text), Vec::new()),
            Err(message) => invalid(label, &message),
        }
    }

    /// Returns the number of files that would be written.
    pub(super) fn staged(&self) -> usize {
        lock(&self.overlay).len()
    }

    /// Sets the outcome of the program in its measurements: a word of the report.
    pub(super) fn ended(&self, ending: Ending, word: &str) {
        let error = (ending == Ending::Failure).then(|| word.to_owned());
        self.environment.meter.ended(ending, error);
    }

    /// Writes a line about the program into the audit log.
    pub(super) async fn record(&self, numbers: Value, outcome: &str) {
        let Environment { gate, caller, .. } = &self.environment;
        gate.record_run(caller, NAME, numbers, outcome.to_owned()).await;
    }

    /// Shows a call as progress.
    pub(super) fn show(&self, number: usize, target: &CallTarget, line: Option<u32>) {
        let line = line.map(|it| format!(" (line {it})")).unwrap_or_default();
        let message = format!("{number}: {}{line}", Self::label(target));
        // Fails when the agent shows no progress.
        let _ = self.environment.steps.send(ProgressStep { message, percentage: None });
    }

    /// Returns the changes that would be written.
    pub(super) fn files(&self) -> Vec<FileTexts> {
        lock(&self.overlay).files()
    }

    /// Returns the files that are written.
    pub(super) fn written(&self) -> Vec<ChangedFile> {
        lock(&self.written).clone()
    }
}
