//! The errors of a runtime: those that its host registers, and a log of what happened.

use std::collections::BTreeMap;
use std::sync::{Arc, Mutex, MutexGuard};

use unpoisoned::lock;

use dialect::{GivenArgument, Object};
use serde_json::Value;

use crate::document::Document;
use crate::documents::Documents;
use crate::interface::Interface;
use crate::throwable::Throwable;

/// The most errors that are registered, and lines that the log keeps; the oldest lines go first.
const MOST: usize = 1_000;

/// Errors that no document declares, and a log. A clone is the same handler.
#[derive(Clone, Debug, Default)]
pub struct ErrorHandler(Arc<Mutex<Known>>);

#[derive(Debug, Default)]
struct Known {
    declared: BTreeMap<String, Arc<Throwable>>,
    log: std::collections::VecDeque<String>,
}

/// The call that failed.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct ErrorContext {
    /// The tool.
    pub tool: String,
    /// The arguments by name.
    pub params: Object,
}

impl ErrorContext {
    /// Returns the call: the tool and its arguments.
    pub(super) fn into_call(self) -> (String, Vec<GivenArgument>) {
        let given = self.params.into_iter().map(|(name, value)| GivenArgument { name: Some(name), value });
        (self.tool, given.collect())
    }
}

impl ErrorHandler {
    /// Registers errors: definitions as documents have them, such as
    /// `error Busy(part: string) { message = "${part} is busy", recovery = "Wait.", retryable = true }`. One of the same
    /// name replaces an earlier one; one that a document declares counts before it.
    ///
    /// # Errors
    /// The text is no valid definition, or there are too many. The message has the places.
    pub fn register(&self, definitions: &str) -> Result<(), String> {
        let mut documents = Documents::new();
        let text = format!(
            "---\nid: registered\ntitle: Registered\nsummary: Errors.\n---\n<define>\n{definitions}\n</define>\n"
        );
        documents.insert("registered errors", Document::parse(text));
        let interface = Interface::load(&documents).map_err(|invalid| invalid.to_string())?;
        let throwables = interface.throwables();
        if throwables.is_empty() {
            return Err(
                "there is no error in it: expected `error Name(parameters) { message = \"…\" }`".to_owned()
            );
        }
        let mut known = self.lock();
        for throwable in throwables {
            if known.declared.len() >= MOST && !known.declared.contains_key(&throwable.name) {
                return Err(format!("more than {MOST} errors are registered"));
            }
            known.declared.insert(throwable.name.clone(), Arc::new(throwable.clone()));
        }
        Ok(())
    }

    /// Returns the registered error of that name.
    pub(super) fn registered(&self, name: &str) -> Option<Arc<Throwable>> {
        self.lock().declared.get(name).cloned()
    }

    /// Adds an error to the log: its name and message, and the tool that failed with it.
    pub fn log(&self, error: &Value, context: Option<&ErrorContext>) {
        let text = |field: &str| error[field].as_str().unwrap_or_default();
        let tool = context.map(|it| format!("{}: ", it.tool)).unwrap_or_default();
        let line = match (text("error"), text("message")) {
            ("", "") => format!("{tool}{error}"),
            (name, message) => format!("{tool}{name}: {message}"),
        };
        let mut known = self.lock();
        if known.log.len() >= MOST {
            known.log.pop_front();
        }
        known.log.push_back(crate::trust::plain(&line, crate::trust::LONGEST_RECOVERY));
    }

    /// Returns the lines of the log, the oldest first.
    pub fn lines(&self) -> Vec<String> {
        self.lock().log.iter().cloned().collect()
    }

    fn lock(&self) -> MutexGuard<'_, Known> {
        lock(&self.0)
    }
}
